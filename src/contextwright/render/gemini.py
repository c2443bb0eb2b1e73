"""Gemini `contents`, as google-genai takes them."""

from collections.abc import Iterator
from typing import Any

from contextwright.blocks.block import Message
from contextwright.render.alternate import AlternatingRenderer
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.gemini_rules import RULES
from contextwright.render.message_layout import Layout
from contextwright.render.providers import Provider
from contextwright.render.renderer import Request, SendableParts
from contextwright.render.response_format import ResponseFormat
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

SKIP_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
"""base64 of `skip_thought_signature_validator`: what Google takes where a signature was lost."""
_PARTS = SendableParts(reasoning_of="google", reasoning_form=("text",), assistant_media=True)


class GeminiRenderer(AlternatingRenderer):
    """Keyword arguments of `client.models.generate_content`."""

    rules = RULES
    parts = _PARTS
    cache_order = ("config", "contents")
    body = "parts"
    assistant = "model"
    result_key = "function_response"
    id_pattern = r"[\x21-\x7e]{1,256}"
    schema_key = "parameters_json_schema"
    name_pattern = r"[A-Za-z_][A-Za-z0-9_.-]{0,63}"

    def build(self, layout: Layout, target: Target, draft: RequestDraft) -> Request:
        """Model, contents, and a config with instruction, tools and the answer's limit."""
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
        """The function declarations of a request."""
        groups = request.get("config", {}).get("tools", ())
        return [tool for group in groups for tool in group["function_declarations"]]

    def measure_system(self, request: Request, count: Count) -> int:
        """Tokens of the system instruction."""
        return count(request.get("config", {}).get("system_instruction", "")) + 1

    def measure_part(self, part: Wire, count: Count) -> int:
        """Tokens of a part of a content."""
        if "text" in part:
            return count(part["text"]) + 1
        if call := part.get("function_call"):
            tokens = self.overhead.call + count(call["name"])
            return tokens + schema_tokens(call["args"], count)
        if response := part.get("function_response"):
            texts = response["response"].values()
            return self.overhead.result + count(response["name"]) + sum(map(count, texts))
        blob = part.get("inline_data") or part["file_data"]
        if blob["mime_type"].startswith("image/"):
            return cost_of_image(Image(data=blob.get("data", "")), "google")
        return file_tokens(blob.get("data", ""))

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
    if isinstance(part, Text):
        if part.text.strip():
            yield {"text": clean(part.text), **_signature(part, message)}
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
        yield _blob(part, where, draft)


def _signature(part: AnyPart, message: Message) -> Wire:
    """The thought signature that came with a part; it holds only for the message as it was."""
    gemini = part.extra.get("gemini", {}) if message.whole else {}
    return _signed(gemini.get("thought_signature", "") if isinstance(gemini, dict) else "")  # pyright: ignore


def _signed(signature: Any) -> Wire:
    return {"thought_signature": signature} if isinstance(signature, str) and signature else {}


def _result(part: ToolResult, where: str, calls: BlockCalls, draft: RequestDraft) -> Wire:
    call = calls.calls.get(part.call_id)
    key = "error" if part.status in {"error", "interrupted"} else "result"
    response: Wire = {
        "id": calls.id_of(part.call_id),
        "name": draft.name(call.name if call is not None else part.name),
        "response": {key: draft.result_text(part, call, where)},
    }
    return {"function_response": response}


def _blob(part: Image | File, where: str, draft: RequestDraft) -> Wire:
    if part.data:
        return {"inline_data": {"mime_type": part.media_type, "data": part.data}}
    if part.url.startswith(("gs://", "https://generativelanguage.googleapis.com/")):
        return {"file_data": {"mime_type": part.media_type, "file_uri": clean(part.url)}}
    return {"text": draft.media(part, where)}


def _sign(contents: list[Wire], draft: RequestDraft) -> None:
    """Gemini 3: in the current turn the first call of a content is signed (GE6)."""
    start = 0
    for place, content in enumerate(contents):
        if content["role"] == "user" and any(
            "function_response" not in p for p in content["parts"]
        ):
            start = place
    for content in contents[start:]:
        calls = [part for part in content["parts"] if "function_call" in part]
        if calls and "thought_signature" not in calls[0]:
            call_id = calls[0]["function_call"]["id"]
            calls[0]["thought_signature"] = draft.put("signature", call_id, SKIP_SIGNATURE)


PROVIDER = Provider("gemini", GeminiRenderer(), sample_model="gemini-3-pro")
