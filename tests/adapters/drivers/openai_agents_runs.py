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
    ToolOutputImage,
    function_tool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI
from pydantic import BaseModel
from tests.adapters.drivers.clients import data_url

from contextwright.adapters.openai_agents import ContextFilter, context_model, read_back_tools

set_tracing_disabled(True)


class Answer(BaseModel):
    answer: str


KINDS = {"openai-chat": OpenAIChatCompletionsModel, "openai-responses": OpenAIResponsesModel}


def looking(picture):
    @function_tool
    def look(path: str) -> ToolOutputImage:
        """Look at a picture."""
        return ToolOutputImage(image_url=data_url(picture))

    return look


class AgentsRun:
    """With the context in the run's filter, or in the agent's model."""

    def __init__(self, setup, kind, by_filter, stored=None):
        self.setup, self.kind, self.by_filter = setup, KINDS.get(setup.api, kind), by_filter
        self.stored = dict(stored or {})
        self.filter = ContextFilter(setup.context) if setup.context and by_filter else None
        self.agent = self.made(setup)
        config = {"call_model_input_filter": self.filter} if self.filter else {}
        self.options = {"run_config": RunConfig(**config), "max_turns": 200}
        if self.filter:
            self.options["hooks"] = self.filter.hooks

    def made(self, setup, name="reader"):
        client = AsyncOpenAI(base_url=f"{setup.url}/v1", api_key="none", max_retries=1)
        settings = ModelSettings(temperature=setup.temperature, store=False, include_usage=True)
        helpers = [self.made(setup.helper, "helper")] if setup.helper else []
        model = self.kind(model=setup.model, openai_client=client)
        reading = self.filter.tools if self.filter else []
        if setup.context and not self.by_filter:
            model = context_model(model, setup.context)
            reading = read_back_tools(model)
        return Agent(
            name=name,
            instructions=setup.instructions,
            model=model,
            model_settings=settings,
            tools=[
                function_tool(tool, needs_approval=tool.__name__ == setup.denied)
                for tool in setup.tools
            ]
            + ([looking(setup.look)] if setup.look else [])
            + reading,
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
        items = self.items(question, conversation, picture)
        result = await Runner.run(self.agent, items, **self.options)
        while result.interruptions:
            state = result.to_state()
            for each in result.interruptions:
                state.reject(each)
            result = await Runner.run(self.agent, state, **self.options)
        self.stored[conversation] = result.to_input_list()
        output = result.final_output
        return output if isinstance(output, str) else output.model_dump_json()

    def run_sync(self, question):
        # the framework's own synchronous way wants the loop of its thread
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        try:
            result = Runner.run_sync(self.agent, self.items(question), **self.options)
        finally:
            loop.close()
            asyncio.set_event_loop(None)
        self.stored["main"] = result.to_input_list()
        return result.final_output

    def trim(self, turns):
        items = self.stored["main"]
        users = [n for n, each in enumerate(items) if each.get("role") == "user"]
        self.stored["main"] = items[users[-turns] :]

    async def stream(self, question, most=None):
        result = Runner.run_streamed(self.agent, self.items(question), **self.options)
        pieces = []
        async for event in result.stream_events():
            if event.type == "raw_response_event" and event.data.type == (
                "response.output_text.delta"
            ):
                pieces.append(event.data.delta)
                if len(pieces) == most:
                    result.cancel()
                    break
        self.stored["main"] = result.to_input_list()
        return pieces

    def history(self, conversation="main"):
        return json.dumps(
            [self.setup.instructions, self.stored[conversation]], ensure_ascii=False, default=str
        )

    def restarted(self, setup):
        return AgentsRun(setup, self.kind, self.by_filter, json.loads(json.dumps(self.stored)))


class AgentsDriver:
    moves_to = ("openai-chat", "openai-responses")

    def __init__(self, name, api, kind, cannot, by_filter=False):
        self.name, self.api, self.kind, self.cannot = name, api, kind, cannot
        self.by_filter = by_filter

    def agent(self, setup):
        return AgentsRun(setup, self.kind, self.by_filter)


NO_RETRY = "the filter does not hear of a refusal; `context_model` and `ContextProvider` do"
NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
NO_BOUND = "no model of this interface that binds is in the table of models"
UNKNOWN = "the framework ends a run whose model names a tool that is not there"
CHAT = {
    "a-call-with-wrong-arguments": UNKNOWN,
    "pictures-in-results": "a result of the interface is a text",
    "thinking": NO_THINKING,
    "thinking-bound-to-its-prefix": NO_THINKING,
}
RESPONSES = {"a-call-with-wrong-arguments": UNKNOWN, "thinking-bound-to-its-prefix": NO_BOUND}
FILTER = {"an-overflow-is-mended-once": NO_RETRY}
DRIVERS = [
    AgentsDriver("openai-agents, chat", "openai-chat", OpenAIChatCompletionsModel, CHAT),
    AgentsDriver("openai-agents, responses", "openai-responses", OpenAIResponsesModel, RESPONSES),
    AgentsDriver(
        "openai-agents filter, chat",
        "openai-chat",
        OpenAIChatCompletionsModel,
        {**CHAT, **FILTER},
        by_filter=True,
    ),
    AgentsDriver(
        "openai-agents filter, responses",
        "openai-responses",
        OpenAIResponsesModel,
        {**RESPONSES, **FILTER},
        by_filter=True,
    ),
]
