"""The unit that flows through a spec: a message group or a text, whole until it is rendered."""

import msgspec

from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import CacheClass, Layer, Trust
from contextwright.session.event import AnyPart, Role, Text, ToolCall, ToolResult
from contextwright.session.harness_text import is_spoken

SCORE_ONE = 1_000_000
"""Scores are whole numbers of millionths: hashed documents hold no floats."""

DEFAULT_TIER = 2

SUMMARY = "summary:"
"""How the source of a summary begins, in front of what it is of."""


class Message(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """One message of a block, as it will be sent.

    Args:
        event_id: the event that it came from; empty for one that nobody said.
        whole: whether its parts are all of the event's, untouched; signatures hold only then.
        is_ours: whether its words are lines of ours on what it was: what they quote was escaped
            when they were written.
    """

    role: Role
    parts: tuple[AnyPart, ...]
    event_id: str = ""
    author: str = ""
    whole: bool = True
    is_ours: bool = False


class Block(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True, gc=False):
    """A piece of context that is kept, shortened or left out as one.

    It holds either `messages`, an exchange of the conversation, or `text`, anything else.

    Args:
        id: names the block in its pack: an event id, `state:intent`, `notes:progress`.
        source: the term of the spec that brought it, as `<context_block source=...>` shows it.
        tier: 1 critical, 2 important, 3 supplementary, 4 archive; 0 where none was set.
        score: relevance or recency in millionths; -1 where nothing scored it.
        turn: the turn it belongs to; -1 outside the conversation.
        order: its place among the exchanges; -1 outside the conversation.
        fidelity: how far it is from its original.
        ref: where the original can be read again.
        lineage: ids of the events and blocks that it shows, replaces or abstracts.
        why: why it was last lowered.
        pinned: never dropped, never shortened.
        failed: holds a failed or interrupted tool execution.
        trust: of a text, whose words it holds; messages have their role. It only goes down.
    """

    id: str
    source: str
    layer: Layer = Layer.CONVERSATION
    messages: tuple[Message, ...] = ()
    text: str = ""
    tier: int = 0
    score: int = -1
    turn: int = -1
    order: int = -1
    cache: CacheClass = CacheClass.SESSION
    fidelity: Fidelity = Fidelity.RAW
    ref: str = ""
    lineage: tuple[str, ...] = ()
    why: str = ""
    pinned: bool = False
    failed: bool = False
    trust: Trust = Trust.FOREIGN

    @property
    def rank(self) -> int:
        """The tier that counts: an untagged block is important (2)."""
        return self.tier or DEFAULT_TIER

    @property
    def in_conversation(self) -> bool:
        """Whether it holds messages of the log."""
        return bool(self.messages)

    @property
    def is_summary(self) -> bool:
        """Whether it is a text that tells others in fewer words, however much of it was cut."""
        is_cut = self.fidelity is Fidelity.TRUNCATED and self.source.startswith(SUMMARY)
        return not self.messages and (self.fidelity is Fidelity.SUMMARIZED or is_cut)

    @property
    def author(self) -> str:
        """Who began it."""
        return self.messages[0].author if self.messages else ""

    @property
    def role(self) -> str:
        """The role of its first message; empty for a text block."""
        return self.messages[0].role if self.messages else ""

    @property
    def by_user(self) -> bool:
        """Whether a user says something in it: more than what a harness says in their name."""
        return self.role == "user" and is_spoken(self.messages[0].parts)

    @property
    def has_calls(self) -> bool:
        """Whether it holds an assistant's calls: each has its result behind it."""
        messages = self.messages  # asked of every exchange of a request
        is_more = len(messages) > 1
        return is_more and messages[0].role == "assistant" and messages[-1].role == "tool"

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """Its tool calls, in order."""
        parts = [part for message in self.messages for part in message.parts]
        return tuple([part for part in parts if isinstance(part, ToolCall)])

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """Its tool results."""
        results: list[ToolResult] = []
        for message in self.messages:  # asked of every exchange, and most are one text
            for part in message.parts:
                if isinstance(part, ToolResult):
                    results.append(part)
        return tuple(results)

    @property
    def plain_text(self) -> str:
        """All of its text, a line each: what a scorer or a duplicate check reads."""
        if not self.messages:
            return self.text
        texts: list[str] = []
        for message in self.messages:
            for part in message.parts:
                if isinstance(part, (Text, ToolResult)):
                    texts.append(part.text)
        return "\n".join(texts)

    def with_text(self, text: str, *, why: str) -> "Block":
        """The same text block with other words at the same fidelity."""
        return msgspec.structs.replace(self, text=text, why=why)

    def lower(
        self,
        fidelity: Fidelity,
        *,
        why: str,
        messages: tuple[Message, ...] | None = None,
        text: str | None = None,
        ref: str = "",
    ) -> "Block":
        """The only step down: the same block, shorter, saying why and where the whole is."""
        return msgspec.structs.replace(
            self,
            fidelity=min(fidelity, self.fidelity),
            messages=self.messages if messages is None else messages,
            text=self.text if text is None else text,
            ref=ref or self.ref,
            why=why,
        )


Blocks = tuple[Block, ...]
