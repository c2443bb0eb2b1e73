"""A plugin of Strands', on the stage that sends each request; the agent's messages stay whole.
Tested with strands-agents 1.62."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any

from strands import Agent
from strands.agent.conversation_manager import NullConversationManager
from strands.middleware import InvokeModelContext, InvokeModelStage, ModelStopReason
from strands.plugins import Plugin
from strands.tools.tools import PythonAgentTool

from contextwright.adapters.answered_tools import ReadingTool, reading_tools
from contextwright.adapters.context_owner import ContextOwner
from contextwright.adapters.message_mapping import MappedRequest, function_schema
from contextwright.adapters.message_parts import PartedMessages
from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.strands.content_blocks import ContentBlocks
from contextwright.adapters.streams import astream
from contextwright.adapters.turn_taking import in_turns
from contextwright.errors import SpecError
from contextwright.tokens.usage import Usage, usage_of

_MAPPING = PartedMessages(ContentBlocks(), lambda text: {"text": text})
Next = Callable[[InvokeModelContext], AsyncGenerator[Any, None]]


class ContextStage(ContextOwner, Plugin):
    """What each request of an agent holds.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others; with `read_back=True`
            the model reads back what was shortened.

    Raises:
        SpecError: the agent has a manager that drops messages before the context sees them.
    """

    def __init__(self, spec: Any = None, **options: Any) -> None:
        self.port = ContextPort(context_of(spec, options))
        super().__init__()

    @property
    def name(self) -> str:
        """The plugin's name."""
        return "contextwright"

    def init_agent(self, agent: Agent) -> None:
        """Stand on an agent's stage, and give it the tools that read back."""
        if not isinstance(agent.conversation_manager, NullConversationManager):
            raise SpecError(
                f"its {type(agent.conversation_manager).__name__} drops messages before the "
                "context sees them",
                where="Agent(plugins=[ContextStage(...)])",
                fix="Agent(conversation_manager=NullConversationManager(), ...)",
            )
        for tool in reading_tools(self.port):
            agent.tool_registry.register_tool(_agent_tool(tool))
        agent.add_middleware(InvokeModelStage, self._stage)

    async def _stage(self, context: InvokeModelContext, next_fn: Next) -> AsyncGenerator[Any]:
        """The events of the answer to the compiled request."""
        request = _mapped(context)

        def answer(body: Body) -> AsyncIterator[Any]:
            sent = request.messages_alone(body)
            turns = in_turns(_MAPPING.access, context.model, request.messages, sent)
            changes: dict[str, Any] = {"messages": turns}
            if (system := request.system_of(body)) is not None:
                changes["system_prompt"] = system
            return next_fn(context.replace(**changes))

        def bill(event: Any) -> Usage | None:
            return _bill(context.model, event)

        async for event in astream(self.port, request.body, answer, bill):
            yield event


def _mapped(context: InvokeModelContext) -> MappedRequest[Any]:
    """A request of Strands' as a body."""
    messages: list[Any] = context.messages
    config: Any = context.model.get_config()
    schemas = ((tool, tool["inputSchema"]) for tool in context.tool_specs)
    return MappedRequest(
        _MAPPING,
        messages,
        model=str(config.get("model_id") or ""),
        system=_system(context.system_prompt),
        tools=(function_schema(t["name"], t["description"], s.get("json", s)) for t, s in schemas),
        apart=True,
    )


def _system(prompt: Any) -> str | None:
    """The system text, of a text or of blocks."""
    if isinstance(prompt, list):
        return "\n".join(block["text"] for block in prompt if "text" in block) or None
    return prompt or None


def _bill(model: Any, event: Any) -> Usage | None:
    """What an answer cost; OpenAI's input holds what is cached."""
    if not isinstance(event, ModelStopReason):
        return None
    usage = event["stop"][2]
    if "openai" in type(model).__module__ or "litellm" in type(model).__module__:
        cached = usage.get("cacheReadInputTokens", 0)
        return usage_of({**usage, "inputTokens": usage["inputTokens"] - cached})
    return usage_of(usage)


def _agent_tool(tool: ReadingTool) -> PythonAgentTool:
    """A tool of the port's as the framework's."""

    async def read(tool_use: Any, **_: Any) -> Any:
        content = [{"text": await tool.aread(**tool_use["input"])}]
        return {"toolUseId": tool_use["toolUseId"], "status": "success", "content": content}

    schema: Any = {"json": tool.parameters}
    spec: Any = {"name": tool.name, "description": tool.description, "inputSchema": schema}
    return PythonAgentTool(tool.name, spec, read)
