"""A limit goes down in steps: between two of them a request begins with the bytes of the one before,
and the steps follow from the log alone (ADR 44)."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.compiler.test_fold import calls_of

from contextwright import C, Session, compile, replay
from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.scored_blocks import ScoredBlocks
from contextwright.compiler import overflow, step_near, step_places, token_sums
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import BudgetError
from contextwright.session.event import Tool
from contextwright.session.snapshot import Snapshot
from contextwright.spec.memo import Memo
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


ANEW = (*SPECS, C.cool(400), C.compact() | C.budget(400))


@pytest.mark.parametrize("spec", ANEW, ids=repr)
def test_where_steps_begin_anew_a_compile_from_nothing_gives_the_same_bytes(spec, monkeypatch):
    """As a growing session's, and as a look back at it."""
    monkeypatch.setattr(step_places, "SPACES", 1)
    dice, target, memo = random.Random(3), target_for("openai-chat", 100_000), Memo()
    kinds = ("ask", "call", "call", "call", "tell")
    acts = [(dice.choice(kinds), dice.randrange(1, 160)) for _ in range(60)]
    sent: list[tuple[Snapshot, bytes]] = []
    for n, session in enumerate(grow(acts)):
        body = SpecCompiler(spec, memo=memo).compile(session.snapshot(), target).body
        sent.append((session.snapshot(), body))
        if n % 9 == 0:
            fresh = Session(session.id, list(session.log), tools=session.tools)
            assert SpecCompiler(spec).compile(fresh.snapshot(), target).body == body
    for snapshot, body in reversed(sent):
        assert SpecCompiler(spec, memo=memo).compile(snapshot, target).body == body


def test_a_first_compile_takes_the_steps_since_they_began_anew(monkeypatch):
    """And a step of fit compacts what was said since the place before."""
    steps = calls_of(monkeypatch, step_places, "_step_at")
    compacted = calls_of(monkeypatch, Compact, "compacted")
    monkeypatch.setattr(step_places, "SPACES", 3)
    most: list[tuple[int, int]] = []
    for calls in (200, 400, 800):
        *_, session = grow([("call", 80)] * calls)
        steps.clear(), compacted.clear()
        SpecCompiler(C.fit(LIMIT)).compile(session.snapshot(), target_for("openai-chat"))
        most.append((len(steps), len(compacted)))
    assert max(taken for taken, _ in most) <= 3 * step_places.SPACES, most
    assert 0 < max(count for _, count in most) < 250, most


ONE_BY_ONE = (
    C.fit(LIMIT), C.fit(LIMIT, strategy="summarize_only"), C.fit(LIMIT, strategy="salience"),
    C.budget(LIMIT, overflow="summarize"),
)  # fmt: skip


def looked_at(spec, calls):
    """Distinct blocks that a first compile compacts, and that it scores."""
    compacted, scored = set[str](), set[str]()
    *_, session = grow([("call", 80), ("tell", 60)] * calls)
    with pytest.MonkeyPatch.context() as patch:
        for owner, name, seen in (
            (Compact, "compacted", compacted), (ScoredBlocks, "append", scored),
        ):  # fmt: skip
            original = getattr(owner, name)
            patch.setattr(
                owner,
                name,
                lambda self, block, *more, call=original, seen=seen: (
                    seen.add(block.id) or call(self, block, *more)
                ),
            )
        target = target_for("openai-chat", 100_000)
        assert SpecCompiler(spec).compile(session.snapshot(), target).tokens <= LIMIT
    return len(compacted), len(scored)


@pytest.mark.parametrize("spec", ONE_BY_ONE, ids=repr)
def test_a_step_shortens_and_weighs_only_the_newest_exchanges_one_by_one(spec, monkeypatch):
    monkeypatch.setattr(step_near, "NEAR", 1)
    monkeypatch.setattr(step_near, "WEIGHED", 1)
    found = [looked_at(spec, calls) for calls in (60, 120, 240)]
    assert 0 < max(compacted for compacted, _ in found) < 60, found
    assert max(scored for _, scored in found) < 60, found


