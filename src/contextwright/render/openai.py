"""What the two formats of OpenAI share: parts of messages, the tail, overheads."""

import re

from contextwright.blocks.block import Block, Message
from contextwright.formats.fields import object_if
from contextwright.render.alternate import nothing_new
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.message_layout import Layout
from contextwright.render.opaque import beside_tokens, opaque_tokens
from contextwright.render.renderer import Overhead, Renderer
from contextwright.render.response_format import ResponseFormat
from contextwright.render.target import Target
from contextwright.render.wire import Count, Wire, clean, cost_of_image, file_tokens
from contextwright.session.event import AnyPart, File, Image, Text, ToolResult

_TEXT_KEYS = frozenset({"type", "text", "prompt_cache_breakpoint", "annotations", "logprobs"})
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")


def named_schema(response_format: ResponseFormat) -> Wire:
    """A response format's schema under its name."""
    return {
        "name": _NOT_IN_NAMES.sub("_", response_format.name)[:64],
        "schema": response_format.json_schema,
        "strict": response_format.strict,
    }


class OpenAIRenderer(Renderer):
    """A renderer whose messages hold parts with a `type`."""

    overhead = Overhead(result=4, tools=12)
    """OpenAI's cookbook, "How to count tokens with tiktoken": 3 a message, 3 to prime the answer;
    7 + 12 for functions. Calls are not documented: 8 is above what was seen."""

    def cost_beside(self, block: Block, pairs: list[tuple[str, Wire]], target: Target) -> int:
        """Of what may stand alone as the system's words, the note beside it."""
        if pairs and block.role != "system":
            return 0
        return self.section_cost(nothing_new(target.sign), target)

    def add_note(self, wires: list[Wire], layout: Layout, draft: RequestDraft) -> None:
        """Say so where a conversation is there and nobody but the system says anything in it: as
        the providers have it that want a user last."""
        if not layout.conversation:
            return
        for wire in wires:
            if wire.get("role") != "system":
                return
        wires.append(self.user_wire(draft.put("turn_note", "end", nothing_new(draft.sign))))

    def user_wire(self, text: str) -> Wire:
        """A user's message of one text."""
        raise NotImplementedError

    def text_part(self, text: str) -> Wire:
        """A text as a part of a message."""
        raise NotImplementedError

    def image_part(self, part: Image) -> Wire | None:
        """A picture as a part of a message; None where it can not be sent."""
        raise NotImplementedError

    def file_part(self, part: File) -> Wire | None:
        """A file as a part of a message; None where it can not be sent."""
        raise NotImplementedError

    def user_parts(self, message: Message, where: str, draft: RequestDraft) -> list[Wire]:
        """The parts of a user's message; one at least."""
        parts: list[Wire] = []
        for part in message.parts:
            if isinstance(part, Text) and part.text.strip():
                parts.append(self.text_part(clean(part.text)))
            elif isinstance(part, Image):
                parts.append(self.image_part(part) or self.text_part(draft.media(part, where)))
            elif isinstance(part, File):
                parts.append(self.file_part(part) or self.text_part(draft.media(part, where)))
        return parts or [self.text_part(draft.empty(where))]

    def images(self, result: ToolResult) -> list[Wire]:
        """The pictures of a result that can be sent."""
        images: list[Wire] = []
        for part in result.content:
            if isinstance(part, Image) and (image := self.image_part(part)) is not None:
                images.append(image)
        return images

    def measure_part(self, part: Wire, count: Count) -> int:
        """Tokens of a part of a message."""
        kind = str(part.get("type")).removeprefix("input_").removeprefix("output_")
        if kind == "text" and isinstance(part.get("text"), str):
            return count(part["text"]) + 1 + beside_tokens(part, _TEXT_KEYS, count, "openai")
        if kind in {"image", "image_url"}:
            image = object_if(part["image_url"]) if kind == "image_url" else part
            url = str(image.get("url") or image.get("image_url") or "")
            data = url.partition(";base64,")[2]
            detail = str(image.get("detail") or "")
            return cost_of_image(Image(data=data, detail=detail), "openai")
        if kind == "file":
            return file_tokens(str(object_if(part.get("file", part)).get("file_data") or ""))
        return opaque_tokens(part, count, "openai")

    def part_wires(
        self, part: AnyPart, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
    ) -> list[Wire]:
        """A text, a picture or a file; what else there is has its place in its own message."""
        if isinstance(part, Text):
            return [self.text_part(clean(part.text))] if part.text.strip() else []
        if not isinstance(part, Image | File):
            return []
        wire = self.image_part(part) if isinstance(part, Image) else self.file_part(part)
        return [wire or self.text_part(draft.media(part, where))]
