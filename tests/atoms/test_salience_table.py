"""Salience that is brought up to date is salience told from the beginning."""

from collections import Counter
from itertools import chain

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.atoms import scored_blocks
from contextwright.atoms.scored_blocks import ScoredBlocks, features_of
from contextwright.atoms.select.recent import Recent
from contextwright.atoms.select.salient import Salient
from contextwright.blocks.block import Block, Message
from contextwright.retrieval.features import about
from contextwright.retrieval.salience import FACTORS, RECENCY, SalienceContext, any_of, shares
from contextwright.retrieval.salience_table import SalienceTable
from contextwright.session.event import Text
from contextwright.testing import target_for

WORDS = ("INV-0042", "Ada_L", "order_id", "your", "#Plan:", "bike", "48213", "the", "src/app.py")
TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)


def from_scratch(blocks, word, ageing, turn, query):
    """All counted and all judged: the definition."""
    traits = list(map(features_of, blocks))
    counts = Counter(chain.from_iterable(has.entities for has in traits))
    recurring = frozenset(name for name, count in counts.items() if count >= 2)
    users = [has.words for block, has in zip(blocks, traits) if block.role == "user"]
    asked = about(query) if query else users[-1] if users else frozenset()
    context = SalienceContext(any_of(word.entities), recurring, asked)
    recency, entity, user, structural = (
        shares({name: getattr(word, name) for name in FACTORS})[name] for name in FACTORS
    )
    scores = []
    for block, has in zip(blocks, traits):
        known = context.known_in(block.plain_text)
        new = RECENCY if block.turn < 0 else ageing.recency_at(max(0, turn - block.turn))
        values = context.values(has, known, new, by_user=block.role == "user")
        score = structural * values.structural + recency * values.recency
        score += entity * values.entity + user * values.user_reference
        scores.append(min(1_000_000, round(1_000_000 * score)))
    return scores


def block(number, turn, role, text):
    if turn < 0:
        return Block(id=f"t{number}", source="s", text=text)
    message = Message(role, (Text(text=text),))
    return Block(id=f"e{number}", source="s", messages=(message,), turn=turn, order=number)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "user", "text", "last", "cut", "middle", "score"]),
        st.integers(0, 60),
        TEXTS,
    ),
    max_size=25,
)


@given(
    STEPS,
    st.sampled_from([Salient(half_life=2), Salient(entities=("Ada_L",), user_reference=1)]),
    st.sampled_from([None, Recent(decay="linear", window=3), Recent(decay="step", window=2)]),
    TEXTS,
)
def test_what_changed_is_all_that_is_judged_again(steps, word, shape, query):
    weights = shares({name: getattr(word, name) for name in FACTORS})
    ageing = shape or word
    grown = ScoredBlocks(weights, ageing.recency_at, any_of(word.entities))
    blocks, turn = (block(0, 0, "user", "order 48213 of Ada_L"),), 0
    for number, (step, place, text) in enumerate(steps, 1):
        if step == "user":
            turn += place % 4  # ages of several turns at once
        role = "user" if step == "user" else "assistant"
        if step in {"add", "user", "text"}:
            blocks += (block(number, -1 if step == "text" else turn, role, text),)
        elif step == "last":
            blocks = (*blocks[:-1], block(number, turn, role, text))
        elif step == "cut":
            blocks = blocks[: max(1, len(blocks) - place % 7)]
        elif step == "middle":
            at = place % len(blocks)
            blocks = (*blocks[:at], block(number, turn, role, text), *blocks[at + 1 :])
        else:
            at = place % len(blocks)
            scored = msgspec.structs.replace(blocks[at], score=place)
            blocks = (*blocks[:at], scored, *blocks[at + 1 :])
        asked = query if place % 3 == 0 else ""
        grown.judge(blocks, turn, asked)
        wanted = from_scratch(blocks, word, ageing, turn, asked)
        assert list(grown.scores) == wanted
        least = 400_000
        made = grown.at_least(least, blocks, {0})
        assert made == tuple(
            msgspec.structs.replace(one, score=score)
            for at, (one, score) in enumerate(zip(blocks, wanted))
            if score >= least or at == 0
        )


def long_session(turns):
    session = Session("long")
    for number in range(turns):
        session.user(f"question {number} about order A-{number % 9}")
        session.call("search", f'{{"q": "A-{number}"}}', id=f"c{number}")
        session.result(f"c{number}", f"order A-{number % 9} costs {number * 7} euros " * 4)
        session.assistant(f"answer {number}")
    session.user("and what of order A-3?")
    return session


@pytest.mark.parametrize(
    "spec",
    [
        C.salient(0.2) | C.budget(2000),
        C.default() | C.budget(2000, overflow="truncate_least_salient"),
        C.recent(by="salience") | C.budget(2000),
        C.relevant(scorer="salience") | C.budget(2000),
        C.sliding(1500) | C.budget(2000),
        C.decay(spare=0.5, summary=False) | C.budget(2000),
    ],
    ids=["salient", "least salient", "recent", "relevant", "sliding", "decay"],
)
def test_a_step_of_a_turn_reads_and_judges_what_is_new(spec, monkeypatch):
    session, target = long_session(200), target_for("openai-chat")
    compile(session, spec, target=target)
    read, judged = [], []
    features, age_rows = scored_blocks.features, SalienceTable._judged
    monkeypatch.setattr(scored_blocks, "features", lambda text: read.append(text) or features(text))
    monkeypatch.setattr(
        SalienceTable,
        "_judged",
        lambda table, stale: judged.append(len(stale)) or age_rows(table, stale),
    )
    for number in range(4):
        session.call("look", "{}", id=f"n{number}")
        session.result(f"n{number}", f"nothing new {number}")
        read.clear()
        judged.clear()
        first = compile(session, spec, target=target)
        by_steps = "sliding" in repr(spec) or "least" in repr(spec)  # judged as of the newest
        assert len(read) <= (60 if by_steps else 8)
        assert sum(judged) <= 16 or by_steps
    fresh = Session("long", events=list(session.log))
    assert compile(fresh, spec, target=target).body == first.body
