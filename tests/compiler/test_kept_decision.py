"""A decision that goes on is the one that would be made anew: request and receipt, byte for byte."""

import json
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.compiler.test_horizon import outcome
from tests.parameters import few
from tests.rules.samples import SAMPLES

from contextwright import C, Engine, Session
from contextwright.compiler import horizon, kept_decision, spec_compiler
from contextwright.compiler.change_ranges import LimitDrop
from contextwright.compiler.plan import plan
from contextwright.compiler.replay_pack import replay
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ContextwrightError
from contextwright.session.event import Tool
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for
from contextwright.testing.session_strategies import sessions
from contextwright.testing.word_suite import standing

FORMATS = ("openai-chat", "anthropic", "gemini", "openai-responses")
SPECS = (
    C.default(), C.window(2), C.window(3) | C.compact(min_tokens=5, max_tokens=9),
    C.window(steps=4), C.window(steps=5, stride=3) | C.truncate(9), C.compact(min_tokens=5),
    C.default() | C.compact("tool_results", min_tokens=5, max_tokens=9),
    C.default() | C.project(["results"]), C.default() | C.truncate(12) | C.priority(3),
    (C.window(2) | C.priority(1)) + (C.default() | C.priority(3)), C.window(2) + C.window(steps=3),
    C.default() | C.priority(4), C.default() | C.vary(), C.clock_last(), C.silent() | C.compact(min_tokens=5),
)  # fmt: skip
BESIDE = (
    C.from_state("goal", "intent") + C.default(), C.template("Help {name?}.") + C.compact(min_tokens=5),
    C.window(3) + (C.from_state("intent") | C.priority(4)), C.failures(2) + C.default(),
    C.default() + (C.from_state("intent") | C.layer("memory")) + C.recite("todo"),
)  # fmt: skip
"""Texts beside the conversation."""
REDACTED = (
    C.default() | C.redact(["email"]), C.default() | C.compact(min_tokens=5) | C.redact(["email", "phone"]),
    C.window(3) | C.redact(["email"]), C.from_state("goal") + C.default() | C.redact(fields=["what"]),
)  # fmt: skip


def summarizing(tokens):
    return C.budget(tokens, overflow="summarize")


LIMITS = (
    summarizing,
    lambda tokens: C.budget(tokens),
    lambda tokens: C.budget(tokens, overflow="truncate_lowest_priority"),
    lambda tokens: C.fit(tokens),
    lambda tokens: C.fit(tokens, strategy="strict"),
)
WORDS = [
    spec for word in sorted(SAMPLES) for sample in SAMPLES[word] for spec in (standing(sample),)
]


@pytest.fixture(autouse=True, scope="module")
def every_exchange_counts():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(horizon, "GRAIN", 1)
        yield


@pytest.fixture
def gone_on(monkeypatch):
    """How often a decision went on."""
    counts, original = [], kept_decision.gone_on

    def watched(*arguments):
        found = original(*arguments)
        counts.append(found is not None)
        return found

    monkeypatch.setattr(spec_compiler, "gone_on", watched)
    return counts


def grown(spec, events, target, every=1, writes=0):
    """Each request of a session as it grows, under one memo and from nothing.

    Args:
        writes: events after which its state is written.
    """
    session, memo = Session("grown", state={"goal": "Find parts.", "intent": "parts"}), Memo()
    for place, event in enumerate(events):
        session.append(event)
        if writes and place % writes == 0:
            session.update({"intent": f"part {place}", "todo": "Ask ann@parts.example."})
        if place % every and place < len(events) - 1:
            continue
        assert _made(spec, session, target, memo) == _made(spec, session, target, Memo())


def _made(spec, session, target, memo):
    try:
        return outcome(SpecCompiler(spec, memo=memo), session, target)
    except ContextwrightError as error:
        return str(error)


@settings(suppress_health_check=list(HealthCheck), max_examples=40)
@given(
    first=sessions(max_turns=12), term=st.sampled_from(SPECS), limit=st.sampled_from(LIMITS),
    tokens=st.integers(60, 400), format=st.sampled_from(FORMATS), every=st.integers(1, 4),
)  # fmt: skip
def test_what_goes_on_is_what_would_be_decided(first, term, limit, tokens, format, every):
    grown(term | limit(tokens), list(first.log), target_for(format), every)


