"""What docs/reference/prefix.md says of caches, asserted."""

import pytest
from benchmarks.prefix import INJECTORS, PAGE, SPECS, measured, moments

from contextwright import C, Session, compile
from contextwright.recipes.injectors import InjectionOrchestrator


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
def test_a_summary_stands_where_the_history_begins_and_not_in_the_instruction(spec):
    session = Session()
    for session in moments(30):
        pass
    system, first, *_ = compile(session, spec, model="gpt-5").request["messages"]
    assert "summary" not in system["content"]
    assert first["role"] == "user" and '<context_block source="summary:' in first["content"]


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
