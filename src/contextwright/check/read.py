"""A pipeline out of a JSON file: what `ctx check pipeline.json` reads."""

from pathlib import Path
from typing import Any

import msgspec

from contextwright.check.pipeline import AgentStep, Branch, Pipeline
from contextwright.errors import SpecError
from contextwright.spec.codec import from_data
from contextwright.spec.expr import Expr
from contextwright.text.byte_order_mark import in_utf8
from contextwright.typed_decoding import decoder
from contextwright.words import parse


class _PipelineEntry(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """An agent, or a branch where `on` is entry."""

    agent: str = ""
    spec: Any = None
    instruction: str = ""
    outputs: tuple[str, ...] = ()
    model: str = ""
    boundary: tuple[str, ...] = ()
    tools: tuple[str, ...] | None = None
    read_back: bool = False
    reader: str = ""
    on: str = ""
    cases: dict[str, list["_PipelineEntry"]] = {}
    default: list["_PipelineEntry"] = []


def read_pipeline(path: Path) -> Pipeline:
    """The pipeline of a file: a list of `{"agent": ..., "spec": "C...", "instruction": ...,
    "outputs": [...], "model": ..., "boundary": [...]}` and
    `{"on": key, "cases": {value: [...]}, "default": [...]}`. A spec is an expression, or JSON.

    A spec that means nothing is a finding of the checker.

    Raises:
        SpecError: the file can not be read, or is no pipeline.
    """
    try:
        data = in_utf8(path.read_bytes())
        entries = decoder(list[_PipelineEntry]).decode(data)
    except OSError as error:
        raise SpecError(
            f"can not be read: {error.strerror}", where=str(path), fix="give a file"
        ) from error
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise SpecError(
            f"not a pipeline: {error}",
            where=str(path),
            fix='a list of {"agent": "name", "spec": "C.window(n=5)"}; of a session: '
            "ctx check SPEC --session FILE",
        ) from error
    return tuple(_part(entry, str(path)) for entry in entries)


def _part(entry: _PipelineEntry, where: str) -> AgentStep | Branch:
    if bool(entry.on) is not bool(entry.cases or entry.default) or (entry.on and entry.agent):
        raise SpecError(
            "an agent has no cases, and a branch has nothing else",
            where=f"{where}, {entry.on or entry.agent!r}",
            fix='{"on": KEY, "cases": {VALUE: [...]}, "default": [...]}, or {"agent": NAME, ...}',
        )
    if entry.on:
        place = f"{where}, branch on {entry.on!r}"
        return Branch(
            on=entry.on,
            cases={
                value: tuple(_part(inner, place) for inner in case)
                for value, case in entry.cases.items()
            },
            default=tuple(_part(inner, place) for inner in entry.default),
        )
    if not entry.agent:
        raise SpecError(
            "neither an agent nor a branch", where=where, fix='name it: {"agent": "name", ...}'
        )
    spec, wrong = _spec(entry)
    return AgentStep(
        agent=entry.agent,
        spec=spec,
        instruction=entry.instruction,
        outputs=entry.outputs,
        model=entry.model,
        boundary=entry.boundary,
        tools=entry.tools,
        read_back=entry.read_back,
        reader=entry.reader,
        source=entry.spec if isinstance(entry.spec, str) and wrong is None else "",
        wrong=wrong,
    )


def _spec(entry: _PipelineEntry) -> tuple[Expr | None, tuple[str, str, str] | None]:
    """The spec, or what is wrong with it: one that means nothing is a finding as any other."""
    if entry.spec is None:
        return None, None
    try:
        return (parse(entry.spec) if isinstance(entry.spec, str) else from_data(entry.spec)), None
    except SpecError as error:
        return None, (error.what, error.where or "", error.fix or "")
