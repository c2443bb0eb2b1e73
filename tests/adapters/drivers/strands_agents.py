"""Agents of Strands, with OpenAI's and with Anthropic's models."""

import base64
import json
from contextlib import aclosing

from pydantic import BaseModel
from strands import Agent, tool
from strands.agent.conversation_manager import NullConversationManager
from strands.hooks import BeforeToolCallEvent
from strands.models.anthropic import AnthropicModel
from strands.models.openai import OpenAIModel
from tests.adapters.drivers.sdk_settings import NO_TEMPERATURE

from contextwright.adapters.strands import ContextStage


class Answer(BaseModel):
    answer: str


def openai_model(setup):
    params = {} if setup.temperature is None else {"temperature": setup.temperature}
    client = {"base_url": f"{setup.url}/v1", "api_key": "none", "max_retries": 0}
    return OpenAIModel(client_args=client, model_id=setup.model, params=params)


def anthropic_model(setup):
    params = {} if setup.temperature is None else {"temperature": setup.temperature}
    client = {"base_url": setup.url, "api_key": "none", "max_retries": 0}
    return AnthropicModel(client_args=client, model_id=setup.model, max_tokens=1000, params=params)


MODELS_OF = {"openai-chat": openai_model, "anthropic": anthropic_model}


def looking(picture):
    @tool
    def look(path: str) -> dict:
        """Look at a picture."""
        source = {"bytes": picture}
        content = [{"image": {"format": "png", "source": source}}]
        return {"status": "success", "content": content}

    return look


class StrandsAgent:
    def __init__(self, setup, model, stored=None):
        self.setup, self.model = setup, MODELS_OF.get(setup.api, model)
        self.stored = dict(stored or {})
        self.agents = {}
        self.stage = ContextStage(setup.context) if setup.context else None

    def made(self, setup, messages=None):
        tools = [tool(each) for each in setup.tools]
        if setup.look:
            tools.append(looking(setup.look))
        if setup.helper:
            helper = StrandsAgent(setup.helper, self.model)

            @tool
            async def ask_helper(task: str) -> str:
                """Let the helper do a task."""
                return await helper.run(task)

            tools.append(ask_helper)
        agent = Agent(
            model=self.model(setup),
            system_prompt=setup.instructions,
            tools=tools,
            messages=messages,
            conversation_manager=NullConversationManager(),
            plugins=[self.stage] if self.stage else None,
            callback_handler=None,
            structured_output_model=Answer if setup.structured else None,
            retry_strategy=None,
        )

        def denied(event: BeforeToolCallEvent) -> None:
            if event.tool_use["name"] == setup.denied:
                event.cancel_tool = "The operator denied this call."

        agent.add_hook(denied)
        return agent

    def agent(self, conversation):
        if conversation not in self.agents:
            self.agents[conversation] = self.made(self.setup, self.stored.get(conversation))
        return self.agents[conversation]

    async def run(self, question, *, conversation="main", picture=b""):
        prompt = question
        if picture:
            prompt = [
                {"text": question},
                {"image": {"format": "png", "source": {"bytes": picture}}},
            ]
        result = await self.agent(conversation).invoke_async(prompt)
        if result.structured_output:
            return result.structured_output.model_dump_json()
        return str(result).strip()

    def run_sync(self, question):
        return str(self.agent("main")(question)).strip()

    def trim(self, turns):
        messages = self.agents["main"].messages
        users = [
            n
            for n, each in enumerate(messages)
            if each["role"] == "user" and "text" in each["content"][0]
        ]
        del messages[: users[-turns]]

    async def stream(self, question, most=None):
        pieces = []
        async with aclosing(self.agent("main").stream_async(question)) as events:
            async for event in events:
                if event.get("data"):
                    pieces.append(event["data"])
                    if len(pieces) == most:
                        break
        return pieces

    def history(self, conversation="main"):
        known = self.agents[conversation].messages
        return json.dumps([self.setup.instructions, known], ensure_ascii=False, default=plain)

    def restarted(self, setup):
        stored = {
            name: json.loads(json.dumps(agent.messages, default=plain))
            for name, agent in self.agents.items()
        }
        return StrandsAgent(setup, self.model, stored)


def plain(data):
    return base64.b64encode(data).decode()


class StrandsDriver:
    moves_to = ("anthropic", "openai-chat")

    def __init__(self, name, api, model, cannot=None):
        self.name, self.api, self.model = name, api, model
        self.cannot = cannot or {}

    def agent(self, setup):
        return StrandsAgent(setup, self.model)


NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
DRIVERS = [
    StrandsDriver(
        "strands, openai",
        "openai-chat",
        openai_model,
        {"thinking": NO_THINKING, "thinking-bound-to-its-prefix": NO_THINKING},
    ),
    StrandsDriver("strands, anthropic", "anthropic", anthropic_model, NO_TEMPERATURE),
]
