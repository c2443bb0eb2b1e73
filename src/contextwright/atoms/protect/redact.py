"""`C.redact(...)`: what must not be seen is not sent (context-algebra.md#redaction)."""

from typing import ClassVar

import msgspec

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.errors import SpecError
from contextwright.redaction.named_fields import redact_json_text
from contextwright.redaction.scan import Scanner, compile_patterns
from contextwright.session.event import AnyPart, File, Image, Text, Thinking, ToolCall, ToolResult
from contextwright.spec.inputs import Inputs
from contextwright.spec.word_roles import Guard


class Redact(Guard, frozen=True, kw_only=True):
    """Put `[REDACTED]` for what these patterns find and what these fields hold, everywhere:
    the system instruction, the user's words, calls, results, state, notes, file names.

    Refs name the originals; `Engine.expand` redacts what it gives back.

    Args:
        patterns: names of built-in patterns, groups (`pii`, `secrets`), or regular
            expressions, which run on RE2 (extra `redact`).
        fields: names, or dotted paths, of fields in JSON.

    Raises:
        SpecError: nothing to redact. PatternError: a pattern that can not run in linear time.
    """

    word: ClassVar[str] = "redact"

    patterns: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.patterns and not self.fields:
            raise SpecError(
                "nothing to redact",
                where=repr(self),
                fix='C.redact(patterns=["email", "phone"]) or C.redact(fields=["ssn"])',
            )
        if self.patterns:
            compile_patterns(self.patterns)

    @property
    def covers(self) -> tuple[str, ...]:
        """Its patterns."""
        return self.patterns

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, redacted."""
        scanner = compile_patterns(self.patterns) if self.patterns else None
        return inputs.memo.map(self, blocks, lambda block: self._redacted(block, scanner))

    def _redacted(self, block: Block, scanner: Scanner | None) -> Block:
        text = self.clean(block.text, scanner) if block.text else block.text
        messages = tuple(self._message(message, scanner) for message in block.messages)
        same = all(new is old for new, old in zip(messages, block.messages, strict=True))
        if text == block.text and same:
            return block
        return msgspec.structs.replace(
            block, text=text, messages=block.messages if same else messages, why="redacted"
        )

    def cleaned(self, text: str) -> str:
        """A text by itself, redacted."""
        return self.clean(text, compile_patterns(self.patterns) if self.patterns else None)

    def clean(self, text: str, scanner: Scanner | None) -> str:
        """A text, redacted."""
        if self.fields:
            text = redact_json_text(text, self.fields)[0]
        return scanner.redact(text)[0] if scanner is not None else text

    def _message(self, message: Message, scanner: Scanner | None) -> Message:
        parts = tuple(self._part(part, scanner) for part in message.parts)
        if all(new is old for new, old in zip(parts, message.parts, strict=True)):
            return message
        return msgspec.structs.replace(message, parts=parts, whole=False)

    def _part(self, part: AnyPart, scanner: Scanner | None) -> AnyPart:
        if isinstance(part, (Text, Thinking)):
            text = self.clean(part.text, scanner)
            return part if text == part.text else Text(text=text)
        if isinstance(part, ToolCall):
            arguments = self.clean(part.arguments, scanner)
            if arguments == part.arguments:
                return part
            return ToolCall(id=part.id, name=part.name, arguments=arguments)
        if isinstance(part, ToolResult):
            content = tuple(self._part(piece, scanner) for piece in part.content)
            if all(new is old for new, old in zip(content, part.content, strict=True)):
                return part
            return msgspec.structs.replace(part, content=content, extra={})
        if isinstance(part, (File, Image)):
            return self._media(part, scanner)
        return part

    def _media(self, part: File | Image, scanner: Scanner | None) -> AnyPart:
        name = part.name if isinstance(part, File) else ""
        cleaned, url = self.clean(name, scanner), self.clean(part.url, scanner)
        if cleaned == name and url == part.url:
            return part
        if url != part.url:
            return Text(text=f"[{part.media_type} not sent: its address was redacted]")
        return msgspec.structs.replace(part, name=cleaned, extra={})
