"""What every session format must do: give back what it took, and name what is broken.

class TestMyFormat(FormatSuite):
format = my_format_module
"""

import copy
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from contextwright.errors import ContextwrightError
from contextwright.formats import Format
from contextwright.formats.document import Document, Record
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.session.session import Session
from contextwright.testing.builders import session_of
from contextwright.testing.violation import RuleViolation, keeps

SCRIPTS = {
    "plain": "u: hi | a: hello | u: and now?",
    "tools": "s: be brief | u: find x | c: search(x) | r: one | c: search(y) | r: two | a: both",
    "parallel": "u: two things | c: a(1) | r: first | a: done | u: again | c: b(2) | r: second",
}
ODD = (7, None, "", [], {}, [None], {"type": "nobody-knows"})
"""Values put in the place of every value of a file, one at a time."""


class FormatSuite:
    """Subclass it with `format`: an object with NAME, LINES, sniff, read, write."""

    format: ClassVar[Format]

    @pytest.mark.parametrize("script", SCRIPTS)
    @keeps("what-is-written-is-read-back")
    def test_what_is_written_is_read_back(self, script: str) -> None:
        """Roles, texts, calls and results are the same, in the same order."""
        session = session_of(SCRIPTS[script])
        again = self._read(self.format.write(session))
        if _messages(again) != _messages(session):
            what = f"expected {_messages(session)}, got {_messages(again)}"[:300]
            raise self._violation("what-is-written-is-read-back", script, what)

    @pytest.mark.parametrize("script", SCRIPTS)
    @keeps("what-is-read-is-written-back")
    def test_what_is_read_is_written_back(self, script: str) -> None:
        """The same JSON data, however often it goes in and out."""
        written = self.format.write(session_of(SCRIPTS[script]))
        if self.format.write(self._read(written)) != written:
            raise self._violation("what-is-read-is-written-back", script, "other JSON data")

    @pytest.mark.parametrize("script", SCRIPTS)
    @keeps("reading-never-mutates")
    def test_reading_never_mutates(self, script: str) -> None:
        """The caller's data is as before."""
        written = self.format.write(session_of(SCRIPTS[script]))
        before = copy.deepcopy(written)
        self._read(written)
        if written != before:
            raise self._violation("reading-never-mutates", script, "the data was changed")

    @pytest.mark.parametrize("script", SCRIPTS)
    @keeps("broken-input-is-named")
    def test_broken_input_is_named(self, script: str) -> None:
        """Read as well as it goes, or refused with place and fix; never a bare KeyError."""
        written = self.format.write(session_of(SCRIPTS[script]))
        for path in value_places(written):
            for odd in ODD:
                self._read_broken(with_value(written, path, odd), f"{script} {path}")

    def _read_broken(self, value: Any, place: str) -> None:
        try:
            self._read(value)
        except ContextwrightError as error:
            if not (error.where and error.fix):
                what = f"no place or no fix: {error.what}"
                raise self._violation("broken-input-is-named", place, what) from error
        except Exception as error:
            what = f"expected a ContextwrightError, got {type(error).__name__}: {error}"
            raise self._violation("broken-input-is-named", place, what) from error

    def _read(self, value: Any) -> Session:
        return self.format.read(_document(value, self.format.LINES))

    def _violation(self, rule: str, place: str, what: str) -> RuleViolation:
        return RuleViolation(rule, self.format.NAME, place, what)


def _document(value: Any, lines: bool) -> Document:
    items = value if lines and isinstance(value, list) else [value]
    records = tuple(Record(item, f"file line {n}") for n, item in enumerate(items, 1))
    return Document("file", records, lines=lines)


def _messages(session: Session) -> list[Any]:
    """What was said and done, without what only one format keeps."""
    return [(event.role, [_plain(part) for part in event.parts]) for event in session.log]


def _plain(part: Any) -> Any:
    if isinstance(part, Text):
        return part.text
    if isinstance(part, ToolCall):
        return (part.id, part.name, "".join(part.arguments.split()))
    if isinstance(part, ToolResult):
        return (part.call_id, part.text, part.status == "error")
    return type(part).__name__


def value_places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The place of every value inside a piece of JSON."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)  # pyright: ignore
    for key, item in inner if isinstance(value, (dict, list)) else ():  # pyright: ignore
        yield (*path, key)
        if isinstance(item, (dict, list)):
            yield from value_places(item, (*path, key))


def with_value(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A piece of JSON with another value at a place."""
    if not path:
        return new
    whole = copy.copy(value)
    whole[path[0]] = with_value(whole[path[0]], path[1:], new)
    return whole
