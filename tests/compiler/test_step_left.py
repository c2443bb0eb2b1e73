"""What a limit's newest step left is kept: a compile begins behind it, and nobody can tell."""

import random
from importlib import import_module
from unittest.mock import patch

import pytest
from msgspec.structs import replace
from tests.compiler.test_fold import calls_of
from tests.compiler.test_horizon import ask, chat
from tests.parameters import few
from tests.work_counts import exchanges_read

from contextwright import C, Engine, Session, replay
from contextwright.compiler import (
    before_step,
    horizon,
    limited_again,
    logged_near,
    mapped_log,
    overflow,
    request_decision,
    spec_compiler,
    step_near,
    step_places,
)
from contextwright.compiler.trace import Tracer
from contextwright.spec.memo import Memo
from contextwright.testing import target_for
from contextwright.testing.rules import stored_again

SPECS = (
    C.fit(400), C.fit(400, strategy="compact_then_summarize"),
    C.fit(400, strategy="summarize_only"), C.budget(400, overflow="summarize"),
    C.default() + C.from_state("intent") | C.fit(400),
    C.budget(400, overflow="truncate_least_salient"), C.fit(400, strategy="salience"),
    C.compact(min_tokens=20, max_tokens=30) | C.fit(400), C.default() | C.redact(["part"]) | C.fit(400),
    C.truncate(20) | C.budget(400, overflow="summarize"),
    C.compact("stale", stale_after=2, min_tokens=20) + C.from_state("intent") | C.redact(["is"]) | C.fit(400),
    C.truncate(20) | C.budget(400, overflow="truncate_least_salient"),
    C.default() | C.redact(["part"]) | C.fit(400, strategy="salience"),
    C.compact("stale", stale_after=2, min_tokens=20) | C.budget(400, overflow="truncate_least_salient"),
)  # fmt: skip


def engine_of(spec, format="openai-chat"):
    target = target_for(format)
    return Engine(
        spec, target.model, format=target.format, window=100_000, reserved_output=0, suspend=False
    )


def steps_of(session, dice, count):
    """An agent that says and calls the same again and again; results come late at times."""
    late = ""
    for n in range(count):
        kind = dice.choice(("user", "say", "call", "call", "call", "fail", "late"))
        if kind == "user":
            session.user(dice.choice(("And?", "Go on.")), pinned=n == 5)
        elif kind == "say":
            session.assistant(f"Done with {n % 4}. " * 5, pinned=dice.random() < 0.1)
        else:
            session.call("find", {"what": dice.randint(0, 9)}, id=f"c{n}")
            if kind == "late" and not late:
                late = f"c{n}"
                session.user("Meanwhile?")
            else:
                found = f"part {dice.randint(0, 9)} is here " * dice.randint(1, 12)
                session.result(f"c{n}", found, error=kind == "fail")
        if late and dice.random() < 0.2:
            session.result(late, "here it is " * 8)
            late = ""
        yield n


@pytest.mark.parametrize("seed", few(range(84), 14))
def test_a_compile_behind_a_step_is_one_of_everything(seed, monkeypatch):
    """Request and receipt: a replay looks at everything, with the answers of the manifest."""
    monkeypatch.setattr(step_places, "SPACES", 2 if seed % 2 else 4)
    of_few(monkeypatch)
    behind, fitted_in = list[bool](), spec_compiler.fitted_in

    def watched(room, assembled, planned, inputs, target):
        behind.append(inputs.behind_step)
        return fitted_in(room, assembled, planned, inputs, target)

    monkeypatch.setattr(spec_compiler, "fitted_in", watched)
    monkeypatch.setattr(limited_again, "fitted_in", watched)
    engine, looked = engine_of(SPECS[seed % len(SPECS)]), 0
    session = loaded = Session("grown", state={"intent": "find it"})
    first = engine
    session.add("system", "Be brief.")
    session.user("Find it all.")
    for n in steps_of(session, random.Random(seed), 90):
        if n == 60:
            session.update({"intent": "find the other one"})
        behind.clear()
        pack = engine.compile(session)
        looked += any(behind)
        if n % 3 == 0:
            is_of_everything(pack, session)
        if n % 10 == 0:
            first, loaded = engine_of(SPECS[seed % len(SPECS)]), stored_again(session)
            is_of_everything(first.compile(loaded), loaded)
        if n % 10 == 4:
            loaded.extend(session.log[len(loaded) :])
            is_of_everything(first.compile(loaded), loaded)
    assert looked > 20


def of_few(monkeypatch):
    """Few exchanges are as many."""
    for module in (step_near, before_step, logged_near):
        monkeypatch.setattr(module, "FEWEST", 1)
    monkeypatch.setattr(mapped_log, "PAGE", 4)


