"""A compile looks no further back than its limit reaches, and nobody can tell."""

import random
from contextlib import contextmanager
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.parameters import few
from tests.work_counts import exchanges_read

from contextwright import C, compile, replay
from contextwright.compiler import horizon
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import BudgetError
from contextwright.session.event import Event, Text, Tool, ToolResult
from contextwright.session.session import Session
from contextwright.spec.inputs import Memo
from contextwright.testing import session_of, target_for
from contextwright.testing.session_strategies import sessions

REPEATS = (
    C.dedup(), C.default() | C.dedup("structural"), C.dedup("structural") | C.compact(),
    C.default() | C.dedup() | C.truncate(12),
)  # fmt: skip
SALIENT = (
    C.salient(0.3), C.default() | C.salient(0.35, half_life=3), C.salient(0.3) | C.compact(),
    C.salient(entities=("here",)) | C.truncate(12),
    C.recent(by="salience", min_score=0.3, half_life=3), C.default() | C.recent(by="salience"),
    C.recent(by="salience", min_score=0.35, decay="step", window=3) | C.truncate(12),
)  # fmt: skip
CHECKS = (
    C.validate(["freshness", "token_efficiency"], max_age=2), C.validate("token_efficiency"),
    C.default() | C.validate(["completeness", "freshness"], max_age=4),
)  # fmt: skip
FOUND = (
    C.select(role="user"), C.default() | C.select(role="user"), C.select(type="tool_call") | C.compact(),
    C.select(role="user", type="text"), C.select(not_authors=("user",)) | C.truncate(12),
    C.default() | C.select(role="tool", type="tool_result") | C.priority(3),
)  # fmt: skip
"""What the log's indexes find."""
PAST_THEIR_LIMIT = (
    C.cool(20), C.default() | C.cool(60), C.cool(40) | C.truncate(12),
    C.compress_results(30, min_tokens=4, max_tokens=9), C.redact(["email"]) | C.cool(30),
    C.default() | C.compress_results(90, min_tokens=8) | C.compact(),
    (C.window(3) | C.cool(20)) + (C.default() | C.priority(3)),
)  # fmt: skip
"""Words with a limit of their own, which what they leave at least of a conversation soon passes."""
TERMS = st.sampled_from(
    (
        C.default(), C.compact(), C.compact("stale", stale_after=1), C.isolate(), C.truncate(9),
        C.default() | C.compact("tool_results", min_tokens=5, max_tokens=9),
        C.default() | C.isolate("masking"), C.default() | C.project(["results"]),
        C.default() | C.priority(3) + C.window(n=2) | C.priority(2),
        C.default() | C.redact(["email"]) | C.truncate(12), C.compress_results() | C.vary(),
        C.select(author="researcher") + C.default() | C.compact(),
        C.default() + C.from_state("intent") + C.relevant(top_k=2),
        C.default() | C.fresh(1, stale_action="warn"), C.compact() | C.fresh(1, stale_action="compact"),
        C.default() | C.truncate(9) | C.expand() + C.from_state("intent"),
        C.from_compaction().or_else(C.default()), C.default() | C.priority(1),
        C.default() | C.fresh(1), C.fresh(4) | C.compact(), C.default() | C.validate("completeness"),
        C.default() | C.fresh(1) + C.select(author="researcher"),
        (C.default() | C.fresh(0)) + (C.default() | C.fresh(3) | C.truncate(9)),
        (C.default() | C.fresh(0)) + C.default(), C.default() | C.priority(1) | C.fresh(2),
        *REPEATS, *PAST_THEIR_LIMIT, *CHECKS, *FOUND,
    )
)  # fmt: skip
LIMITS = st.sampled_from(
    (
        lambda tokens: C.budget(tokens),
        lambda tokens: C.budget(tokens, overflow="truncate_lowest_priority"),
        lambda tokens: C.fit(tokens, strategy="strict"),
    )
)
FORMATS = st.sampled_from(("openai-chat", "anthropic", "gemini", "openai-responses", "text"))


