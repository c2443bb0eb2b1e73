"""OpenAI Responses items: the list of items, or `{"instructions", "input", "tools"}`."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from msgspec import structs

from contextwright.formats.document import Document, body_of, is_empty_request, items_of, numbered
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    an_object,
    list_if,
    object_if,
)
from contextwright.formats.format_evidence import most, part_types
from contextwright.formats.openai_chat import file_json, file_of, image_of, url_of
from contextwright.formats.provenance import ReadSoFar, read_messages, write_messages
from contextwright.formats.request_body import ORDER, SINGLE, in_its_order, order_of
from contextwright.formats.responses_calls import (
    APPROVAL,
    Pairs,
    answered_by,
    call_item,
    call_of,
    chunk_text,
    is_call,
    is_made,
    is_of_program,
    is_output,
    pairs_of,
    program_of,
)
from contextwright.formats.tool_schemas import tool_of
from contextwright.session.event import (
    NO_FIELDS,
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Role,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session

NAME = "openai-responses"
LINES = False
KNOWN_KINDS = frozenset(
    {"compaction", "compaction_trigger", "configuration_update", "additional_tools",
     "item_reference", "custom_tool_call", "custom_tool_call_output", "tool_search_call",
     "tool_search_output", "web_search_call", "file_search_call", "code_interpreter_call",
     "image_generation_call", "computer_call", "computer_call_output", "local_shell_call",
     "local_shell_call_output", "shell_call", "shell_call_output", "apply_patch_call",
     "apply_patch_call_output", "mcp_list_tools", "mcp_call", "mcp_approval_request",
     "mcp_approval_response", "program", "program_output", "function_call",
     "function_call_output", "input_image", "input_file", "input_audio", "refusal"}
)  # fmt: skip
_ITEMS = KNOWN_KINDS - {"refusal", "input_image", "input_file", "input_audio"} | {
    "function_call", "function_call_output", "reasoning"
}  # fmt: skip
_REQUEST = {"model", "instructions", "tools", "previous_response_id", "conversation", "store"}
"""A body with one of these, or nothing, beside an `input` of plain messages is a request."""
_LISTS = {"input", "output", "messages", "contents"}
_CHAINS = ("previous_response_id", "conversation")
_ROLES: dict[str, Role] = {"system": "system", "developer": "system", "assistant": "assistant"}
_TEXTS = {"input_text", "output_text", "text"}
_NONE = Pairs()


def sniff(document: Document) -> bool:
    """Items with types, or a document with `input`."""
    body, key, listed = body_of(document, "input", "output")
    if not key and is_without_input(document.records[0].value if document.records else None):
        return True
    if key == "input" and isinstance(listed, str):
        return isinstance(body.get("model"), str)
    if is_empty_request(document, "input"):
        return True
    items = items_of(document, "input", "output")
    if key == "input" and "output" in body:
        return False  # a row of somebody's log: the answer stands beside, in any form
    request = key == "input" and (body.keys() == {"input"} or bool(_REQUEST & body.keys()))
    has_form = _is_item if request else _is_known
    return most(items, has_form) and (request or any(map(is_message, map(object_if, items))))


def is_without_input(value: Any) -> bool:
    """Whether it is a request that says nothing itself: what the provider has says it, a prompt
    that is stored there, or the responses before."""
    body = object_if(value)
    is_stored = "id" in object_if(body.get("prompt"))  # the prompt may say the model too
    goes_on = any(body.get(key) for key in _CHAINS) and isinstance(body.get("model"), str)
    return (is_stored or goes_on) and not _LISTS & body.keys()


def is_message(item: Json) -> bool:
    """Whether an item has a type of the Responses'."""
    kind = item.get("type")
    if kind == "message":  # Anthropic's answers have this type too, and name their model
        return isinstance(item.get("role"), str) and "content" in item and "model" not in item
    typed = isinstance(kind, str) and (kind in _ITEMS or kind.endswith("_call_output"))
    return typed or bool(_TEXTS & set(part_types(item.get("content"))) - {"text"})


def _is_known(item: Json) -> bool:
    return is_message(item) or _is_plain(item)


def _is_item(item: Json) -> bool:
    """Whether it may be an item of a request, of a later kind too."""
    return isinstance(item.get("type"), str) or _is_plain(item)


def _is_plain(item: Json) -> bool:
    return isinstance(item.get("role"), str) and isinstance(item.get("content"), str | list)