def agent_events(dice, count, say=12, *, as_json=False):
    """An agent that calls, says, fails and is asked, in turns of any length."""
    session = Session("agent")
    if dice.random() < 0.5:
        session.add("system", "Be brief.")
    session.user("Find the parts. " * dice.randint(1, 6))
    for n in range(count):
        kind = dice.choice(("user", "say", "call", "call", "call", "two", "fail"))
        if kind == "user":
            asked = dice.choice(("And?", "Go on. " * 4, "I am bob@parts.example."))
            session.user(asked, pinned=dice.random() < 0.1)
        elif kind == "say":
            session.assistant("Done. " * dice.randint(1, say))
        else:
            session.call("find", {"what": dice.randint(0, 5)}, id=f"c{n}")
            if kind == "two":
                session.user("Meanwhile?")
            found = f"part {dice.randint(0, 9)} is here " * dice.randint(1, say)
            found += dice.choice(("", "", "", "ann@parts.example"))
            found = json.dumps({"parts": found.split(), "bay": n}, indent=1) if as_json else found
            session.result(f"c{n}", found, error=kind == "fail")
    return list(session.log)


@pytest.mark.parametrize("seed", few(range(60), 8))
def test_agents_go_on(seed, gone_on):
    dice = random.Random(seed)
    events = agent_events(dice, 40)
    spec = dice.choice(SPECS) | dice.choice(LIMITS)(dice.randint(150, 900))
    grown(spec, events, target_for(dice.choice(FORMATS)), dice.randint(1, 2))


SHORTER = (
    C.compact(),
    C.compact(min_tokens=20, max_tokens=40),
    C.truncate(60),
    C.compress_results(),
)


@pytest.mark.parametrize("seed", [3, 5, 10, 11, 57, *few((9, 18, 33, 53, 71), 1)])
def test_what_words_shorten_as_it_ages_goes_on(seed):
    """Behind a step the limit finds room that it had not, and drops the summaries that it made."""
    dice = random.Random(seed)
    events = agent_events(dice, 26, say=dice.choice((12, 40, 90)), as_json=dice.random() < 0.5)
    limit = dice.choice((C.fit, summarizing))(dice.choice((300, 500, 700, 900, 1200)))
    grown(C.default() | dice.choice(SHORTER) | limit, events, target_for("anthropic"))


@pytest.mark.parametrize("seed", [24, 28, *few((1, 8, 29, 30), 0)])
def test_what_a_term_left_out_of_what_another_brings_stands_in_no_receipt(seed):
    """Also where the other is not given it, since a fold knows it."""
    dice = random.Random(seed)
    events = agent_events(dice, 40, say=dice.choice((4, 12, 40, 90)), as_json=dice.random() < 0.5)
    found = dice.choice(
        (C.select(type="tool_result") | C.relevant(top_k=2), C.select(role="tool") | C.cap(90))
    )
    grown(
        found + C.default() | C.compaction(dice.choice((150, 300, 900))),
        events,
        target_for("openai-chat"),
    )


OF_A_PART = (
    C.window(steps=4) | C.recent(half_life=1, by="salience"), C.window(3) | C.salient(min_score=0.4),
    C.window(3) | C.dedup(), C.select(role="tool") | C.dedup(),
)  # fmt: skip


@pytest.mark.parametrize("seed", few(range(24), 8))
def test_a_word_that_asks_the_log_is_given_all_of_a_part(seed):
    """Of a compile that began later it would be told of more than it was given."""
    dice, term = random.Random(seed), OF_A_PART[seed % 4]
    events = agent_events(dice, 30, say=dice.choice((4, 12, 40)), as_json=dice.random() < 0.5)
    limit = dice.choice((C.compaction, C.budget))(dice.choice((150, 300, 900)))
    assert plan(term + C.default() | limit).view == "all"
    grown(term + C.default() | limit, events, target_for("openai-chat"))


ALL_OF_A_PART = (
    C.window(1) | C.validate(["freshness", "token_efficiency", "contradictions"], max_age=2),
    C.window(3) | C.dedup(strategy="semantic"),
)  # fmt: skip


@pytest.mark.parametrize("term", ALL_OF_A_PART, ids=repr)
def test_a_word_that_looks_at_all_that_it_is_given_asks_the_log_for_no_more(term):
    """It warned of blocks that are not in its part, once the other term began later."""
    events = agent_events(random.Random(3), 90, say=12)
    grown(term + C.default() | C.compaction(300), events, target_for("openai-chat"))


def test_a_step_is_not_taken_from_the_log_where_another_term_brings_a_part_of_it():
    """A window's blocks have its tier and its source, in front of a step as behind it."""
    events = agent_events(random.Random(42), 40)
    spec = (C.window(2) | C.priority(1)) + (C.default() | C.priority(3))
    for limit in (C.fit(650), C.compaction(650)):
        grown(spec | limit, events, target_for("openai-chat"))


