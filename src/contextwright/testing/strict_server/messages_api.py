"""Anthropic Messages, as strict as the provider."""

import json
from collections.abc import Iterator
from typing import Any

from contextwright.render.anthropic_rules import RULES
from contextwright.testing.strict_server.api import Event, Issued, strings
from contextwright.testing.strict_server.billing import Billed
from contextwright.testing.strict_server.refusal import (
    RefusedRequest,
    broken_rules,
    fields,
    fingerprint,
    joined_turns,
    pieces,
    unknown_fields,
)
from contextwright.testing.strict_server.reply import Reply

_TOP = fields(
    "max_tokens messages model cache_control container diagnostics inference_geo metadata "
    "output_config service_tier stop_sequences stream system temperature thinking tool_choice "
    "tools top_k top_p context_management"
)
_CACHED = {"type", "cache_control"}
_BLOCKS = {
    "text": {"text", "citations"} | _CACHED,
    "image": {"source"} | _CACHED,
    "document": {"source", "title", "context", "citations"} | _CACHED,
    "thinking": {"type", "thinking", "signature"},
    "redacted_thinking": {"type", "data"},
    "compaction": {"content", "encrypted_content"} | _CACHED,
    "tool_use": {"id", "name", "input", "caller"} | _CACHED,
    "tool_result": {"tool_use_id", "content", "is_error"} | _CACHED,
}
_TOOL = fields(
    "name description input_schema type strict defer_loading allowed_callers input_examples "
    "eager_input_streaming cache_control"
)


def _blocks(content: Any) -> list[Any]:
    """A content as blocks, a text being one."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _plain(value: Any) -> Any:
    """A value without its cache breakpoints: a moved one is no change."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key != "cache_control"}
    return [_plain(item) for item in value] if isinstance(value, list) else value


