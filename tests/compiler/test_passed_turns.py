"""Turns that a limit by layers lets go of without a look are told by the summary of those that
left, wherever the session was compiled before."""

import random

import pytest
from tests.parameters import few

from contextwright import C, compile
from contextwright.compiler.horizon import NEAR
from contextwright.compiler.lineage_ranges import written_out
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.session.session import Session
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for

SPECS = (
    C.default() | C.allocate(max_tokens=400),
    C.compact(min_tokens=8, max_tokens=16) | C.allocate("research", max_tokens=400),
    C.default() | C.redact(["email"]) | C.allocate(max_tokens=500, preset="cost"),
    C.default() + C.from_state("goal") + C.memory() | C.allocate(max_tokens=600),
    C.default() | C.compact(min_tokens=2, max_tokens=4) | C.allocate(max_tokens=300),
)  # fmt: skip


def talk(dice: random.Random, turns: int) -> Session:
    """Orders that are asked for, in turns of a few exchanges; results come late at times."""
    session, late = Session("talk", state={"goal": "Find the orders."}), ""
    session.add("system", "Be brief.")
    for n in range(turns):
        session.user(f"Where is order {n}, ada{n}@example.com?", pinned=n == 3)
        for at in range(dice.randint(0, 3)):
            session.call("find", {"order": n, "page": at}, id=f"c{n}-{at}")
            if late:
                session.result(late, "It is late.")
                late = ""
            if dice.random() < 0.05:
                late = f"c{n}-{at}"
                continue
            session.result(f"c{n}-{at}", f"order {n} is at page {at} " * dice.randint(1, 20),
                           error=dice.random() < 0.05)  # fmt: skip
        session.assistant(f"Order {n} is on its way.")
    session.user("And now?")
    return session


@pytest.mark.parametrize("seed", few(range(20), 3))
def test_a_session_that_grows_is_sent_as_one_that_is_compiled_at_once(seed):
    spec, events = SPECS[seed % len(SPECS)], list(talk(random.Random(seed), 50).log)
    session, memo, target = (
        Session("talk", state={"goal": "Find it."}),
        Memo(),
        target_for("openai-chat"),
    )
    for place, event in enumerate(events):
        session.append(event)
        if place < 3 or place % 13:
            continue
        grown = SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
        anew = SpecCompiler(spec).compile(session.snapshot(), target)
        assert grown.body == anew.body
        assert grown.manifest.to_json() == anew.manifest.to_json()


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_every_event_is_sent_or_told(spec):
    session = talk(random.Random(1), 120)
    pack = compile(session, spec, model="gpt-5")
    told = {id for block in pack.manifest.kept for id in written_out(block.lineage, session.log)}
    for change in pack.manifest.changes:
        told |= {change.id, *written_out(change.lineage, session.log)}
    assert {event.id for event in session.log} - {session.log[0].id} <= told


def test_what_left_without_a_look_counts_in_the_receipt():
    session = talk(random.Random(2), 120)
    pack = compile(session, SPECS[0], model="gpt-5")
    (tail,) = (one for one in pack.manifest.changes if one.source == "summary:tail")
    kept = sum(block.tokens for block in pack.manifest.kept if block.order >= 0)
    whole = compile(session, C.default(), model="gpt-5").manifest
    every = sum(block.tokens for block in whole.kept if block.order >= 0)
    assert tail.tokens_before + kept == every
    assert tail.tokens_before > NEAR[0] * 400
    assert "turns 1 to" in tail.reason


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_what_the_summary_tells_is_not_written_as_left_out(spec):
    assert not compile(talk(random.Random(3), 120), spec, model="gpt-5").manifest.left_out
