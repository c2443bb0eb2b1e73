"""Steps: what a pack is built for, and what makes one invalid."""

import pytest

from contextwright import Constraints, Criterion, Session, Step, assign
from contextwright.errors import StepError
from contextwright.tasks.plan_step import folder_of, segment, step_of

STEP = Step(
    task_id="42",
    step_id="3",
    goal="Summarize competitor analysis with sources.",
    do=("Extract top 5 differentiators.", "Provide risks and gaps."),
    acceptance=(Criterion(text="include sources", id="a1", needs_evidence=True),),
    constraints=Constraints(latency_s=8, cost_usd=0.2, risk="high"),
)


def test_a_step_comes_back_from_the_state_as_it_was():
    session = Session()
    session.update(assign(STEP))
    assert step_of(session.state["plan"]) == STEP
    session.update(assign(None))
    assert "plan" not in session.state


def test_plain_data_is_read_with_ids_for_its_criteria():
    step = step_of(
        {
            "task_id": 7,
            "step_id": 1,
            "step": "one\n\ntwo",
            "acceptance": ["a", {"text": "b", "id": "x"}],
        }
    )
    assert step.do == ("one", "two")
    assert [(one.id, one.text) for one in step.acceptance] == [("a1", "a"), ("x", "b")]
    assert step.task_id == "7"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "no step to work on"),
        ("go on", "no step to work on"),
        ({"step_id": "1", "acceptance": ["a"]}, "does not say what to do"),
        ({"goal": "g", "acceptance": ["a"]}, "does not say what to do"),
        ({"step_id": "1", "goal": "g", "do": []}, "does not say what to do"),
        ({"step_id": "1", "goal": "g", "do": ["d"]}, "no acceptance checklist"),
        ({"step_id": "1", "do": "d", "acceptance": [" "]}, "no acceptance checklist"),
        ({"step_id": "1", "do": "d", "goal": 3, "acceptance": ["a"]}, "goal"),
        ({"step_id": "1", "do": 3, "acceptance": ["a"]}, "do"),
        ({"step_id": "1", "do": "d", "acceptance": [4]}, "acceptance"),
    ],
)
def test_an_incomplete_step_makes_the_pack_invalid_and_says_what_to_restate(data, says):
    with pytest.raises(StepError) as error:
        step_of(data)
    assert says in str(error.value)
    assert error.value.fix


def test_a_step_has_a_folder_for_its_artifacts_that_nothing_leads_out_of():
    assert STEP.folder == "tasks/42/step-3"
    assert folder_of("", "").endswith("/-")
    for part in folder_of("a/../b", "..").split("/"):
        assert part not in {"", ".", ".."}


def test_no_two_steps_have_one_folder():
    names = ["a/b", "a-b", "a b", "a:b", "", "..", "-.."]
    assert len({folder_of(name, "1") for name in names}) == len(names)
    assert len({folder_of("42", name) for name in names}) == len(names)
    assert segment("") == "-"
    steps = ["3", "step-3", "step-3a", "3a", "step-step-3", "step", "step-", "٣", "step-٣"]
    assert len({folder_of("42", name) for name in steps}) == len(steps)
