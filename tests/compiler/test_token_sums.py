"""Sums that begin where a fold's knowledge ends are those of the whole conversation."""

import random

import pytest
from tests.compiler.test_fold import work

from contextwright import C, Engine, Session
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.token_sums import tokens_of_all
from contextwright.spec import memo
from contextwright.spec.memo import Memo
from contextwright.spec.saved_fold import SavedPrefix


def cost(block):
    return sum(len(part.text) for message in block.messages for part in message.parts) + 3


def session_of(turns, seed=1):
    dice, session = random.Random(seed), Session("s")
    session.add("system", "Work.")
    for n in range(turns):
        (session.user if n % 3 else session.assistant)("x" * dice.randint(1, 40))
    return session


def whole(session):
    return tokens_of_all(session.snapshot(), cost, Memo())


def known_of(session, place):
    """What a fold knows of the first exchanges behind the instruction."""
    part = Session("s", session.log[: place + 1])
    return SavedPrefix(place, place + 1, len(session.log), 0, whole(part))


@pytest.mark.parametrize("places", [(3, 3, 3), (3, 5, 9), (9, 5, 3), (3, 11, 5)])
def test_tokens_of_all_are_the_same_whatever_is_known(places):
    session, memo = session_of(12), Memo()
    for place in places:
        session.user("more and more " * place)
        known = known_of(session, place)
        assert tokens_of_all(session.snapshot(), cost, memo, known) == whole(session)
    assert tokens_of_all(session.snapshot(), cost, memo) == whole(session)


def test_a_call_that_goes_on_counts_what_is_new():
    session, memo, counted = session_of(12), Memo(), []

    def counting(block):
        counted.append(block.id)
        return cost(block)

    for _ in range(4):
        known = known_of(session, 4)
        counted.clear()
        assert tokens_of_all(session.snapshot(), counting, memo, known) == whole(session)
        session.user("more")
    assert len(counted) == 2  # the newest, which may still grow, and the one before it


@pytest.mark.parametrize(
    "spec", [C.none(), C.default(), C.window(3), C.window(2) | C.compact()], ids=repr
)
def test_a_first_compile_makes_blocks_of_what_may_be_sent(spec, monkeypatch):
    made = []

    def making(exchange):
        made.append(exchange.index)
        return block_of(exchange)

    monkeypatch.setattr(memo, "block_of", making)
    seen = []
    for exchanges in (400, 800):
        made.clear()
        engine = Engine(spec | C.budget(2_000), "gpt-5", format="openai-chat", window=128_000)
        engine.compile(work(exchanges, 1))
        seen.append(len(made))
    assert seen[1] <= seen[0] + 60
