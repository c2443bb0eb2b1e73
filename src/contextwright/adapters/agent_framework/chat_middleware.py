"""A chat middleware of Agent Framework's, around each call of the model inside the loop of calls;
the session's own messages stay whole. Tested with agent-framework-core 1.23."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from agent_framework import (
    ChatContext,
    ChatMiddleware,
    FunctionTool,
    ResponseStream,
    add_usage_details,
)

from contextwright.adapters.agent_framework.message_contents import MessageContents
from contextwright.adapters.message_mapping import foreign_body, framework_messages
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.streams import astream
from contextwright.session.event import Tool
from contextwright.tokens.usage import Usage

_MAPPING = PartedMessages(MessageContents())


class ContextChatMiddleware(ChatMiddleware):
    """What each request of an agent holds.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others; with `read_back=True`
            the model reads back what was shortened, by `tools`, which the agent is given.
    """

    def __init__(self, spec: Any = None, **options: Any) -> None:
        self.port = ContextPort(context_of(spec, options))
        self.tools = [_reading_tool(self.port, tool) for tool in self.port.tools()]

    @property
    def context(self) -> Any:
        """The context: its newest pack, session and manifest."""
        return self.port.context

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """The model's answer to the compiled request; as a stream where it is asked for one."""
        request = _Request(context, call_next)
        if not context.stream:
            await self.port.asend(request.foreign.body, request.send)
            bill = _bill(getattr(context.result, "usage_details", None))
            await self.port.abilled(request.foreign.body, bill)
            return
        updates = astream(self.port, request.foreign.body, request.updates, request.bill)
        context.result = ResponseStream(updates, finalizer=request.response)


class _Request:
    """One request, as it is sent once or twice."""

    def __init__(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        self.context, self.call_next = context, call_next
        self.messages = list(context.messages)
        options = context.options or {}
        instructions = options.get("instructions")
        tools = [tool for tool in options.get("tools") or () if isinstance(tool, FunctionTool)]
        self.foreign = foreign_body(
            _MAPPING,
            self.messages,
            model=str(options.get("model") or getattr(context.client, "model", None) or ""),
            system=instructions if isinstance(instructions, str) else None,
            tools=(
                {"name": t.name, "description": t.description, "parameters": t.parameters()}
                for t in tools
            ),
        )
        self.stream: Any = None
        self.usage: Any = None  # of a streamed answer so far

    async def send(self, body: Body) -> None:
        """Send a compiled body; the answer is the context's result."""
        compiled = body["messages"]
        system, messages = framework_messages(_MAPPING, self.messages, self.foreign, compiled)
        options = dict(self.context.options or {})
        if system is not None and system != options["instructions"]:
            self.context.options = {**options, "instructions": system}
        self.context.messages = messages
        await self.call_next()

    async def updates(self, body: Body) -> AsyncIterator[Any]:
        """The updates of a streamed answer."""
        await self.send(body)
        self.stream = self.context.result
        async for update in self.stream:
            yield update

    def bill(self, update: Any) -> Usage | None:
        """What a streamed answer cost up to this update."""
        for each in update.contents:
            if each.type == "usage":
                self.usage = add_usage_details(self.usage, each.usage_details)
        return _bill(self.usage)

    async def response(self, updates: Any) -> Any:
        """The whole of a streamed answer, by the stream that it came from."""
        return await self.stream.get_final_response()


def _bill(details: Any) -> Usage | None:
    """What an answer cost; Anthropic's input is without what is cached."""
    if not details or not details.get("input_token_count"):
        return None
    cached = details.get("cache_read_input_token_count") or 0
    written = details.get("cache_creation_input_token_count") or 0
    is_without = any(name.startswith("anthropic.") for name in details)
    whole = details["input_token_count"] + (cached + written if is_without else 0)
    return Usage(
        input=whole,
        cached=cached,
        cache_write=written,
        output=details.get("output_token_count") or 0,
        context=whole,
    )


def _reading_tool(port: ContextPort, tool: Tool) -> FunctionTool:
    """A tool of the port's as the framework's."""

    async def read(**arguments: Any) -> str:
        return await port.aanswer(tool.name, arguments)

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        func=read,
        input_model=dict(tool.parameters),
    )
