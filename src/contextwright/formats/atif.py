"""Trajectories of the Agent Trajectory Interchange Format, ATIF 1.0 to 1.8 (package `atif`).

A step of the agent holds its words, its calls and what came of them: an event for the words and
calls, and one for each result. Results that name no call answer the step's calls in order; where
there are fewer of them, as of agents that type a batch of commands and look once, the last one
answers the rest. Steps copied from an earlier trajectory are tagged `copied`. Trajectories of
sub-agents that a file holds are kept; `read_all` gives them as sessions of their own.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from contextwright.formats.document import Document
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    call_object,
    list_if,
    object_if,
    text_if,
    text_of,
    wrong,
)
from contextwright.formats.media_part import media_part
from contextwright.formats.openai_chat import tool_json
from contextwright.formats.provenance import Pieces, RecordReader, SourceRecord, in_order
from contextwright.formats.timestamps import iso_of_ms, ms_of_iso
from contextwright.formats.tool_schemas import tool_of
from contextwright.session.event import (
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session

NAME = "atif"
LINES = False
VERSION = "ATIF-v1.8"
_ROLES: dict[str, Role] = {"system": "system", "user": "user", "agent": "assistant"}
_SOURCES = {"system": "system", "user": "user", "assistant": "agent", "tool": "agent"}
_MEDIA = {"image", "audio"}
"""Kinds of parts that stand in files of their own."""
_FAILED = {"is_error": True}
"""The `extra` of a result that failed: the format has no field for it."""


def sniff(document: Document) -> bool:
    """Whether this is a trajectory that names its version of the format."""
    whole = object_if(document.records[0].value if len(document.records) == 1 else None)
    return "steps" in whole and text_if(whole.get("schema_version")).startswith("ATIF")


def read(document: Document) -> Session:
    """The session of the trajectory itself.

    Raises:
        MalformedRecord: a step is not as the format has it.
    """
    return _session(document.records[0].value, document.records[0].where)


def read_all(document: Document) -> list[Session]:
    """The session, and one for each trajectory of a sub-agent in it; raises as `read` does."""
    return list(_sessions(document.records[0].value, document.records[0].where))


def _sessions(value: Any, where: str) -> Iterator[Session]:
    main = _session(value, where)
    yield main
    for number, inner in enumerate(list_if(value.get("subagent_trajectories"))):
        for session in _sessions(inner, f"{where}, field subagent_trajectories[{number}]"):
            session.metadata.setdefault("parent", main.id)
            yield session


def _session(value: Any, where: str) -> Session:
    whole = Fields(value, where, ", field ")
    agent = object_if(whole.get("agent"))
    reader = _StepReader(text_if(agent.get("name")))
    for at, (step, place) in enumerate(whole.items("steps")):
        reader.take(at, step, place)
    header = {key: item for key, item in whole.whole.items() if key != "steps"}
    id = text_if(whole.get("trajectory_id"), text_if(whole.get("session_id")))
    session = reader.session(id, header=header)
    tools = list_if(agent.get("tool_definitions"))
    places = (f"{where}, field agent.tool_definitions[{n}]" for n in range(len(tools)))
    session.tools = tuple(tool_of(*pair, "openai-chat") for pair in zip(tools, places, strict=True))
    return session


class _StepReader(RecordReader):
    """The steps so far."""

    format = NAME

    def __init__(self, agent: str) -> None:
        super().__init__()
        self._agent = agent

    def take(self, at: int, value: Any, where: str) -> None:
        """Read the step at this place."""
        step = Fields(value, where)
        role = _ROLES.get(step.text("source"))
        if role is None:
            raise wrong("a source of system, user or agent", step.get("source"), f"{where}.source")
        head: Json = {
            "time_ms": ms_of_iso(step.get("timestamp")),
            "tags": ("copied",) if step.get("is_copied_context") is True else (),
        }
        parts = [*_message_parts(step), *_calls(step)]
        speaker = self._agent if role == "assistant" else ""
        calls = [part for part in parts if isinstance(part, ToolCall)]
        self.tools.update((call.id, call.name) for call in calls)
        results = _results(step, calls)
        pieces: Pieces = []
        if parts or not results:
            pieces.append((self.draft(f"step-{at + 1}", role, author=speaker, **head), parts))
        for part in results:
            kind: Role = "tool" if isinstance(part, ToolResult) else "user"
            part = self.named(part) if isinstance(part, ToolResult) else part
            pieces.append((self.draft(f"step-{at + 1}-result", kind, **head), [part]))
        self.keep(at, step.whole, pieces, "step")

    def write(self, events: Sequence[Event], shape: str) -> Json:
        """The step of these events."""
        return step_json(events)


def _message_parts(step: Fields) -> list[AnyPart]:
    reasoning = step.text("reasoning_content", "")
    thought: list[AnyPart] = [Thinking(text=reasoning)] if reasoning else []
    return [*thought, *_content(step, "message")]


def _content(fields: Fields, key: str) -> list[Text | Image | File | Opaque]:
    """A message or the content of a result: a text, or parts."""
    if not isinstance(fields.get(key), list):
        text = fields.text(key, "")
        return [Text(text=text)] if text else []
    return [_content_part(part, place) for part, place in fields.items(key)]


def _content_part(value: Any, where: str) -> Text | Image | File | Opaque:
    part = Fields(value, where)
    source = object_if(part.get("source"))
    media_type, path = text_if(source.get("media_type")), text_if(source.get("path"))
    if part.get("type") == "text":
        return Text(text=part.text("text"))
    if media_type and path:
        return media_part(media_type, url=path)
    return Opaque(format=NAME, kind=part.text("type", ""), value=part.whole)


def _calls(step: Fields) -> Iterator[ToolCall]:
    for value, place in step.items("tool_calls", required=False):
        call = Fields(value, place)
        arguments = text_of(call.get("arguments") or {})
        id, name = call.text("tool_call_id"), call.text("function_name")
        yield ToolCall(id=id, name=name, arguments=arguments)


def _results(step: Fields, calls: list[ToolCall]) -> list[AnyPart]:
    """What came of a step: results of its calls, and what answers none of them."""
    if step.get("observation") is None:
        return []
    results = [Fields(*item) for item in step.inner("observation").items("results")]
    ids = [result.text("source_call_id", "") for result in results]
    unnamed = [call.id for call in calls if call.id not in ids]
    parts: list[AnyPart] = []
    for result, id in zip(results, ids, strict=True):
        content = tuple(_content(result, "content"))
        failed = result.get("extra") == _FAILED
        id = id or (unnamed.pop(0) if unnamed else "")
        if id:
            status = "error" if failed else "ok"
            parts.append(ToolResult(call_id=id, content=content, status=status))
        else:
            parts += content
    if parts and unnamed and not any(ids):  # one look at what several commands did
        rest = [ToolResult(call_id=id, extra={NAME: {"shared": True}}) for id in unnamed]
        parts = [*parts, *rest]
    return parts


@exporter(NAME)
def write(session: Session) -> Json:
    """The trajectory. State, tags and pins have no place in it."""
    new: Json = {
        "schema_version": VERSION,
        "session_id": session.id,
        "agent": {"name": _agent_name(session), "version": "unknown"},
    }
    stored = object_if(session.metadata.get(NAME))
    header: Json = stored["header"] if stored else new
    agent = object_if(header.get("agent"))
    if session.tools and not stored:
        definitions = [tool_json(tool) for tool in session.tools]
        header = {**header, "agent": {**agent, "tool_definitions": definitions}}
    steps = [record.written(lambda events, _: step_json(events)) for record in _steps(session)]
    for number, step in enumerate(steps, 1):
        if isinstance(step, dict):
            step.setdefault("step_id", number)
    return {**header, "steps": steps}


def _agent_name(session: Session) -> str:
    names = (event.author for event in session.log if event.role == "assistant" and event.author)
    return next(names, "agent")


def _steps(session: Session) -> list[SourceRecord]:
    """A step each; results of another format's events stand in the step of their call."""
    steps: list[SourceRecord] = []
    homes: dict[str, SourceRecord] = {}
    for record in in_order(session, NAME):
        event = record.events[0] if record.events else None
        results = event.results if event is not None and not record.shape else ()
        home = homes.get(results[0].call_id) if results else None
        if home is not None:
            home.events.extend(record.events)
            continue
        steps.append(record)
        if event is not None:
            homes.update((call.id, record) for call in event.calls)
    return steps


