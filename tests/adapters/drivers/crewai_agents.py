"""Agents of CrewAI, with OpenAI's and with Anthropic's LLMs."""

import json
import os
from importlib.util import find_spec

if find_spec("crewai") is None:  # before its settings hold for the tests of others
    raise ModuleNotFoundError("No module named 'crewai'", name="crewai")
os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("CREWAI_DISABLE_TRACKING", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from crewai import LLM, Agent
from crewai.events import LLMStreamChunkEvent, crewai_event_bus
from crewai.hooks import register_before_tool_call_hook, unregister_before_tool_call_hook
from crewai.tools import tool as crew_tool
from pydantic import BaseModel
from tests.adapters.drivers.sdk_settings import NO_TEMPERATURE

from contextwright.adapters.crewai import context_llm, read_back_tools


class Answer(BaseModel):
    answer: str


def openai_llm(setup):
    options = {} if setup.temperature is None else {"temperature": setup.temperature}
    return LLM(
        f"openai/{setup.model}",
        base_url=f"{setup.url}/v1",
        api_key="none",
        max_retries=0,
        **options,
    )


def anthropic_llm(setup):
    options = {} if setup.temperature is None else {"temperature": setup.temperature}
    return LLM(
        f"anthropic/{setup.model}", base_url=setup.url, api_key="none", max_retries=0,
        max_tokens=1000, **options,
    )  # fmt: skip


LLMS = {"openai-chat": openai_llm, "anthropic": anthropic_llm}


class CrewAgent:
    def __init__(self, setup, llm, stored=None):
        self.setup, self.llm = setup, LLMS.get(setup.api, llm)
        self.stored = dict(stored or {})
        self.agent = self.made(setup)

    def made(self, setup, stream=False):
        tools = [crew_tool(tool) for tool in setup.tools]
        if setup.helper:
            helper = self.made(setup.helper)

            @crew_tool
            def ask_helper(task: str) -> str:
                """Let the helper do a task."""
                return helper.kickoff(task).raw

            tools.append(ask_helper)
        llm = self.llm(setup)
        llm.stream = stream
        if setup.context:
            llm = context_llm(llm, setup.context)
            tools += read_back_tools(llm)
        return Agent(
            role="reader",
            goal="read files",
            backstory=setup.instructions,
            llm=llm,
            tools=tools,
            max_iter=200,
            max_retry_limit=0,
            # with a context there is nothing to give way for
            respect_context_window=setup.context is None,
            verbose=False,
        )

    def messages(self, question, conversation):
        message = {"role": "user", "content": question}
        before = [m for m in self.stored.get(conversation, []) if m["role"] != "system"]
        return [*before, message]

    async def run(self, question, *, conversation="main", picture=b""):
        form = Answer if self.setup.structured else None
        messages = self.messages(question, conversation)

        def denied(call):
            return call.tool_name != self.setup.denied

        register_before_tool_call_hook(denied)
        try:
            output = await self.agent.kickoff_async(messages, response_format=form)
        finally:
            unregister_before_tool_call_hook(denied)
        self.stored[conversation] = output.messages
        return output.pydantic.model_dump_json() if output.pydantic else output.raw

    def run_sync(self, question):
        output = self.agent.kickoff(self.messages(question, "main"))
        self.stored["main"] = output.messages
        return output.raw

    def trim(self, turns):
        messages = self.stored["main"]
        users = [n for n, each in enumerate(messages) if each["role"] == "user"]
        self.stored["main"] = messages[users[-turns] :]

    async def stream(self, question, most=None):
        pieces = []
        with crewai_event_bus.scoped_handlers():

            @crewai_event_bus.on(LLMStreamChunkEvent)
            def piece(source, event):
                if event.chunk and not event.tool_call:
                    pieces.append(event.chunk)

            agent = self.made(self.setup, stream=True)
            output = await agent.kickoff_async(self.messages(question, "main"))
            crewai_event_bus.flush(timeout=10)
        self.stored["main"] = output.messages
        return pieces

    def history(self, conversation="main"):
        return json.dumps(self.stored[conversation], ensure_ascii=False, default=str)

    def restarted(self, setup):
        return CrewAgent(setup, self.llm, json.loads(json.dumps(self.stored)))


class CrewDriver:
    moves_to = ("anthropic", "openai-chat")

    def __init__(self, name, api, llm, cannot=None):
        self.name, self.api, self.llm = name, api, llm
        pictures = "pictures come as files of another package, crewai-files"
        common = {
            "pictures": pictures,
            "pictures-in-results": "a result of the framework's is a text",
            "an-abandoned-stream": "pieces are events beside the run, which goes on to its end",
        }
        self.cannot = {**common, **(cannot or {})}

    def agent(self, setup):
        return CrewAgent(setup, self.llm)


OWN_THINKING = "the framework sends no reasoning back where the LLM has no `thinking=`"
NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
DRIVERS = [
    CrewDriver(
        "crewai, openai",
        "openai-chat",
        openai_llm,
        {"thinking": NO_THINKING, "thinking-bound-to-its-prefix": NO_THINKING},
    ),
    CrewDriver(
        "crewai, anthropic",
        "anthropic",
        anthropic_llm,
        {"thinking": OWN_THINKING, "thinking-bound-to-its-prefix": OWN_THINKING, **NO_TEMPERATURE},
    ),
]
