"""Gemini contents: `{"system_instruction", "contents", "tools"}`, or the list of contents, or
such a document as the `request` of another, as Gemini's command line sends it.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from contextwright.formats.anthropic import user_events
from contextwright.formats.document import (
    Document,
    Record,
    body_of,
    is_empty_request,
    items_of,
    numbered,
)
from contextwright.formats.exporter import exporter
from contextwright.formats.fields import (
    Fields,
    Json,
    call_object,
    list_if,
    object_if,
    object_of,
    text_of,
    wrong,
)
from contextwright.formats.format_evidence import most
from contextwright.formats.gemini_fields import OTHER_FIELDS, fields_beside
from contextwright.formats.provenance import ReadSoFar, read_messages, write_messages
from contextwright.formats.request_body import (
    AROUND,
    ORDER,
    SINGLE,
    SYSTEM,
    in_its_order,
    order_of,
    without_marks,
)
from contextwright.session.event import (
    NO_FIELDS,
    AnyPart,
    Event,
    File,
    Image,
    Opaque,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)
from contextwright.session.session import Session
from contextwright.text.encoded_forms import standard_base64

NAME = "gemini"
LINES = False
KNOWN_KINDS = frozenset(
    {"executableCode", "executable_code", "codeExecutionResult", "code_execution_result",
     "toolCall", "tool_call", "toolResponse", "tool_response", "videoMetadata", "video_metadata"}
)  # fmt: skip
_PARTS = KNOWN_KINDS | {
    "text", "functionCall", "function_call", "functionResponse", "function_response", "inlineData",
    "inline_data", "fileData", "file_data", "thought", "thoughtSignature", "thought_signature",
}  # fmt: skip
_SYSTEM = ("system_instruction", "systemInstruction")
_TEXT_KEYS = ("result", "output", "error")
"""What a function's response is by custom, where it is a text and nothing else."""
RESPONSE = "response"
"""In `extra` of a result: that its text is the JSON of the whole response (true); or the field that
held the text, where it is not the one of its status."""


def sniff(document: Document) -> bool:
    """Contents with parts."""
    document, _ = _opened(document)
    body, named, listed = body_of(document, "contents")
    if is_empty_request(document, "contents"):
        return True
    if named and isinstance(listed, str | dict):  # the SDK takes one text, or one content
        return isinstance(listed, str) or "parts" in listed

    def has_form(content: Json) -> bool:
        if named and "model" in body:  # parts of a later kind are its provider's
            return isinstance(content.get("parts"), list)
        return is_message(content) or (bool(named) and _is_empty(content))

    return most(items_of(document, "contents"), has_form)


def _opened(document: Document) -> tuple[Document, Json]:
    """The document that holds the contents, and what stands around it."""
    around = object_if(document.records[0].value) if len(document.records) == 1 else {}
    inner = object_if(around.get("request"))
    if "contents" not in inner or "contents" in around:
        return document, {}
    record = Record(inner, f"{document.records[0].where}, field request")
    return Document(document.name, (record,), lines=False), {**around, "request": None}


def _is_empty(content: Json) -> bool:
    return content.get("parts") == []


def is_message(message: Json) -> bool:
    """Whether a content has the form of Gemini's: a part says by its keys what it is."""
    of_model = message.get("role") == "model" and _is_empty(message)
    return of_model or most(list_if(message.get("parts")), _is_part)


def _is_part(part: Json) -> bool:
    return not {"type", "kind"} & part.keys() and not _PARTS.isdisjoint(part)


def read(document: Document) -> Session:
    """The session; the system instruction is its first event."""
    document, around = _opened(document)
    whole, _, _ = body_of(document, "contents")
    single = isinstance(whole.get("contents"), dict | str)
    contents = [] if single else numbered(document, "content", "contents")
    if single:
        contents = [(whole["contents"], f"{document.name}, field contents")]
    key = next((key for key in _SYSTEM if key in whole), None)
    fields = {k: v for k, v in whole.items() if k not in {"contents", key}}
    if around:
        fields[AROUND] = around
    if "contents" in whole:
        fields[ORDER] = order_of(whole, "contents")
    if single:
        fields[SINGLE] = True
    # the SDK's keyword arguments have it in `config`, which is written as it came
    config = object_if(whole.get("config"))
    system = whole[key] if key is not None else _pick(config, "system_instruction")
    if key is not None:
        fields[SYSTEM] = [key, system]
    if system is not None:
        contents.insert(0, (_instruction(system), f"{document.name}, system instruction"))
    return Session(
        "session",
        read_messages(NAME, contents, partial(_events, open_calls=[]), message_of),
        tools=_tools(whole.get("tools") or config.get("tools")),
        metadata={NAME: fields} if whole else {},
    )


def read_more(messages: list[tuple[Any, str]], before: ReadSoFar) -> list[Event] | None:
    """The events of further messages of a list, as reading all of it would give them; None where
    these change how those before them are read."""
    open_calls: list[ToolCall] = []
    for content in before.last:
        _events(content, messages[0][1], open_calls)
    if not open_calls and _answers_first(messages):
        return None
    to_events = partial(_events, open_calls=open_calls)
    return list(read_messages(NAME, messages, to_events, message_of, before))