def read(document: Document) -> Session:
    """The session; the instructions are its first event. Reasoning, words and calls that
    follow each other are one assistant event: none makes sense without the others."""
    body, key, _ = body_of(document, "input", "output")
    whole: Any = document.records[0].value if document.records else None
    if not key and is_without_input(whole):
        body, key = object_if(whole), "input"
    single = isinstance(body.get(key), str)
    unlisted = single or bool(key and key not in body)
    places = [] if unlisted else numbered(document, "item", "input", "output")
    items = [(an_object(item, where), n) for n, (item, where) in enumerate(places)]
    groups = [(group, f"{document.name} item {at}") for group, at in _groups(items)]
    if single:
        groups = [({"items": body[key]}, f"{document.name}, field {key}")]
    if isinstance(body.get("instructions"), str):
        system = {"type": "message", "role": "system", "content": body["instructions"]}
        groups.insert(0, ({"items": [system]}, f"{document.name}, field instructions"))
    fields = {k: v for k, v in body.items() if k not in {key, "tools"}}
    tools = body.get("tools")
    pairs = pairs_of(item for item, _ in items)
    to_events = partial(_events, pairs=pairs)
    stored: Json = {"key": key, "beside": fields, "tools": tools}
    if single:
        stored[SINGLE] = True
    chained = any(body.get(field) for field in _CHAINS)
    if key == "input" and isinstance(body.get("model"), str):
        stored[ORDER] = order_of(body, key)
    named = [tool for tool in list_if(tools) if {"name", "type"} & object_if(tool).keys()]
    return Session(
        "session",
        _held(read_messages(NAME, groups, to_events, group_of), pairs, chained=chained),
        tools=[tool_of(tool, f"tools[{n}]", NAME) for n, tool in enumerate(named)],
        metadata={NAME: stored} if body else {},
    )


def read_more(messages: list[tuple[Any, str]], before: ReadSoFar) -> list[Event] | None:
    """The events of further messages of a list, as reading all of it would give them; None where
    these change how those before them are read."""
    items = [(an_object(item, where), at) for at, (item, where) in enumerate(messages)]
    if before.last and len(grouped([*before.last, items[0][0]])) == 1:
        return None  # the model goes on with what it was saying
    if any(object_if(before.metadata.get("beside")).get(field) for field in _CHAINS):
        return None  # calls that the provider has are not here
    pairs = pairs_of([*before.last, *(item for item, _ in items)])
    others = (item for item, _ in items if is_output(item))
    if not all(answered_by(item, pairs) or program_of(item, pairs) for item in others):
        return None  # its call stands further back
    if any(is_of_program(item) and not program_of(item, pairs) for item, _ in items):
        return None  # so does its program
    alone = pairs_of(before.last)
    if any(is_call(item, pairs) and not is_call(item, alone) for item in before.last):
        return None  # read as no call, as nothing answered it
    groups = [(group, messages[at][1]) for group, at in _groups(items)]
    events = read_messages(NAME, groups, partial(_events, pairs=pairs), group_of, before)
    return list(_held(events, pairs))


def _held(events: Iterable[Event], pairs: Pairs, *, chained: bool = False) -> Iterator[Event]:
    """The events; pinned is a result whose call the provider has, and a program that others' items
    stand in: its own are whole or absent, and they are several events.

    Args:
        chained: whether the body goes on from what the provider has.
    """
    called: set[str] = set()
    listed = list(events)
    programs = [_programs(event, pairs) for event in listed]
    count = Counter(chain.from_iterable(programs))
    for event, own in zip(listed, programs, strict=True):
        called.update(call.id for call in event.calls)
        unknown = any(result.call_id not in called for result in event.results)
        is_held = (chained and unknown) or any(count[program] > 1 for program in own)
        yield structs.replace(event, pinned=True) if is_held else event


def _programs(event: Event, pairs: Pairs) -> set[str]:
    """The programs that an event holds items of."""
    if not pairs.programs:
        return set()
    values = (part.value for part in event.parts if isinstance(part, Opaque))
    return {program for value in values if (program := program_of(value, pairs))}


