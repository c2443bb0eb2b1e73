"""Session files of Claude Code: a line a message block, with much beside.

Lines that share `message.id` were streamed and form one assistant message. Snapshots, queue
operations, titles, progress and API errors are kept and not shown; so are branches that the
user went back from, and lines that repeat one before. Sub-agents' lines (`isSidechain`) carry
the agent's id as author and as `metadata["branch"]`.
"""

from collections.abc import Sequence
from typing import Any

from contextwright.errors import MalformedRecord
from contextwright.formats.anthropic import block_of, part_of
from contextwright.formats.document import Document, Record
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import Fields, Json, kind_of, list_if, object_if, text_if
from contextwright.formats.provenance import EventDraft, RecordReader, in_order, same
from contextwright.formats.timestamps import iso_of_ms, ms_of_iso
from contextwright.session.event import NO_FIELDS, AnyPart, Event, Role, Text, ToolResult
from contextwright.session.harness_text import is_spoken
from contextwright.session.session import Session

NAME = "claude-code"
LINES = True

COMMON = ("sessionId", "cwd", "version", "gitBranch", "userType", "entrypoint")
"""Keys that nearly every line repeats; kept once."""


def sniff(document: Document) -> bool:
    """Whether this is a session of Claude Code."""
    if _is_exported(document):
        return True
    return any(_is_line(object_if(record.value)) for record in document.records[:50])


def _is_exported(document: Document) -> bool:
    """Whether this is the exported form: one object that holds the lines."""
    records = document.records
    return len(records) == 1 and isinstance(object_if(records[0].value).get("loglines"), list)


