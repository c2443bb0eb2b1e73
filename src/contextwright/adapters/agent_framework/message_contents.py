"""The parts of Agent Framework's messages: their contents."""

import copy
from collections.abc import Sequence

from agent_framework import Content, Message

from contextwright.adapters.part_view import PartView


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
            others = [item for item in part.items or () if item.type != "text"]
            return PartView.result(str(part.result or ""), part.call_id, others)
        kind = (part.media_type or "").partition("/")[0]
        if part.type in ("data", "uri") and part.uri:
            if kind == "image":
                return PartView.image(part.uri)
            return PartView.file(part.uri) if part.type == "data" else PartView.own(part)
        return PartView("opaque") if part.type == "usage" else PartView.own(part)

    def rewritten(self, part: Content, text: str) -> Content:
        """A copy with another text, other arguments; of a result, its pictures stay."""
        new = copy.copy(part)
        if part.type == "text":
            new.text = text
        elif part.type == "function_call":
            new.arguments = text
        else:
            new.result = text
            others = [item for item in part.items or () if item.type != "text"]
            new.items = [Content.from_text(text), *others]
        return new

    def with_parts(self, message: Message, parts: list[Content]) -> Message:
        """A copy with other contents."""
        new = copy.copy(message)
        new.contents = parts
        return new

    def made(self, role: str, text: str) -> Message:
        """A message of one text."""
        return Message(role, [text])

    def made_result(self, id: str, tool: str, text: str) -> Message:
        """A message that answers a call."""
        return Message("tool", [Content.from_function_result(id, result=text)])