def _answers_first(messages: list[tuple[Any, str]]) -> bool:
    """Whether a call is answered before any is made: it was made in contents that are not here."""
    for content, _ in messages:
        parts = [object_if(part) for part in list_if(object_if(content).get("parts"))]
        if any(_pick(part, "function_response") is not None for part in parts):
            return True
        if any(_pick(part, "function_call") is not None for part in parts):
            return False
    return False


@exporter(NAME)
def write(session: Session) -> Any:
    """The contents; a document where there is more beside them."""
    contents = write_messages(NAME, session.log, message_of, _together)
    leading = [each for each in contents if object_if(each).get("role") == "system"]
    contents = [each for each in contents if object_if(each).get("role") != "system"]
    fields = dict(session.metadata.get(NAME) or {})
    around = fields.pop(AROUND, None)
    if NAME not in session.metadata and not leading and not session.tools:
        return contents
    key, system = fields.pop(SYSTEM, ("system_instruction", None))
    listed = contents[0] if fields.get(SINGLE) and len(contents) == 1 else contents
    document: Json = {**without_marks(fields), "contents": listed}
    config = object_if(fields.get("config"))
    if leading and _pick(config, "system_instruction") is None:
        parts = [part for each in leading for part in each["parts"]]
        document[key] = system if system is not None else {"parts": parts}
    if session.tools and "tools" not in document and not config.get("tools"):
        declared = [
            {"name": t.name, "description": t.description, "parameters": t.parameters}
            for t in session.tools
        ]
        document["tools"] = [{"function_declarations": declared}]
    document = in_its_order(document, fields)
    return document if around is None else {**around, "request": document}


def _instruction(value: Any) -> Json:
    if isinstance(value, str):
        return {"role": "system", "parts": [{"text": value}]}
    if isinstance(value, dict):
        return {"parts": [], **object_if(value), "role": "system"}  # pyright: ignore
    return {"role": "system", "parts": value}


def _tools(value: Any) -> list[Tool]:
    tools: list[Tool] = []
    for group in list_if(value):
        for each in _pick(object_if(group), "function_declarations") or []:
            schema = each.get("parameters") or _pick(each, "parameters_json_schema") or {}
            name, description = str(each.get("name")), str(each.get("description") or "")
            tools.append(Tool(name=name, description=description, parameters=object_if(schema)))
    return tools


def _pick(value: Json, snake: str) -> Any:
    """A field under its snake_case or camelCase name."""
    head, *rest = snake.split("_")
    camel = head + "".join(word.title() for word in rest)
    return value.get(snake, value.get(camel))


def _events(value: Any, where: str, open_calls: list[ToolCall]) -> list[Event]:
    """The events of a content.

    Args:
        open_calls: of the content before, that nothing has answered yet; it is kept up to date.
    """
    if isinstance(value, str):  # the SDK takes a text for a user's content
        return [Event(id="", role="user", parts=(Text(text=value),))]
    content = Fields(value, where, ", field ")
    role = content.text("role", "user")
    if role not in ("user", "model", "system", "function", "tool"):
        raise wrong("a role of user or model", role, f"{where}, field role")
    parts = _with_own_ids([part_of(part, at) for part, at in content.items("parts")])
    if role in {"model", "system"}:
        open_calls[:] = [part for part in parts if isinstance(part, ToolCall)] or open_calls
        own = "assistant" if role == "model" else "system"
        return [Event(id="", role=own, parts=tuple(parts))]
    return user_events([_answering(part, open_calls) for part in parts])


def _answering(part: AnyPart, open_calls: list[ToolCall]) -> AnyPart:
    """A result with the id of the call that it answers: the caller may have given it one where the
    model gave the call none."""
    if not isinstance(part, ToolResult):
        return part
    named = (call for call in open_calls if call.id == part.call_id)
    alike = (call for call in open_calls if call.name == part.name)
    call = next(named, None) or next(alike, None)
    if call is None:
        return part
    open_calls.remove(call)
    return part if call.id == part.call_id else msgspec.structs.replace(part, call_id=call.id)


def _with_own_ids(parts: list[AnyPart]) -> list[AnyPart]:
    """Parts whose calls, and results, differ in their ids: Gemini names none and pairs parallel
    calls of one function with their results by order."""
    seen: Counter[tuple[type, str]] = Counter()
    own: list[AnyPart] = []
    for part in parts:
        id = part.id if isinstance(part, ToolCall) else getattr(part, "call_id", "")
        number = seen[type(part), id]
        seen[type(part), id] += 1
        if number and isinstance(part, ToolCall):
            part = msgspec.structs.replace(part, id=f"{id}~{number}")
        elif number and isinstance(part, ToolResult):
            part = msgspec.structs.replace(part, call_id=f"{id}~{number}")
        own.append(part)
    return own


