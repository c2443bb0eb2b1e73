"""A strategy for the `compaction` of inspect_ai's agents, which is asked above a threshold; the
agent's state keeps all messages. Tested with inspect_ai 0.3.285."""

from typing import Any, Literal

from inspect_ai.model import ChatMessage, ChatMessageUser, CompactionStrategy, Model
from inspect_ai.tool import Tool, ToolInfo

from contextwright.adapters.context_owner import ContextOwner
from contextwright.adapters.inspect_ai.agent_tools import tools_of
from contextwright.adapters.inspect_ai.chat_content import mapped
from contextwright.adapters.port import ContextPort, context_of

_RUNS = 256
"""Conversations whose whole messages are held; the one compacted longest ago goes first."""


class ContextCompaction(ContextOwner, CompactionStrategy):
    """What the requests of an agent hold from the first one above the threshold.

    The framework hands over what it sent last; all that was in front of it is held here, so that
    each step down is made of the whole conversation.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        threshold: tokens, or the share of the window, above which it acts; the framework raises
            where what comes out is above it, so it belongs at the spec's limit or higher.
        memory: whether the framework warns a model that has its memory tool.
        options: of `Context`, where none is given: `model=...` and others.
    """

    def __init__(
        self,
        spec: Any = None,
        *,
        threshold: int | float = 0.9,
        memory: bool = True,
        **options: Any,
    ) -> None:
        kind: Literal["edit"] = "edit"
        super().__init__(type=kind, threshold=threshold, memory=memory)
        self.port = ContextPort(context_of(spec, options))
        self._whole: dict[str, list[ChatMessage]] = {}

    @property
    def tools(self) -> list[Tool]:
        """The tools with which the model reads back what was shortened, for the agent; none
        without `read_back=True`."""
        return tools_of(self.port)

    @property
    def preserve_prefix(self) -> bool:
        """No: the spec says what of the beginning stays."""
        return False

    async def compact(
        self, model: Model, messages: list[ChatMessage], tools: list[ToolInfo]
    ) -> tuple[list[ChatMessage], ChatMessageUser | None]:
        """The messages as the context has them, and none to append.

        Args:
            model: that they are for.
            messages: those sent last and the new ones.
            tools: that count for the budget.
        """
        whole, has_new = self._restored(messages)
        request = mapped(model, whole, tools)
        compiled = await self.port.compiled(request.body)
        if not has_new or compiled == request.body:
            # asked again, or where all fits by our count: the model said that it is too long
            refusal = "Your input exceeds the context window of this model."
            compiled = await self.port.asmaller(request.body, refusal)
        sent = request.messages_alone(compiled)
        self._whole[str(sent[-1].id)] = whole
        while len(self._whole) > _RUNS:
            del self._whole[next(iter(self._whole))]
        return sent, None

    def _restored(self, messages: list[ChatMessage]) -> tuple[list[ChatMessage], bool]:
        """All messages so far, and whether some were not compacted before."""
        for place in range(len(messages) - 1, -1, -1):
            if (known := self._whole.pop(str(messages[place].id), None)) is not None:
                new = messages[place + 1 :]
                return [*known, *new], bool(new)
        return list(messages), True
