"""Sessions in and out of the formats that agents leave behind."""

from collections.abc import Iterator
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from contextwright.errors import MalformedRecord, SessionError, UnknownFormat

if TYPE_CHECKING:
    from contextwright.formats.document import Document
    from contextwright.formats.losses import Loss
    from contextwright.session.session import Session

__all__ = ["FORMATS", "detect", "losses_of", "read_session", "read_sessions", "write_session"]

_MODULES = {
    "contextwright": "native",
    "atif": "atif",
    "pi": "pi",
    "openhands": "openhands",
    "codex": "codex",
    "claude-code": "claude_code",
    "swe-agent": "swe_agent",
    "tau-bench": "tau_bench",
    "adk": "adk",
    "langchain": "langchain",
    "pydantic-ai": "pydantic_ai",
    "agent-framework": "agent_framework",
    "llama-index": "llama_index",
    "vercel-ai": "vercel_ai",
    "vercel-ai-model": "vercel_ai_model",
    "bedrock": "bedrock",
    "openai-responses": "openai_responses",
    "gemini": "gemini",
    "anthropic": "anthropic",
    "openai-chat": "openai_chat",
}
"""In the order in which an input is tried: the most particular first."""

FORMATS = tuple(_MODULES)


class Format(Protocol):
    """A format: what its module has."""

    NAME: str
    LINES: bool

    def sniff(self, document: "Document") -> bool:
        """Whether it looks like this format."""
        ...

    def read(self, document: "Document") -> "Session":
        """The session that it holds."""
        ...

    def write(self, session: "Session") -> Any:
        """The session as JSON data of this format."""
        ...


def known_kinds(format: str) -> frozenset[str] | None:
    """The kinds of parts that a format knows and keeps as they came; None for one whose files
    nothing else looks like, in which a part of any kind is one of it."""
    return getattr(format_named(format), "KNOWN_KINDS", None)


def format_named(name: str) -> Format:
    """The module of a format.

    Raises:
        UnknownFormat: there is none of this name.
    """
    module = _MODULES.get(name) if isinstance(name, str) else None
    if module is None:
        shown = repr(name) if isinstance(name, str) else f"of the type {type(name).__name__}"
        raise UnknownFormat(
            f"no format {shown}", where="format", fix=f"one of {', '.join(FORMATS)}"
        )
    return import_module(f"contextwright.formats.{module}")  # pyright: ignore[reportReturnType]


def detect(document: "Document") -> str:
    """The name of the format that a document is in.

    Raises:
        UnknownFormat: none fits.
    """
    from contextwright.formats.fields import object_if

    for name in FORMATS:
        if format_named(name).sniff(document):
            return name
    first, count = document.records[0], len(document.records)
    if not isinstance(first.value, dict | list):
        what, where = f"expected an object or a list, got {type(first.value).__name__}", first.where
        fix = "give a list of messages, a document with messages, or a message a line"
    elif count > 1 and "messages" in object_if(first.value):
        what, where = f"expected one session, got {count} sessions, one a line", document.name
        fix = "read them with read_sessions(...), or give one line of the file"
    elif not first.value or object_if(first.value).get("messages") == []:
        what, where = "there is no message in it", first.where
        fix = 'give messages: [{"role": "user", "content": TEXT}]'
    elif isinstance(first.value, list) and not isinstance(first.value[0], dict):
        kind = type(first.value[0]).__name__
        what, where = f"expected a list of messages, got a list of {kind}", first.where
        fix = "session_from([...]) reads the messages of an SDK, and pairs of a role and a text"
    else:
        whose = "first message" if isinstance(first.value, list) else "first record"
        shape = _shape_of(object_if(_first_message(first.value)))
        what, where = f"no format fits: the {whose} has {shape}", first.where
        fix = f"looked for {', '.join(FORMATS)}; name one with format=..., or see `ctx convert`"
    raise UnknownFormat(what, where=where, fix=fix)


