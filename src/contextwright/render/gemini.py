"""Gemini `contents`, as google-genai takes them."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from contextwright.blocks.block import Message
from contextwright.formats.fields import list_if, object_if
from contextwright.formats.gemini import response_of, result_of
from contextwright.formats.gemini_fields import OTHER_FIELDS, with_fields_beside
from contextwright.memo.by_identity import by_identity
from contextwright.memo.ownership import owned_table
from contextwright.render.alternate import AlternatingRenderer
from contextwright.render.body_context import instruction_of, is_as_it_came
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.gemini_body import (
    ANSWER_SCHEMAS,
    SYSTEM,
    GeminiBody,
    config_of,
    declarations,
    either,
    spellings,
)
from contextwright.render.gemini_rules import RULES
from contextwright.render.message_layout import Layout
from contextwright.render.opaque import opaque_tokens
from contextwright.render.providers import Provider
from contextwright.render.renderer import Request, SendableParts
from contextwright.render.response_format import ResponseFormat
from contextwright.render.source_messages import SourceMessages
from contextwright.render.source_wires import SourceWire
from contextwright.render.target import Target
from contextwright.render.wire import (
    Count,
    Wire,
    arguments_of,
    clean,
    cost_of_image,
    file_tokens,
    is_sendable,
    schema_tokens,
    scrubbed,
)
from contextwright.session.event import (
    AnyPart,
    File,
    Image,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)

_FILES = (
    "gs://",
    "https://generativelanguage.googleapis.com/",
    "https://www.youtube.com/",
    "https://youtu.be/",
)
"""Where a file lies that Gemini reads by its address (ai.google.dev, files and video)."""
SKIP_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""base64 of `skip_thought_signature_validator`: what Google takes where a signature was lost."""
_PARTS = SendableParts(
    reasoning_of="google", reasoning_form=("text",), assistant_media=True, opaque_of="gemini"
)


