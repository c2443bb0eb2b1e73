"""Bytes to a document: UTF-8, JSON or JSON Lines, within limits, every fault with its place."""

import gzip
import io
import json
import zlib
from typing import Any

import msgspec

from contextwright.errors import EncodingError, MalformedRecord, SizeLimit
from contextwright.formats.document import Document, Record
from contextwright.formats.fields import without_surrogates
from contextwright.formats.json_faults import json_fault
from contextwright.json_depth import is_shallow
from contextwright.text.byte_order_mark import in_utf8

MAX_BYTES = 1 << 30
"""Bytes of a file, unpacked."""
MAX_DEPTH = 256
"""Nesting of JSON; the decoder's own limit is four times that."""


class Decoded(msgspec.Struct):
    """A document, and what had to be repaired in it, in words.

    Args:
        cut: the place of a last line that was cut off, and is not in the document; else empty.
    """

    document: Document
    repairs: list[str]
    cut: str = ""


def decode(data: bytes, name: str = "input") -> Decoded:
    """Read bytes as JSON, or as JSON Lines. gzip is unpacked.

    A last line that was cut off in the middle of writing is left out and named in the repairs,
    as are lone surrogates, which become U+FFFD.

    Raises:
        EncodingError: not UTF-8. SizeLimit: too large, or nested too deep. MalformedRecord: not
            JSON; all name file, line and byte.
    """
    text = _text(_unpacked(data, name), name)
    repairs: list[str] = []
    file = _File(name, text, repairs)
    lines, cut = file.lines(), ""
    if len(lines) > 1 and _is_json(lines[0].text):
        if not text.endswith("\n") and not _is_whole(lines[-1]):
            cut = lines.pop().where
            repairs.append(f"{cut}: the last line was cut off; {len(lines)} whole lines were read")
        return Decoded(Document(name, tuple(lines), lines=True), repairs, cut)
    if not lines:
        raise MalformedRecord("the file is empty", where=name, fix="give a session")
    value = _value(text, name, 0, repairs)
    lined = name.endswith((".jsonl", ".jsonl.gz"))
    return Decoded(Document(name, (Record(value, f"{name} line 1"),), lines=lined), repairs)


class _File(msgspec.Struct, frozen=True, eq=False):
    """A file of lines; what is repaired in them is told in `repairs`."""

    name: str
    text: str
    repairs: list[str]

    def lines(self) -> list["_Line"]:
        """The lines that are not blank, numbered from 1."""
        lines: list[_Line] = []
        start, at, end = 0, 1, len(self.text)
        while start < end:
            stop = self.text.find("\n", start)
            stop = end if stop < 0 else stop
            if self.text[start:stop].strip():
                lines.append(_Line(self, start, stop, at))
            start, at = stop + 1, at + 1
        return lines


_UNREAD = object()


class _Line(Record):
    """A line of a file, decoded when somebody looks: its value is kept, its text is the file's."""

    __slots__ = ("_at", "_file", "_start", "_stop")

    def __init__(self, file: _File, start: int, stop: int, at: int) -> None:
        super().__init__(_UNREAD, "")
        self._file, self._start, self._stop, self._at = file, start, stop, at

    @property
    def text(self) -> str:
        return self._file.text[self._start : self._stop]

    @property
    def where(self) -> str:
        return f"{self._file.name} line {self._at}"

    @property
    def value(self) -> Any:
        if self._value is _UNREAD:
            self._value = _value(self.text, self.where, self._at, self._file.repairs)
        return self._value


def _is_whole(line: _Line) -> bool:
    try:
        _ = line.value
    except MalformedRecord:
        return False
    return True


def _unpacked(data: bytes, name: str) -> bytes:
    if data[:2] == b"\x1f\x8b":
        try:
            data = gzip.GzipFile(fileobj=io.BytesIO(data)).read(MAX_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise MalformedRecord(
                f"damaged gzip: {error}", where=name, fix="pack the file again"
            ) from error
    if len(data) > MAX_BYTES:
        raise SizeLimit(f"more than {MAX_BYTES} bytes", where=name, fix="split the file by session")
    return data


def _text(data: bytes, name: str) -> str:
    try:
        return in_utf8(data).decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = error.start - (data.rfind(b"\n", 0, error.start) + 1)
        if data.startswith(b"SQLite format 3"):
            raise EncodingError(
                "expected a session, got a database",
                where=name,
                fix="write one of its sessions: write_session(SQLiteSessions(FILE).load(ID), "
                "path=SESSION)",
            ) from error
        wide = data[:2] in {b"\xff\xfe", b"\xfe\xff"} or data[:200].count(0) > 20
        guess = "it looks like UTF-16" if wide else "it may be Latin-1 or Windows-1252"
        raise EncodingError(
            f"invalid UTF-8 at byte {byte} of line {line}; {guess}",
            where=f"{name} line {line}",
            fix="save it as UTF-8, by an editor or by "
            f"iconv -f {'UTF-16' if wide else 'LATIN1'} -t UTF-8 FILE",
        ) from error


def _is_json(line: str) -> bool:
    """Whether a line is a value by itself, so that the file is JSON Lines."""
    try:
        json.loads(line)
    except RecursionError:
        return True
    except ValueError:
        return line.lstrip()[:1] == "{" and line.rstrip()[-1:] == "}"
    return True


def _value(text: str, where: str, line: int, repairs: list[str]) -> Any:
    try:
        value = msgspec.json.decode(text)
    except RecursionError as error:
        raise _too_deep(where) from error
    except (msgspec.DecodeError, UnicodeError) as error:
        if "\\u" in text:
            repaired = _repaired(text, where, repairs)
            if repaired is not None:
                expect_flat(repaired, where)
                return repaired[0]
        raise json_fault(text, where, error, is_line=line > 0) from error
    if text.count("[") + text.count("{") > MAX_DEPTH:
        expect_flat([value], where)
    return value


def _repaired(text: str, where: str, repairs: list[str]) -> list[Any] | None:
    """In a list, the value with U+FFFD for lone surrogates, if they are all that is wrong."""

    def refuse(constant: str) -> Any:
        raise ValueError(constant)

    try:
        value = json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return None
    replaced = [0]
    clean = without_surrogates(value, replaced)
    if not replaced[0]:
        return None
    repairs.append(f"{where}: {replaced[0]} texts held lone surrogates, now U+FFFD")
    return [clean]


def expect_flat(listed: list[Any], where: str) -> None:
    """Refuse what nests deeper than `MAX_DEPTH`: every walk of ours goes as deep as its value.

    Args:
        listed: the value, in a list.
    """
    if not is_shallow(listed, 2 + MAX_DEPTH):  # in the list, and in itself
        raise _too_deep(where)


def _too_deep(where: str) -> SizeLimit:
    return SizeLimit(
        f"JSON nests deeper than {MAX_DEPTH}",
        where=where,
        fix="flatten this record, or leave it out",
    )
