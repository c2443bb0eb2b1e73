"""What the format tests share: documents out of JSON data, real files, generated sessions."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from contextwright.formats.document import Document, Record
from contextwright.formats.provenance import residue
from contextwright.session import Event, Session, Text, ToolCall, ToolResult


def document(value: Any, *, lines: bool = False, name: str = "file") -> Document:
    if lines:
        records = tuple(Record(line, f"{name} line {n + 1}") for n, line in enumerate(value))
        return Document(name, records, lines=True)
    return Document(name, (Record(value, f"{name} line 1"),), lines=False)


def assert_comes_back(module: Any, value: Any, *, lines: bool = False) -> Session:
    """Reading and writing gives the same JSON data; what differs is shown."""
    session = module.read(document(value, lines=lines))
    assert residue(module.write(session), value) == {}
    return session


def rows(name: str) -> list[Any]:
    """The rows of a real data file."""
    here = Path(__file__).parents[2] / ".." / "shared" / "data"
    path = Path(os.environ.get("CONTEXTWRIGHT_DATA", here)) / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"no real data at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def raw(index: int) -> Any:
    """A real session file, as it was found."""
    return json.loads(rows("raw")[index]["text"])


def messages(session: Session) -> list[Any]:
    """What was said, without ids and what a source said beside."""
    return [(e.role, [_part(part) for part in e.parts]) for e in session.log]


def _part(part: Any) -> Any:
    match part:
        case Text():
            return part.text
        case ToolCall():
            return (part.id, part.name, _plain(part.arguments))
        case ToolResult():
            return (part.call_id, part.text, part.status == "error")
        case _:
            return type(part).__name__


def _plain(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=5)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)
arguments = st.dictionaries(st.text("abc", min_size=1), scalars, max_size=3)
beside = st.dictionaries(st.sampled_from(["x_one", "x_two", "x_three"]), values, max_size=2)
texts = st.text(min_size=1, max_size=12)


@st.composite
def sessions(draw: st.DrawFn) -> Session:
    """A session that any format can say: words, calls and their results."""
    session = Session("generated")
    calls = 0
    for turn in range(draw(st.integers(0, 4))):
        session.user(draw(texts), time_ms=turn * 1000)
        names = draw(st.lists(st.sampled_from(["look", "write"]), max_size=3))
        parts: list[Any] = [Text(text=draw(texts))]
        asked = []
        for name in names:
            calls += 1
            given = json.dumps(draw(arguments))
            asked.append(ToolCall(id=f"call_{calls}", name=name, arguments=given))
        session.assistant(*parts, *asked, time_ms=turn * 1000 + 1)
        for call in asked:
            if draw(st.booleans()):
                session.result(call.id, draw(texts), name=call.name)
    return session


def event_ids(session: Session) -> list[str]:
    return [event.id for event in session.log]


__all__ = [
    "Event",
    "assert_comes_back",
    "beside",
    "document",
    "event_ids",
    "messages",
    "raw",
    "rows",
    "sessions",
    "texts",
    "values",
]
