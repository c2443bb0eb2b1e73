"""Runs of OpenAI Agents, with the chat and with the Responses interface."""

import asyncio
import json

from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from pydantic import BaseModel
from tests.adapters.drivers.clients import data_url

from contextwright.adapters.openai_agents import input_filter

set_tracing_disabled(True)


class Answer(BaseModel):
    answer: str


class AgentsRun:
    def __init__(self, setup, kind, stored=None):
        self.setup, self.kind = setup, kind
        self.stored = dict(stored or {})
        self.agent = self.made(setup)
        config = {"call_model_input_filter": input_filter(setup.context)} if setup.context else {}
        self.config = RunConfig(**config)

    def made(self, setup, name="reader"):
        client = AsyncOpenAI(base_url=f"{setup.url}/v1", api_key="none", max_retries=1)
        settings = ModelSettings(temperature=setup.temperature, store=False, include_usage=True)
        helpers = [self.made(setup.helper, "helper")] if setup.helper else []
        return Agent(
            name=name,
            instructions=setup.instructions,
            model=self.kind(model=setup.model, openai_client=client),
            model_settings=settings,
            tools=[
                function_tool(tool, needs_approval=tool.__name__ == setup.denied)
                for tool in setup.tools
            ],
            handoffs=helpers,
            output_type=Answer if setup.structured else None,
        )

    def items(self, question, conversation="main", picture=b""):
        content = question
        if picture:
            image = {"type": "input_image", "detail": "auto", "image_url": data_url(picture)}
            content = [{"type": "input_text", "text": question}, image]
        return [*self.stored.get(conversation, []), {"role": "user", "content": content}]

    async def run(self, question, *, conversation="main", picture=b""):
        options = {"run_config": self.config, "max_turns": 200}
        items = self.items(question, conversation, picture)
        result = await Runner.run(self.agent, items, **options)
        while result.interruptions:
            state = result.to_state()
            for each in result.interruptions:
                state.reject(each)
            result = await Runner.run(self.agent, state, **options)
        self.stored[conversation] = result.to_input_list()
        output = result.final_output
        return output if isinstance(output, str) else output.model_dump_json()

    def run_sync(self, question):
        # the framework's own synchronous way wants the loop of its thread
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            result = Runner.run_sync(
                self.agent, self.items(question), run_config=self.config, max_turns=200
            )
        finally:
            loop.close()
            asyncio.set_event_loop(None)
        self.stored["main"] = result.to_input_list()
        return result.final_output

    async def stream(self, question):
        result = Runner.run_streamed(
            self.agent, self.items(question), run_config=self.config, max_turns=200
        )
        pieces = []
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == (
                "response.output_text.delta"
            ):
                pieces.append(event.data.delta)
        self.stored["main"] = result.to_input_list()
        return pieces

    def history(self, conversation="main"):
        return json.dumps(
            [self.setup.instructions, self.stored[conversation]], ensure_ascii=False, default=str
        )

    def restarted(self, setup):
        return AgentsRun(setup, self.kind, json.loads(json.dumps(self.stored)))


class AgentsDriver:
    def __init__(self, name, api, kind, cannot):
        self.name, self.api, self.kind, self.cannot = name, api, kind, cannot

    def agent(self, setup):
        return AgentsRun(setup, self.kind)


NO_RETRY = "the filter does not hear of a refusal; give the model `openai_client=wrap(client)`"
EMPTY_RESULT = "the framework sends an empty result as it is, which a strict server refuses"
NO_TOOLS = "the filter adds no tools to an agent; give it `context.tools()`"
NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
NO_BOUND = "no model of this interface that binds is in the table of models"
COMMON = {"an-overflow-is-mended-once": NO_RETRY, "read-back-by-the-model": NO_TOOLS}
DRIVERS = [
    AgentsDriver(
        "openai-agents, chat",
        "openai-chat",
        OpenAIChatCompletionsModel,
        {
            **COMMON,
            "odd-texts-and-empty-results": EMPTY_RESULT,
            "thinking": NO_THINKING,
            "thinking-bound-to-its-prefix": NO_THINKING,
        },
    ),
    AgentsDriver(
        "openai-agents, responses",
        "openai-responses",
        OpenAIResponsesModel,
        {**COMMON, "thinking-bound-to-its-prefix": NO_BOUND},
    ),
]
