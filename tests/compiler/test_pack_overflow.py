"""What gives way in a Context Pack, and in which order (context-packs.md#overflow)."""

import re

import pytest

from contextwright import C, Criterion, PackBuilder, Session, Step, assign, compile
from contextwright.errors import BudgetError, StepError
from contextwright.tasks.allocation import SIGNALS
from contextwright.testing import target_for

STEP = Step(
    task_id="42",
    step_id="3",
    goal="Compare suppliers of pumps.",
    do=("Extract what differs.",),
    acceptance=(
        Criterion(text="price list", id="a1", needs_evidence=True),
        Criterion(text="delivery dates", id="a2", needs_evidence=True),
    ),
)
WINDOWS = (3500, 3000, 2500, 2000, 1500, 1200, 1000, 800)
REACH = range(12)


def session_of(turns=12, evidence=8, memories=10, **state):
    session = Session("s")
    for n in range(1, turns + 1):
        session.user(f"Question {n} about pump {n} in hall {n * 7}. " * 3)
        session.assistant(f"Pump {n} costs {n * 100} euros, it gives {n * 3} liters. " * 5)
    session.user("Please finish the comparison.")
    session.update(assign(STEP))
    listed = [
        {
            "uri": f"artifact://r{n}.md",
            "summary": f"Maker {n} writes of quality, size and form at length. " * 12,
            "time_ms": n,
            "covers": [f"a{n}"] if n in {1, 2} else [],
        }
        for n in range(evidence)
    ]
    known = [
        {
            "text": f"Fact {n}: maker {n} was {n + 2} days late in the year {2000 + n}. " * 3,
            "id": f"m{n}",
            "score": 1 - n / 30,
        }
        for n in range(memories)
    ]
    session.update({"evidence": listed, "knowledge": known, **state})
    return session


def packed(window, **state):
    builder = PackBuilder(max_tokens=window, evidence=8, memory=24)
    return compile(session_of(**state), builder, model="gpt-5", now_ms=1)


def ids(pack, layer):
    return [block.id for block in pack.manifest.kept if block.layer == layer]


@pytest.mark.parametrize("window", WINDOWS)
def test_no_turn_leaves_without_a_word(window):
    pack = packed(window)
    told = {id for block in pack.manifest.kept for id in block.lineage}
    newest = [f"e{n}" for n in range(16, 25)]  # the tail: nothing before the request may miss
    assert set(newest) <= told
    summary = pack.request["messages"][-1]["content"].partition("CONVERSATION SUMMARY:")[2]
    left = [n for n in range(8, 13) if f"e{2 * n - 1}" not in ids(pack, "conversation")]
    assert not left or "Pump" in summary or "Question" in summary


def test_turns_that_left_are_named_where_nobody_could_summarize_them():
    from contextwright.compiler.spec_compiler import SpecCompiler
    from contextwright.testing import target_for

    spec = PackBuilder(max_tokens=1200).spec
    pack = SpecCompiler(spec).compile(session_of().snapshot(), target_for("openai-chat"))
    assert "turns 1 to 12: not shown" in pack.body.decode()


@pytest.mark.parametrize("window", WINDOWS)
def test_nothing_is_dropped_before_all_is_as_short_as_it_may_be(window):
    pack = packed(window)
    steps = [event.reason for event in pack.manifest.truncation_events]
    if not any(": drop" in step for step in steps):
        return
    raw = [
        block.id
        for block in pack.manifest.kept
        if block.fidelity == "raw" and block.layer in {"memory", "evidence"}
    ]
    assert len(raw) <= 2, "the newest evidence alone is not shortened"


@pytest.mark.parametrize("window", WINDOWS)
def test_memories_go_by_their_scores(window):
    pack = packed(window)
    whole = [n for n in range(10) if f"m{n}" in ids(pack, "memory")]
    assert whole == list(range(len(whole))), "the best stay as they are"
    merged = [b for b in pack.manifest.kept if b.id.startswith("summary:memory")]
    if merged:
        assert set(merged[0].lineage) == {f"m{n}" for n in range(len(whole), 10)}


