"""Agents of pydantic-ai, with OpenAI's and with Anthropic's models."""

import json

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, Tool
from pydantic_ai.messages import ModelMessagesTypeAdapter, UserPromptPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, ToolDenied

from contextwright.adapters.pydantic_ai import ContextCapability


class Answer(BaseModel):
    answer: str


def looking(picture):
    def look(path: str) -> BinaryContent:
        """Look at a picture."""
        return BinaryContent(picture, media_type="image/png")

    return look


class PydanticAgent:
    def __init__(self, setup, api, stored=None):
        self.setup, self.api = setup, setup.api or api
        self.messages = dict(stored or {})
        tools = [Tool(t, requires_approval=t.__name__ == setup.denied) for t in setup.tools]
        if setup.look:
            tools.append(Tool(looking(setup.look)))
        if setup.helper:
            helper = PydanticAgent(setup.helper, api).agent

            async def ask_helper(task: str) -> str:
                """Let the helper do a task."""
                return (await helper.run(task)).output

            tools.append(Tool(ask_helper))
        output = Answer if setup.structured else str
        settings = {"temperature": setup.temperature} if setup.temperature is not None else {}
        if self.api == "anthropic":
            provider = AnthropicProvider(base_url=setup.url, api_key="none")
            model = AnthropicModel(setup.model, provider=provider)
            settings["max_tokens"] = 1000
        else:
            provider = OpenAIProvider(base_url=f"{setup.url}/v1", api_key="none")
            model = OpenAIChatModel(setup.model, provider=provider)
        self.agent = Agent(
            model,
            output_type=[output, DeferredToolRequests] if setup.denied else output,
            instructions=setup.instructions,
            tools=tools,
            model_settings=settings,
            capabilities=[ContextCapability(setup.context)] if setup.context else [],
        )

    async def run(self, question, *, conversation="main", picture=b""):
        prompt = [question, BinaryContent(picture, media_type="image/png")] if picture else question
        history = self.messages.get(conversation)
        result = await self.agent.run(prompt, message_history=history)
        while isinstance(result.output, DeferredToolRequests):
            denied = {each.tool_call_id: ToolDenied() for each in result.output.approvals}
            result = await self.agent.run(
                message_history=result.all_messages(),
                deferred_tool_results=DeferredToolResults(approvals=denied),
            )
        self.messages[conversation] = result.all_messages()
        return result.output if isinstance(result.output, str) else result.output.model_dump_json()

    def run_sync(self, question):
        result = self.agent.run_sync(question, message_history=self.messages.get("main"))
        self.messages["main"] = result.all_messages()
        return result.output

    def trim(self, turns):
        messages = self.messages["main"]
        users = [n for n, each in enumerate(messages) if isinstance(each.parts[0], UserPromptPart)]
        self.messages["main"] = messages[users[-turns] :]

    async def stream(self, question, most=None):
        history = self.messages.get("main")
        async with self.agent.run_stream(question, message_history=history) as result:
            pieces = []
            async for piece in result.stream_text(delta=True, debounce_by=None):
                pieces.append(piece)
                if len(pieces) == most:
                    break
        self.messages["main"] = result.all_messages()
        return pieces

    def history(self, conversation="main"):
        stored = ModelMessagesTypeAdapter.dump_python(self.messages[conversation], mode="json")
        return json.dumps(stored, ensure_ascii=False)

    def restarted(self, setup):
        stored = {
            name: ModelMessagesTypeAdapter.validate_json(ModelMessagesTypeAdapter.dump_json(all))
            for name, all in self.messages.items()
        }
        return PydanticAgent(setup, setup.api or self.api, stored)


class PydanticDriver:
    moves_to = ("anthropic", "openai-chat")

    def __init__(self, name, api, cannot=None):
        self.name, self.api = name, api
        self.cannot = cannot or {}

    def agent(self, setup):
        return PydanticAgent(setup, self.api)


NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
DRIVERS = [
    PydanticDriver(
        "pydantic-ai, openai",
        "openai-chat",
        {
            "thinking": NO_THINKING,
            "thinking-bound-to-its-prefix": NO_THINKING,
        },
    ),
    PydanticDriver("pydantic-ai, anthropic", "anthropic"),
]
