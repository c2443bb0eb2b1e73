"""An LLM of LlamaIndex's whose requests are compiled, one by one inside an agent's loop; the memory
keeps all messages. Tested with llama-index-core 0.14."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from llama_index.core.base.llms.types import ChatMessage, ChatResponse, TextBlock
from llama_index.core.llms import LLM
from llama_index.core.tools import FunctionTool

from contextwright.adapters.answered_tools import reading_tools
from contextwright.adapters.argument_models import arguments_model
from contextwright.adapters.llama_index.message_blocks import MessageBlocks
from contextwright.adapters.mapped_calls import MappedCall
from contextwright.adapters.message_mapping import MappedRequest, function_schema
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.model_copies import model_copy_with, port_of
from contextwright.adapters.port import ContextPort, context_of
from contextwright.tokens.usage import Usage, usage_of

LlmT = TypeVar("LlmT", bound=LLM)
_MAPPING = PartedMessages(MessageBlocks(), lambda text: TextBlock(text=text))
_Call = MappedCall[ChatMessage]


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

    def call(self: Any, messages: Sequence[ChatMessage], rest: Mapping[str, Any]) -> _Call:
        model = self.metadata.model_name
        request = MappedRequest(_MAPPING, messages, model=model, tools=_schemas(rest.get("tools")))
        return MappedCall(port, request, _bill)

    def chat(self: Any, messages: Sequence[ChatMessage], **rest: Any) -> ChatResponse:
        return call(self, messages, rest).answer(lambda sent: own.chat(self, sent, **rest))

    async def achat(self: Any, messages: Sequence[ChatMessage], **rest: Any) -> ChatResponse:
        return await call(self, messages, rest).aanswer(lambda sent: own.achat(self, sent, **rest))

    def stream_chat(self: Any, messages: Sequence[ChatMessage], **rest: Any) -> Iterator[Any]:
        return call(self, messages, rest).pieces(lambda sent: own.stream_chat(self, sent, **rest))

    async def astream_chat(
        self: Any, messages: Sequence[ChatMessage], **rest: Any
    ) -> AsyncIterator[Any]:
        async def pieces(sent: list[ChatMessage]) -> AsyncIterator[Any]:
            async for piece in await own.astream_chat(self, sent, **rest):
                yield piece

        return call(self, messages, rest).apieces(pieces)

    return model_copy_with(llm, port, chat, achat, stream_chat, astream_chat)


def read_back_tools(llm: LLM) -> list[FunctionTool]:
    """The tools with which an agent's LLM reads back what was shortened; none where its context was
    not made with `read_back=True`.

    Args:
        llm: that `context_llm` made.
    """
    return [
        FunctionTool.from_defaults(
            async_fn=tool.aread,
            name=tool.name,
            description=tool.description,
            fn_schema=arguments_model(tool.tool),
        )
        for tool in reading_tools(port_of(llm))
    ]


def _bill(response: ChatResponse) -> Usage | None:
    """What an answer cost, where the provider said so."""
    return usage_of(response.raw)


def _schemas(tools: Any) -> Iterator[dict[str, Any]]:
    """The functions of a request, which stand in the form of their provider."""
    for tool in (each.get("function", each) for each in tools or ()):
        if "name" in tool:
            parameters = tool.get("parameters") or tool.get("input_schema") or {}
            yield function_schema(tool["name"], tool.get("description"), parameters)
