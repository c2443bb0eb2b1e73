"""Recorded sessions of `CONTEXTWRIGHT_DATA`, each row of a file as one, and as long as one wants:
chained, with digits and capitals rotated per repetition, so that no repetition has the texts of
another."""

import gzip
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from contextwright import Session, read_session
from contextwright.errors import ContextwrightError
from contextwright.session import Event, Text, ToolCall, ToolResult

FILES = (
    "beam_100k", "bfcl_memory", "bfcl_tools", "intercode_sql", "locomo", "mtrag_un", "pi_coding",
    "qmsum", "raw", "se_agent", "sgd", "swe_agent", "tapeagents", "tau_bench_airline", "toolbench",
    "tooltalk", "webdancer", "who_when",
)  # fmt: skip


def data() -> Path:
    """Where the recorded sessions are: never a part of the project."""
    return Path(os.environ["CONTEXTWRIGHT_DATA"])


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file."""
    with gzip.open(data() / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def sessions(name: str) -> list[Session]:
    """Every row of a file that is a session."""
    found = []
    for row in rows(name):
        try:
            found.append(_session(row))
        except ContextwrightError:
            continue  # a pool of passages, a list of tools
    return found


def _session(row: dict[str, Any]) -> Session:
    if "text" in row:
        return _file_of(row["text"])
    if "speakers" in row:
        turns = [turn for part in row["sessions"] for turn in part["turns"]]
        messages = [{"speaker": turn["speaker"], "content": turn["text"]} for turn in turns]
        return read_session({"id": row["id"], "messages": messages})
    if "turns" in row:
        return _annotated(row)
    return read_session(row)


def _file_of(text: str) -> Session:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "session.json"
        path.write_text(text, encoding="utf-8")
        return read_session(str(path))


def _annotated(row: dict[str, Any]) -> Session:
    """User turns with the calls that each needed; their results were never recorded."""
    session, ids = Session(row["id"]), count()
    for turn in row["turns"]:
        session.user(turn["user"])
        for call in turn["calls"]:
            name, _, arguments = call.partition("(")
            key = f"call{next(ids)}"
            session.call(name, {"arguments": arguments.removesuffix(")")}, id=key)
            session.result(key, f"done: {call}")
    return session


def evenly(items: list[Any], most: int) -> list[Any]:
    """So many of a list, with the same distance between them."""
    if len(items) <= most:
        return items
    return [items[place * len(items) // most] for place in range(most)]


# --- as long as one wants ---

DIGITS, CAPITALS = "123456789", "GHIJKLMNOPQRSTUVWXYZ"
"""What is rotated: no nought and no letter of a hexadecimal number, so that numbers stay numbers."""


def rotation(turns: int) -> Mapping[int, int]:
    """Digits and capitals moved by so many places."""
    table: dict[int, int] = {}
    for letters in (DIGITS, CAPITALS):
        by = turns % len(letters)
        table |= str.maketrans(letters, letters[by:] + letters[:by])
    return table


def chained(name: str, most: int) -> Iterator[Event]:
    """Events of a file's sessions, one behind the other, again and again, until there are enough;
    the system's message is the first session's.

    Args:
        name: the file. most: how many events.
    """
    whole = [list(session.log) for session in sessions(name)]
    place = 0
    for turns in count():
        table = rotation(turns)
        for number, events in enumerate(whole):
            for event in events:
                if event.role == "system" and place:
                    continue
                yield _rewritten(event, place, f"{turns}.{number}", table)
                place += 1
                if place == most:
                    return


AFTER = 171
"""A rotation that the repetitions of a session of 100,000 events do not reach."""


def behind(events: list[Event], place: int) -> list[Event]:
    """These events as they would come behind so many others: whatever a session's length, the same
    work, with texts that it does not have yet."""
    plain = (event for event in events if event.role != "system")
    return [
        _rewritten(event, place + number, "after", rotation(AFTER))
        for number, event in enumerate(plain)
    ]


def _rewritten(event: Event, place: int, repetition: str, table: Mapping[int, int]) -> Event:
    parts = tuple(_part(part, repetition, table) for part in event.parts)
    return Event(id=f"e{place}", role=event.role, parts=parts, author=event.author)


def _part(part: Any, repetition: str, table: Mapping[int, int]) -> Any:
    replace = msgspec.structs.replace
    if isinstance(part, Text):
        return replace(part, text=part.text.translate(table))
    if isinstance(part, ToolCall):
        arguments = _arguments(part.arguments, table)
        return replace(part, id=f"{repetition}.{part.id}", arguments=arguments)
    if isinstance(part, ToolResult):
        content = tuple(_part(each, repetition, table) for each in part.content)
        return replace(part, call_id=f"{repetition}.{part.call_id}", content=content)
    return part


def _arguments(text: str, table: Mapping[int, int]) -> str:
    try:
        return json.dumps(_leaves(json.loads(text), table))
    except ValueError:
        return text.translate(table)


def _leaves(value: Any, table: Mapping[int, int]) -> Any:
    if isinstance(value, dict):
        return {key: _leaves(each, table) for key, each in value.items()}
    if isinstance(value, list):
        return [_leaves(each, table) for each in value]
    return value.translate(table) if isinstance(value, str) else value
