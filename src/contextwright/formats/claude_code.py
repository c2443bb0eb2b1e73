"""Session files of Claude Code: a line a message block, with much beside.

Lines that share `message.id` were streamed and form one assistant message. Snapshots, queue
operations, titles, progress and API errors are kept and not shown; so are branches that the
user went back from, and lines that repeat one before. Sub-agents' lines (`isSidechain`) carry
the agent's id as author and as `metadata["branch"]`.
"""

from typing import Any, cast

import msgspec

from contextwright.errors import MalformedRecord
from contextwright.formats.anthropic import block_of, part_of
from contextwright.formats.document import Document, Record
from contextwright.formats.fields import kind_of
from contextwright.formats.provenance import (
    Draft,
    Hidden,
    RecordPiece,
    covered,
    free_id,
    hidden,
    in_order,
    keep_rest,
    same,
    written,
)
from contextwright.formats.timestamps import iso_of_ms, ms_of_iso
from contextwright.session.event import AnyPart, Event, Role, Text, ToolCall, ToolResult
from contextwright.session.session import Session

NAME = "claude-code"
LINES = True

COMMON = ("sessionId", "cwd", "version", "gitBranch", "userType", "entrypoint")
"""Keys that nearly every line repeats; kept once."""


def sniff(document: Document) -> bool:
    """Whether this is a session of Claude Code."""
    if not document.lines:
        value = document.records[0].value if document.records else None
        return isinstance(value, dict) and isinstance(value.get("loglines"), list)
    return any(_is_line(record.value) for record in document.records[:50])