class GeminiRenderer(AlternatingRenderer):
    """Keyword arguments of `client.models.generate_content`."""

    rules = RULES
    message_rules = frozenset({"U1", "GE7", "GE8"})
    tail_rules = frozenset({"GE2"})
    repaired = frozenset({"U1", "GE2", "GE7", "GE8"})
    parts = _PARTS
    cache_order = ("config", "tools", "systemInstruction", "system_instruction", "contents")
    body = "parts"
    assistant = "model"
    result_key = "function_response"
    id_pattern = r"[\x21-\x7e]{1,256}"
    schema_key = "parameters_json_schema"
    name_pattern = r"[A-Za-z_][A-Za-z0-9_.-]{0,63}"

    def build(self, layout: Layout, target: Target, draft: RequestDraft) -> Request:
        """Model, contents, and a config with instruction, tools and the answer's limit."""
        if target.sources is not None:
            return self._with_body(layout, target, target.sources, draft)
        contents, _ = self.turns(layout, target, draft)
        if target.model.rpartition("/")[2].startswith("gemini-3"):
            _sign(contents, draft)
        config: Wire = {"max_output_tokens": target.reserved_output or 1}
        if layout.system:
            config["system_instruction"] = draft.joined(layout.system, "system")
        if layout.tools:
            declared = self.tool_wires(layout, draft)
            config["tools"] = [{"function_declarations": declared}]
        request: Request = {"model": target.model, "contents": contents, "config": config}
        return self.with_response_format(request, target)

    def _with_body(
        self, layout: Layout, target: Target, sources: SourceMessages, draft: RequestDraft
    ) -> Request:
        """The caller's own body, in the form of the SDK or of the REST API."""
        body = GeminiBody(sources)
        instruction = instruction_of(layout, sources, field=body.system is not None)
        blocks = (*instruction.messages, *layout.conversation)
        rest = msgspec.structs.replace(layout, conversation=blocks)
        contents, _ = self.turns(rest, target, draft)
        came = is_as_it_came(contents, sources, skipped=len(instruction.own))
        if not came and target.model.rpartition("/")[2].startswith("gemini-3"):
            _sign(contents, draft)
        own = [wire for block in instruction.own for _, wire in self.wires(block, draft, target)]
        added = draft.joined(instruction.context, "system").strip()
        body.say(own, added)
        body.declare(layout.tools, partial(self.tool_wire, draft=draft))
        if "reserved_output" in target.overrides:
            body.limit(target.reserved_output)
        if target.response_format is not None:
            body.ask(self.response_fields(target.response_format))
        return body.request(contents, target.model, came=came)

    def frame_of_record(self, fields: Wire, target: Target) -> Wire:
        """With a config that has the room for the answer."""
        config = {"max_output_tokens": target.reserved_output or 1}
        return {"model": target.model, "contents": None, "config": config}

    def takes_message(self, data: Any, *, leads: bool) -> bool:
        """As for all; the system's words have their place in the config."""
        is_said = isinstance(data, dict) and not leads
        return is_said and super().takes_message(data, leads=leads)

    def response_fields(self, response_format: ResponseFormat) -> Request:
        """Fields of the config."""
        fields: Wire = {"response_mime_type": "application/json"}
        if response_format.schema:
            fields["response_json_schema"] = response_format.json_schema
        return fields

    def with_response_format(self, request: Request, target: Target) -> Request:
        """A request whose config asks for the target's response format."""
        super().with_response_format(request["config"], target)
        return request

    def tools_of(self, request: Request) -> list[Wire]:
        """The function declarations of a request, and the tools that are none."""
        return declarations(config_of(request).get("tools"))

    def wires_of(self, request: Request) -> list[Wire]:
        """The contents of a request."""
        contents = request.get("contents") or []
        listed = contents if isinstance(contents, list) else [contents]
        return [one if isinstance(one, dict) else {"parts": [{"text": one}]} for one in listed]

    def measure(self, request: Request, target: Target) -> int:
        """As for all; the shape of an answer stands where the config stands."""
        tokens = super().measure(request, target)
        config = object_if(config_of(request))
        config = {**config, **object_if(config.get("generationConfig"))}
        schemas = [config[key] for key in ANSWER_SCHEMAS if config.get(key)]
        if target.sources is None or target.response_format is not None or not schemas:
            return tokens
        return tokens + self.overhead.tool + schema_tokens(schemas[0], target.counter.count)

    def measure_system(self, request: Request, count: Count) -> int:
        """Tokens of the system instruction."""
        config = config_of(request)
        system = next((config[key] for key in SYSTEM if config.get(key) is not None), "")
        if isinstance(system, str):
            return count(system) + 1
        parts = object_if(system).get("parts") if isinstance(system, dict) else system
        return sum(self.measure_part(part, count) for part in list_if(parts)) + 1

    def measure_part(self, part: Wire, count: Count) -> int:
        """Tokens of a part of a content."""
        if isinstance(part, str):
            return count(part) + 1
        if isinstance(part.get("text"), str):
            return count(part["text"]) + 1
        call, response = either(part, "function_call"), either(part, "function_response")
        if call:
            tokens = self.overhead.call + count(str(call.get("name", "")))
            return tokens + schema_tokens(call.get("args"), count)
        if response:
            name = str(response.get("name", ""))
            text = result_of(object_if(response)).text
            tokens = self.overhead.result + count(name) + count(text)
            return tokens + sum(
                self.measure_part(one, count) for one in list_if(response.get("parts"))
            )
        blob = either(part, "inline_data") or either(part, "file_data")
        if not blob:
            return opaque_tokens(part, count, "google")
        media = str(blob.get("mime_type") or blob.get("mimeType") or "")
        if media.startswith("image/"):
            return cost_of_image(Image(data=str(blob.get("data") or "")), "google")
        return file_tokens(str(blob.get("data") or ""))

    def message_parts(
        self, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
    ) -> list[Wire]:
        """The parts of a content as they are sent."""
        wires = [
            wire for part in message.parts for wire in _part(part, message, where, calls, draft)
        ]
        if message.role == "tool":
            # pictures stand behind all responses: no response content takes them on 2.x
            wires.sort(key=lambda wire: "function_response" not in wire)
        return wires


def _part(
    part: AnyPart, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
) -> Iterator[Wire]:
    others = _fields_beside(part)
    for wire in _typed(part, message, where, calls, draft):
        yield with_fields_beside(wire, others) if others else wire


