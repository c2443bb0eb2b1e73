"""Which keys of each provider's messages, items and parts another provider is told of in its own
words, or has no need of; what stands beside them is lost between the two."""

from collections.abc import Container, Iterator, Mapping
from typing import Any, cast

import msgspec

from contextwright.formats import anthropic, bedrock, gemini, openai_chat, openai_responses
from contextwright.formats.fields import Json, object_if
from contextwright.formats.part_places import FORMS
from contextwright.formats.provenance import ToMessage

Field = tuple[str, str]
"""Where an object stands, and a key of it: `messages[].content[]`, `x_trace`."""


class Kinds(msgspec.Struct, frozen=True):
    """Objects whose kind one of their keys names.

    Args:
        key: names the kind; otherwise: the kind of an object without it.
        shapes: by the kind, or by how it ends.
    """

    key: str
    otherwise: str
    shapes: Mapping[str, "Shape"]

    def shape(self, value: Json) -> "Shape":
        """What is known of an object; nothing of a kind that its reader takes as it is."""
        kind = str(value.get(self.key) or self.otherwise)
        endings = (f"*{end}" for end in ("_call_output", "_call") if kind.endswith(end))
        return self.shapes.get(kind) or self.shapes.get(next(endings, ""), {})


Shape = Mapping[str, "Shape | Kinds | None"]
"""The known keys of an object, each with those of what stands within it, if that is looked into."""

_ANYWHERE = frozenset({"cache_control", "prompt_cache_breakpoint", "caller"})
"""Marks of a cache have a rule of their own; who called a tool of the caller's no other asks."""


def _keys(names: str, **inside: "Shape | Kinds") -> Shape:
    return {**dict.fromkeys(names.split()), **inside}


def _spelled(shape: Shape) -> Shape:
    """Gemini's keys in both of their spellings."""

    def camel(key: str) -> str:
        head, *rest = key.split("_")
        return head + "".join(word.title() for word in rest)

    return {name: inner for key, inner in shape.items() for name in (key, camel(key))}


def _of(format: str, names: str, **inside: "Shape | Kinds") -> Shape:
    """The keys of a message; of one in a record, what no provider is sent is not asked for."""
    recorded = FORMS[format].recorded | FORMS[format].of_answer
    return {**dict.fromkeys(recorded), **_keys(names, **inside)}


_FILE = _keys("file_id file_data filename")
_CHAT_PARTS = Kinds("type", "text", {
    "text": _keys("type text"),
    "image_url": _keys("type", image_url=_keys("url detail")),
    "file": _keys("type", file=_FILE),
})  # fmt: skip
_CHAT_CALLS = Kinds("type", "function", {
    # `index` is of a call that was streamed
    "function": _keys("type id index", function=_keys("name arguments")),
    "custom": _keys("type id index", custom=_keys("name input")),
})  # fmt: skip
_CHAT_SAID = _of("openai-chat", "role name", content=_CHAT_PARTS)
_CHAT_RESULT = _of("openai-chat", "role name tool_call_id", content=_CHAT_PARTS)
_CHAT = Kinds("role", "user", {
    "system": _CHAT_SAID, "developer": _CHAT_SAID, "user": _CHAT_SAID,
    "assistant": _of("openai-chat", "role name reasoning_content", content=_CHAT_PARTS,
        tool_calls=_CHAT_CALLS, function_call=_keys("name arguments")),
    "tool": _CHAT_RESULT, "function": _CHAT_RESULT,
})  # fmt: skip

_TEXT = _keys("type text")
_RESPONSES_PARTS = Kinds("type", "", {
    "input_text": _TEXT, "output_text": _TEXT, "text": _TEXT,
    "input_image": _keys("type image_url file_id detail"),
    "input_file": _keys("type file_id file_data filename"),
})  # fmt: skip
_RESPONSES = Kinds("type", "message", {
    "message": _keys("type id role status", content=_RESPONSES_PARTS),
    "reasoning": _keys("type id status content encrypted_content",
        summary=Kinds("type", "", {"summary_text": _TEXT})),
    "*_call": _keys("type id call_id status name arguments input action operation"),
    "*_call_output": _keys("type id call_id status name", output=_RESPONSES_PARTS),
    "mcp_approval_request": _keys("type id name arguments server_label"),
    "mcp_approval_response": _keys("type id approval_request_id approve reason"),
})  # fmt: skip

