"""Scores of blocks for a room in tokens, with an index that is kept from question to question."""

import random

import pytest
from msgspec.structs import replace
from tests.parameters import few

from contextwright import C, Engine, Session
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering
from contextwright.models.embedded import packing_scores
from contextwright.retrieval.item_table import ItemTable
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for

WORDS = ["order", "shop", "late", "find", "bill", "city", "lisbon", "paid", "never", "refund"]


def line(dice: random.Random) -> str:
    return " ".join(dice.choices(WORDS, k=dice.randint(2, 9)))


def chat(dice: random.Random, exchanges: int) -> Session:
    session = Session("chat")
    for n in range(exchanges):
        if n % 3 == 0:
            session.user(line(dice))
        else:
            session.assistant(line(dice), author=dice.choice(("", "ann", "bo")))
    return session


@pytest.mark.parametrize("seed", few(range(12), 3))
def test_blocks_that_come_and_go_score_as_in_an_index_of_their_own(seed):
    dice = random.Random(seed)
    session, owner = chat(dice, 60), Tables()
    every = Memo().blocks(session.snapshot().exchanges(0))
    for _ in range(12):
        blocks = every[: dice.randint(1, 60)]
        if dice.random() < 0.4:
            at = dice.randrange(len(blocks))
            blocks = (*blocks[:at], *blocks[at + 1 :])
        if dice.random() < 0.3 and blocks:
            at = dice.randrange(len(blocks))
            blocks = (*blocks[:at], replace(blocks[at], score=7), *blocks[at + 1 :])
        query, earlier = line(dice), "\n".join(line(dice) for _ in range(dice.randint(0, 3)))
        with remembering(owner):
            scores = packing_scores(query, earlier, blocks)
        assert scores == packing_scores(query, earlier, blocks)


def test_a_question_takes_apart_what_is_new(monkeypatch):
    """Of a session of 200 exchanges as of one of 50."""
    counts: list[int] = []
    put = ItemTable._put

    def counted(self, row, item):
        counts[-1] += 1
        put(self, row, item)

    monkeypatch.setattr(ItemTable, "_put", counted)

    def most(exchanges: int) -> int:
        dice = random.Random(1)
        session = chat(dice, exchanges)
        spec = C.window(2) + C.relevant(max_tokens=200) | C.budget(1_000)
        engine = Engine(spec, target_for("openai-chat").model, window=8_000, reserved_output=0)
        counts.append(0)
        engine.compile(session)
        assert counts[-1] > exchanges * 0.8
        del counts[:]
        for _ in range(5):
            session.user(line(dice))
            counts.append(0)
            engine.compile(session)
            session.assistant(line(dice))
        return max(counts)

    assert 0 < most(200) <= most(50) + 2
