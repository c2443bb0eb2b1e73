"""A limit goes down in steps: between two of them a request begins with the bytes of the one before,
and the steps follow from the log alone (ADR 44)."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright import C, Session, compile, replay
from contextwright.compiler import overflow
from contextwright.session.event import Tool
from contextwright.testing import target_for

LIMIT = 1_500
SPECS = (
    C.budget(LIMIT), C.fit(LIMIT), C.fit(LIMIT, strategy="strict"),
    C.budget(LIMIT, overflow="truncate_lowest_priority"),
    C.fit(LIMIT, strategy="compact_then_summarize"), C.default() | C.budget(LIMIT),
)  # fmt: skip
WORDS = ("pump", "valve", "order", "seven", "blue", "ledger", "rotor", "north")
ACTS = st.lists(
    st.tuples(st.sampled_from(["ask", "call", "call", "call", "tell"]), st.integers(1, 160)),
    min_size=20, max_size=40,
)  # fmt: skip


def grow(acts):
    """The session before each of its requests."""
    dice, session = random.Random(5), Session("s", tools=[Tool(name="look")])
    session.add("system", "Be careful.")
    session.user("Find out why the pump fails, and mend it.")
    yield session
    for n, (act, words) in enumerate(acts):
        text = " ".join(dice.choices(WORDS, k=words))
        if act == "ask":
            session.user(f"Question {n}: {text[:200]}?")
        elif act == "tell":
            session.assistant(f"Answer {n}: {text}")
            continue
        else:
            session.call("look", f'{{"n": {n}}}', id=f"c{n}")
            session.result(f"c{n}", text)
        yield session


class Seen:
    """The steps that the compiler went by, and the requests that no step was enough for."""

    def __init__(self, monkeypatch):
        self.place, self.given_up = None, 0
        step_of, stepped = overflow.step_of, overflow._stepped

        def watched_step(*args):
            standing = step_of(*args)
            self.place = standing[0].place if standing else None
            return standing

        def watched(*args):
            self.place = None
            left = stepped(*args)
            self.given_up += left is None
            return left

        monkeypatch.setattr(overflow, "step_of", watched_step)
        monkeypatch.setattr(overflow, "_stepped", watched)


@pytest.mark.parametrize("spec", SPECS, ids=repr)
@settings(max_examples=3, deadline=None)
@given(acts=ACTS)
def test_between_steps_every_byte_stays(spec, acts):
    target = target_for("openai-chat", 100_000)
    with pytest.MonkeyPatch.context() as patched:
        seen, before, step, breaks, steps = Seen(patched), [], None, 0, 0
        for session in grow(acts):
            seen.place = None
            messages = compile(session, spec, target=target).request["messages"]
            moved = messages[: len(before)] != before
            breaks += moved
            steps += seen.place is not None and seen.place != step
            assert not moved or seen.place != step
            before, step = messages, seen.place
    assert breaks <= steps
    assert seen.given_up == 0


@settings(max_examples=3, deadline=None)
@given(acts=ACTS, spec=st.sampled_from([*SPECS, C.compact() | C.budget(LIMIT)]))
def test_a_fresh_copy_of_the_log_gives_the_same_bytes(acts, spec):
    target = target_for("openai-chat", 100_000)
    for n, session in enumerate(grow(acts)):
        pack = compile(session, spec, target=target)
        assert pack.tokens <= LIMIT
        if n % 9 == 0:
            fresh = Session(session.id, list(session.log), tools=session.tools)
            assert compile(fresh, spec, target=target).body == pack.body
            assert replay(pack.manifest, fresh).body == pack.body


def test_a_step_goes_down_far_enough_to_last():
    """Right behind a step half of the limit is free, and never more than that is given away."""
    target = target_for("openai-chat", 100_000)
    dice = random.Random(1)
    acts = [("call", dice.randrange(40, 90)) for _ in range(120)]
    sizes = [compile(s, C.budget(LIMIT), target=target).tokens for s in grow(acts)]
    past = sizes[sizes.index(max(sizes[:30])) :]
    downs = [after for before, after in zip(past, past[1:], strict=False) if after < before]
    assert 5 < len(downs) < 20
    assert all(LIMIT * 0.3 < down < LIMIT * 0.7 for down in downs)
    assert max(past) > LIMIT * 0.85