def test_a_limit_by_salience_drops_what_is_too_old_to_be_weighed_first(monkeypatch):
    monkeypatch.setattr(step_near, "WEIGHED", 1)
    session = Session("s")
    session.user("Find out why the pump fails.")
    for n in range(120):
        session.assistant(f"## Decision: {n}\nAs you asked, INV-0042 waits for Ada Lovelace. " * 3)
        session.assistant("nothing much was said here, and nobody minded, " * 4)
    spec = C.default() | C.budget(LIMIT, overflow="truncate_least_salient")
    kept = compile(session, spec, model="gpt-5").manifest.kept
    sent = [int(block.id[1:]) for block in kept if block.id[1:].isdigit()]
    assert sent[0] == 0
    assert sent[1] > 180, "what is salient of old exchanges left as a whole"
    assert sum(at % 2 for at in sent) > len(sent) / 2, "of the newest the salient stay"


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


def test_between_two_steps_nothing_of_the_step_is_decided_again(monkeypatch):
    memo, session = Memo(), Session("s")
    shortened = calls_of(monkeypatch, overflow, "_shortened")
    made: list[int] = []
    for n in range(160):
        session.user(f"And {n}? " + "really " * 20)
        session.assistant(f"It is {n}. " * 8)
        shortened.clear()
        SpecCompiler(C.budget(LIMIT), memo=memo).compile(
            session.snapshot(), target_for("openai-chat")
        )
        made.append(len(shortened))
    assert max(made) == 1 and 2 < sum(made[100:]) < 30


def test_a_first_compile_sums_once_for_all_requests_before_it(monkeypatch):
    looks = calls_of(monkeypatch, token_sums.TokenSums, "_follow")

    def sums(calls):
        looks.clear()
        *_, session = grow([("call", 60)] * calls)
        SpecCompiler(C.default() | C.budget(LIMIT)).compile(
            session.snapshot(), target_for("openai-chat")
        )
        return len(looks)

    assert sums(160) <= sums(40) + 2


