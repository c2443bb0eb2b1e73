"""Sessions out of exports of traces: files or folders, as JSON, lines of JSON, packed or not."""

import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from contextwright.errors import ContextwrightError, SessionError, UnknownFormat
from contextwright.formats import detect, format_named, read_document
from contextwright.formats.decode import decode
from contextwright.formats.document import Document, Record
from contextwright.formats.fields import list_if, object_if
from contextwright.session.session import Session
from contextwright.traces import (
    genai_spans,
    inspect_log,
    langfuse_observations,
    langsmith_runs,
    openinference_spans,
)
from contextwright.traces.call_history import Digests, Request, histories_of, request_of
from contextwright.traces.recorded_call import RecordedCall, UnreadCall, guarded
from contextwright.traces.repeated_spans import once_each
from contextwright.traces.span import TraceSpan, has_spans, spans_of

SUFFIXES = (".json", ".jsonl", ".ndjson", ".gz", ".eval", ".traj")
"""Ends of the names of files that are read in a folder."""
_EVENT = re.compile(r"event-\d+-.*\.json")
"""The name of a file that holds one event of OpenHands."""
Progress = Callable[[int, int], None]


class _Export(Protocol):
    SOURCE: str

    def sniff(self, value: Any) -> bool: ...
    def calls_of(self, records: Iterable[Record]) -> Iterator[RecordedCall | UnreadCall]: ...


_EXPORTS = cast("tuple[_Export, ...]", (inspect_log, langsmith_runs, langfuse_observations))


class Traces(list[Session]):
    """The sessions of an export, with what is no part of them.

    Attributes:
        unread: calls and files that could not be read, and why.
    """

    def __init__(self, sessions: Iterable[Session], unread: Sequence[UnreadCall]) -> None:
        super().__init__(sessions)
        self.unread = tuple(unread)


def read_traces(source: str | Path, *, progress: Progress | None = None) -> Traces:
    """The sessions of an export, or of a folder of them.

    An export of model calls (OpenTelemetry's GenAI spans, OpenInference, Langfuse, LangSmith, logs
    of inspect_ai) gives a session for each history of messages: calls whose inputs repeat each
    other are one, a sub-agent's and those that write a title are others. `call_marks(session)`
    says where the model was called, and what was billed. A file of sessions (ATIF, OpenHands, pi,
    Claude Code, and every other format) gives its own.

    Args:
        progress: called with the files done and how many there are.

    Raises:
        SessionError: nothing could be read; it names the first fault.
    """
    root = Path(source)
    groups = _groups(_files(root))
    calls: dict[str, list[RecordedCall]] = {}
    sessions: list[Session] = []
    unread: list[UnreadCall] = []
    for number, paths in enumerate(groups):
        if progress is not None:
            progress(number, len(groups))
        try:
            _read_group(paths, root, calls, sessions, unread)
        except ContextwrightError as error:
            if len(groups) == 1:
                raise
            unread.append(UnreadCall(error.where or _name(paths[0], root), error.what))
        except (TypeError, AttributeError, KeyError, IndexError, ValueError) as error:
            why = f"it does not keep to its export's form: {type(error).__name__}: {error}"
            unread.append(UnreadCall(_name(paths[0], root), why[:300]))
    for name, listed in calls.items():
        sessions += _sessions(name, listed, unread)
    if not sessions:
        first = unread[0] if unread else UnreadCall(str(source), "no call of a model in it")
        raise SessionError(
            f"no session could be read: {first.why}",
            where=first.where,
            fix="give an export of calls with their inputs; docs/how-to/traces.md has each tool's",
        )
    if progress is not None:
        progress(len(groups), len(groups))
    return Traces(sessions, unread)


def _files(source: Path) -> list[Path]:
    if not source.is_dir():
        return [source]
    files = sorted(path for path in source.rglob("*") if path.suffix in SUFFIXES and path.is_file())
    if not files:
        raise SessionError(
            "no file of traces in this folder",
            where=str(source),
            fix=f"give files that end in {', '.join(SUFFIXES)}",
        )
    return files


def _groups(paths: list[Path]) -> list[list[Path]]:
    """Files that are read as one: an event each of a conversation of OpenHands, else each alone."""
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        is_event = len(paths) > 1 and _EVENT.fullmatch(path.name)
        groups.setdefault(path.parent if is_event else path, []).append(path)
    return list(groups.values())


def _name(path: Path, root: Path) -> str:
    """A file as it is told of: with its folders within the one that is read, since exports repeat
    their files' names in each."""
    within = path != root and path.is_relative_to(root)
    return path.relative_to(root).as_posix() if within else path.name


def _read_group(
    paths: list[Path],
    root: Path,
    calls: dict[str, list[RecordedCall]],
    sessions: list[Session],
    unread: list[UnreadCall],
) -> None:
    """Add what files have: calls by the kind of the export, or sessions."""
    path, documents = paths[0], [_document(one, root, unread) for one in paths]
    document = documents[0]
    if len(paths) > 1:
        records = [record for one in documents for record in one.records]
        path = path.parent.parent if path.parent.name == "events" else path.parent
        document = Document(_name(path, root), tuple(records), lines=True)
    listed = _calls_in(document)
    if listed is None:
        sessions += _own_sessions(document)
        return
    for name, call in listed:
        if isinstance(call, UnreadCall):
            unread.append(call)
        else:
            calls.setdefault(name, []).append(call)


