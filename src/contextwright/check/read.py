"""A pipeline out of a JSON file: what `ctx check pipeline.json` reads."""

from pathlib import Path
from typing import Any

import msgspec

from contextwright.check.pipeline import AgentStep, Branch, Pipeline
from contextwright.errors import SpecError
from contextwright.spec.codec import from_data
from contextwright.spec.expr import Expr
from contextwright.words import parse


class _Given(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """An agent, or a branch where `on` is given."""

    agent: str = ""
    spec: Any = None
    instruction: str = ""
    outputs: tuple[str, ...] = ()
    model: str = ""
    boundary: tuple[str, ...] = ()
    on: str = ""
    cases: dict[str, list["_Given"]] = {}
    default: list["_Given"] = []


def read_pipeline(path: Path) -> Pipeline:
    """The pipeline of a file: a list of `{"agent": ..., "spec": "C...", "instruction": ...,
    "outputs": [...], "model": ..., "boundary": [...]}` and
    `{"on": key, "cases": {value: [...]}, "default": [...]}`. A spec is an expression, or JSON.

    A spec that means nothing is a finding of the checker.

    Raises:
        SpecError: the file can not be read, or is no pipeline.
    """
    try:
        given = msgspec.json.decode(path.read_bytes(), type=list[_Given])
    except OSError as error:
        raise SpecError(
            f"can not be read: {error.strerror}", where=str(path), fix="give a file"
        ) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise SpecError(
            f"not a pipeline: {error}",
            where=str(path),
            fix='a list of {"agent": "name", "spec": "C.window(n=5)"}',
        ) from error
    return tuple(_part(one, str(path)) for one in given)


def _part(given: _Given, where: str) -> AgentStep | Branch:
    if given.on:
        place = f"{where}, branch on {given.on!r}"
        return Branch(
            on=given.on,
            cases={
                value: tuple(_part(one, place) for one in case)
                for value, case in given.cases.items()
            },
            default=tuple(_part(one, place) for one in given.default),
        )
    if not given.agent:
        raise SpecError(
            "neither an agent nor a branch", where=where, fix='name it: {"agent": "name", ...}'
        )
    spec, wrong = _spec(given)
    return AgentStep(
        agent=given.agent,
        spec=spec,
        instruction=given.instruction,
        outputs=given.outputs,
        model=given.model,
        boundary=given.boundary,
        source=given.spec if isinstance(given.spec, str) and wrong is None else "",
        wrong=wrong,
    )


def _spec(given: _Given) -> tuple[Expr | None, tuple[str, str, str] | None]:
    """The spec, or what is wrong with it: one that means nothing is a finding as any other."""
    if given.spec is None:
        return None, None
    try:
        return (parse(given.spec) if isinstance(given.spec, str) else from_data(given.spec)), None
    except SpecError as error:
        return None, (error.what, error.where or "", error.fix or "")