@pytest.fixture(scope="module")
def short_spans():
    """A few exchanges are many, and some of these are a span of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_sums, "NEAR", 0)
        patch.setattr(token_sums, "AT_ONCE", 3)
        yield


@given(acts=ACTS, data=st.data())
@settings(max_examples=20, deadline=None)
def test_running_tokens_are_those_of_each_range(short_spans, acts, data):
    session = Session("late")
    session.call("look", "{}", id="late")
    *_, grown = grow(acts)
    session.extend(replace(event, id=f"g{event.id}") for event in grown.log)
    session.result("late", "it came after all " * 9)
    session.user("And?")
    log, size = session.log, lambda exchanges: [len(str(one.events)) for one in exchanges]
    told = data.draw(st.sampled_from((None, lambda events: len(str(events)), lambda _: None)))
    count = token_sums.Count(size, told)
    position = data.draw(st.integers(2, len(log)))
    snapshot = session.snapshot_at(position, 0)
    stop = data.draw(st.integers(0, snapshot.exchange_count - 1))
    start = data.draw(st.integers(0, stop))
    running = token_sums.TokenSums().running(start, stop, snapshot, count)
    assert running == [
        sum(size(snapshot.exchanges(start, place))) for place in range(start, stop + 1)
    ]
    between = token_sums.TokenSums().between(start, stop, snapshot, count)
    assert between == running[-1]


@pytest.mark.parametrize("window", [300, 1_200, 6_000])
def test_a_window_that_an_answer_takes_whole_is_an_error_and_not_a_search_without_end(window):
    session = Session("small")
    for n in range(30):
        session.user(f"And {n}?" * 9)
        session.assistant(f"It is {n}." * 9)
    target = replace(target_for("openai-chat"), window=window, reserved_output=window + 1)
    for spec in (C.default(), C.default() | C.budget(8_000), C.fit(8_000), C.compaction()):
        with pytest.raises(BudgetError):
            SpecCompiler(spec).compile(session.snapshot(), target)


def _same(spec, session, memo):
    """The pack under a memo, which has to be that of a process that knows nothing."""
    target = target_for("openai-chat")
    warm, cold = (
        SpecCompiler(spec, memo=one).compile(session.snapshot(), target) for one in (memo, Memo())
    )
    assert warm.body == cold.body and warm.manifest == cold.manifest
    return warm


def _call(session, name, words, *, error=False):
    session.call(name, "{}", id=f"c{len(session)}")
    session.result(f"c{len(session) - 1}", "seven " * words, error=error)


@pytest.mark.parametrize("words", [60, 90, 150])
@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_a_failure_that_is_settled_moves_the_steps_behind_which_it_had_to_stay(spec, words):
    session, memo = Session("s"), Memo()
    session.user("Find out why the pump fails.")
    for n in range(40):
        _call(session, f"look{n % 9}" if n < 9 else "read", words, error=n in {2, 3, 4, 5})
        _same(spec, session, memo)
    assert _same(spec, session, memo).manifest.limit_steps > 1
    session.resolve()
    _same(spec, session, memo)


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_a_log_that_was_rewound_has_steps_of_its_own(spec):
    session, memo = Session("s"), Memo()
    session.user("Find out why the pump fails.")
    for _ in range(30):
        _call(session, "look", 90)
        _same(spec, session, memo)
    session.rewind(21)
    for n in range(30):
        _call(session, "look", n % 3)
        _same(spec, session, memo)


def long_turns(turns, calls, words):
    """The session before each of its requests: turns of so many calls."""
    dice, session = random.Random(7), Session("s", tools=[Tool(name="look")])
    session.add("system", "Be careful.")
    for turn in range(turns):
        session.user(f"Task {turn}: find out why pump {turn} fails, and mend it.")
        yield session
        for n in range(calls):
            session.call("look", f'{{"pump": {turn}, "n": {n}}}', id=f"c{turn}-{n}")
            session.result(f"c{turn}-{n}", " ".join(dice.choices(WORDS, k=words)))
            yield session
        session.assistant(f"Pump {turn} is mended.")


def whole_tokens(session, target):
    return compile(session, C.default(), target=target).tokens


@pytest.mark.parametrize("strategy", ["cascade", "compact_then_summarize", "salience"])
def test_where_turns_are_long_fit_takes_its_step_where_one_begins(strategy):
    """Below its limit: what the turn needs is not taken away in its middle."""
    target, spec = target_for("openai-chat", 100_000), C.fit(LIMIT, strategy=strategy)
    shorter = []
    for session in long_turns(2, 7, 120):
        whole, pack = whole_tokens(session, target), compile(session, spec, target=target)
        if whole <= LIMIT and pack.tokens < whole:
            shorter.append(session.log[-1].role)
    assert shorter[:1] == ["user"]


@pytest.mark.parametrize(
    ("spec", "calls"),
    [(C.fit(LIMIT, strategy="strict"), 7), (C.budget(LIMIT), 7), (C.fit(LIMIT, steps=False), 7),
     (C.fit(LIMIT), 3)],
    ids=repr,
)  # fmt: skip
def test_what_drops_and_what_has_short_turns_takes_no_step_below_its_limit(spec, calls):
    target = target_for("openai-chat", 100_000)
    for session in long_turns(2 if calls == 7 else 4, calls, 120):
        whole = whole_tokens(session, target)
        if whole <= LIMIT:
            assert compile(session, spec, target=target).tokens == whole


def early_steps(monkeypatch):
    """The places of steps that were taken before they had to be."""
    places, taken = set(), step_places.StepPlaces._due_at

    def watched(self, stop, tokens, last, *more):
        step = taken(self, stop, tokens, last, *more)
        if step is not None and tokens <= last.due:
            places.add(step.place)
        return step

    monkeypatch.setattr(step_places.StepPlaces, "_due_at", watched)
    return places


@pytest.mark.parametrize("anew", [step_places.SPACES, 2])
@pytest.mark.parametrize(("calls", "words"), [(12, 40), (7, 75)])
@pytest.mark.parametrize(
    "spec", [C.fit(LIMIT), C.compact() | C.fit(LIMIT), C.fit(LIMIT, strategy="salience")], ids=repr
)
def test_steps_where_turns_begin_follow_from_the_log(spec, calls, words, anew, monkeypatch):
    """What goes on from the request before, what begins with nothing and a replay give the same."""
    monkeypatch.setattr(step_places, "SPACES", anew)
    early = early_steps(monkeypatch)
    target, memo = target_for("openai-chat", 100_000), Memo()
    for session in long_turns(6, calls, words):
        pack = SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
        fresh = Session(session.id, list(session.log), tools=session.tools)
        assert SpecCompiler(spec).compile(fresh.snapshot(), target).body == pack.body
        assert replay(pack.manifest, fresh).body == pack.body
    assert early


@pytest.mark.parametrize("limit", [C.budget(120), C.fit(120)], ids=repr)
def test_texts_alone_are_held_to_a_limit_before_anybody_spoke(limit):
    session = Session("quiet")
    session.add("system", "Find parts for the pump.")
    session.note("case", [f"Offer {n} costs {n * 90} euros and is late." for n in range(20)])
    pack = compile(session, C.notes("case") | limit, target=target_for("text"))
    assert 0 < pack.tokens <= 120
