"""What a request holds, read without our renderers: the witness of every rule."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from contextwright.compiler.pack import Pack

_TEXT_KINDS = {"text", "input_text", "output_text"}


class SentPart(msgspec.Struct, frozen=True):
    """A piece of a request.

    Args:
        kind: `system`, `user`, `assistant`, `call`, `result`.
        text: its text; of a call its arguments as sent.
        call_id: of a call and of its result.
        name: of the tool that is called.
    """

    kind: str
    text: str = ""
    call_id: str = ""
    name: str = ""


def sent_parts(pack: Pack) -> list[SentPart]:
    """The parts of a pack's request, for the four formats known here; none for others."""
    readers = {
        "openai-chat": _chat,
        "openai-responses": _responses,
        "anthropic": _anthropic,
        "gemini": _gemini,
    }
    reader = readers.get(pack.manifest.format)
    return list(reader(pack.request)) if reader else []


def strings(value: Any) -> Iterator[str]:
    """Every text in a piece of JSON, whatever its shape."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():  # pyright: ignore[reportUnknownVariableType]
            yield from strings(item)
    elif isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        for item in value:  # pyright: ignore[reportUnknownVariableType]
            yield from strings(item)


def _chat(request: dict[str, Any]) -> Iterator[SentPart]:
    for message in request["messages"]:
        role = message["role"]
        if role == "tool":
            yield SentPart("result", "\n".join(_texts(message["content"])), message["tool_call_id"])
            continue
        kind = "system" if role in {"system", "developer"} else role
        yield from (SentPart(kind, text) for text in _texts(message.get("content")))
        for call in message.get("tool_calls") or ():
            yield SentPart(
                "call", call["function"]["arguments"], call["id"], call["function"]["name"]
            )


def _responses(request: dict[str, Any]) -> Iterator[SentPart]:
    yield from (SentPart("system", text) for text in _texts(request.get("instructions")))
    items = request["input"]
    for item in [{"role": "user", "content": items}] if isinstance(items, str) else items:
        if item.get("type") == "function_call":
            yield SentPart("call", item["arguments"], item["call_id"], item["name"])
        elif item.get("type") == "function_call_output":
            yield SentPart("result", "\n".join(_texts(item["output"])), item["call_id"])
        elif "role" in item:
            kind = "system" if item["role"] in {"system", "developer"} else item["role"]
            yield from (SentPart(kind, text) for text in _texts(item.get("content")))


def _anthropic(request: dict[str, Any]) -> Iterator[SentPart]:
    yield from (SentPart("system", text) for text in _texts(request.get("system")))
    for message in request["messages"]:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                yield SentPart(message["role"], part["text"])
            elif part["type"] == "tool_use":
                yield SentPart(
                    "call", msgspec.json.encode(part["input"]).decode(), part["id"], part["name"]
                )
            elif part["type"] == "tool_result":
                text = "\n".join(_texts(part.get("content")))
                yield SentPart("result", text, part["tool_use_id"])


def _gemini(request: dict[str, Any]) -> Iterator[SentPart]:
    config = request.get("config") or {}
    yield from (SentPart("system", text) for text in strings(config.get("system_instruction")))
    for content in request["contents"]:
        kind = "assistant" if content["role"] == "model" else "user"
        for part in content["parts"]:
            if "function_call" in part:
                call = part["function_call"]
                arguments = msgspec.json.encode(call.get("args")).decode()
                yield SentPart("call", arguments, call.get("id") or call["name"], call["name"])
            elif "function_response" in part:
                answer = part["function_response"]
                text = "\n".join(strings(answer.get("response")))
                yield SentPart("result", text, answer.get("id") or answer["name"])
            elif "text" in part and not part.get("thought"):
                yield SentPart(kind, part["text"])


def _texts(content: Any) -> list[str]:
    """The texts of a message's content: a text, or a list of parts."""
    if isinstance(content, str):
        return [content] if content else []
    parts: list[dict[str, Any]] = content or []
    return [part["text"] for part in parts if part.get("type") in _TEXT_KINDS]
