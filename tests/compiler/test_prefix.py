"""What docs/reference/prefix.md says of caches, asserted."""

import msgspec
import pytest
from benchmarks.prefix import INJECTORS, PAGE, SPECS, measured, moments

from contextwright import C, Session, compile
from contextwright.compiler.prefix import earlier_writes
from contextwright.recipes.injectors import InjectionOrchestrator
from contextwright.render.target import target
from contextwright.tokens.models import model_info


@pytest.mark.parametrize(
    "spec",
    [C.decay(), C.rolling(5), InjectionOrchestrator(INJECTORS).spec],
    ids=["decay", "rolling", "injection"],
)
def test_histories_share_most_of_their_bytes_with_the_request_before(spec):
    assert measured(spec)[0] > 0.85


def test_a_history_in_steps_is_billed_less_than_all_of_it():
    everything = measured(C.default())[2]
    for spec in (C.decay(), C.rolling(5), InjectionOrchestrator(INJECTORS).spec):
        assert measured(spec)[2] < everything


def test_the_page_has_a_row_for_every_history():
    text = PAGE.read_text()
    assert all(f"| {name} |" in text for name in SPECS)


@pytest.mark.parametrize("spec", [C.decay(), C.rolling(5)])
def test_a_summary_stands_behind_the_task_and_not_in_the_instruction(spec):
    session = Session()
    for session in moments(30):
        pass
    system, task, first, *_ = compile(session, spec, model="gpt-5").request["messages"]
    assert "summary" not in system["content"]
    assert task["role"] == "user" and task["content"] == session.log[1].text
    assert first["role"] == "user" and '<context_block source="summary:' in first["content"]


def test_a_summary_that_is_written_anew_leaves_a_cache_the_task():
    session, previous, lost = Session("s"), None, []
    session.user("Mend the orders that came twice. " * 300)
    described = target("claude-sonnet-4-5")
    for n in range(30):
        session.call("run", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"order {n} is fine. " * 80)
        pack = compile(session, C.fit(6_000), target=described, previous=previous)
        if previous is not None and pack.manifest.prefix.loss:
            lost.append(pack.manifest.prefix.read)
        previous = pack
    assert len(lost) > 2 and min(lost) > 1_024


def test_what_an_earlier_request_wrote_is_read_where_a_later_one_goes_back_to_it():
    described, session = target("claude-sonnet-4-5"), Session("s")
    session.user("word " * 2_000)
    previous, sizes, reads = None, [], []
    for turn in range(6):
        for n in range(3):
            session.call("run", {"n": n}, id=f"c{turn}{n}")
            session.result(f"c{turn}{n}", f"order {n} is fine. " * 80)
            previous = compile(session, C.isolate(), target=described, previous=previous)
        session.assistant("Done.")
        session.user(f"And now number {turn}?")
        previous = compile(session, C.isolate(), target=described, previous=previous)
        sizes.append(previous.tokens)
        reads.append(previous.manifest.prefix.read)
    # what a turn did is isolated behind it, up to where the call at its beginning wrote
    assert reads[1:] == sizes[:-1]
    before = msgspec.structs.replace(previous.manifest, now_ms=0)
    assert earlier_writes(before, 60_000, described) == previous.manifest.prefix.earlier
    assert earlier_writes(before, 3_600_000, described) == ()


def test_a_window_holds_its_turns_and_moves_by_its_stride():
    sizes, begins = [], []
    session = Session("s")
    for n in range(30):
        session.user(f"question {n}")
        kept = compile(session, C.window(n=5, stride=4), model="gpt-5").manifest.kept
        turns = [block.id for block in kept if block.source == "window:last_5"]
        sizes.append(len(turns))
        begins.append(turns[0])
        session.assistant(f"answer {n}")
    assert {*range(9, 17, 2)} >= set(sizes[8:]) and max(sizes) > 9
    assert len(set(begins)) <= 8


def second(words, model, **options):
    session = Session("s")
    session.add("system", "word " * words)
    session.user("one")
    described = target(model, **options)
    before = compile(session, C.default(), target=described)
    session.assistant("two")
    session.user("three")
    return compile(session, C.default(), target=described, previous=before).manifest.prefix


@pytest.mark.parametrize(
    ("model", "least"),
    [
        ("gpt-5", 1024),
        ("claude-sonnet-4-5", 1024),
        ("claude-haiku-4-5", 4096),
        ("gemini-2.5-flash", 2048),
    ],
)
def test_nothing_is_saved_below_the_models_minimum(model, least):
    assert second(least // 2, model).saved_microdollars <= 0
    assert second(least * 2, model).saved_microdollars > 0
    assert model_info(model).cache_minimum == least


def test_what_is_written_is_paid_for_and_nothing_is_read_without_a_breakpoint():
    marked = second(3000, "claude-sonnet-4-5")
    plain = second(3000, "claude-sonnet-4-5", cache=False)
    assert plain.saved_microdollars == 0 < marked.saved_microdollars
    info = model_info("claude-sonnet-4-5")
    assert marked.saved_microdollars < marked.tokens * (info.input_price - info.cached_price) / 1e6


def test_the_soft_threshold_is_the_specs():
    described = target("gpt-5", window=10_000, reserved_output=2_500)
    session = Session("s")
    session.user("hi")
    for spec, soft in ((C.compaction(soft=50), 3750), (C.compaction(), 6000), (C.default(), 6000)):
        assert compile(session, spec, target=described).budget.soft_threshold == soft


def test_the_sink_of_a_sliding_window_stays_under_a_budget():
    session = Session("s")
    session.user("Mind the budget of 900 euros.")
    for n in range(60):
        session.assistant(f"Answer {n}. " + "pump " * 60)
        session.user(f"Question {n}?")
    for limit in (3000, 1500, 700):
        spec = C.sliding(2000, recent=500) | C.budget(limit)
        assert (
            compile(session, spec, model="gpt-5")
            .request["messages"][0]["content"]
            .startswith("Mind the budget")
        )