@exporter(NAME)
def write(session: Session) -> Any:
    """The items; a document where there was one."""
    groups = write_messages(NAME, session.log, group_of)
    stored: Json = session.metadata.get(NAME) or {}
    items = [item for group in groups for item in items_of_group(group)]
    if not stored and not session.tools:
        return items
    stored = stored or {"key": "input", "beside": {}, "tools": None}
    if isinstance(stored["beside"].get("instructions"), str):
        items = items[1:]
    if SINGLE in stored and len(items) == 1:
        items = items[0]["content"]
    document: Json = {**stored["beside"], stored["key"]: items}
    tools = stored["tools"] or [tool.extra.get(NAME) or _tool(tool) for tool in session.tools]
    if tools or stored["tools"] is not None:
        document["tools"] = tools
    return in_its_order(document, stored)


def _tool(tool: Tool) -> Json:
    schema = tool.parameters or {"type": "object"}
    described = {"description": tool.description} if tool.description else {}
    return {"type": "function", "name": tool.name, **described, "parameters": schema}


def _groups(items: list[tuple[Json, int]]) -> list[tuple[Json, int]]:
    """Items in groups: what one answer of the model said, and every other item by itself."""
    groups: list[tuple[list[Json], int]] = []
    pairs = pairs_of(item for item, _ in items)
    speaks = reasons = False  # whether the newest group is the model's, and only reasoning
    running: set[str] = set()  # the programs in it
    for item, at in items:
        of_model, program = _of_model(item, pairs), program_of(item, pairs)
        # calls follow reasoning, words and other calls; words follow reasoning
        goes_on = speaks and (is_call(item, pairs) or (reasons and of_model))
        if goes_on or program in running:
            groups[-1][0].append(item)
            speaks = speaks and of_model
        else:
            groups.append(([item], at))
            speaks, reasons = of_model, True
            running.clear()
        if program:
            running.add(program)
        reasons = reasons and item.get("type") == "reasoning"
    return [({"items": group}, at) for group, at in groups]


def grouped(items: list[Json]) -> list[range]:
    """The places of the items that make one event each."""
    groups = _groups([(item, at) for at, item in enumerate(items)])
    return [range(at, at + len(group["items"])) for group, at in groups]


def items_of_group(group: Json) -> list[Json]:
    """The items of a group; of a text that stood for them, the user's message that it means."""
    items = group["items"]
    return [{"role": "user", "content": items}] if isinstance(items, str) else items


def _of_model(item: Json, pairs: Pairs) -> bool:
    kind = item.get("type", "message")
    if kind == "message":
        return item.get("role") == "assistant"
    return kind == "reasoning" or is_call(item, pairs) or is_made(item, pairs)


def _events(group: Any, where: str, pairs: Pairs) -> list[Event]:
    items = items_of_group(group)
    first = Fields(items[0], where, ", field ")
    kind = first.get("type", "message")
    answers = kind == "function_call_output" or (
        is_output(first.whole) and answered_by(first.whole, pairs)
    )
    if answers and not program_of(first.whole, pairs):
        return [Event(id="", role="tool", parts=(_output(first, str(kind), pairs),))]
    if kind == "message" and first.get("role") != "assistant":
        role = _ROLES.get(first.text("role", ""), "user")
        return [Event(id="", role=role, parts=tuple(_content(first)))]
    parts = tuple(part for item in items for part in item_parts(item, where, pairs))
    return [Event(id="", role="assistant", parts=parts)]


def item_parts(value: Json, where: str, pairs: Pairs = _NONE) -> list[AnyPart]:
    """The parts that an item of the model's stands for."""
    item = Fields(value, where, ", field ")
    kind = item.get("type", "message")
    if program_of(value, pairs):
        return [Opaque(format=NAME, kind=str(kind), value=value)]
    if kind == "message":
        return _content(item)
    if kind == "function_call":
        id, arguments = item.text("call_id", ""), item.text("arguments", "{}")
        return [ToolCall(id=id, name=item.text("name"), arguments=arguments)]
    if is_call(value, pairs):
        return [call_of(item, str(kind))]
    if kind == "reasoning":
        summary = [str(part.get("text", "")) for part in item.get("summary") or ()]
        encrypted = item.text("encrypted_content", "")
        extra: Json = {NAME: {"id": item.get("id")}} if item.get("id") else NO_FIELDS
        text = "\n".join(summary)
        return [Thinking(text=text, redacted=encrypted, provider="openai", extra=extra)]
    return [Opaque(format=NAME, kind=str(kind), value=value)]