def is_of_everything(pack, session):
    """A compile that looks at everything, with the answers of the manifest, is the same."""
    with patch.object(horizon, "_step_starts", lambda *_: ()):
        again = replay(pack.manifest, session)
    assert again.body == pack.body
    summaries = [one for one in pack.manifest.changes if one.action == "summarized"]
    assert all(one.tokens_before > one.tokens_after for one in summaries)
    # what it shares with the request before it is told of a pack that came after one
    own = replace(pack.manifest, prefix=again.manifest.prefix)
    assert own.digested() == again.manifest


@pytest.mark.parametrize("seed", few(range(36), 9))
def test_a_step_that_looks_at_the_newest_leaves_what_one_of_everything_leaves(seed, monkeypatch):
    """Also where something in front is held, or is the user's in a turn that is divided."""
    monkeypatch.setattr(step_places, "SPACES", 2)
    of_few(monkeypatch)
    monkeypatch.setattr(step_near, "WEIGHED", 2)
    passed, near_step = list[int](), before_step.near_step
    floors, of_log = set[int](), before_step.of_log

    def logged(*given, **how):
        before = of_log(*given, **how)
        floors.add(0 if before is None else before.floor)
        return before

    monkeypatch.setattr(before_step, "of_log", logged)

    def watched(*given):
        near = near_step(*given)
        passed.append(sum(stop - start for start, stop in near.state.passed_spans))
        return near

    monkeypatch.setattr(before_step, "near_step", watched)
    told_near = before_step.logged_near

    def told(*given):
        near = told_near(*given)
        passed.append(0 if near is None else sum(stop - start for start, stop in near.spans))
        return near

    monkeypatch.setattr(before_step, "logged_near", told)
    whole = (C.default(), C.truncate(20), C.default() | C.redact(["part"]))[seed % 3]
    salient = C.budget(500, overflow="truncate_least_salient")
    spec = whole | (C.budget(500, overflow="summarize"), salient, C.fit(500))[seed // 3 % 3]
    engine = engine_of(spec)
    session, dice = Session("grown"), random.Random(seed)
    session.user("Find it all.", pinned=seed % 2 == 0)
    for n in steps_of(session, dice, 180):
        pack = engine.compile(session)
        if n % 5 == 0 or (passed and passed[-1]):
            is_of_everything(pack, session)
        if n % 20 == 0:
            loaded = stored_again(session)
            is_of_everything(engine_of(spec).compile(loaded), loaded)
    assert sum(map(bool, passed)) > 3 and max(passed) > 20
    assert (len(floors - {0, 1}) > 1) == bool(seed % 3)


@pytest.mark.parametrize(
    "limit",
    (
        C.budget(500, overflow="summarize"), C.budget(500, overflow="truncate_least_salient"),
        C.fit(500),
    ),
    ids=repr,
)  # fmt: skip
def test_a_first_compile_behind_words_makes_as_much_of_a_long_session(limit, monkeypatch):
    """What goes before all else, whatever they make of it, they are not given, but for what
    somebody reads who is asked for a summary of all of it."""
    monkeypatch.setattr(step_places, "SPACES", 4)
    made, mapped = list[int](), mapped_log.mapped

    def counted(exchanges, *given):
        made.append(len(exchanges))
        return mapped(exchanges, *given)

    monkeypatch.setattr(mapped_log, "mapped", counted)
    monkeypatch.setattr(import_module("contextwright.models.embedded.summary"), "READ", 20_000)

    def made_of(turns):
        made.clear()
        engine_of(C.truncate(20) | limit).compile(chat(turns))
        return sum(made)

    assert made_of(2_000) <= made_of(500) * 1.2 < 1_000


@pytest.mark.parametrize(
    "spec",
    (
        C.budget(500, overflow="truncate_least_salient"), C.budget(500, overflow="summarize"),
        C.fit(500, strategy="salience"),
    ),
    ids=repr,
)  # fmt: skip
def test_steps_look_at_as_much_of_a_long_session(spec, monkeypatch):
    """What goes before all else is told by its place and its tokens: no block is made of it, and
    no exchange is read."""
    monkeypatch.setattr(step_places, "SPACES", 4)
    monkeypatch.setattr(step_near, "WEIGHED", 3)
    looked = list[tuple[int, int]]()
    for turns in (400, 1_600):
        session, engine, steps = chat(turns), engine_of(spec), set[int]()
        made = calls_of(monkeypatch, Memo, "_new_block")

        def asked(session=session, engine=engine, steps=steps):
            engine.compile(session)
            for n in range(40):
                ask(session, 10_000 + n)
                steps.add(engine.compile(session).manifest.limit_steps)

        looked.append((exchanges_read(asked), len(made)))
        assert len(steps) > 5
    (read, made), (read_more, made_more) = looked
    assert read_more < read * 1.2 and made_more < made * 1.2, looked


def test_a_step_stands_where_a_window_moves(monkeypatch):
    """It is taken again only as long as the window reaches over its place."""
    taken, original = [], overflow._shortened

    def watched(*arguments):
        taken.append(1)
        return original(*arguments)

    monkeypatch.setattr(overflow, "_shortened", watched)
    spec = (C.window(2) | C.priority(1)) + (C.default() | C.priority(3)) | C.budget(1200)
    engine, session, last, since = engine_of(spec), Session("s"), 0, 0
    for n in range(120):
        session.user(f"Where is part {n} now?")
        taken.clear()
        steps = engine.compile(session).manifest.limit_steps
        last, since = steps, (since + 1 if steps == last else 0)
        assert not taken or since <= 3
        session.assistant(f"It is in bay {n}, as before. " * 4)
    assert last > 4


ASKED = C.default() + C.extract({"city": "str"}, key="record") | C.budget(400)
"""What is asked of all that was said is asked of one object while a turn runs."""


@pytest.mark.parametrize("spec", (*SPECS[:4], *SPECS[5:], ASKED), ids=repr)
def test_a_turn_between_two_steps_reads_as_much_of_a_long_session(spec):
    def read(turns: int) -> int:
        session, engine = chat(turns), engine_of(spec)
        engine.compile(session)
        counts: list[int] = []
        for n in range(4):
            session.user(f"And now {n}?")
            session.assistant("Yes.")
            session.user("Good.")
            counts.append(exchanges_read(lambda: engine.compile(session)))
        return min(counts)

    assert read(800) <= read(200) * 1.2


@pytest.mark.parametrize("spec", (C.fit(800), C.default() | C.redact(["part"]) | C.fit(800)))
def test_a_step_that_tells_the_oldest_compares_as_much_of_a_long_session(spec, monkeypatch):
    compared, record = list[int](), Tracer.record
    monkeypatch.setattr(
        Tracer, "record",
        lambda self, step, before, *more, **how: compared.append(len(before))
        or record(self, step, before, *more, **how),
    )  # fmt: skip

    def most(turns: int) -> int:
        session, engine = chat(turns), engine_of(spec)
        steps = engine.compile(session).manifest.limit_steps
        compared.clear()
        for n in range(60):
            session.user(f"And now {n}?")
            session.assistant("It is as it was before, all of it. " * 4)
            session.user("Good.")
            pack = engine.compile(session)
        assert pack.manifest.limit_steps > steps + 2
        return max(compared)

    assert most(1_600) <= most(400) * 1.2


def test_between_two_steps_no_stage_runs(monkeypatch):
    session, engine, runs = chat(200), engine_of(C.fit(800)), list[int]()
    shortened = overflow._shortened
    monkeypatch.setattr(overflow, "_shortened", lambda *given: runs.append(1) or shortened(*given))
    engine.compile(session)
    for n in range(12):
        session.user(f"And {n}?")
        session.assistant("Yes, so it is.")
        session.user("Good.")
        engine.compile(session)
    assert len(runs) < 16  # a step whose summary has no room is tried thrice


def test_what_a_step_dropped_is_written_in_ranges_once(monkeypatch):
    """A turn between two steps goes over no more entries than its receipt has."""
    given, engine = list[int](), engine_of(C.budget(400, overflow="summarize"))
    session, join = Session("grown"), request_decision.without_superseded
    monkeypatch.setattr(
        request_decision, "without_superseded", lambda some: given.append(len(some)) or join(some)
    )
    session.user("Find it all.")
    for _ in steps_of(session, random.Random(3), 200):
        engine.compile(session)
    first, last = given[50:70], given[-20:]
    assert sorted(last)[10] <= sorted(first)[10] + 12


@pytest.mark.parametrize("seed", few(range(24), 6))
def test_a_summary_that_a_word_made_tells_of_nothing_that_a_step_drops(seed):
    """Whatever the memo gives back for it: an equal one is the same."""
    decayed = C.default() + (C.default() | C.decay(full=1, fold=1, spare=0.4))
    engine, session = engine_of(decayed | C.fit(500)), Session("grown")
    session.user("Find it all.")
    made = list[bool]()
    for n in steps_of(session, random.Random(seed), 60):
        pack = engine.compile(session)
        if n % 2:
            again = replay(pack.manifest, session)
            assert again.body == pack.body
            assert replace(pack.manifest, prefix=again.manifest.prefix).digested() == again.manifest
            made.append(bool(pack.manifest.answers) and pack.manifest.limit_steps > 0)
    assert sum(made) > 5
