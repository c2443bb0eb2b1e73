"""A step of a plan: the unit of work that a pack is built for (context-packs.md#step)."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Literal

import msgspec

from contextwright.argument_types import expect_types
from contextwright.errors import StepError
from contextwright.session.checked_call import CheckedCall
from contextwright.session.state import EVIDENCE as LISTED_ARTIFACTS
from contextwright.typed_decoding import converted

PLAN = "plan"
"""State key of the step at hand, as the document's `state.plan`."""
TOOLS = "tools"
"""State key of the names of the tools that the step may use, as the document's `state.tools`."""
KNOWLEDGE = "knowledge"
"""State key of what retrieval and memory found, as the document's `state.knowledge`."""
PASSAGES = "passages"
"""State key of the texts that retrievers found for `C.within`, with their ranks."""
EVIDENCE = LISTED_ARTIFACTS
"""State key of the artifacts that prove something, with their summaries."""
WORKING = "working_memory"
"""State key of the notes of the step at hand."""
SIGNALS = "signals"
"""State key of allocator signals that the application measured itself."""

Risk = Literal["low", "medium", "high"]


class Criterion(msgspec.Struct, metaclass=CheckedCall, frozen=True, omit_defaults=True):
    """One item of an acceptance checklist.

    Args:
        text: what must be so.
        id: names it for evidence that covers it; by default its place, `a1`, `a2`, ...
        needs_evidence: whether an artifact must prove it.
    """

    text: str
    id: str = ""
    needs_evidence: bool = False


class Constraints(msgspec.Struct, metaclass=CheckedCall, frozen=True, omit_defaults=True):
    """What a step may take.

    Args:
        tokens: of the whole request; 0 where nothing is said.
        latency_s: seconds until the answer.
        cost_usd: dollars.
        risk: what a mistake would mean.
        other: further limits, in words.
    """

    tokens: int = 0
    latency_s: float = 0
    cost_usd: float = 0
    risk: Risk = "low"
    other: tuple[str, ...] = ()


class Step(msgspec.Struct, metaclass=CheckedCall, frozen=True, omit_defaults=True, kw_only=True):
    """The current unit of work.

    Args:
        task_id, step_id: names of the task and of this step in it; they make artifact addresses.
        goal: what the task is for.
        do: what this step is to do, a line each.
        acceptance: when it is done.
        constraints: what it may take.
        tools: names of the tools that it may use; None where it does not say.
        background: what was found on the way; may be shortened where room is short.
        expected_tool_calls: how many are foreseen; -1 where nobody said.
        missing: ids of criteria that the reply before did not meet.
    """

    task_id: str
    step_id: str
    goal: str
    do: tuple[str, ...]
    acceptance: tuple[Criterion, ...]
    constraints: Constraints = Constraints()
    tools: tuple[str, ...] | None = None
    background: str = ""
    expected_tool_calls: int = -1
    missing: tuple[str, ...] = ()

    def to_state(self) -> dict[str, Any]:
        """The step as it is kept under the state key `plan`."""
        return msgspec.to_builtins(self)

    @property
    def folder(self) -> str:
        """Where artifacts of this step are kept, below `artifact://`: `tasks/42/step-3`."""
        return folder_of(self.task_id, self.step_id)


def step_of(value: Any, where: str = f"state {PLAN!r}") -> Step:
    """The step that plain data describes: `acceptance` and `do` may be lists of strings, `step`
    is read for `do`.

    Raises:
        StepError: it has no step or no acceptance checklist
            (context-packs.md#step: the pack is invalid then, and the planner must restate), or a
            field is of another type.
    """
    if isinstance(value, Step):
        value = value.to_state()
    if not isinstance(value, Mapping):
        raise StepError(
            "there is no step to work on: the pack is invalid",
            where=where,
            fix="have the planner state it: session.update({'plan': Step(...).to_state()})",
        )
    data: dict[str, Any] = {str(key): item for key, item in value.items()}
    lines = data.pop("step", None)
    data["do"] = _lines(data.get("do", lines))
    data["acceptance"] = _criteria(data.get("acceptance"))
    for name in ("task_id", "step_id"):
        data[name] = "" if data.get(name) is None else str(data[name])
    data["goal"] = data.get("goal") or ""
    _refuse_incomplete(data, where)
    try:
        step = converted(data, Step)
    except msgspec.ValidationError as error:
        raise StepError(
            f"the step can not be read: {error}", where=where, fix="see help(Step)"
        ) from error
    _refuse_twins(step, where)
    return step