def step_json(events: Sequence[Event]) -> Json:
    """The step of a message and of what came of its calls."""
    first, rest = events[0], events[1:]
    if first.role == "tool":
        first, rest = msgspec.structs.replace(first, parts=()), events
    words = [part for part in first.parts if not isinstance(part, ToolCall | Thinking)]
    step: Json = {
        "timestamp": iso_of_ms(first.time_ms),
        "source": _SOURCES[first.role],
        "message": _content_json(words),
    }
    thoughts = [part.text for part in first.parts if isinstance(part, Thinking)]
    if any(thoughts):
        step["reasoning_content"] = "\n".join(thoughts)
    if first.calls:
        step["tool_calls"] = [_call_json(call) for call in first.calls]
    results = [_result_json(part) for event in rest for part in event.parts if not _shared(part)]
    if results:
        step["observation"] = {"results": results}
    return step


def _shared(part: AnyPart) -> bool:
    return "shared" in object_if(part.extra.get(NAME))


def _call_json(call: ToolCall) -> Json:
    arguments = call_object(call.arguments)
    return {"tool_call_id": call.id, "function_name": call.name, "arguments": arguments}


def _result_json(part: AnyPart) -> Json:
    if not isinstance(part, ToolResult):
        return {"content": _content_json([part])}
    failed = {"extra": _FAILED} if part.status == "error" else {}
    return {"source_call_id": part.call_id, "content": _content_json(part.content), **failed}


def _content_json(parts: Sequence[AnyPart]) -> Any:
    if len(parts) < 2 and all(isinstance(part, Text) for part in parts):
        return "".join(part.text for part in parts if isinstance(part, Text))
    return [made for part in parts if (made := _part_json(part))]


def _family(part: Image | File) -> str:
    return "image" if isinstance(part, Image) else part.media_type.partition("/")[0]


def _part_json(part: AnyPart) -> Json | None:
    match part:
        case Text():
            return {"type": "text", "text": part.text}
        case Image() | File() if part.url and _family(part) in _MEDIA:
            kind = _family(part)
            return {"type": kind, "source": {"media_type": part.media_type, "path": part.url}}
        case Opaque() if part.format == NAME:
            return part.value
        case _:
            return None