def _typed(
    part: AnyPart, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
) -> Iterator[Wire]:
    """A part by the fields that all providers know."""
    if isinstance(part, Text):
        signature = _signature(part, message)
        if part.text.strip() or signature:
            yield {"text": clean(part.text), **signature}
    elif isinstance(part, ToolCall):
        if calls.is_sent(part):
            arguments = arguments_of(part) or {}
            name = draft.name(part.name)
            call = {"id": calls.id_of(part.id), "name": name, "args": arguments}
            yield {"function_call": call, **_signature(part, message)}
    elif isinstance(part, ToolResult):
        yield _result(part, where, calls, draft)
        for piece in part.content:
            if isinstance(piece, Image) and is_sendable(piece):
                yield _blob(piece, where, draft)
    elif isinstance(part, Thinking):
        if not _PARTS.refusal(part, message, ""):
            yield {"text": clean(part.text), "thought": True, **_signed(part.signature)}
    elif isinstance(part, (Image, File)):
        blob = _blob(part, where, draft)
        yield blob if "text" in blob else {**blob, **_signature(part, message)}
    elif not _PARTS.refusal(part, message, ""):
        lost = () if message.whole else spellings("thought_signature")
        yield {key: scrubbed(item) for key, item in part.value.items() if key not in lost}


def _fields_beside(part: AnyPart) -> Wire:
    """The fields that a part of Gemini's came with beside those of ours."""
    return object_if(object_if(part.extra.get("gemini")).get(OTHER_FIELDS)) if part.extra else {}


def _signature(part: AnyPart, message: Message) -> Wire:
    """The thought signature that came with a part; it holds only for the message as it was."""
    gemini = part.extra.get("gemini", {}) if message.whole else {}
    return _signed(gemini.get("thought_signature", "") if isinstance(gemini, dict) else "")  # pyright: ignore


def _signed(signature: Any) -> Wire:
    return {"thought_signature": signature} if isinstance(signature, str) and signature else {}


def _result(part: ToolResult, where: str, calls: BlockCalls, draft: RequestDraft) -> Wire:
    call = calls.calls.get(part.call_id)
    name = call.name if call is not None else part.name
    id = calls.id_of(part.call_id)
    # a body's call without an id was read with its name in the id's place
    named = {} if calls.as_they_came and id.partition("~")[0] == name else {"id": id}
    response: Wire = {
        **named,
        "name": draft.name(name),
        "response": response_of(part, draft.result_text(part, call, where)),
    }
    return {"function_response": response}


def _blob(part: Image | File, where: str, draft: RequestDraft) -> Wire:
    kind = {"mime_type": part.media_type} if part.media_type else {}
    if part.data:
        return {"inline_data": {**kind, "data": part.data}}
    if part.url.startswith(_FILES) or "file_data" in _fields_beside(part):
        return {"file_data": {**kind, "file_uri": clean(part.url)}}
    return {"text": draft.media(part, where)}


def _sign(contents: list[Wire], draft: RequestDraft) -> None:
    """Gemini 3: in the current turn the first call of a content is signed (GE6)."""
    start = 0
    for place, content in enumerate(contents):
        if content.get("role", "user") == "user" and not all(
            either(part, "function_response") for part in content["parts"]
        ):
            start = place
    table, current = owned_table("signed contents", brief=True), contents[start:]
    if table is None:
        made = list(map(_signed_content, current))
    else:
        made = by_identity(table, current, _signed_content)
    for place, (where, signed) in enumerate(made, start):
        if where is not None:
            draft.put("signature", where, SKIP_SIGNATURE)
            contents[place] = signed


def _signed_content(content: Wire) -> tuple[str | None, Wire]:
    """A content whose first call is signed, and where; as it is where nothing is to be signed."""
    if isinstance(content, SourceWire) and not content.touched:
        return None, content  # who made it knew what it signed
    calls = [n for n, part in enumerate(content["parts"]) if either(part, "function_call")]
    first = content["parts"][calls[0]] if calls else {}
    if not calls or first.keys() & {"thought_signature", "thoughtSignature"}:
        return None, content
    call = either(first, "function_call")
    parts = list(content["parts"])
    parts[calls[0]] = {**first, "thought_signature": SKIP_SIGNATURE}
    signed = {**content, "parts": parts}
    if isinstance(content, SourceWire):
        signed = SourceWire(signed, content.source, content.places, touched=True)
    return str(call.get("id") or call.get("name")), signed


PROVIDER = Provider("gemini", GeminiRenderer(), sample_model="gemini-3-pro")