@pytest.mark.parametrize("window", WINDOWS)
def test_evidence_that_covers_the_checklist_stays(window):
    pack = packed(window)
    shown = ids(pack, "evidence")
    assert {"evidence:artifact://r1.md", "evidence:artifact://r2.md"} <= set(shown)
    assert pack.manifest.evidence_needed == ()


def test_evidence_that_overflow_dropped_is_named_as_needed():
    listed = [
        {"uri": f"artifact://r{n}.md", "summary": "word " * 400, "covers": [f"a{n}"]}
        for n in (1, 2)
    ]
    session = session_of(turns=0, memories=0)
    session.update({"evidence": listed})
    pack = compile(session, PackBuilder(max_tokens=430), model="gpt-5", now_ms=1)
    gone = {"a1", "a2"} - {f"a{id[-4]}" for id in ids(pack, "evidence")}
    assert gone and set(pack.manifest.evidence_needed) == gone


@pytest.mark.parametrize("window", WINDOWS)
def test_nothing_leaves_while_its_room_is_free(window):
    pack = packed(window)
    sizes = {
        change.id: change.tokens_before
        for change in pack.manifest.changes
        if change.action == "dropped" and change.id not in {b.id for b in pack.manifest.kept}
    }
    free = pack.manifest.budget - pack.manifest.tokens
    smallest = min((size for id, size in sizes.items() if "evidence" in id), default=10_000)
    assert free < smallest + 60


@pytest.mark.parametrize("name", sorted(SIGNALS))
def test_every_signal_changes_what_is_sent(name):
    bodies = [
        [packed(window, memories=24, signals={name: value}).body for value in (0, 1)]
        for window in (4000, 3500, 3000, 2500)
    ]
    assert sum(low != high for low, high in bodies) >= 2


@pytest.mark.parametrize("do", [[], "", ["  "]])
def test_a_step_that_says_nothing_to_do_is_refused(do):
    session = session_of()
    session.update({"plan": {**STEP.to_state(), "do": do}})
    with pytest.raises(StepError, match="what to do"):
        compile(session, PackBuilder(), model="gpt-5")


@pytest.mark.parametrize("limit", range(200, 600, 40))
def test_what_is_told_of_turns_that_left_is_told_once(limit):
    session = Session("s")
    for n in range(6):
        session.user(f"what did gauge {n} read at the bridge, and since when is it so")
        session.assistant(f"it read {n * 13} cm since noon")
    session.user("which?")
    read = "the gauge at the bridge was read by hand and written down"
    listed = [{"uri": f"artifact://{n}", "summary": read} for n in range(12)]
    session.update({"evidence": listed})
    spec = C.window(3) + C.evidence() | C.allocate(max_tokens=limit)
    kept = compile(session, spec, target=target_for("openai-chat")).manifest.kept
    assert len({one.id for one in kept}) == len(kept)


def test_a_summary_of_memories_stands_beside_that_of_a_word():
    known = [{"text": f"Buyer {n} prefers short terms in hall {n}.", "score": n} for n in range(9)]
    session = Session("s", state={"knowledge": known, "intent": "compare the offers"})
    session.user("Which offer is best?")
    spec = C.memory() + C.window(2) + (C.memory() | C.summarize(max_tokens=30))
    for limit in range(200, 700, 25):
        pack = compile(session, spec | C.allocate(max_tokens=limit), target=target_for("gemini"))
        names = [one.id for one in pack.manifest.kept]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("preset", ["cost", "balanced", "quality"])
@pytest.mark.parametrize("limit", [8, 60, 180])
def test_the_window_that_an_error_names_is_one_that_does(preset, limit):
    """A window of what "must be sent" is none: a share of it stays free, which grows with it."""
    session = Session("s")
    session.user("Compare the pumps. " * 60)
    spec, target = C.default(), target_for("openai-chat")
    with pytest.raises(
        BudgetError, match=r"allow \d+ tokens or more, \d+ of which stay free"
    ) as caught:
        compile(session, spec | C.allocate(max_tokens=limit, preset=preset), target=target)
    enough = int(re.search(r"allow (\d+) ", caught.value.fix)[1])
    compile(session, spec | C.allocate(max_tokens=enough, preset=preset), target=target)
    with pytest.raises(BudgetError):
        compile(session, spec | C.allocate(max_tokens=enough - 1, preset=preset), target=target)