@pytest.fixture(autouse=True, scope="module")
def every_exchange_counts():
    """Short sessions have fewer exchanges than the far end moves by."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(horizon, "GRAIN", 1)
        yield


@contextmanager
def looking_at_everything():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(horizon, "is_bounded", lambda view, inputs: False)
        tried = SpecCompiler._tried

        def not_too_old(self, planned, inputs, target):
            return tried(self, planned, replace(inputs, oldest=0), target)

        patch.setattr(SpecCompiler, "_tried", not_too_old)
        yield


def outcome(compiler: SpecCompiler, session: Session, target):
    try:
        pack = compiler.compile(session.snapshot(), target)
    except BudgetError as error:
        return str(error)
    manifest = replace(pack.manifest, digest="", notes=without_asking(pack.manifest.notes))
    return pack.body, manifest.to_json()


def without_asking(notes):
    """Who was asked for nothing goes by what was looked at."""
    return tuple(note for note in notes if "was not prepared" not in note)


@settings(suppress_health_check=list(HealthCheck), max_examples=20)
@given(
    first=sessions(max_turns=16), term=TERMS, limit=LIMITS, tokens=st.integers(60, 300),
    format=FORMATS, growth=st.integers(1, 12),
)  # fmt: skip
def test_looking_back_as_far_as_needed_gives_what_looking_at_all_gives(
    first, term, limit, tokens, format, growth
):
    """Request and receipt, as the session grows under one memo, and from nothing."""
    spec, target = term | limit(tokens), target_for(format)
    assume(plan(spec).view != "all")
    events = list(first.log)
    session, memo = Session("grown"), Memo()
    for place, event in enumerate(events):
        session.append(event)
        if place < len(events) - 1 and (place % growth or place < 4):
            continue
        expect_the_same(spec, session, target, memo)


def expect_the_same(spec, session, target, memo):
    """Request and receipt, under a memo, from nothing, and looking at everything."""
    found = outcome(SpecCompiler(spec, memo=memo), session, target)
    assert found == outcome(SpecCompiler(spec), session, target)
    with looking_at_everything():
        assert found == outcome(SpecCompiler(spec), session, target)


def expect_the_same_as_it_grows(spec, events):
    session, memo, target = Session("grown"), Memo(), target_for("openai-chat")
    for place, event in enumerate(events):
        session.append(event)
        if place < 2 or (place % 3 and place < len(events) - 1):
            continue
        expect_the_same(spec, session, target, memo)


def agent(dice: random.Random) -> Session:
    """One that makes the same calls and says the same things again and again, in short turns."""
    session = Session("agent")
    session.add("system", "Be brief.")
    for n in range(dice.randint(12, 40)):
        kind = dice.choice(("user", "say", "call", "call", "fail", "two", "late"))
        if kind == "user":
            session.user(dice.choice(("And?", "Go on.")), pinned=n == 3)
        elif kind == "say":
            session.assistant(dice.choice(("Done.", "I look at it.")), pinned=dice.random() < 0.1)
        else:
            ids = [f"c{n}", f"d{n}"][: 2 if kind == "two" else 1]
            for id in ids:
                session.call("find", {"what": dice.randint(0, 2)}, id=id)
            if kind == "late":
                session.user("Meanwhile?")
            for id in ids:
                found = dice.choice(("here it is " * 6, "  here it  is " * 6))
                session.result(id, found, error=kind == "fail")
    session.user("And now?")
    return session


@pytest.mark.parametrize("seed", few(range(24), 6))
def test_what_was_said_before_the_horizon_is_not_said_again(seed):
    """Request and receipt, over texts and calls that come back."""
    dice = random.Random(seed)
    events = list(agent(dice).log)
    spec = REPEATS[seed % 4] | C.budget(dice.randint(60, 260))
    expect_the_same_as_it_grows(spec, events)


@pytest.mark.parametrize("seed", few(range(28), 7))
def test_what_recurs_is_known_wherever_a_compile_begins(seed):
    """Request and receipt, where names are those of exchanges before it too."""
    dice = random.Random(seed)
    limit = dice.choice((dice.randint(60, 260), dice.randint(700, 1600)))
    spec = SALIENT[seed % len(SALIENT)] | C.budget(limit)  # the larger has lines for its gaps
    expect_the_same_as_it_grows(spec, list(named(dice).log))


def named(dice: random.Random) -> Session:
    """A chat about orders, of which some come back; results come late at times."""
    session, late = Session("named"), ""
    for n in range(dice.randint(20, 60)):
        order = f"ORD-{dice.randint(100, 130)}"
        session.user(f"Where is {order}?" if n % 3 else "You said?", pinned=n == 3)
        session.call("find", {"order": order}, id=f"c{n}")
        if late:
            session.result(late, f"{order} is late")
            late = ""
        if dice.random() < 0.1:
            late = f"c{n}"
            continue
        session.result(f"c{n}", f"{order} is at shop-{n}/{dice.randint(0, 9)}.txt " * 4)
        session.assistant(f"{dice.choice(('# Found', 'Well,'))} {order} is on its way.")
    session.user("And ORD-101?")
    return session


@pytest.mark.parametrize("seed", few(range(36), 6))
def test_what_indexes_find_is_the_same_wherever_a_compile_begins(seed):
    """Request and receipt, where a request has a line for each gap, or no room for any."""
    dice = random.Random(seed)
    limit = dice.choice((dice.randint(60, 260), dice.randint(700, 1600)))
    session = agent(dice) if seed % 2 else named(dice)
    expect_the_same_as_it_grows(FOUND[seed % len(FOUND)] | C.budget(limit), list(session.log))


@pytest.mark.parametrize("seed", few(range(35), 7))
def test_words_past_their_limit_leave_the_same_wherever_a_compile_begins(seed):
    """Request and receipt, as a step of the word and one of the limit come and go."""
    dice = random.Random(seed)
    events = list(agent(dice).log)
    spec = PAST_THEIR_LIMIT[seed % len(PAST_THEIR_LIMIT)] | C.budget(dice.randint(60, 260))
    expect_the_same_as_it_grows(spec, events)


@pytest.mark.parametrize("seed", few(range(12), 3))
def test_checks_of_all_that_was_said_find_the_same_wherever_a_compile_begins(seed):
    """Request and receipt, over lines that come back, and results without their calls."""
    dice = random.Random(seed)
    events = list(agent(dice).log)
    if seed % 2:
        orphan = ToolResult(call_id="none", content=(Text(text="it is here " * 6),))
        events.insert(9, Event(id="orphan", role="tool", parts=(orphan,)))
    spec = CHECKS[seed % len(CHECKS)] | C.budget(dice.randint(60, 260))
    expect_the_same_as_it_grows(spec, events)


def chat(turns: int) -> Session:
    session = Session("chat", tools=[Tool(name="find", description="Finds an order.")])
    session.add("system", "Be brief.")
    for n in range(turns):
        ask(session, n)
    return session


def ask(session: Session, n: int) -> None:
    session.user(f"Where is order {n}?", pinned=n == 3)
    session.call("find", f'{{"order": {n}}}', id=f"c{n}")
    session.result(f"c{n}", f"order {n} is on its way " * 4)
    session.assistant(f"Order {n} is on its way.")


@pytest.mark.parametrize(
    "spec",
    [
        C.default() | C.budget(800),
        C.compact() | C.redact(["email"]) | C.budget(800),
        C.isolate() | C.budget(800),
        C.default() | C.truncate(20) | C.fit(800, strategy="strict"),
        C.default() | C.fresh(10) | C.budget(8000),
        C.compact(min_gain=50, min_tokens=8, max_tokens=16) | C.budget(800),
        C.fresh(10) | C.compaction(800),
        C.fresh(10) | C.dedup() | C.fit(800),
        C.default() | C.validate("completeness") | C.budget(800),
        C.default() | C.validate(["freshness", "token_efficiency"]) | C.budget(800),
        C.default() + C.failures() | C.budget(800),
        C.default() | C.dedup() | C.budget(800),
        C.dedup("structural") | C.compact() | C.budget(800),
        C.cool(300) | C.budget(800),
        C.salient(0.3) | C.budget(800),
        C.select(role="user") | C.budget(400),
        C.default() | C.select(type="tool_call") | C.compact() | C.budget(400),
        C.recent(by="salience", min_score=0.3) | C.budget(800),
        C.default() | C.compress_results(300, min_tokens=8) | C.budget(800),
        C.window(2) + C.relevant(top_k=3) | C.budget(800),
        C.default() | C.allocate(max_tokens=800),
        C.compact() | C.redact(["email"]) | C.allocate("research", max_tokens=800),
    ],
    ids=repr,
)
def test_a_turn_reads_as_many_exchanges_in_a_long_session_as_in_a_short_one(spec):
    def read(turns: int) -> int:
        session = chat(turns)
        compile(session, spec, model="gpt-5")
        session.user("And now?")
        return exchanges_read(lambda: compile(session, spec, model="gpt-5"))

    assert read(1600) <= read(200) * 2  # a step may be tried twice


@pytest.mark.parametrize("overflow", ["truncate_oldest", "truncate_lowest_priority"])
@pytest.mark.parametrize("more", range(0, 24, 3))
def test_what_had_to_stay_at_a_step_stays_until_the_next_wherever_a_compile_begins(overflow, more):
    """A failure that was open at the step, and is not since."""
    session = Session("failed")
    session.user("Find it all.")
    session.call("fetch", '{"page": 1}', id="first")
    session.result("first", "no such page", error=True)
    for n in range(60 + more):
        session.call("read", f'{{"line": {n}}}', id=f"c{n}")
        session.result(f"c{n}", f"line {n} says little")
    session.call("fetch", '{"page": 2}', id="second")
    session.result("second", "page 2")
    spec, target = C.default() | C.budget(500, overflow=overflow), target_for("openai-chat")
    found = outcome(SpecCompiler(spec), session, target)
    with looking_at_everything():
        assert found == outcome(SpecCompiler(spec), session, target)


def test_a_receipt_is_as_long_for_a_long_session_as_for_a_short_one():
    """Each the longest of a whole step: right behind one a request is short."""
    spec = C.default() | C.budget(800)

    def longest(turns: int) -> int:
        session, receipts, sent = chat(turns), list[int](), list[int]()
        while sum(after < before for before, after in pairwise(sent)) < 2:
            pack = compile(session, spec, model="gpt-5")
            receipts.append(len(pack.manifest.to_json()))
            sent.append(pack.tokens)
            ask(session, turns + len(sent))
            assert len(sent) < 20
        return max(receipts)

    assert longest(1600) < longest(100) * 1.1


def test_a_range_names_its_ends_its_exchanges_and_all_of_their_tokens():
    session, spec = chat(60), C.default() | C.budget(800)
    manifest = compile(session, spec, model="gpt-5").manifest
    ranges = [change for change in manifest.changes if change.action == "dropped"]
    everything = compile(session, C.default(), model="gpt-5").manifest
    tokens = {block.id: block.tokens for block in everything.kept}
    sent = {block.id for block in manifest.kept}
    assert sum(change.exchanges for change in ranges) == len(tokens.keys() - sent)
    dropped = sum(tokens[id] for id in tokens.keys() - sent)
    assert sum(change.tokens_before for change in ranges) == dropped
    pinned = session.log[session.log.positions("pinned", "yes", len(session.log))[0]].id
    # what is held in the middle divides the range, and is in the request
    assert pinned in sent and len(ranges) >= 2
    replay(manifest, session)


def test_every_event_has_its_change():
    session = chat(60)
    manifest = compile(session, C.default() | C.budget(800), model="gpt-5").manifest
    sent = {id for block in manifest.kept for id in block.lineage}
    for event in session.log[1:]:
        changes = manifest.changes_of(event.id, session)
        assert bool(changes) != (event.id in sent), event.id
        assert manifest.changes_of(event.id) == changes


def test_a_late_result_is_counted_in_its_range():
    session = chat(60)
    session.call("find", "{}", id="late")
    for n in range(3):
        session.user(f"Meanwhile, {n}?")
    spec = C.default() | C.budget(400)
    memo = Memo()
    target = target_for("openai-chat")
    SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
    for n in range(12):
        session.user(f"And {n}? " + "really " * 30)
        session.assistant("Yes. " * 40)
        SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
    session.result("late", "it is here " * 50)
    session.user("Thanks. And?")
    grown = SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
    assert grown == SpecCompiler(spec).compile(session.snapshot(), target)
    before = session.snapshot_at(len(session.log) - 2, 0)
    assert SpecCompiler(spec, memo=memo).compile(before, target) == SpecCompiler(spec).compile(
        before, target
    )


def test_a_word_that_does_not_say_how_far_it_looks_is_given_everything():
    seen: list[int] = []
    session = session_of(" | ".join(f"u: {n}" for n in range(50)))

    from contextwright.atoms.compress.compact import Compact
    from contextwright.spec.traits import Traits

    class Blind(Compact, frozen=True, kw_only=True):
        word = ""

        @property
        def traits(self):
            return Traits()

        def apply(self, blocks, inputs):
            seen.append(len(blocks))
            return blocks

    compiler = SpecCompiler(C.default() | Blind() | C.budget(60))
    compiler.compile(session.snapshot(), target_for("openai-chat"))
    assert seen == [50]


def test_a_range_of_redacted_ids_shows_no_ref():
    """A ref names originals: one that would tell what is redacted, or lead nowhere, is not shown."""
    session = Session("mail")
    for n in range(40):
        role = "user" if n % 2 == 0 else "assistant"
        text = Text(text=f"message {n} " * 12)
        session.append(Event(id=f"anna{n}@example.com", role=role, parts=(text,)))
    session.user("And now?")
    spec = C.default() | C.redact(["email"]) | C.budget(300)
    ranges = [c for c in compile(session, spec, model="gpt-5").manifest.changes if c.last]
    assert ranges and all(not change.ref for change in ranges)
    assert "anna" not in "".join((*(c.id for c in ranges), *(c.last for c in ranges)))


@pytest.mark.parametrize("every", [1, 4])
def test_the_user_s_words_in_front_of_a_long_turn_hide_nothing_that_was_dropped(every):
    spec, target = C.budget(900), target_for("openai-chat")
    session, memo = Session("work"), Memo()
    for n in range(130):
        if n % 60 == 0:
            session.user(f"Now do {n}. " * 3)
        session.call("find", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"{n} is here. " * (3 + n % 7))
        if n % every:
            continue
        found = outcome(SpecCompiler(spec, memo=memo), session, target)
        with looking_at_everything():
            assert found == outcome(SpecCompiler(spec, memo=Memo()), session, target)


def test_the_user_s_words_in_front_of_what_is_pinned_hide_nothing_either():
    """A turn of which the first was dropped, but for what is pinned."""
    spec, target, session = C.budget(220), target_for("openai-chat"), Session("work")
    session.user("Begin.")
    session.assistant("Yes.")
    session.user("Now do it all.")
    session.assistant("Noted.", pinned=True)
    for n in range(40):
        session.call("find", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"{n} is here. " * 6)
    session.user("And now?")
    found = outcome(SpecCompiler(spec), session, target)
    with looking_at_everything():
        assert found == outcome(SpecCompiler(spec), session, target)