def _calls_in(
    document: Document,
) -> Iterable[tuple[str, RecordedCall | UnreadCall]] | None:
    """The calls of an export, each with its kind; None where the file is none."""
    values = [record.value for record in document.records]
    if any(has_spans(one) for value in values for one in (value, *list_if(value)[:1])):
        return _calls_of_spans(document)
    for export in _EXPORTS:
        if any(map(export.sniff, values)):
            return ((export.SOURCE, call) for call in export.calls_of(document.records))
    return None


def _calls_of_spans(document: Document) -> Iterator[tuple[str, RecordedCall | UnreadCall]]:
    """Spans may be of both conventions; one that has both is read by OpenInference's."""
    records = [
        Record(value, record.where)
        for record in document.records
        for value in (list_if(record.value) or [record.value])
    ]
    calls: list[tuple[TraceSpan, str, RecordedCall | UnreadCall]] = []
    spans = spans_of(records)
    for span in spans:
        for reader in (openinference_spans, genai_spans):
            if reader.is_call(span):
                calls.append((span, reader.SOURCE, guarded(reader.call_of, span.where, span)))
                break
    yield from once_each(spans, calls)


_EXPORT = "give a file of an export, or a folder of them"
_PACKED = (
    "where Python does not know how it is packed, make JSON of it: "
    "inspect log convert FILE --to json --output-dir FOLDER"
)


def _document(path: Path, root: Path, unread: list[UnreadCall]) -> Document:
    """A file; a last line of it that was cut off goes to what is unread."""
    try:
        if zipfile.is_zipfile(path):
            return _archive(path, _name(path, root))
        decoded = decode(path.read_bytes(), _name(path, root))
        if decoded.cut:
            unread.append(UnreadCall(decoded.cut, "the line was cut off in the middle of writing"))
        return decoded.document
    except (OSError, NotImplementedError, zipfile.BadZipFile) as error:
        raise SessionError(
            f"the file can not be read: {getattr(error, 'strerror', None) or error}",
            where=str(path)[:200],
            fix=_PACKED if path.suffix == ".eval" and path.exists() else _EXPORT,
        ) from error


def _archive(path: Path, file: str) -> Document:
    """The samples of a log of inspect_ai (`.eval`)."""
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.startswith("samples/")]
        records = [
            Record(record.value, f"{file}, {name}")
            for name in names
            for record in decode(archive.read(name), name).document.records
        ]
    if not records:
        raise SessionError("an archive without samples", where=file, fix="give a log of inspect_ai")
    return Document(file, tuple(records), lines=False)


def _own_sessions(document: Document) -> list[Session]:
    """The sessions of a file in a format of sessions: one, or one a line."""
    try:
        name = detect(document)
    except UnknownFormat:
        if len(document.records) < 2 or "messages" not in object_if(document.records[0].value):
            raise
        return [_one(record, document.name, n) for n, record in enumerate(document.records)]
    read_all = getattr(format_named(name), "read_all", None)
    sessions = read_all(document) if read_all else [read_document(document)]
    for session in sessions:
        if session.id == "session":
            session.id = _id(document.name)
    return sessions


def _one(record: Record, name: str, number: int) -> Session:
    session = read_document(Document(name, (record,), lines=False))
    if session.id == "session":
        id = object_if(record.value).get("id")
        session.id = str(id) if id else f"{_id(name)}-{number}"
    return session


def _id(file: str) -> str:
    """What a session is called that has no id: its file, without what its name ends in."""
    folder, slash, name = file.rpartition("/")
    return folder + slash + name.partition(".")[0]


def _sessions(
    source: str, calls: list[RecordedCall], unread: list[UnreadCall]
) -> Iterator[Session]:
    """A session for each history of each conversation."""
    digests, groups = Digests(), dict[str, list[RecordedCall]]()
    for call in sorted(calls, key=lambda call: call.start_ms or 0):
        groups.setdefault(call.conversation, []).append(call)
    for conversation, listed in groups.items():
        requests: list[Request] = []
        for call in listed:
            try:
                requests.append(request_of(call, digests))
            except (TypeError, ValueError, AttributeError) as error:
                unread.append(UnreadCall(call.where, f"a message is broken: {error}"))
        histories = histories_of(requests)
        for number, history in enumerate(histories, 1):
            name = conversation or source
            id = name if len(histories) == 1 or number == 1 else f"{name}#{number}"
            try:
                yield history.session(id, source)
            except (ContextwrightError, TypeError, ValueError, KeyError) as error:
                what = getattr(error, "what", None) or f"{type(error).__name__}: {error}"
                unread += [UnreadCall(request.call.where, what) for request in history.requests]
