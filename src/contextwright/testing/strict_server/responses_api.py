"""OpenAI Responses, as strict as the provider."""

from collections.abc import Iterator
from typing import Any

from contextwright.render.openai_responses_rules import RULES
from contextwright.testing.strict_server.api import Event, Issued, strings
from contextwright.testing.strict_server.billing import Billed
from contextwright.testing.strict_server.refusal import (
    RefusedRequest,
    broken_rules,
    fields,
    fingerprint,
    pieces,
    unknown_fields,
)
from contextwright.testing.strict_server.reply import Reply
from contextwright.testing.strict_server.stored_responses import keep, link_of

_TOP = fields(
    "background background_options context_management conversation image include input "
    "instructions max_output_tokens max_tool_calls metadata model moderation "
    "parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options "
    "prompt_cache_retention reasoning safety_identifier service_tier store stream "
    "stream_options temperature text tool_choice tools top_logprobs top_p truncation user"
)
_ITEMS = {
    "message": {"type", "role", "content", "id", "status", "phase"},
    "reasoning": {"type", "id", "summary", "content", "encrypted_content", "status"},
    "function_call": fields("type id call_id name arguments status namespace caller async"),
    "function_call_output": {"type", "id", "call_id", "output", "status", "name"},
    "additional_tools": {"type", "id", "role", "tools"},
    "compaction": {"type", "id", "encrypted_content"},
}
_FUNCTION = {"type", "name", "description", "parameters", "strict"}
_SEARCH = {"type", "filters", "user_location", "search_context_size"}
_TOOLS = {
    "mcp": fields(
        "type server_label allowed_tools authorization connector_id headers require_approval "
        "server_description server_url"
    ),
    "web_search": _SEARCH,
    "web_search_preview": _SEARCH,
}
"""Fields of tools that run at the provider."""


