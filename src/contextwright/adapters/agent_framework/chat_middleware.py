"""A chat middleware of Agent Framework's, around each call of the model inside the loop of calls;
the session's own messages stay whole. Tested with agent-framework-core 1.23."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from agent_framework import (
    ChatContext,
    ChatMiddleware,
    Content,
    FunctionTool,
    ResponseStream,
    add_usage_details,
)

from contextwright.adapters.agent_framework.message_contents import MessageContents
from contextwright.adapters.answered_tools import reading_tools
from contextwright.adapters.bills import bill_of
from contextwright.adapters.context_owner import ContextOwner
from contextwright.adapters.loaded_history import refuse_loaded_history
from contextwright.adapters.message_mapping import MappedRequest, function_schema
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.streams import astream
from contextwright.tokens.usage import Usage

_MAPPING = PartedMessages(MessageContents(), Content.from_text)
_BILLED = ("usage_details", "conversation_id")


class ContextChatMiddleware(ContextOwner, ChatMiddleware):
    """What each request of an agent holds.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others; with `read_back=True`
            the model reads back what was shortened, by `tools`, which the agent is given.
    """

    def __init__(self, spec: Any = None, **options: Any) -> None:
        self.port = ContextPort(context_of(spec, options))
        self.tools = [
            FunctionTool(
                name=tool.name,
                description=tool.description,
                func=tool.aread,
                input_model=tool.parameters,
            )
            for tool in reading_tools(self.port)
        ]

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """The model's answer to the compiled request; as a stream where it is asked for one. Where
        the agent's history is loaded behind this, a `SpecError`."""
        request = _Request(context, call_next, self.port.context.model)
        port = self.port.for_tools(reads_back=request.mapped.reads_back)
        body = request.mapped.body
        if not context.stream:
            await port.asend(body, request.send, bill=request.whole_bill)
            return
        # now, not with the first update: what middleware behind this one asks of the stream, such
        # as its gates, the framework takes as soon as this one is through
        await port.asend(body, request.open, bill=lambda _: None)
        updates = astream(port, body, request.updates, request.bill, request.newest)
        context.result = ResponseStream(updates, finalizer=request.response)


class _Request:
    """One request, as it is sent once or twice."""

    def __init__(
        self, context: ChatContext, call_next: Callable[[], Awaitable[None]], model: str
    ) -> None:
        self.context, self.call_next = context, call_next
        options = context.options or {}
        refuse_loaded_history(call_next, conversation := options.get("conversation_id"))
        instructions = options.get("instructions")
        tools = [tool for tool in options.get("tools") or () if isinstance(tool, FunctionTool)]
        self.mapped = MappedRequest(
            _MAPPING, context.messages,
            model=str(options.get("model") or getattr(context.client, "model", None) or ""),
            system=instructions if isinstance(instructions, str) else None,
            output=options.get("response_format"),
            options=options,
            tools=(function_schema(t.name, t.description, t.parameters()) for t in tools),
        )  # fmt: skip
        if conversation:
            # the service has what came before; a body without a model would be a record, no request
            is_answer = str(conversation).startswith("resp_")  # its id: the service goes on from it
            chain = "previous_response_id" if is_answer else "conversation"
            self.mapped.body |= {"model": model, **self.mapped.body, chain: conversation}
        self.newest: Body = {}
        """The compiled body that was sent last."""
        self.stream: Any = None
        self._is_open = False
        self.usage: Any = None  # of a streamed answer so far
        self.conversation: str | None = None

    async def send(self, body: Body) -> None:
        """Send a compiled body; the answer is the context's result."""
        self.newest = body
        options = self.mapped.arguments_of(body, self.context.options or {})
        if (system := self.mapped.system_of(body)) is not None:
            options["instructions"] = system
        self.context.options = options
        self.context.messages = self.mapped.messages_of(body)
        await self.call_next()

    async def open(self, body: Body) -> None:
        """Send a compiled body whose answer is streamed."""
        await self.send(body)
        self.stream, self._is_open = self.context.result, True

    async def updates(self, body: Body) -> AsyncIterator[Any]:
        """The updates of a streamed answer."""
        if not self._is_open:
            await self.open(body)
        self._is_open = False
        async for update in self.stream:
            yield update

    def bill(self, update: Any) -> Usage | None:
        """What a streamed answer cost up to this update."""
        for each in update.contents:
            if each.type == "usage":
                self.usage = add_usage_details(self.usage, each.usage_details)
        self.conversation = update.conversation_id or self.conversation
        return _bill(self.usage, self.conversation)

    def whole_bill(self, _: Any) -> Usage | None:
        """What an answer cost that was not streamed."""
        return _bill(*(getattr(self.context.result, name, None) for name in _BILLED))

    async def response(self, updates: Any) -> Any:
        """The whole of a streamed answer, by the stream that it came from."""
        return await self.stream.get_final_response()


def _bill(details: Any, conversation: str | None) -> Usage | None:
    """What an answer cost, and the id that the next request goes on from; Anthropic's input is
    without what is cached."""
    return bill_of(
        (details or {}).get("input_token_count"),
        (details or {}).get("output_token_count"),
        cached=(details or {}).get("cache_read_input_token_count"),
        written=(details or {}).get("cache_creation_input_token_count"),
        is_apart=any(name.startswith("anthropic.") for name in details or ()),
        response_id=conversation,
    )
