"""A table of sessions to a table of calls: the one function that all engines run."""

from typing import Any

import msgspec

from contextwright.errors import ContextwrightError
from contextwright.formats import read_session
from contextwright.render.target import target
from contextwright.session.session import Session
from contextwright.sweep.arrow import pa
from contextwright.sweep.call_rows import CallRow, SessionPlace, call_rows
from contextwright.sweep.sweep_job import SweepJob

_TYPES: dict[type, Any] = {int: pa.int64(), str: pa.string(), float: pa.float64()}
SESSIONS: Any = pa.schema(
    [("source", pa.string()), ("row", pa.int64()), ("id", pa.string()), ("body", pa.binary())]
)
"""Sessions: where each is from, its id where its body does not say it, and its file's bytes."""
CALLS: Any = pa.schema(
    [(field.name, _TYPES[field.type]) for field in msgspec.structs.fields(CallRow)]
)
"""Calls, a column each of `CallRow`."""


def compile_table(table: Any, job: SweepJob) -> Any:
    """The calls of sessions under the specs of a job: by session, by spec, by call.

    A session that can not be read, or that no spec can be measured on, is one row with the error
    and call 0: nothing is left out in silence.

    Args:
        table: a `pyarrow.Table` of `SESSIONS`.

    Returns:
        A `pyarrow.Table` of `CALLS`.
    """
    rows: list[CallRow] = []
    for each in table.select(SESSIONS.names).to_pylist():
        rows += _rows(each, job)
    columns = {name: [getattr(row, name) for row in rows] for name in CALLS.names}
    return pa.Table.from_pydict(columns, schema=CALLS)


def _rows(each: dict[str, Any], job: SweepJob) -> list[CallRow]:
    place = SessionPlace(each["source"], each["row"])
    try:
        session = read_session(each["body"])
        if each["id"] and session.id == Session().id:
            session.id = each["id"]
    except Exception as error:  # noqa: BLE001 -- it is this session's, and holds up no other
        return [_failed(place, each["id"] or "", "", error)]
    return [
        row for spec in job.specs for row in _of_spec(session, place, spec.name, spec.spec, job)
    ]


def _of_spec(
    session: Session, place: SessionPlace, name: str, spec: Any, job: SweepJob
) -> list[CallRow]:
    try:
        receiver = target(job.model, window=job.window, tools=session.tools or None)
        return list(call_rows(session, place, name, spec, receiver, job.share))
    except Exception as error:  # noqa: BLE001 -- it is this session's, and holds up no other
        return [_failed(place, session.id, name, error)]


def _failed(place: SessionPlace, session: str, spec: str, error: Exception) -> CallRow:
    what = (
        str(error) if isinstance(error, ContextwrightError) else f"{type(error).__name__}: {error}"
    )
    return CallRow(
        source=place.source,
        row=place.row,
        session=session,
        spec=spec,
        call=0,
        position=0,
        error=what[:500],
    )
