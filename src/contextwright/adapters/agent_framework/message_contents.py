"""The parts of Agent Framework's messages: their contents."""

from collections.abc import Sequence

from agent_framework import Content, Message

from contextwright.adapters.hosted_approvals import approval_view, approval_with, is_approval
from contextwright.adapters.part_view import PartView
from contextwright.formats.record_copies import copy_with


class MessageContents:
    """The contents of a message."""

    def role(self, message: Message) -> str:
        """The role."""
        return message.role

    def parts(self, message: Message) -> Sequence[Content]:
        """The contents."""
        return message.contents

    def view(self, part: Content) -> PartView:
        """What a content is."""
        if part.type == "text":
            return PartView("text", part.text or "")
        if part.type == "text_reasoning":
            return PartView.reasoning(part)
        if part.type == "function_call":
            return PartView.call(part.call_id, part.name, part.arguments)
        if part.type == "function_result":
            return PartView.result(str(part.result or ""), part.call_id, _others(part))
        if (approval := approval_view(part)) is not None:
            return approval
        kind = (part.media_type or "").partition("/")[0]
        if part.type in ("data", "uri") and part.uri:
            if kind == "image":
                return PartView.image(part.uri)
            return PartView.file(part.uri) if part.type == "data" else PartView.own(part)
        return PartView("opaque") if part.type == "usage" else PartView.own(part)

    def rewritten(self, part: Content, text: str) -> Content:
        """A copy with another text, other arguments; of a result, its pictures stay."""
        if field := {"text": "text", "function_call": "arguments"}.get(part.type):
            return copy_with(part, {field: text})
        if part.type != "function_result":
            return approval_with(part, text)
        return copy_with(part, {"result": text, "items": [Content.from_text(text), *_others(part)]})

    def with_parts(self, message: Message, parts: list[Content]) -> Message:
        """A copy with other contents."""
        return copy_with(message, {"contents": parts})

    def made(self, role: str, text: str) -> Message:
        """A message of one text."""
        return Message(role, [text])

    def made_result(self, id: str, tool: str, text: str) -> Message:
        """A message that answers a call; a request for an approval is refused."""
        if is_approval(id):
            call = Content.from_function_call(id, tool, hosted=True)
            return Message("user", [Content.from_function_approval_response(False, id, call)])
        return Message("tool", [Content.from_function_result(id, result=text)])


def _others(result: Content) -> list[Content]:
    return [item for item in result.items or () if item.type != "text"]