def _is_line(line: Json) -> bool:
    kind, has_id = line.get("type"), "uuid" in line or "sessionId" in line
    if kind == "system":
        return has_id and line.get("subtype") == "instructions"
    return (kind == "summary" and "leafUuid" in line) or (
        kind in ("user", "assistant") and "message" in line and has_id
    )


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: a line is not an object with a type, or its message breaks the format.
    """
    records, wrapper = _lines(document)
    reader = _ClaudeCodeReader([_checked(record) for record in records])
    for at in range(len(records)):
        reader.take(at)
    return reader.session(reader.common.get("sessionId"), common=reader.common, **wrapper)


def _lines(document: Document) -> tuple[list[Record], Json]:
    """The lines, and what stands around them in the exported form."""
    if not _is_exported(document):  # a file of one line is no JSON Lines to who decodes it
        return list(document.records), {}
    record = document.records[0]
    lines = [
        Record(value, f"{record.where}, loglines[{number}]")
        for number, value in enumerate(record.value["loglines"])
    ]
    return lines, {"wrapper": {k: v for k, v in record.value.items() if k != "loglines"}}


def _checked(record: Record) -> Record:
    if not isinstance(object_if(record.value).get("type"), str):
        raise MalformedRecord(
            "a line of a Claude Code session is not an object with a `type`",
            where=f"{record.where}, field type",
            fix="remove the line, or restore it from the session's own file",
        )
    return record


class _ClaudeCodeReader(RecordReader):
    """The lines so far."""

    format = NAME

    def __init__(self, records: list[Record]) -> None:
        super().__init__()
        self.common = _common(records)
        self._records = records
        self._left = _abandoned(records)
        self._seen: dict[str, Json] = {}
        self._streams: dict[tuple[str, str], EventDraft] = {}
        self._previous: str | None = None

    def take(self, at: int) -> None:
        """Read the line at this place."""
        line: Json = self._records[at].value
        uuid = line.get("uuid")
        first = self._seen.get(uuid) if isinstance(uuid, str) else None
        repeats = first is not None and same(first.get("message"), line.get("message"))
        content = None if repeats or at in self._left else _content(self._records[at])
        if content:
            self._message(at, line, content)
        else:
            self.hide(at, line)
        if isinstance(uuid, str):
            self._seen.setdefault(uuid, line)
            self._previous = uuid

    def write(self, events: Sequence[Event], shape: str) -> Json:
        """The line behind the previous one."""
        return _line(events, shape, self.common, self._previous)

    def _message(self, at: int, line: Json, content: str | list[Any]) -> None:
        parts = _parts(content, f"{self._records[at].where}, event {line.get('uuid', '?')}")
        kind = line["type"] if line["type"] in ("system", "attachment") else "message"
        if line["type"] == "assistant":
            pieces = [(self._stream(at, line), parts)]
        else:
            parts = [self.named(part) if isinstance(part, ToolResult) else part for part in parts]
            role: Role = "system" if line["type"] == "system" else "user"
            pieces = self.spread(parts, role, lambda role: self._draft(at, line, role))
        self.keep(at, line, pieces, f"{kind} {'text' if isinstance(content, str) else 'blocks'}")

    def _stream(self, at: int, line: Json) -> EventDraft:
        """The message that this assistant line belongs to."""
        key = (text_if(line["message"].get("id")), _branch(line))
        if not key[0]:
            return self._draft(at, line, "assistant")
        if key not in self._streams:
            self._streams[key] = self._draft(at, line, "assistant")
        return self._streams[key]

    def _draft(self, at: int, line: Json, role: Role) -> EventDraft:
        branch = _branch(line)
        metadata: Json = {"branch": branch} if branch else {}
        if line.get("isMeta") is True:
            metadata["meta"] = True
        if line.get("isCompactSummary") is True:
            metadata |= self.summary()
        id, time_ms = text_if(line.get("uuid"), f"line-{at + 1}"), ms_of_iso(line.get("timestamp"))
        return self.draft(id, role, author=branch, time_ms=time_ms, metadata=metadata or NO_FIELDS)


def _common(records: list[Record]) -> Json:
    lines = (record.value for record in records)
    first = next((line for line in lines if line["type"] in ("user", "assistant")), {})
    return {key: first[key] for key in COMMON if key in first}


def _branch(line: Json) -> str:
    if line.get("isSidechain") is not True:
        return ""
    return str(line.get("agentId") or "sidechain")


def _abandoned(records: list[Record]) -> set[int]:
    """Lines of branches that the user went back from: where two prompts have one parent, what
    hangs on the earlier one."""
    newest: dict[str, str] = {}
    prompts: dict[str, str] = {}
    for record in records:
        line = record.value
        parent, uuid = line.get("parentUuid"), line.get("uuid")
        if isinstance(parent, str) and isinstance(uuid, str) and _is_prompt(line):
            newest[parent] = uuid
            prompts[uuid] = parent
    dead: set[str] = {uuid for uuid, parent in prompts.items() if newest[parent] != uuid}
    left: set[int] = set()
    for at, record in enumerate(records):
        uuid, parent = record.value.get("uuid"), record.value.get("parentUuid")
        child = isinstance(parent, str) and parent in dead
        if isinstance(uuid, str) and (uuid in dead or child):
            dead.add(uuid)
            left.add(at)
    return left


def _is_prompt(line: Json) -> bool:
    """Whether a user typed this, as far as the line tells."""
    asides = ("isMeta", "isSidechain", "isCompactSummary")
    if line.get("type") != "user" or any(line.get(key) is True for key in asides):
        return False
    content = object_if(line.get("message")).get("content")
    if isinstance(content, list):
        blocks = [object_if(block) for block in list_if(content)]
        if any(block.get("type") == "tool_result" for block in blocks):
            return False
        texts = [b["text"] for b in blocks if isinstance(b.get("text"), str)]
    else:
        texts = [content] if isinstance(content, str) else []
    return any(texts) and is_spoken([Text(text=text) for text in texts])


def _content(record: Record) -> str | list[Any] | None:
    """What the line says to the model; None where it says nothing."""
    line: Json = record.value
    if line["type"] in ("user", "assistant"):
        return None if line.get("isApiErrorMessage") is True else _message_content(record)
    if line["type"] == "system" and line.get("subtype") == "instructions":
        content = line.get("content")
        got = f"expected a text or a list of blocks, got {type(content).__name__}"
        where = f"{record.where}, field content"
        return None if content is None else _text_or_blocks(content, got, where)
    queued = object_if(line.get("attachment"))
    prompt = queued.get("prompt") if queued.get("type") == "queued_command" else None
    return prompt if line["type"] == "attachment" and isinstance(prompt, str | list) else None


def _message_content(record: Record) -> str | list[Any]:
    line: Json = record.value
    content = object_if(line.get("message")).get("content")
    got = f"a {line['type']} line has no content that is text or a list of blocks"
    field = "message.content" if isinstance(line.get("message"), dict) else "message"
    where = f"{record.where}, event {line.get('uuid', '?')}, field {field}"
    return _text_or_blocks(content, got, where)


def _text_or_blocks(content: Any, wrong: str, where: str) -> str | list[Any]:
    if isinstance(content, str | list):
        return content  # pyright: ignore[reportUnknownVariableType]
    fix = "remove the line, or restore it from the session's own file"
    raise MalformedRecord(wrong, where=where, fix=fix)


def _parts(content: str | list[Any], where: str) -> list[AnyPart]:
    if isinstance(content, str):
        return [Text(text=content)]
    blocks = Fields({"message.content": content}, where, ", field ").items("message.content")
    for block, place in blocks:
        kind_of(block, place)
    return [part_of(block, place) for block, place in blocks]


@exporter(NAME)
def write(session: Session) -> Any:
    """The lines, or the object that held them."""
    stored: Json = session.metadata.get(NAME, {})
    common = stored.get("common", {"sessionId": session.id})
    lines: list[Json] = []
    previous: str | None = None
    for record in in_order(session, NAME):
        parent = previous
        line = record.written(lambda events, shape, p=parent: _line(events, shape, common, p))
        lines.append(line)
        previous = line["uuid"] if isinstance(line.get("uuid"), str) else previous
    return {**stored["wrapper"], "loglines": lines} if "wrapper" in stored else lines


def _line(events: Sequence[Event], shape: str, common: Json, previous: str | None) -> Json:
    event = events[0]
    branched = "branch" in event.metadata
    line: Json = {"parentUuid": previous, "isSidechain": branched, **common, "uuid": event.id}
    if event.time_ms is not None:
        line["timestamp"] = iso_of_ms(event.time_ms)
    if event.metadata.get("meta"):
        line["isMeta"] = True
    if event.metadata.get("kind") == "summary":
        line["isCompactSummary"] = True
    return line | _content_keys(events, shape or _default_shape(event))


def _content_keys(events: Sequence[Event], shape: str) -> Json:
    """The keys of a line that say what was said."""
    kind, _, form = shape.partition(" ")
    parts = [part for event in events for part in event.parts]
    texts = [part.text for part in parts if isinstance(part, Text)]
    content: Any = [block for part in parts if (block := block_of(part))]
    if form == "text" and len(texts) == len(parts):
        content = "\n".join(texts)
    if kind == "attachment":
        return {"type": kind, "attachment": {"type": "queued_command", "prompt": content}}
    if kind == "system":
        return {"type": kind, "subtype": "instructions", "content": content}
    if events[0].role == "assistant":
        head = {"id": events[0].id, "type": "message", "role": "assistant"}
        return {"type": "assistant", "message": {**head, "content": content}}
    return {"type": "user", "message": {"role": "user", "content": content}}


def _default_shape(event: Event) -> str:
    if event.role == "system":
        return "system text"
    one_text = len(event.parts) == 1 and isinstance(event.parts[0], Text)
    return "message text" if event.role == "user" and one_text else "message blocks"