def test_what_a_word_undid_stands_in_the_receipt_once_its_exchange_has_settled():
    """The block is what it was, and the receipt says that two words were at it."""
    session = Session("s")
    session.user("Find the parts.")
    for n in range(9):
        session.call("find", {"what": n}, id=f"c{n}")
        session.result(f"c{n}", f"part {n} is in stock. " * 60)
    spec = C.default() | C.compact() | C.expand() | C.budget(8000)
    grown(spec, list(session.log), target_for("openai-chat"), 2)


@pytest.mark.parametrize("seed", few(range(60), 8))
def test_texts_and_what_is_redacted_go_on(seed):
    dice = random.Random(seed)
    events, budget = agent_events(dice, 40), C.budget(dice.randint(150, 900))
    spec = dice.choice((*BESIDE, *REDACTED)) | budget
    grown(spec, events, target_for(dice.choice(FORMATS)), dice.randint(1, 2), dice.choice((0, 9)))


MOVING = (
    C.window(3), C.window(2) | C.compact(min_tokens=5, max_tokens=9), C.window(3, stride=2) | C.compact("tool_results", min_tokens=5, max_tokens=9),
    C.window(2, steps=6) | C.truncate(12), C.window(steps=6) | C.compact(min_tokens=5) | C.truncate(9), C.window(2) | C.priority(1),
    C.window(2) | C.redact(["email"]), C.window(2) | C.compact(min_tokens=5) | C.redact(["email"]), C.silent() + C.window(2), C.window(2) | C.vary(),
    (C.window(1) | C.priority(1)) + (C.default() | C.priority(3)), C.window(3) + (C.window(steps=4) | C.compact(min_tokens=5)),
    (C.window(2) | C.compact(min_tokens=5)) + (C.default() | C.truncate(12)), C.failures(2) + C.window(2),
    (C.from_state("intent") | C.priority(4)) + (C.window(2) | C.compact(min_tokens=5)), C.window(2) | C.priority(4),
)  # fmt: skip
"""Specs of which the oldest leaves, or is brought by another term, as the session goes on."""


@pytest.mark.parametrize("seed", few(range(48), 8))
def test_windows_that_move_go_on(seed):
    dice = random.Random(seed)
    spec = MOVING[seed % len(MOVING)] | dice.choice(LIMITS)(dice.choice((300, 600, 3000)))
    events = agent_events(dice, 40, dice.choice((4, 30)))
    target, every = target_for(dice.choice(FORMATS)), dice.randint(1, 2)
    grown(spec, events, target, every, dice.choice((0, 0, 9)))


def test_a_window_that_moves_asks_its_words_only_about_what_is_new(gone_on, monkeypatch):
    """Also where what settles is compacted, and what leaves had been."""
    looked, original = [], kept_decision.words_since

    def watched(*arguments):
        words = original(*arguments)
        looked.append(len(words.blocks))
        return words

    monkeypatch.setattr(kept_decision, "words_since", watched)
    session, memo, target = Session("s"), Memo(), target_for("openai-chat")
    spec = C.window(5) | C.compact(min_tokens=5, max_tokens=9) | C.budget(4000)
    for n in range(30):
        session.user(f"Where is part {n}?")
        session.call("find", {"what": n}, id=f"c{n}")
        session.result(f"c{n}", f"part {n} is here, and more of it there " * 9)
        session.assistant("It is here.")
        assert _made(spec, session, target, memo) == _made(spec, session, target, Memo())
    warm = gone_on[::2]
    # the task's first message stands as it was brought until it lies outside
    assert warm[6:] == [True] * 24
    assert max(looked) == 6


def test_what_another_word_does_to_what_has_settled_is_written():
    """In a receipt that has an entry of the exchange by one word already."""
    session = Session("s")
    session.user("Find the parts.")
    for n in range(12):
        session.assistant("Looking for it, as before, in every place that there is. " * 3)
        session.call("find", {"what": n}, id=f"c{n}")
        session.result(f"c{n}", f"part {n} is here " * 12)
    spec = (C.window(1) | C.compact(min_tokens=5, max_tokens=9)) + (C.default() | C.truncate(12))
    grown(spec | C.budget(6000), list(session.log), target_for("openai-chat"))


FOLDED = (
    C.default(), C.default(), C.compact(min_tokens=5), C.truncate(12) | C.redact(["email"]),
    C.from_state("goal", "intent") + C.default(), C.default() | C.redact(["email"]), C.vary(),
)  # fmt: skip


