"""OpenAI Chat Completions, as strict as the provider."""

import json
from collections.abc import Iterator
from typing import Any

from contextwright.render.openai_chat_rules import RULES
from contextwright.testing.strict_server.api import Event, Issued, strings
from contextwright.testing.strict_server.billing import Billed
from contextwright.testing.strict_server.refusal import (
    RefusedRequest,
    broken_rules,
    fields,
    pieces,
    unknown_fields,
)
from contextwright.testing.strict_server.reply import Reply

_TOP = fields(
    "messages model audio frequency_penalty function_call functions logit_bias logprobs "
    "max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls "
    "prediction presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention "
    "reasoning_effort response_format safety_identifier seed service_tier stop store stream "
    "stream_options temperature tool_choice tools top_logprobs top_p user verbosity "
    "web_search_options"
)
_MESSAGES = {
    "system": {"role", "content", "name"},
    "developer": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal", "audio", "annotations"},
    "tool": {"role", "content", "tool_call_id", "name"},  # its function, as functions had it
}
_PARTS = {
    "text": {"type", "text", "prompt_cache_breakpoint"},
    "image_url": {"type", "image_url", "prompt_cache_breakpoint"},
    "input_audio": {"type", "input_audio"},
    "file": {"type", "file", "prompt_cache_breakpoint"},
    "refusal": {"type", "refusal"},
}


def _filled(message: dict[str, Any]) -> dict[str, Any]:
    """A result of nothing is a text to OpenAI (it refuses null alone: run-llama/llama_index#17555);
    others that speak its language refuse it (earendil-works/pi#3311), and so does our rule."""
    is_empty = message["role"] == "tool" and message.get("content") == ""
    return {**message, "content": "(nothing)"} if is_empty else message


class ChatApi:
    """`POST /v1/chat/completions`."""

    name = "openai-chat"

    def check(self, body: dict[str, Any], issued: Issued, bound: bool) -> None:
        unknown_fields(body, "body", _TOP)
        for place, message in enumerate(body.get("messages", ())):
            where = f"messages[{place}]"
            unknown_fields(message, where, _MESSAGES.get(message.get("role"), {"role"}))
            if message["role"] == "tool" and "tool_call_id" not in message:
                raise RefusedRequest("Missing required parameter: 'tool_call_id'", where, "OC3")
            if message["role"] == "tool" and message.get("content") is None:
                words = "Invalid value for 'content': expected a string, got null."
                raise RefusedRequest(words, where, "OC3")
            if isinstance(message.get("content"), list):
                for part in message["content"]:
                    unknown_fields(part, where, _PARTS.get(part.get("type"), {"type"}))
            for each in message.get("tool_calls") or ():
                unknown_fields(each, where, {"id", "type", "function", "custom"})
                unknown_fields(each["function"], where, {"name", "arguments"})
        for place, tool in enumerate(body.get("tools", ())):
            unknown_fields(tool, f"tools[{place}]", {"type", "function", "custom"})
            known = {"name", "description", "parameters", "strict"}
            unknown_fields(tool["function"], f"tools[{place}]", known)
        broken_rules({**body, "messages": [_filled(each) for each in body["messages"]]}, RULES)

    def units(self, body: dict[str, Any]) -> list[Any]:
        return [[body.get("tools"), body.get("response_format")], *body["messages"]]

    def texts(self, body: dict[str, Any]) -> list[str]:
        return list(strings(body["messages"], "content", "text", "arguments"))

    def tools(self, body: dict[str, Any]) -> list[str]:
        return [tool["function"]["name"] for tool in body.get("tools", ())]

    def overflow(self, tokens: int, window: int) -> RefusedRequest:
        return RefusedRequest(
            f"This model's maximum context length is {window} tokens. However, your messages"
            f" resulted in {tokens} tokens. Please reduce the length of the messages.",
            "messages",
            "context_length_exceeded",
        )

    def error(self, refusal: RefusedRequest) -> dict[str, Any]:
        return {
            "error": {
                "message": refusal.message,
                "type": "invalid_request_error",
                "param": refusal.where,
                "code": refusal.code,
            }
        }

    def answer(
        self, body: dict[str, Any], reply: Reply, billed: Billed, issued: Issued
    ) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        if reply.calls:
            message["tool_calls"] = [
                {
                    "id": each.id,
                    "type": "function",
                    "function": {"name": each.name, "arguments": each.json},
                }
                for each in reply.calls
            ]
        return {
            "id": f"chatcmpl-{len(issued)}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [
                {
                    "index": 0,
                    "message": message,
                    "logprobs": None,
                    "finish_reason": "tool_calls" if reply.calls else "stop",
                }
            ],
            "usage": {
                "prompt_tokens": billed.tokens,
                "completion_tokens": billed.output,
                "total_tokens": billed.tokens + billed.output,
                "prompt_tokens_details": {"cached_tokens": billed.cached},
            },
        }

    def events(self, body: dict[str, Any], answer: dict[str, Any]) -> Iterator[Event]:
        choice = answer["choices"][0]
        head = {key: answer[key] for key in ("id", "created", "model")}
        head["object"] = "chat.completion.chunk"

        def chunk(delta: dict[str, Any], finish: str | None = None) -> Event:
            return None, {
                **head,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
            }

        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(choice["message"]["content"] or ""):
            yield chunk({"content": piece})
        for index, each in enumerate(choice["message"].get("tool_calls", ())):
            function = each["function"]
            named = {**each, "index": index, "function": {**function, "arguments": ""}}
            yield chunk({"tool_calls": [named]})
            for piece in pieces(function["arguments"]):
                part = {"index": index, "function": {"arguments": piece}}
                yield chunk({"tool_calls": [part]})
        yield chunk({}, choice["finish_reason"])
        if (body.get("stream_options") or {}).get("include_usage"):
            yield None, {**head, "choices": [], "usage": answer["usage"]}
        yield None, "[DONE]"


def as_text(data: dict[str, Any] | str) -> str:
    """The data of an event as it stands in the stream."""
    return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
