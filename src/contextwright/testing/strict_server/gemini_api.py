"""Gemini's generateContent, as strict as the provider."""

import re
from collections.abc import Iterator
from typing import Any

from contextwright.render.gemini import SKIP_SIGNATURE
from contextwright.render.gemini_rules import RULES
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
    "contents systemInstruction tools toolConfig safetySettings generationConfig "
    "cachedContent labels model serviceTier store"
)
_PART = fields(
    "text thought thoughtSignature inlineData fileData functionCall functionResponse "
    "executableCode codeExecutionResult videoMetadata partMetadata"
)


def _snake(value: Any) -> Any:
    """The keys of an object as our rules write them; what stands in arguments stays."""
    if isinstance(value, list):
        return [_snake(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        re.sub("[A-Z]", lambda match: "_" + match[0].lower(), key): (
            item if key in {"args", "response", "parametersJsonSchema"} else _snake(item)
        )
        for key, item in value.items()
    }


def _check_results_together(contents: list[dict[str, Any]]) -> None:
    """Refuse results of one turn that stand in several contents."""
    holds = [any("function_response" in part for part in each["parts"]) for each in contents]
    for place in range(1, len(contents)):
        if holds[place - 1] and holds[place]:
            raise RefusedRequest(
                "Please ensure that the number of function response parts is equal to the number "
                "of function call parts of the function call turn.",
                f"contents[{place}]",
                "G-results",
            )


class GeminiApi:
    """`POST /v1beta/models/MODEL:generateContent` and `:streamGenerateContent`."""

    name = "gemini"

    def check(self, body: dict[str, Any], issued: Issued, bound: bool) -> None:
        unknown_fields(body, "body", _TOP)
        for place, content in enumerate(body.get("contents", ())):
            unknown_fields(content, f"contents[{place}]", {"role", "parts"})
            for part in content.get("parts", ()):
                unknown_fields(part, f"contents[{place}]", _PART)
        config = {"tools": _snake(body.get("tools", []))}
        contents = [{"role": "user", **content} for content in _snake(body["contents"])]
        # neighbours of one role are taken (google-adk sends them), but results of one turn that
        # stand in several contents are not (cloudwego/eino-ext#571, docker/docker-agent#2958)
        _check_results_together(contents)
        contents = joined_turns(contents, "parts")
        broken_rules({"model": body["model"], "contents": contents, "config": config}, RULES)
        self._check_signatures(body, issued)

    def _check_signatures(self, body: dict[str, Any], issued: Issued) -> None:
        for place, content in enumerate(body["contents"]):
            for part in content["parts"]:
                signature = part.get("thoughtSignature")
                if signature is None:
                    continue
                call = part.get("functionCall", {})
                signed_call = fingerprint(call.get("name"), call.get("args") or {})
                is_lost = _unpadded(signature) == _unpadded(SKIP_SIGNATURE)
                if not is_lost and issued.get(_unpadded(signature)) != signed_call:
                    where = f"contents[{place}]"
                    raise RefusedRequest("Corrupted thought signature.", where, "signature")

    def units(self, body: dict[str, Any]) -> list[Any]:
        head = [body.get("tools"), body.get("systemInstruction")]
        return [head, *(part for content in body["contents"] for part in content["parts"])]

    def texts(self, body: dict[str, Any]) -> list[str]:
        responses = [
            str(part["functionResponse"].get("response"))
            for content in body["contents"]
            for part in content["parts"]
            if "functionResponse" in part
        ]
        return [*strings([body.get("systemInstruction"), body["contents"]], "text"), *responses]

    def tools(self, body: dict[str, Any]) -> list[str]:
        groups = body.get("tools", ())
        return [tool["name"] for group in groups for tool in group.get("functionDeclarations", ())]

    def overflow(self, tokens: int, window: int) -> RefusedRequest:
        return RefusedRequest(
            f"The input token count ({tokens}) exceeds the maximum number of tokens allowed"
            f" ({window}).",
            "contents",
            "INVALID_ARGUMENT",
        )

    def error(self, refusal: RefusedRequest) -> dict[str, Any]:
        status = "INVALID_ARGUMENT"
        return {"error": {"code": refusal.status, "message": refusal.message, "status": status}}

    def answer(
        self, body: dict[str, Any], reply: Reply, billed: Billed, issued: Issued
    ) -> dict[str, Any]:
        parts: list[dict[str, Any]] = []
        if reply.thinking:
            parts.append({"text": reply.thinking, "thought": True})
        if reply.text:
            parts.append({"text": reply.text})
        for place, each in enumerate(reply.calls):
            function = {"id": each.id, "name": each.name, "args": each.arguments}
            part: dict[str, Any] = {"functionCall": function}
            if place == 0:
                signature = f"c2ln{len(issued):08d}"
                issued[signature] = fingerprint(each.name, each.arguments)
                part["thoughtSignature"] = signature
            parts.append(part)
        usage = {
            "promptTokenCount": billed.tokens,
            "cachedContentTokenCount": billed.cached,
            "candidatesTokenCount": billed.output,
            "totalTokenCount": billed.tokens + billed.output,
        }
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        return {
            "candidates": [{**candidate, "finishReason": "STOP"}],
            "usageMetadata": usage,
            "modelVersion": body["model"],
            "responseId": f"r{len(issued)}",
        }

    def events(self, body: dict[str, Any], answer: dict[str, Any]) -> Iterator[Event]:
        head = {key: answer[key] for key in ("modelVersion", "responseId", "usageMetadata")}
        parts: list[dict[str, Any]] = []
        for part in answer["candidates"][0]["content"]["parts"]:
            if "text" in part:
                parts += [{**part, "text": piece} for piece in pieces(part["text"])]
            else:
                parts.append(part)
        for place, part in enumerate(parts):
            candidate: dict[str, Any] = {"content": {"role": "model", "parts": [part]}, "index": 0}
            if place == len(parts) - 1:
                candidate["finishReason"] = "STOP"
            yield None, {"candidates": [candidate], **head}


def _unpadded(signature: str) -> str:
    """A signature in the one alphabet of base64, whichever the client wrote it in."""
    return signature.replace("-", "+").replace("_", "/").rstrip("=")