class MessagesApi:
    """`POST /v1/messages`."""

    name = "anthropic"

    def check(self, body: dict[str, Any], issued: Issued, bound: bool) -> None:
        unknown_fields(body, "body", _TOP)
        for place, message in enumerate(body.get("messages", ())):
            unknown_fields(message, f"messages.{place}", {"role", "content"})
            for number, block in enumerate(_blocks(message["content"])):
                where = f"messages.{place}.content.{number}"
                unknown_fields(block, where, _BLOCKS.get(block.get("type"), {"type"}))
        for place, tool in enumerate(body.get("tools", ())):
            unknown_fields(tool, f"tools.{place}", _TOOL)
        broken_rules(self._normal(body), RULES)
        self._check_thinking(body, issued, bound)

    def _normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body as the rules read it: contents and system as blocks."""
        messages = [{**each, "content": _blocks(each["content"])} for each in body["messages"]]
        # "Consecutive `user` or `assistant` turns in your request will be combined into a single
        # turn", says the SDK of `messages`
        messages = joined_turns(messages, "content")
        return {**body, "messages": messages, "system": _blocks(body.get("system", []))}

    def _check_thinking(self, body: dict[str, Any], issued: Issued, bound: bool) -> None:
        is_off = body.get("thinking") == {"type": "disabled"}
        answers = [] if is_off else [m for m in body["messages"] if m["role"] == "assistant"]
        last = answers[-1] if answers else None
        for place, message in enumerate(body["messages"]):
            blocks = _blocks(message["content"])
            for number, block in enumerate(blocks):
                where = f"messages.{place}.content.{number}"
                if block["type"] == "thinking":
                    wanted = issued.get(block["signature"])
                    if wanted != fingerprint(block["thinking"]):
                        raise RefusedRequest(
                            "Invalid `signature` in `thinking` block", where, "signature"
                        )
                    if bound and not block["signature"].endswith(_prefix(body, place)):
                        raise RefusedRequest(
                            "Invalid signature in thinking block. The block is bound to a"
                            " different conversation prefix",
                            where,
                            "signature",
                        )
                thought = issued.get(block.get("id", ""))
                # reasoning that is bound may have to go with an edit in front of it
                is_needed = message is last and thought and not bound
                if is_needed and blocks[0]["type"] != "thinking":
                    raise RefusedRequest(
                        "Expected `thinking` or `redacted_thinking`, but found `tool_use`",
                        where,
                        "thinking",
                    )

    def units(self, body: dict[str, Any]) -> list[Any]:
        system = _blocks(body.get("system", []))
        parts = [_plain(part) for m in body["messages"] for part in _blocks(m["content"])]
        return [_plain(body.get("tools")), *map(_plain, system), *parts]

    def texts(self, body: dict[str, Any]) -> list[str]:
        return list(strings([body.get("system"), body["messages"]], "content", "text", "system"))

    def tools(self, body: dict[str, Any]) -> list[str]:
        return [tool["name"] for tool in body.get("tools", ())]

    def overflow(self, tokens: int, window: int) -> RefusedRequest:
        words = f"prompt is too long: {tokens} tokens > {window} maximum"
        return RefusedRequest(words, "messages", "invalid_request_error")

    def error(self, refusal: RefusedRequest) -> dict[str, Any]:
        where = "" if refusal.code == "invalid_request_error" else f"{refusal.where}: "
        error = {"type": "invalid_request_error", "message": where + refusal.message}
        return {"type": "error", "error": error}

    def answer(
        self, body: dict[str, Any], reply: Reply, billed: Billed, issued: Issued
    ) -> dict[str, Any]:
        content: list[dict[str, Any]] = []
        if reply.thinking:
            prefix = _prefix(body, len(body["messages"]))
            signature = f"sig-{len(issued)}-{prefix}"
            issued[signature] = fingerprint(reply.thinking)
            issued.update(dict.fromkeys((each.id for each in reply.calls), signature))
            block = {"type": "thinking", "thinking": reply.thinking, "signature": signature}
            content.append(block)
        if reply.text:
            content.append({"type": "text", "text": reply.text})
        content += [
            {"type": "tool_use", "id": each.id, "name": each.name, "input": each.arguments}
            for each in reply.calls
        ]
        return {
            "id": f"msg_{len(issued)}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": content,
            "stop_reason": "tool_use" if reply.calls else "end_turn",
            "stop_sequence": None,
            "usage": {
                "input_tokens": billed.tokens - billed.cached,
                "cache_read_input_tokens": billed.cached,
                "cache_creation_input_tokens": 0,
                "output_tokens": billed.output,
            },
        }

    def events(self, body: dict[str, Any], answer: dict[str, Any]) -> Iterator[Event]:
        start = {**answer, "content": [], "stop_reason": None}
        yield "message_start", {"type": "message_start", "message": start}
        for index, block in enumerate(answer["content"]):
            yield from _block_events(index, block)
        delta = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
        # the counts of the last event are sums over the whole answer
        last = {"type": "message_delta", "delta": delta, "usage": answer["usage"]}
        yield "message_delta", last
        yield "message_stop", {"type": "message_stop"}


def _block_events(index: int, block: dict[str, Any]) -> Iterator[Event]:
    """One block of an answer, as it is streamed."""

    def event(kind: str, **fields: Any) -> Event:
        return kind, {"type": kind, "index": index, **fields}

    if block["type"] == "text":
        yield event("content_block_start", content_block={"type": "text", "text": ""})
        for piece in pieces(block["text"]):
            yield event("content_block_delta", delta={"type": "text_delta", "text": piece})
    elif block["type"] == "thinking":
        empty = {"type": "thinking", "thinking": "", "signature": ""}
        yield event("content_block_start", content_block=empty)
        for piece in pieces(block["thinking"]):
            delta = {"type": "thinking_delta", "thinking": piece}
            yield event("content_block_delta", delta=delta)
        delta = {"type": "signature_delta", "signature": block["signature"]}
        yield event("content_block_delta", delta=delta)
    else:
        yield event("content_block_start", content_block={**block, "input": {}})
        for piece in pieces(json.dumps(block["input"], ensure_ascii=False)):
            delta = {"type": "input_json_delta", "partial_json": piece}
            yield event("content_block_delta", delta=delta)
    yield event("content_block_stop")


def _prefix(body: dict[str, Any], place: int) -> str:
    """A hash of all that stands in front of a message."""
    before = [
        {"role": each["role"], "content": _plain(_blocks(each["content"]))}
        for each in body["messages"][:place]
    ]
    return fingerprint(_plain(body.get("tools")), _plain(_blocks(body.get("system", []))), before)