def _is_line(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    line = cast(dict[str, Any], value)
    is_message = "message" in line and line.get("type") in ("user", "assistant")
    named = line.get("type") == "summary" and "leafUuid" in line
    return (is_message and ("uuid" in line or "sessionId" in line)) or named


def read(document: Document) -> Session:
    """The session.

    Raises:
        MalformedRecord: a line is not an object with a type, or its message breaks the format.
    """
    records, wrapper = _lines(document)
    reader = _ClaudeCodeReader([_checked(record) for record in records])
    for at in range(len(records)):
        reader.take(at)
    events = [draft.event(NAME) for draft in reader.drafts]
    stored: dict[str, Any] = {"common": reader.common, "hidden": hidden(reader.hidden_records)}
    if wrapper is not None:
        stored["wrapper"] = wrapper
    id = reader.common.get("sessionId")
    return Session(id if isinstance(id, str) and id else "session", events, metadata={NAME: stored})


def _lines(document: Document) -> tuple[list[Record], dict[str, Any] | None]:
    """The lines, and what stands around them in the exported form."""
    if document.lines:
        return list(document.records), None
    record = document.records[0]
    lines = [
        Record(value, f"{record.where}, loglines[{number}]")
        for number, value in enumerate(record.value["loglines"])
    ]
    return lines, {key: value for key, value in record.value.items() if key != "loglines"}


def _checked(record: Record) -> Record:
    if not isinstance(record.value, dict) or not isinstance(record.value.get("type"), str):  # pyright: ignore[reportUnknownMemberType]
        raise MalformedRecord(
            "a line of a Claude Code session is not an object with a `type`",
            where=f"{record.where}, field type",
            fix="remove the line, or restore it from the session's own file",
        )
    return record


class _ClaudeCodeReader:
    """The lines so far, as drafts of events."""

    def __init__(self, records: list[Record]) -> None:
        self.records = records
        self.drafts: list[Draft] = []
        self.hidden_records: list[tuple[int, Any]] = []
        self.common = _common(records)
        self._left = _abandoned(records)
        self._taken: set[str] = set()
        self._seen: dict[str, dict[str, Any]] = {}
        self._streams: dict[tuple[str, str], Draft] = {}
        self._tools: dict[str, str] = {}
        self._previous: str | None = None

    def take(self, at: int) -> None:
        """Read the line at this place."""
        line: dict[str, Any] = self.records[at].value
        uuid = line.get("uuid")
        first = self._seen.get(uuid) if isinstance(uuid, str) else None
        repeats = first is not None and same(first.get("message"), line.get("message"))
        content = None if repeats or at in self._left else _content(self.records[at])
        if content is None or content == [] or content == "":
            self.hidden_records.append((at, line))
        else:
            self._message(at, line, content)
        if isinstance(uuid, str):
            self._seen.setdefault(uuid, line)
            self._previous = uuid

    def _message(self, at: int, line: dict[str, Any], content: str | list[Any]) -> None:
        where = f"{self.records[at].where}, event {line.get('uuid', '?')}"
        parts = _parts(content, where)
        shape = _shape(line, content)
        common, previous = self.common, self._previous
        keep_rest(
            self._drafts_of(at, line, parts),
            at,
            line,
            lambda pieces: _line(pieces, common, previous),
            shape,
        )

    def _drafts_of(
        self, at: int, line: dict[str, Any], parts: list[AnyPart]
    ) -> list[tuple[Draft, list[AnyPart]]]:
        if line["type"] == "assistant":
            self._tools.update((part.id, part.name) for part in parts if isinstance(part, ToolCall))
            return [(self._stream(at, line), parts)]
        role: Role = "system" if line["type"] == "system" else "user"
        drafts: list[tuple[Draft, list[AnyPart]]] = []
        for part in parts:
            if isinstance(part, ToolResult):
                name = self._tools.get(part.call_id, "")
                drafts.append(
                    (self._draft(at, line, "tool"), [msgspec.structs.replace(part, name=name)])
                )
            elif drafts and drafts[-1][0].role == role:
                drafts[-1][1].append(part)
            else:
                drafts.append((self._draft(at, line, role), [part]))
        return drafts

    def _stream(self, at: int, line: dict[str, Any]) -> Draft:
        """The message that this assistant line belongs to."""
        message_id, branch = line["message"].get("id"), _branch(line)
        if not isinstance(message_id, str) or not message_id:
            return self._draft(at, line, "assistant")
        key = (message_id, branch)
        if key not in self._streams:
            self._streams[key] = self._draft(at, line, "assistant")
        return self._streams[key]

    def _draft(self, at: int, line: dict[str, Any], role: Role) -> Draft:
        uuid, branch = line.get("uuid"), _branch(line)
        metadata: dict[str, Any] = {"branch": branch} if branch else {}
        if line.get("isMeta") is True:
            metadata["meta"] = True
        if line.get("isCompactSummary") is True:
            metadata |= {"kind": "summary", "scope": "historical", "covers": covered(self.drafts)}
        wanted = uuid if isinstance(uuid, str) and uuid else f"line-{at + 1}"
        draft = Draft(
            id=free_id(wanted, self._taken),
            role=role,
            author=branch,
            time_ms=ms_of_iso(line.get("timestamp")),
            metadata=metadata,
        )
        self.drafts.append(draft)
        return draft


def _common(records: list[Record]) -> dict[str, Any]:
    for record in records:
        if record.value["type"] in ("user", "assistant"):
            return {key: record.value[key] for key in COMMON if key in record.value}
    return {}


def _branch(line: dict[str, Any]) -> str:
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


def _is_prompt(line: dict[str, Any]) -> bool:
    """Whether a user typed this, as far as the line tells."""
    asides = ("isMeta", "isSidechain", "isCompactSummary")
    if line.get("type") != "user" or any(line.get(key) is True for key in asides):
        return False
    message = line.get("message")
    content: Any = cast(dict[str, Any], message).get("content") if isinstance(message, dict) else ""
    if isinstance(content, list):
        blocks = [b for b in cast(list[Any], content) if isinstance(b, dict)]
        if any(b.get("type") == "tool_result" for b in cast(list[dict[str, Any]], blocks)):
            return False
        content = next((b["text"] for b in blocks if isinstance(b.get("text"), str)), "")  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return isinstance(content, str) and bool(content) and not content.startswith(("<", "[Request"))


def _content(record: Record) -> str | list[Any] | None:
    """What the line says to the model; None where it says nothing."""
    line: dict[str, Any] = record.value
    if line["type"] in ("user", "assistant"):
        return None if line.get("isApiErrorMessage") is True else _message_content(record, line)
    if line["type"] == "system" and line.get("subtype") == "instructions":
        instructions = line.get("content")
        if instructions is not None and not isinstance(instructions, str | list):
            raise MalformedRecord(
                f"expected a text or a list of blocks, got {type(instructions).__name__}",
                where=f"{record.where}, field content",
                fix="remove the line, or restore it from the session's own file",
            )
        return cast(str | list[Any] | None, instructions)
    attachment = line.get("attachment")
    if line["type"] == "attachment" and isinstance(attachment, dict):
        queued = cast(dict[str, Any], attachment)
        prompt = queued.get("prompt")
        if queued.get("type") == "queued_command" and isinstance(prompt, str | list):
            return cast(str | list[Any], prompt)
    return None


def _message_content(record: Record, line: dict[str, Any]) -> str | list[Any]:
    message = line.get("message")
    content: Any = (
        cast(dict[str, Any], message).get("content") if isinstance(message, dict) else None
    )
    if not isinstance(content, str | list):
        field = "message.content" if isinstance(message, dict) else "message"
        raise MalformedRecord(
            f"a {line['type']} line has no content that is text or a list of blocks",
            where=f"{record.where}, event {line.get('uuid', '?')}, field {field}",
            fix="remove the line, or restore it from the session's own file",
        )
    return cast(str | list[Any], content)


def _parts(content: str | list[Any], where: str) -> list[AnyPart]:
    if isinstance(content, str):
        return [Text(text=content)]
    return [
        _part(block, f"{where}, field message.content[{number}]")
        for number, block in enumerate(content)
    ]


def _part(block: Any, where: str) -> AnyPart:
    kind_of(block, where)
    return part_of(block, where)


def _shape(line: dict[str, Any], content: str | list[Any]) -> str:
    kind = line["type"] if line["type"] in ("system", "attachment") else "message"
    return f"{kind} text" if isinstance(content, str) else f"{kind} blocks"


def write(session: Session) -> Any:
    """The lines, or the object that held them."""
    stored: dict[str, Any] = session.metadata.get(NAME, {})
    common = stored.get("common", {"sessionId": session.id})
    lines: list[Any] = []
    previous: str | None = None
    for record in in_order(session, NAME):
        if isinstance(record, Hidden):
            line = record.value
        else:
            parent = previous
            line = written(record, lambda pieces, parent=parent: _line(pieces, common, parent))
        lines.append(line)
        uuid = line.get("uuid")
        previous = uuid if isinstance(uuid, str) else previous
    return {**stored["wrapper"], "loglines": lines} if "wrapper" in stored else lines


def _line(
    pieces: list[RecordPiece], common: dict[str, Any], previous: str | None
) -> dict[str, Any]:
    event = pieces[0].event
    line: dict[str, Any] = {
        "parentUuid": previous,
        "isSidechain": "branch" in event.metadata,
        **common,
        "uuid": event.id,
    }
    if event.time_ms is not None:
        line["timestamp"] = iso_of_ms(event.time_ms)
    if event.metadata.get("meta"):
        line["isMeta"] = True
    if event.metadata.get("kind") == "summary":
        line["isCompactSummary"] = True
    return line | _content_keys(event, pieces)


def _content_keys(event: Event, pieces: list[RecordPiece]) -> dict[str, Any]:
    """The keys of a line that say what was said."""
    kind, _, form = (pieces[0].shape or _default_shape(event)).partition(" ")
    parts = [part for piece in pieces for part in piece.parts]
    content: Any = [block for part in parts if (block := block_of(part))]
    if form == "text" and all(isinstance(part, Text) for part in parts):
        content = _joined(parts)
    if kind == "attachment":
        return {"type": kind, "attachment": {"type": "queued_command", "prompt": content}}
    if kind == "system":
        return {"type": kind, "subtype": "instructions", "content": content}
    if event.role == "assistant":
        head = {"id": event.id, "type": "message", "role": "assistant"}
        return {"type": "assistant", "message": {**head, "content": content}}
    return {"type": "user", "message": {"role": "user", "content": content}}


def _joined(parts: list[AnyPart]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def _default_shape(event: Event) -> str:
    if event.role == "system":
        return "system text"
    one_text = len(event.parts) == 1 and isinstance(event.parts[0], Text)
    return "message text" if event.role == "user" and one_text else "message blocks"