@pytest.mark.parametrize("seed", few(range(60), 8))
def test_folds_go_on(seed):
    dice = random.Random(seed)
    spec = dice.choice(FOLDED) | C.compaction(dice.randint(250, 1200))
    target, every = target_for(dice.choice(FORMATS)), dice.randint(1, 2)
    events = agent_events(dice, 50, as_json=dice.random() < 0.3)
    grown(spec, events, target, every, dice.choice((0, 0, 9)))


STANDING = (
    C.dedup(),
    C.default() | C.compact(min_tokens=5, max_tokens=9, min_gain=60),
    C.dedup() | C.compact(min_tokens=5),
)
"""Words that look at more than one exchange, and say by what they stand."""


@pytest.mark.parametrize("seed", few(range(90), 9))
def test_words_that_say_by_what_they_stand_go_on(seed):
    dice = random.Random(seed)
    limit = dice.choice((C.compaction, C.fit, C.budget))(dice.randint(250, 1200))
    events = agent_events(dice, 60, as_json=dice.random() < 0.3)
    target, every = target_for(dice.choice(FORMATS)), dice.randint(1, 2)
    grown(STANDING[seed % 3] | limit, events, target, every, dice.choice((0, 0, 9)))


@pytest.mark.parametrize("seed", (5, 11, 13))
def test_what_left_a_window_is_in_no_receipt_of_words_that_stand(seed):
    """Once the window moves, another exchange is the first in it that says a thing."""
    events = agent_events(random.Random(seed), 50)
    grown(C.window(n=2) | C.dedup() | C.fit(900), events, target_for("openai-chat"))


def test_a_fold_that_shortens_what_is_new_goes_on(gone_on):
    """JSON behind a note comes without its blanks."""
    session, memo, target = Session("s"), Memo(), target_for("openai-chat")
    session.user("Find the parts.")
    for n in range(60):
        session.call("find", {"what": n}, id=f"c{n}")
        rows = [{"part": f"P-{n}{m}", "bay": m} for m in range(6)]
        session.result(f"c{n}", json.dumps({"rows": rows}, indent=1))
        made = _made(C.compaction(1500), session, target, memo)
        assert made == _made(C.compaction(1500), session, target, Memo())
    assert sum(gone_on[::2]) > 40


@pytest.mark.parametrize("spec", few(WORDS, 16), ids=repr)
def test_every_word(spec):
    dice = random.Random(repr(spec))
    try:
        limited = spec | C.budget(500)
    except ContextwrightError:
        limited = spec
    grown(limited, agent_events(dice, 16), target_for(dice.choice(FORMATS)), 2)


@pytest.mark.parametrize(
    "spec",
    [
        C.default() | C.budget(600), C.window(3) | C.compact() | C.budget(600),
        C.default() | C.redact(["email"]) | C.budget(600),
        C.template("Be brief.") + C.default() | C.budget(600), C.compaction(900),
        C.dedup() | C.compaction(900), C.dedup() | C.fit(900), C.compact(min_gain=60) | C.compaction(900),
    ],
    ids=repr,
)  # fmt: skip
def test_most_turns_of_an_agent_go_on(spec, gone_on):
    session, memo, target = Session("s"), Memo(), target_for("openai-chat")
    session.user("Find the parts.")
    for n in range(40):
        session.call("find", {"what": n}, id=f"c{n}")
        session.result(f"c{n}", f"part {n} is here")
        SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
    assert sum(gone_on) > len(gone_on) * 0.6


def test_only_a_step_of_a_limit_is_decided_anew(gone_on):
    """The request behind it goes on from it, though its place was not in the log yet."""
    session, memo, target = Session("s"), Memo(), target_for("openai-chat")
    session.user("Find the parts.")
    steps = []
    for n in range(60):
        session.call("find", {"what": n}, id=f"c{n}")
        session.result(f"c{n}", f"part {n} is here " * 4)
        compiler = SpecCompiler(C.default() | C.budget(900), memo=memo)
        steps.append(compiler.compile(session.snapshot(), target).manifest.limit_steps)
    anew = [place for place, went in enumerate(gone_on) if not went]
    assert max(steps) > 2
    assert anew == [
        place for place, n in enumerate(steps) if n != (steps[place - 1] if place else -1)
    ]