_SOURCE = _keys("type media_type data url file_id")
_CLAUDE_BLOCKS: dict[str, Shape] = {
    "text": _TEXT,
    "tool_use": _keys("type id name input"),
    "thinking": _keys("type thinking signature"),
    "redacted_thinking": _keys("type data"),
    "image": _keys("type", source=_SOURCE),
    "document": _keys("type title", source=_SOURCE),
}
_CLAUDE_RESULT = _keys("type tool_use_id is_error", content=Kinds("type", "", _CLAUDE_BLOCKS))
_CLAUDE_PARTS = Kinds("type", "", {**_CLAUDE_BLOCKS, "tool_result": _CLAUDE_RESULT})
_CLAUDE = _of("anthropic", "role", content=_CLAUDE_PARTS)

_MEDIA = {
    "inline_data": _spelled(_keys("data mime_type")),
    "file_data": _spelled(_keys("file_uri mime_type")),
}
_GEMINI_PART = _spelled(_keys(
    "text thought thought_signature", **_MEDIA, function_call=_keys("id name args"),
    function_response=_keys("id name response", parts=_spelled(_MEDIA)),
))  # fmt: skip
_GEMINI = _of("gemini", "role", parts=_GEMINI_PART)

_PLACE = _keys("bytes", s3Location=_keys("uri"))
_PAPER = _keys("format name", source=_PLACE)
_THOUGHT = _keys("redactedContent", reasoningText=_keys("text signature"))
_CONVERSE_PART = _keys("text json toolUse reasoningContent", image=_PAPER, document=_PAPER,
    video=_PAPER, audio=_PAPER)  # fmt: skip
_CONVERSE = _keys("role", content={**_CONVERSE_PART, **_keys("",
    cachePoint=_keys("type ttl"), guardContent=_keys("", text=_keys("text")),
    citationsContent=_keys("", content=_keys("text")), reasoningContent=_THOUGHT,
    toolUse=_keys("toolUseId name input"),
    toolResult=_keys("toolUseId status", content=_CONVERSE_PART),
)})  # fmt: skip


class KnownMessage(msgspec.Struct, frozen=True):
    """What is known of a format's messages.

    Args:
        path: of a message in a body; its keys; write: makes it of the events it stands for.
    """

    path: str
    keys: "Shape | Kinds"
    write: ToMessage


KNOWN = {
    openai_chat.NAME: KnownMessage("messages[]", _CHAT, openai_chat.message_of),
    openai_responses.NAME: KnownMessage("input", _RESPONSES, openai_responses.group_of),
    anthropic.NAME: KnownMessage("messages[]", _CLAUDE, anthropic.message_of),
    gemini.NAME: KnownMessage("contents[]", _GEMINI, gemini.message_of),
    bedrock.NAME: KnownMessage("messages[]", _CONVERSE, bedrock.message_of),
}
"""By the name of the format."""


def lost_fields(format: str, message: Any, taken: Container[Any]) -> Iterator[Field]:
    """The fields of a message, and of its parts, that no other provider is told of.

    Args:
        taken: the parts that its reader takes as they are: these are named as such.
    """
    path, known = KNOWN[format].path, KNOWN[format].keys
    role = object_if(message).get("role")
    if format == openai_responses.NAME:
        message = message["items"]
    elif role == anthropic.SYSTEM_FIELD:  # Converse's is called so too
        whole = _CLAUDE if format == anthropic.NAME else _CONVERSE
        message, known, path = message["content"], whole["content"], "system"
    elif format == gemini.NAME and role == "system":
        path = "systemInstruction"
    if known is not None:
        yield from _lost(message, known, path, taken)


def _lost(value: Any, known: "Shape | Kinds", path: str, taken: Container[Any]) -> Iterator[Field]:
    if isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _lost(item, known, f"{path}[]", taken)
    if not isinstance(value, dict) or value in taken:
        return
    fields = cast(Json, value)
    shape = known.shape(fields) if isinstance(known, Kinds) else known
    for key, item in fields.items() if shape else ():
        if key in _ANYWHERE or item is None or item in ("", [], {}):
            continue
        if key not in shape:
            yield path, key
        elif (inner := shape[key]) is not None:
            yield from _lost(item, inner, f"{path}.{key}", taken)
