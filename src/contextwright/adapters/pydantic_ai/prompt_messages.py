"""The parts of pydantic-ai's messages: what a prompt is made of, calls, returns and retries."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pydantic_ai import messages
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, UserPromptPart

from contextwright.adapters.history_records import content_with
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.opaque_parts import text_of
from contextwright.adapters.part_view import PartView

_CHANGED = "instruction-delta"
"""Kind of an instruction that holds from there on, in the place of an earlier one."""
_RECORDS = {"cache-point", "instruction-baseline", "model-settings-delta", _CHANGED,
            "tool-availability-delta", "capability-load-delta"}  # fmt: skip
"""Kinds of parts that say what changed beside the messages: nobody said them."""
_TEXTS = {"tool-call": "args", "speech": "transcript"}
"""Where parts have their text, if not in `content`."""


class PromptParts:
    """The parts of a message."""

    def role(self, message: ModelMessage) -> str:
        """The role; system prompts have their own."""
        return "assistant" if isinstance(message, ModelResponse) else "user"

    def parts(self, message: ModelMessage) -> Sequence[Any]:
        """Its parts; of a prompt that is a list, the items."""
        parts: list[Any] = []
        for part in message.parts:
            prompt = part.content if isinstance(part, UserPromptPart) else ""
            parts += [part] if isinstance(prompt, str) else prompt
        return parts

    def view(self, part: Any) -> PartView:
        """What a part is; of a retry, what is said in it: the framework says what it is."""
        if isinstance(part, messages.ToolCallPart):
            return PartView.call(part.tool_call_id, part.tool_name, part.args_as_json_str())
        if isinstance(part, messages.ToolReturnPart):
            text = part.model_response_str(wrap_if_error=False)
            return PartView.result(text, part.tool_call_id, part.files)
        if isinstance(part, messages.SystemPromptPart):
            return PartView("text", part.content, role="system")
        if getattr(part, "part_kind", "") == _CHANGED and part.content:
            return PartView("text", part.content, role="system", stays=True)
        if isinstance(part, messages.SpeechPart) and part.audio is None:
            return PartView("text", part.transcript or "")
        if isinstance(part, messages.CompactionPart):
            return PartView("own", wire=PartView.own(part).wire, stays=True)
        if isinstance(part, str):
            return PartView("text", part)
        if isinstance(part, messages.TextPart | messages.TextContent | UserPromptPart):
            return PartView("text", str(part.content))
        if hasattr(part, "model_response"):
            kind = "result" if getattr(part, "tool_name", None) else "text"
            return PartView(kind, text_of(part.content), getattr(part, "tool_call_id", ""))
        return PartView.reasoning(part) if isinstance(part, messages.ThinkingPart) else _media(part)

    def rewritten(self, part: Any, text: str) -> Any:
        """A copy with another text, other arguments; data stays data where the text is JSON still,
        and the pictures of a result stay."""
        if isinstance(part, str):
            return text
        if field := _TEXTS.get(getattr(part, "part_kind", "")):
            return replace(part, **{field: text})
        return content_with(part, text)

    def with_parts(self, message: ModelMessage, parts: list[Any]) -> ModelMessage:
        """A copy with other parts; items that stand together are a prompt."""
        whole: list[Any] = []
        for is_part, group in groupby(parts, lambda part: hasattr(part, "part_kind")):
            items: list[Any] = list(group)
            is_text = len(items) == 1 and isinstance(items[0], str)
            prompt = items[0] if is_text else items
            whole += items if is_part else [UserPromptPart(content=prompt)]
        return replace(message, parts=whole)

    def made(self, role: str, text: str) -> ModelMessage:
        """A message of one text."""
        if role == "assistant":
            return ModelResponse(parts=[messages.TextPart(content=text)])
        part = messages.SystemPromptPart if role == "system" else UserPromptPart
        return ModelRequest(parts=[part(content=text)])

    def made_result(self, id: str, tool: str, text: str) -> ModelMessage:
        """A message that answers a call."""
        return ModelRequest(parts=[messages.ToolReturnPart(tool, text, id)])


def _media(item: Any) -> PartView:
    """An item of a prompt, or a part of an answer, that is no text."""
    item = item.content if isinstance(item, messages.FilePart) else item
    name = getattr(item, "_identifier", None) or ""  # that somebody gave it
    if isinstance(item, messages.ImageUrl):
        return PartView.image(item.url, name)
    if not isinstance(item, messages.BinaryContent):
        kind = getattr(item, "part_kind", getattr(item, "kind", ""))
        return PartView("opaque") if kind in _RECORDS else PartView.own(item)
    if item.is_image:
        return PartView.image_data(item.media_type, item.data, name)
    return PartView.file_data(item.media_type, item.data, item.identifier)


MESSAGES = PartedMessages(PromptParts())
