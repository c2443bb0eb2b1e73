"""An LLM of LlamaIndex's whose requests are compiled, one by one inside an agent's loop; the memory
keeps all messages. Tested with llama-index-core 0.14."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms import LLM
from llama_index.core.tools import FunctionTool

from contextwright.adapters.argument_models import arguments_model
from contextwright.adapters.llama_index.message_blocks import MessageBlocks
from contextwright.adapters.message_mapping import ForeignBody, foreign_body, framework_messages
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.streams import astream, stream
from contextwright.session.event import Tool
from contextwright.tokens.usage import Usage, usage_of

LlmT = TypeVar("LlmT", bound=LLM)
_MAPPING = PartedMessages(MessageBlocks())


def context_llm(llm: LlmT, spec: Any = None, **options: Any) -> LlmT:
    """An LLM of the same type, whose requests hold what the spec says.

    A memory is asked once a turn, and an agent's calls come behind it: no memory bounds them.

    Args:
        llm: for an agent, a workflow or a chat engine; it stays as it is.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """
    port = ContextPort(context_of(spec, options))
    own: Any = type(llm)

    def chat(self: Any, messages: Sequence[ChatMessage], **rest: Any) -> ChatResponse:
        shown = _body(self, messages, rest)
        response = port.send(
            shown.body, lambda body: own.chat(self, _messages(messages, shown, body), **rest)
        )
        port.billed(shown.body, _bill(response))
        return response

    async def achat(self: Any, messages: Sequence[ChatMessage], **rest: Any) -> ChatResponse:
        shown = _body(self, messages, rest)
        response = await port.asend(
            shown.body, lambda body: own.achat(self, _messages(messages, shown, body), **rest)
        )
        await port.abilled(shown.body, _bill(response))
        return response

    def stream_chat(self: Any, messages: Sequence[ChatMessage], **rest: Any) -> Iterator[Any]:
        shown = _body(self, messages, rest)
        return stream(
            port,
            shown.body,
            lambda body: own.stream_chat(self, _messages(messages, shown, body), **rest),
            _bill,
        )

    async def astream_chat(
        self: Any, messages: Sequence[ChatMessage], **rest: Any
    ) -> AsyncIterator[Any]:
        shown = _body(self, messages, rest)

        async def pieces(body: Body) -> AsyncIterator[Any]:
            sent = _messages(messages, shown, body)
            async for piece in await own.astream_chat(self, sent, **rest):
                yield piece

        return astream(port, shown.body, pieces, _bill)

    return model_copy_with(llm, port, chat, achat, stream_chat, astream_chat)


def read_back_tools(llm: LLM) -> list[FunctionTool]:
    """The tools with which an agent's LLM reads back what was shortened; none where its context was
    not made with `read_back=True`.

    Args:
        llm: that `context_llm` made.
    """
    port = port_of(llm)

    def function(tool: Tool) -> FunctionTool:
        async def read(**arguments: Any) -> str:
            values = {key: each for key, each in arguments.items() if each is not None}
            return await port.aanswer(tool.name, values)

        return FunctionTool.from_defaults(
            async_fn=read,
            name=tool.name,
            description=tool.description,
            fn_schema=arguments_model(tool),
        )

    return [function(tool) for tool in port.tools()]


def _bill(response: ChatResponse) -> Usage | None:
    """What an answer cost, where the provider said so."""
    return usage_of(response.raw)


def _body(llm: LLM, messages: Sequence[ChatMessage], rest: Mapping[str, Any]) -> ForeignBody:
    """A request of LlamaIndex's as a body; tools stand in the form of their provider."""
    tools = [tool.get("function", tool) for tool in rest.get("tools") or ()]
    return foreign_body(
        _MAPPING,
        messages,
        model=llm.metadata.model_name,
        tools=(
            {
                "name": tool["name"],
                "description": tool.get("description") or "",
                "parameters": tool.get("parameters") or tool.get("input_schema") or {},
            }
            for tool in tools
            if "name" in tool
        ),
    )


def _messages(
    messages: Sequence[ChatMessage], shown: ForeignBody, body: Body
) -> Sequence[ChatMessage]:
    """The messages of a compiled body."""
    return framework_messages(_MAPPING, messages, shown, body["messages"])[1]
