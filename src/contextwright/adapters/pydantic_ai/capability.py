"""A capability of pydantic-ai's, on the hook that runs before each attempt at a request and is not
persisted: the run's own history stays whole. Tested with pydantic-ai 2.68."""

from dataclasses import replace
from functools import partial
from typing import Any

from pydantic_ai import FunctionToolset, RunContext, Tool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import RetryModelRequest
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext

from contextwright.adapters.context_owner import ContextOwner
from contextwright.adapters.history_records import HistoryRecords, of_tools_too
from contextwright.adapters.message_mapping import MappedRequest, function_schema
from contextwright.adapters.model_copies import first_model
from contextwright.adapters.port import ContextPort, context_of
from contextwright.adapters.pydantic_ai.prompt_messages import MESSAGES
from contextwright.adapters.redacted_tools import answer_tools
from contextwright.adapters.response_chains import PYDANTIC_AI


class ContextCapability(ContextOwner, AbstractCapability[Any]):
    """What each request of an agent holds.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others; with `read_back=True`
            the model reads back what was shortened.
    """

    def __init__(self, spec: Any = None, **options: Any) -> None:
        self.port = ContextPort(context_of(spec, options))

    def get_toolset(self) -> FunctionToolset[Any] | None:
        """The tools that read back what was shortened."""

        async def answered(name: str, ctx: RunContext[Any], **arguments: Any) -> str:
            return await self.port.aanswer(name, arguments, ctx.run_id or "")

        tool = partial(Tool[Any].from_schema, takes_ctx=True)
        tools = [
            tool(partial(answered, t.name), t.name, t.description, t.parameters)
            for t in self.port.tools()
        ]
        return FunctionToolset[Any](tools) if tools else None

    async def prepare_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """The request with its messages as the context has them."""
        parameters = request_context.model_request_parameters
        instructions, functions = parameters.instruction_parts or [], parameters.function_tools
        tools = [*functions, *parameters.output_tools]
        name: str = first_model(request_context.model).model_name
        request = MappedRequest(
            of_tools_too(MESSAGES, request_context.messages), request_context.messages,
            model="gpt-5" if name == "test" else name,  # `TestModel` is of no window
            system=[part.content for part in instructions],
            output=parameters.output_object,
            tools=(function_schema(t.name, t.description, t.parameters_json_schema) for t in tools),
            options={"tools": parameters.native_tools},
        )  # fmt: skip
        compiled = await self.port.compiled(request.body, ctx.run_id or "")
        if request.system_of(compiled) is not None:
            texts = request.system_parts_of(compiled, len(instructions))
            pairs = zip(instructions, texts, strict=False)
            instructions = [replace(part, content=text) for part, text in pairs]
        parameters = replace(
            parameters,
            instruction_parts=instructions or parameters.instruction_parts,
            output_object=request.output_of(compiled),
            function_tools=request.tools_of(compiled, functions),
            native_tools=request.tools_of(compiled, parameters.native_tools),
            output_tools=answer_tools(parameters.output_tools, request.body, compiled),
        )
        sent = PYDANTIC_AI.same(request, compiled, request_context.model_settings)
        sent = HistoryRecords(request_context.messages).told_in(sent)
        return replace(request_context, messages=sent, model_request_parameters=parameters)

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, response: ModelResponse
    ) -> ModelResponse:
        """The answer, as it came; its bill goes to the context."""
        if (body := self.port.body_of(ctx.run_id or "")) is not None:
            await self.port.abilled(body, response)
        return response

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> Any:
        """Another attempt where the model said that it was too long: what it said makes the next
        request smaller."""
        if (body := self.port.body_of(ctx.run_id or "")) is None:
            raise error
        await self.port.asmaller(body, error)
        raise RetryModelRequest from error