def part_of(value: Any, where: str) -> AnyPart:
    """A Gemini part as a part of ours. In `extra["gemini"]` stay the thought signature and what the
    part says beside the fields of ours."""
    fields = Fields(value, where)
    part = fields.whole
    signature = _pick(part, "thought_signature")
    extra = _extra(part, signature)
    call, response = _pick(part, "function_call"), _pick(part, "function_response")
    if call is not None:
        called = Fields(call, f"{where}.function_call")
        name, arguments = called.text("name"), text_of(called.get("args") or {})
        id = str(called.get("id") or name)
        return ToolCall(id=id, name=name, arguments=arguments, extra=extra)
    if response is not None:
        return result_of(Fields(response, f"{where}.function_response").whole)
    if "text" not in part:
        return Text(text="", extra=extra) if _is_signature(part) else _media(part, extra)
    text = fields.text("text", "")
    if part.get("thought") is True:
        return Thinking(text=text, signature=str(signature or ""), provider="google")
    return Text(text=text, extra=extra)


def _extra(part: Json, signature: Any) -> Json:
    own = {"thought_signature": signature} if signature else {}
    others = fields_beside(part)
    own |= {OTHER_FIELDS: others} if others else {}
    return {NAME: own} if own else NO_FIELDS


def _is_signature(part: Json) -> bool:
    """Whether a part is a thought signature alone, which has to come back as it is."""
    return bool(part) and part.keys() <= {"thoughtSignature", "thought_signature"}


def result_of(response: Json) -> ToolResult:
    """A function response as a result of ours."""
    value = response.get("response")
    fields = object_if(value)
    key, single = next(iter(fields.items())) if len(fields) == 1 else ("", None)
    is_text = key in _TEXT_KEYS and isinstance(single, str)
    media = [_media(object_if(part)) for part in list_if(response.get("parts"))]
    text = str(single) if is_text else text_of(value) if fields or not media else ""
    name = str(response.get("name") or "")
    if is_text:
        extra = {NAME: {RESPONSE: key}} if key == "output" else NO_FIELDS
    else:
        extra = {NAME: {RESPONSE: True}} if fields else NO_FIELDS
    return ToolResult(
        call_id=str(response.get("id") or name),
        name=name,
        content=(Text(text=text), *media),
        status="error" if key == "error" else "ok",
        extra=extra,
    )


def response_of(result: ToolResult, text: str) -> Json:
    """What a function response says: the tool's own object where its text is that, or else a text
    where the tool has it.

    Args:
        text: of the result, as it is sent.
    """
    place = object_if(result.extra.get(NAME)).get(RESPONSE)
    if place is True and text == result.text:
        own = object_of(text)  # None for one that was shortened
        if own is not None:
            return own
    if result.status in {"error", "interrupted"}:
        return {"error": text}
    return {place if place in _TEXT_KEYS else "result": text}


def _media(part: Json, extra: Json = NO_FIELDS) -> Image | File | Opaque:
    inline, file = _pick(part, "inline_data"), _pick(part, "file_data")
    blob = object_if(inline if isinstance(inline, dict) else file)
    if not isinstance(inline, dict) and not isinstance(file, dict):
        kind = next((key for key in part if not key.startswith("thought")), "part")
        return Opaque(format=NAME, kind=kind, value=part)
    media = str(_pick(blob, "mime_type") or "")
    data = standard_base64(str(blob.get("data") or ""))
    url = str(_pick(blob, "file_uri") or "")
    if media.startswith("image/"):
        return Image(media_type=media, data=data, url=url, extra=extra)
    return File(media_type=media, data=data, url=url, extra=extra)


def part_to(part: AnyPart) -> Json | None:
    """A part of ours as a Gemini part; None for what this format can not say."""
    own = part.extra.get(NAME, {})
    signature = {"thoughtSignature": s} if (s := own.get("thought_signature")) else {}
    match part:
        case Text():
            return {"text": part.text, **signature}
        case Thinking():
            signed = {"thoughtSignature": part.signature} if part.signature else {}
            return {"text": part.text, "thought": True, **signed}
        case ToolCall():
            call = {"id": part.id, "name": part.name, "args": call_object(part.arguments)}
            return {"functionCall": call, **signature}
        case ToolResult():
            response = response_of(part, part.text)
            named = {"id": part.call_id, "name": part.name, "response": response}
            others = [part_to(each) for each in part.content if not isinstance(each, Text)]
            media = [each for each in others if each is not None]
            return {"functionResponse": {**named, "parts": media} if media else named}
        case Image() | File() if part.data:
            return {"inlineData": {"mimeType": part.media_type, "data": part.data}}
        case Image() | File() if part.url:
            return {"fileData": {"mimeType": part.media_type, "fileUri": part.url}}
        case Opaque():
            return part.value if part.format == NAME else None
        case _:
            return None


def message_of(events: Sequence[Event]) -> Json:
    """The content that these events stand for."""
    role = {"assistant": "model", "system": "system"}.get(events[0].role, "user")
    parts = [part_to(part) for event in events for part in event.parts]
    return {"role": role, "parts": [part for part in parts if part is not None]}


def _together(before: Event, event: Event) -> bool:
    return before.role == "tool" and event.role == "tool"