def step_in(state: Mapping[str, Any]) -> Step | None:
    """The step at hand, if there is one: another application's `plan` is none.

    Raises:
        StepError: it is incomplete.
    """
    value = state.get(PLAN)
    return step_of(value) if isinstance(value, Mapping) and "step_id" in value else None


def names_of(step: Step | None) -> dict[str, str]:
    """What a note, or an artifact, says of whose it is: two tasks may both have a step `1`."""
    return {"task": step.task_id, "step": step.step_id} if step is not None else {}


def is_of_step(entry: Mapping[str, Any], names: Mapping[str, str]) -> bool:
    """Whether an entry of the state is of the step of these names; one that names no task, or no
    step, is of any."""
    return all(str(entry.get(key, name)) == name for key, name in names.items())


def assign(step: Step | None) -> dict[str, Any]:
    """The state change that makes a step the one at hand, or that ends it.

    Raises:
        StepError: it is no step.
    """
    if step is not None:
        expect_types("assign(step)", StepError, step=(step, Step))
    return {PLAN: step.to_state() if step is not None else None}


def folder_of(task_id: str, step_id: str) -> str:
    """Where artifacts of a step are kept, below `artifact://`; no other step has the folder."""
    step = _own_segment(step_id)
    if step[0].isdigit():
        step = f"step-{step}"
    elif step.startswith("step-") and step[5:6].isdigit():
        step = _digested(step, step_id)  # what a number becomes is a number's
    return f"tasks/{_own_segment(task_id)}/{step}"


def _own_segment(name: str) -> str:
    """A name as a segment that no other name has: what could not be written is told by a digest."""
    safe = segment(name)
    return safe if safe == name or not name else _digested(safe, name)


def _digested(safe: str, name: str) -> str:
    return f"{safe}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def segment(name: str) -> str:
    """A name as one segment of an address: no slash, never `.` or `..`, never empty."""
    safe = "".join(char if char.isalnum() or char in "-_." else "-" for char in name)
    return safe if safe.strip(".") else f"-{safe}"


def _refuse_incomplete(data: Mapping[str, Any], where: str) -> None:
    if not (data["step_id"] and data["do"]):
        raise StepError(
            "the step does not say what to do: the pack is invalid",
            where=where,
            fix="have the planner restate it, with step_id, goal and do=[...]",
        )
    if not data["acceptance"]:
        raise StepError(
            f"step {data['step_id']!r} has no acceptance checklist: the pack is invalid",
            where=where,
            fix="say when it is done, acceptance=[...]; where that is unclear, split the step",
        )


def _refuse_twins(step: Step, where: str) -> None:
    """One mark must never stand for two items of a checklist."""
    ids = [one.id.casefold() for one in step.acceptance]
    twice = [one.id for one in step.acceptance if ids.count(one.id.casefold()) > 1]
    if twice:
        raise StepError(
            f"two criteria of step {step.step_id!r} have the id {twice[0]!r}",
            where=where,
            fix="give each an id of its own; one without an id has its place, a1, a2, ...",
        )


def _lines(value: Any) -> Any:
    if value is None:
        return []
    lines: list[Any] = value.splitlines() if isinstance(value, str) else value
    if not isinstance(lines, (list, tuple)):
        return lines
    return [line for line in lines if not isinstance(line, str) or line.strip()]


def _criteria(value: Any) -> Any:
    items: Any = [value] if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)):
        return [] if items is None else items
    entries: list[Any] = []
    for place, item in enumerate(items, 1):
        entry: Any = {"text": item} if isinstance(item, str) else item
        if isinstance(entry, Mapping):
            entry = {**entry, "id": str(entry.get("id") or f"a{place}")}
        if not isinstance(entry, Mapping) or str(entry.get("text", "")).strip():
            entries.append(entry)
    return entries