def test_at_a_new_question_nobody_looks_again_for_the_oldest_that_stands(gone_on, monkeypatch):
    session, memo, target = Session("s"), Memo(), target_for("openai-chat")
    looks, cut = [], LimitDrop.cut
    monkeypatch.setattr(LimitDrop, "cut", lambda drop, now: looks.append(now) or cut(drop, now))
    spec, dropped = C.default() | C.budget(900), 0
    for n in range(120):
        session.user(f"What of part {n}? " * 3)
        session.assistant(f"Part {n} is here. " * 4)
        before = len(looks)
        pack = SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
        dropped += pack.manifest.limit_steps > 0
        assert len(looks) == before or not gone_on[-1]
    assert dropped > 60 and sum(gone_on) > 90


def test_a_failure_that_was_made_good_is_asked_about_again(gone_on):
    session, memo, target = Session("s"), Memo(), target_for("openai-chat")
    spec = C.default() | C.budget(4000)
    session.user("Find the parts.")
    for n in range(12):
        session.call("find", {"what": 1}, id=f"c{n}")
        session.result(f"c{n}", f"part {n} is here", error=n == 2)
        if n == 2:
            session.user("Go on.")  # what failed lies in a turn that has settled
        assert _made(spec, session, target, memo) == _made(spec, session, target, Memo())
    assert gone_on[::2] == [False] + 11 * [True]


def test_what_moves_is_decided_anew(gone_on):
    """The state, the tools, the room and the agent are facts; an earlier position is no growth."""
    session, memo, target = Session("s"), Memo(), target_for("openai-chat")
    spec = C.default() | C.budget(4000)
    session.user("Find the parts.")

    def compiled(target=target, snapshot=None, **options):
        SpecCompiler(spec, memo=memo, **options).compile(snapshot or session.snapshot(), target)
        return gone_on[-1]

    assert not compiled()
    early = session.snapshot()
    session.assistant("Which?")
    assert compiled()
    assert not compiled(snapshot=early)
    session.user("All.")
    assert compiled()
    session.update({"intent": "parts"})
    assert not compiled()
    assert compiled()
    assert not compiled(replace(target, reserved_system=9))
    assert not compiled(replace(target, tools=(Tool(name="find"),)))
    assert not compiled(now_ms=1)
    assert not compiled(agent="critic")


def test_specs_of_one_session_go_on_by_themselves():
    """What applies to everything is of a spec as its words are."""
    session, memo, target = Session("s"), Memo(), target_for("openai-chat")
    session.user("Ask ann@parts.example for it.")
    for n in range(4):
        session.assistant("She has it.")
        session.user(f"And part {n}?")
        for spec in (
            C.default() | C.budget(900),
            C.default() | C.redact(["email"]) | C.budget(900),
        ):
            made = _made(spec, session, target, memo)
            assert made == _made(spec, session, target, Memo()), spec


def test_only_words_that_look_at_a_block_alone_go_on():
    assert plan(C.default() | C.budget(9)).may_go_on
    assert plan(C.window(3) | C.compact() | C.budget(9)).may_go_on
    for spec in (*BESIDE, *REDACTED):
        assert plan(spec | C.budget(9)).may_go_on, spec
    for spec in FOLDED:
        assert plan(spec | C.compaction(900)).may_go_on, spec
    for spec in (
        C.fresh(2) | C.compaction(900), C.window(2) | C.compaction(900), C.default() | C.fresh(2), C.compact("stale", stale_after=2),
        (C.default() | C.redact(["email"])) + C.window(2), C.relevant(top_k=3), C.default() + C.relevant(top_k=3), C.cool(90), C.default() | C.window(3),
    ):  # fmt: skip
        assert not plan(spec).may_go_on, spec


@pytest.mark.parametrize("format", FORMATS)
def test_long_requests_share_out_their_tokens_anew(format):
    """Where a counter estimates, what one message is said to take moves with all the others."""
    events = agent_events(random.Random(3), 70)
    grown(C.default() | C.budget(90_000), events, target_for(format), 5)


@pytest.mark.parametrize("spec", [C.default() + C.premise(unknown=True), C.default() + C.premise()])
def test_a_receipt_names_no_answer_of_an_earlier_question(spec):
    session = Session("s")
    session.user("The hotel has a room for 80 euros a night.")
    session.assistant("Yes.")
    engine, kinds = Engine(spec, target=target_for("openai-chat")), []
    for said in ("Which of your rooms costs 80 euros a night?", "Thanks.", "Fine."):
        session.user(said)
        pack = engine.compile(session)
        kinds.append([answer.kind for answer in pack.manifest.answers])
        replay(pack, session)
        session.assistant("Well.")
    assert kinds == [["premises"], [], []]