class ResponsesApi:
    """`POST /v1/responses`."""

    name = "openai-responses"

    def check(self, body: dict[str, Any], issued: Issued, bound: bool) -> None:
        unknown_fields(body, "body", _TOP)
        ids: set[str] = set()
        for place, item in enumerate(_items(body)):
            where = f"input[{place}]"
            unknown_fields(item, where, _ITEMS.get(str(item.get("type")), {"type"}))
            id = item.get("id")
            if id is not None and id in ids:
                raise RefusedRequest(f"Duplicate item found with id {id}.", where, "OR4")
            ids |= {id} if id else set()
        for place, tool in enumerate(body.get("tools", ())):
            unknown_fields(tool, f"tools[{place}]", _TOOLS.get(tool.get("type"), _FUNCTION))
        broken_rules(self._normal(body), RULES)
        self._check_reasoning(body, issued, bound)

    def _normal(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body as the rules read it: typed messages, no ids but those of reasoning."""
        items: list[dict[str, Any]] = []
        for item in _items(body):
            has_id = item["type"] == "reasoning"
            plain = {key: item[key] for key in item if key != "id" or has_id}
            if item["type"] == "message":
                plain["content"] = _content(item)
            items.append(plain)
        return {**body, "input": items}

    def _check_reasoning(self, body: dict[str, Any], issued: Issued, bound: bool) -> None:
        present: set[str] = set()
        items = _items(body)
        for place, item in enumerate(items):
            if item["type"] == "reasoning":
                signature = item["encrypted_content"]
                if issued.get(signature) != item["id"]:
                    message = "The encrypted content could not be verified."
                    raise RefusedRequest(message, f"input[{place}]", "signature")
                if bound and not signature.endswith(fingerprint(body.get("tools"), items[:place])):
                    raise RefusedRequest("prefix_mismatch", f"input[{place}]", "signature")
                present.add(item["id"])
            needed = issued.get(item.get("id", ""))
            if needed is not None and item["type"] != "reasoning" and needed not in present:
                raise RefusedRequest(
                    f"Item '{item['id']}' of type '{item['type']}' was provided without its"
                    f" required 'reasoning' item: '{needed}'.",
                    f"input[{place}]",
                    "OR6",
                )

    def units(self, body: dict[str, Any]) -> list[Any]:
        head = [body.get("tools"), body.get("text"), body.get("instructions")]
        return [head, *_items(body)]

    def texts(self, body: dict[str, Any]) -> list[str]:
        keys = ("content", "text", "output", "arguments")
        return [str(body.get("instructions") or ""), *strings(_items(body), *keys)]

    def tools(self, body: dict[str, Any]) -> list[str]:
        return [tool["name"] for tool in body.get("tools", ()) if "name" in tool]

    def overflow(self, tokens: int, window: int) -> RefusedRequest:
        return RefusedRequest(
            "Your input exceeds the context window of this model. Please adjust your input and"
            " try again.",
            "input",
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
        number = len(issued)
        issued[f"resp_{number}"] = ""
        output: list[dict[str, Any]] = []
        followers: list[dict[str, Any]] = []
        if reply.text:
            part = {"type": "output_text", "text": reply.text, "annotations": []}
            followers.append(
                {
                    "type": "message",
                    "id": f"msg_{number}",
                    "role": "assistant",
                    "status": "completed",
                    "content": [part],
                }
            )
        for place, each in enumerate(reply.calls):
            followers.append(
                {
                    "type": "function_call",
                    "id": f"fc_{number}_{place}",
                    "call_id": each.id,
                    "name": each.name,
                    "arguments": each.json,
                    "status": "completed",
                }
            )
        if reply.thinking:
            signature = f"enc-{number}-{fingerprint(body.get('tools'), _items(body))}"
            issued[signature] = f"rs_{number}"
            issued.update({each["id"]: f"rs_{number}" for each in followers})
            summary = [{"type": "summary_text", "text": reply.thinking}]
            output.append(
                {
                    "type": "reasoning",
                    "id": f"rs_{number}",
                    "summary": summary,
                    "encrypted_content": signature,
                }
            )
        usage = {
            "input_tokens": billed.tokens,
            "input_tokens_details": {"cached_tokens": billed.cached, "cache_write_tokens": 0},
            "output_tokens": billed.output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": billed.tokens + billed.output,
        }
        answer = {**_envelope(body, number), "output": [*output, *followers], "usage": usage}
        keep(body, answer, _items(body), issued)
        return answer

    def events(self, body: dict[str, Any], answer: dict[str, Any]) -> Iterator[Event]:
        for number, (kind, data) in enumerate(_events(answer)):
            yield kind, {"type": kind, "sequence_number": number, **data}


def _envelope(body: dict[str, Any], number: int) -> dict[str, Any]:
    link = {"conversation": {"id": link_of(body)}} if body.get("conversation") else {}
    return {
        **link,
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body["model"],
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools", []),
        "top_p": 1.0,
    }


def _events(answer: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """An answer as it is streamed: each item is added, grows and is done."""
    begun = {**answer, "status": "in_progress", "output": [], "usage": None}
    yield "response.created", {"response": begun}
    for index, item in enumerate(answer["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        empty = {**item, "status": "in_progress"}
        if item["type"] == "message":
            part, text = item["content"][0], item["content"][0]["text"]
            yield "response.output_item.added", {**place, "item": {**empty, "content": []}}
            place["content_index"] = 0
            yield "response.content_part.added", {**place, "part": {**part, "text": ""}}
            for piece in pieces(text):
                yield "response.output_text.delta", {**place, "delta": piece, "logprobs": []}
            yield "response.output_text.done", {**place, "text": text, "logprobs": []}
            yield "response.content_part.done", {**place, "part": part}
        elif item["type"] == "function_call":
            yield "response.output_item.added", {**place, "item": {**empty, "arguments": ""}}
            for piece in pieces(item["arguments"]):
                yield "response.function_call_arguments.delta", {**place, "delta": piece}
            done = {**place, "name": item["name"], "arguments": item["arguments"]}
            yield "response.function_call_arguments.done", done
        else:
            yield "response.output_item.added", {**place, "item": {**item, "summary": []}}
        yield "response.output_item.done", {**place, "item": item}
    yield "response.completed", {"response": answer}


def _items(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The items of the input, each with its type."""
    written = body.get("input", [])
    if isinstance(written, str):
        written = [{"role": "user", "content": written}]
    return [{"type": "message", **item} if "role" in item else item for item in written]


def _content(item: dict[str, Any]) -> Any:
    """The content of a message as the rules read it."""
    content = item["content"]
    if item["role"] == "assistant" and isinstance(content, list):
        return "".join(part.get("text", part.get("refusal", "")) for part in content)
    if item["role"] != "assistant" and isinstance(content, str):
        return [{"type": "input_text", "text": content}] if content else []
    return content