def _content(item: Fields) -> list[AnyPart]:
    content = item.get("content")
    if isinstance(content, str):
        return [Text(text=content)] if content else []
    return [content_part(part, at) for part, at in item.items("content", required=False)]


def content_part(value: Any, where: str) -> Text | Image | File | Opaque:
    """A content part."""
    part = Fields(value, where)
    kind = part.get("type")
    if isinstance(kind, str) and kind in _TEXTS:
        return Text(text=part.text("text", ""))
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        return image_of(part.text("image_url"), str(part.get("detail") or ""))
    if kind == "input_image" and isinstance(part.get("file_id"), str):
        return Image(file_id=part.text("file_id"), detail=str(part.get("detail") or ""))
    if kind == "input_file" and any(part.get(key) for key in ("file_data", "file_id", "file_url")):
        return file_of(value, "application/pdf")
    return Opaque(format=NAME, kind=str(kind), value=value)


def _output(item: Fields, kind: str, pairs: Pairs) -> ToolResult:
    output = item.get("output")
    if kind == APPROVAL:
        output = {key: item.get(key) for key in ("approve", "reason") if key in item.whole}
    if isinstance(output, list):
        pieces = tuple(_printed(part, at) for part, at in item.items("output"))
    elif isinstance(output, dict) and kind != "function_call_output":
        pieces = (Opaque(format=NAME, kind=str(object_if(output).get("type")), value=output),)
    else:
        pieces = (Text(text=item.text("output", "")),)
    id = answered_by(item.whole, pairs) or item.text("call_id", "")
    mark: Json = {NAME: {"type": kind}} if kind != "function_call_output" else NO_FIELDS
    failed = kind == "apply_patch_call_output" and item.get("status") == "failed"
    return ToolResult(call_id=id, content=pieces, status="error" if failed else "ok", extra=mark)


def _printed(part: Any, where: str) -> Text | Image | File | Opaque:
    text = chunk_text(part)
    return content_part(part, where) if text is None else Text(text=text)


def group_of(events: Sequence[Event]) -> Json:
    """The items that an event stands for."""
    event = events[0]
    if event.role == "tool":
        result = event.results[0] if event.results else ToolResult(call_id="")
        kind = result.extra.get(NAME, {}).get("type", "function_call_output")
        if kind == APPROVAL:
            values = (part.value for part in result.content if isinstance(part, Opaque))
            answer: Json = {"type": kind, "approval_request_id": result.call_id}
            return {"items": [{**answer, **next(values, {})}]}
        return {
            "items": [{"type": kind, "call_id": result.call_id, "output": _output_json(result)}]
        }
    items: list[Json] = []
    for part in event.parts:
        item, inner = _item(part), _part_json(part, event.role)
        if item is not None:
            items.append(item)
        elif inner is None:
            continue
        elif items and items[-1].get("type") == "message" and not isinstance(part, Opaque):
            items[-1]["content"].append(inner)
        else:
            items.append({"type": "message", "role": event.role, "content": [inner]})
    return {"items": items or [{"type": "message", "role": event.role, "content": []}]}


def _output_json(result: ToolResult) -> Any:
    """What a function gave: a text, or a list where a picture or a file is in it."""
    if not any(isinstance(part, Image | File) for part in result.content):
        return result.text
    return [made for part in result.content if (made := _part_json(part, "tool"))]


def _item(part: AnyPart) -> Json | None:
    if isinstance(part, ToolCall):
        return call_item(part)
    if isinstance(part, Thinking):
        summary = [{"type": "summary_text", "text": part.text}] if part.text else []
        item: Json = {"type": "reasoning", "summary": summary}
        return {**item, "encrypted_content": part.redacted} if part.redacted else item
    return None


def _part_json(part: AnyPart, role: str) -> Json | None:
    match part:
        case Text():
            kind = "output_text" if role == "assistant" else "input_text"
            return {"type": kind, "text": part.text}
        case Image() if part.data or part.url or part.file_id:
            detail = part.detail or "auto"
            named = {"file_id": part.file_id} if part.file_id else {"image_url": url_of(part)}
            return {"type": "input_image", **named, "detail": detail}
        case File() if part.url:
            return {"type": "input_file", "file_url": part.url}
        case File() if part.data or part.file_id:
            return {"type": "input_file", **file_json(part)}
        case _:
            return part.value if isinstance(part, Opaque) and part.format == NAME else None