def _first_message(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value


def _shape_of(message: dict[str, Any]) -> str:
    """The keys of a message, and those of the first part that it holds."""
    from contextwright.formats.fields import list_if, object_if

    keys = ", ".join(map(repr, list(message)[:6])) or "nothing"
    parts = (each for key in ("content", "parts", "messages") for each in list_if(message.get(key)))
    part = object_if(next(parts, None))
    kind = part.get("type")
    inner = f"type {kind!r}" if isinstance(kind, str) else ", ".join(map(repr, list(part)[:6]))
    return f"{keys}; in it first {inner}" if part else keys


def is_one_session(source: str | Path | bytes) -> bool:
    """Whether a file's lines are one session's records, and not a session each."""
    return _is_one(_document(source)[0])


def _is_one(document: "Document") -> bool:
    try:
        return len(document.records) > 1 and bool(detect(document))
    except UnknownFormat:
        return False


def read_session(
    source: str | Path | bytes | list[Any] | dict[str, Any],
    *,
    format: str | None = None,
    id: str | None = None,
) -> "Session":
    """Read a session of any known format.

    Args:
        source: a path, the file's bytes (gzip too), or decoded JSON data.
        format: its name; found out where it is not given.
        id: the session's id; by default the source's own, or the file's name.

    Raises:
        SessionError: with file, line, event and field. Nothing is skipped in silence: what was
            repaired stands in `session.metadata["repairs"]`.
    """
    document, repairs = _document(source)
    return _whole(document, source, format, id, repairs)


def _whole(
    document: "Document", source: Any, format: str | None, id: str | None, repairs: list[str]
) -> "Session":
    """The session that a document is."""
    session = read_document(document, format)
    session.log.pack()
    return _named(session, source, id, repairs)


def read_document(
    document: "Document", format: str | None = None, *, named: bool = True
) -> "Session":
    """Read a document; what its reader did not foresee is an error with the file's name.

    Args:
        named: whether a format that is given is somebody's word, or was only found out.
    """
    from contextwright.formats.format_evidence import expect_understood

    try:
        name = format or detect(document)
        session = format_named(name).read(document)
        _replace_surrogates(session)
        is_proven = (format and named) or _names_model(session.metadata.get(name))
        kinds = None if is_proven else known_kinds(name)
        expect_understood(session, document.name, name, kinds)
        return session
    except (TypeError, AttributeError, KeyError, IndexError, ValueError, RecursionError) as error:
        raise MalformedRecord(
            f"the input does not keep to its format: {type(error).__name__}: {error}",
            where=document.name,
            fix="check that it is whole, or name its format: format=...",
        ) from error


def _replace_surrogates(session: "Session") -> None:
    """Put U+FFFD for lone surrogates into what stands beside the events, which have it as they are
    appended: no file and no request can hold one."""
    import msgspec

    from contextwright.formats.fields import without_surrogates
    from contextwright.session.event import Tool
    from contextwright.typed_decoding import converted

    try:
        msgspec.json.encode((session.metadata, session.tools), enc_hook=str)
    except UnicodeEncodeError:
        session.metadata = without_surrogates(session.metadata, [0])
        tools = without_surrogates(msgspec.to_builtins(session.tools), [0])
        session.tools = converted(tools, tuple[Tool, ...])
    except (TypeError, ValueError, RecursionError):
        return  # what is no JSON is told of where it is written


def _names_model(stored: Any) -> bool:
    """Whether a body says which model it is for: then parts of a later kind are its provider's."""
    from contextwright.formats.fields import object_if

    fields = object_if(stored)
    return isinstance(object_if(fields.get("beside", fields)).get("model"), str)


def read_sessions(source: str | Path | bytes, *, format: str | None = None) -> "Iterator[Session]":
    """Read a file with a session a line, such as `{"id": ..., "messages": [...]}`; of one whose
    lines are the records of one session, that one.

    Raises:
        SessionError: with file, line, event and field, once what stands before it was given.
    """
    from contextwright.formats.document import Document

    document, repairs = _document(source)
    if _is_one(document):
        yield _whole(document, source, format, None, repairs)
        return
    for record in document.records:
        one = Document(document.name, (record,), lines=False)
        try:
            session = read_document(one, format)
        except SessionError as error:
            if not (error.where or "").startswith(record.where):
                error.where = f"{record.where}: {error.where}"
            raise
        yield _named(session, record, None, repairs)


def write_session(
    session: "Session",
    format: str = "contextwright",
    path: str | Path | None = None,
    *,
    strict: bool = False,
) -> bytes:
    """A session as the bytes of a format, and into a file if a path is given. What the format has
    no place for is not in them: `losses_of` names it.

    Args:
        strict: write nothing where something would be lost that a model is shown.

    Raises:
        SessionError: it can not be written: it holds what is no JSON, or the file does not open.
        LossyFormat: it would lose something, and `strict` was asked for.
    """
    from contextwright.argument_types import expect_types
    from contextwright.session.session import Session

    where = "write_session(session, format)"
    expect_types(where, SessionError, session=(session, Session))
    if isinstance(format, str | Path) and format not in FORMATS and Path(format).suffix:
        raise UnknownFormat(
            f"no format {format!r}",
            where=where,
            fix=f"a file goes behind the format: write_session(session, path={str(format)!r})",
        )
    module = format_named(format)
    value = module.write(session)
    try:
        data = _encoded(value, lines=module.LINES)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise SessionError(
            f"the session holds what is not JSON data: {error}",
            where=f"session {session.id!r}",
            fix="look at its metadata, and at the metadata of its events and tools",
        ) from error
    if strict:
        from contextwright.formats.losses import expect_no_loss, losses_in

        expect_no_loss(losses_in(session, format, data), session, format)
    try:
        if path is not None:
            from contextwright.whole_file import write_whole

            write_whole(Path(path), data)
    except OSError as error:
        raise SessionError(
            f"the file can not be written: {error.strerror or error}",
            where=str(path)[:200],
            fix="give a path in a folder that exists and can be written, on a disk with room",
        ) from error
    return data


def losses_of(session: "Session", format: str) -> "tuple[Loss, ...]":
    """What a session loses when it is written in a format, in the order of its events: it is
    written and read back, and what does not come back is lost.

    Raises:
        SessionError: it can not be written in this format.
    """
    from contextwright.formats.losses import losses_in

    return losses_in(session, format, write_session(session, format))


def _encoded(value: Any, *, lines: bool) -> bytes:
    """JSON data as the bytes of a file."""
    import msgspec

    if lines and not isinstance(value, dict):  # an object is the form that holds its lines
        return b"".join(msgspec.json.encode(line) + b"\n" for line in value)
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


_SOURCE = "give a path, the bytes of a file, or a list of messages"
_FOLDER = "give one of its files; `ctx try` and `ctx sweep` read all of a folder"


def _document(source: Any) -> "tuple[Document, list[str]]":
    from contextwright.formats.decode import decode
    from contextwright.formats.document import Document, Record

    if isinstance(source, (list, dict)):
        return Document("input", (Record(source, "input"),), lines=False), []
    _expect_source(source)
    try:
        name = "input" if isinstance(source, bytes) else Path(source).name
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except (OSError, ValueError) as error:
        raise SessionError(
            f"the file can not be read: {getattr(error, 'strerror', None) or error}",
            where=str(source)[:200],
            fix=_FOLDER if isinstance(error, IsADirectoryError) else _SOURCE,
        ) from error
    decoded = decode(data, name)
    return decoded.document, decoded.repairs


def _expect_source(source: Any) -> None:
    """Refuse what is no file, each with the way that it can be read."""
    from contextwright.argument_types import refuse_stream

    where = "read_session(source)"
    refuse_stream(source, SessionError, where)
    if not isinstance(source, str | bytes | PathLike):
        raise SessionError(
            f"expected a path, the bytes of a file, a list or a dict, got {type(source).__name__}",
            where=where,
            fix="session_from(source) reads what an SDK or a framework holds",
        )
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "[") and '"' in source:
        raise SessionError(
            "expected a path, got JSON: a text names a file",
            where=where,
            fix="give its bytes, source.encode(), or its data, json.loads(source)",
        )


def _named(session: "Session", source: Any, id: str | None, repairs: list[str]) -> "Session":
    if id:
        session.id = id
    elif session.id == "session" and isinstance(source, (str, Path)):
        session.id = Path(source).name.partition(".")[0] or "session"
    if repairs:
        session.metadata["repairs"] = list(repairs)
    return session
