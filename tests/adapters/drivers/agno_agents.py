"""Agents of Agno, with OpenAI's and with Anthropic's models."""

import json

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.media import Image
from agno.models.anthropic import Claude
from agno.models.openai import OpenAIChat
from agno.run.agent import RunContentEvent
from agno.tools.function import Function, ToolResult
from pydantic import BaseModel

from contextwright.adapters.agno import context_model, read_back_tools


class Answer(BaseModel):
    answer: str


def openai_model(setup):
    options = {"base_url": f"{setup.url}/v1", "api_key": "none", "max_retries": 0}
    return OpenAIChat(setup.model, temperature=setup.temperature, **options)


def anthropic_model(setup):
    options = {"client_params": {"base_url": setup.url, "max_retries": 0}, "api_key": "none"}
    return Claude(setup.model, max_tokens=1000, temperature=setup.temperature, **options)


MODELS_OF = {"openai-chat": openai_model, "anthropic": anthropic_model}


def looking(picture):
    def look(path: str) -> ToolResult:
        """Look at a picture."""
        return ToolResult(content="a picture", images=[Image(content=picture, format="png")])

    return look


class AgnoAgent:
    def __init__(self, setup, model, db=None):
        self.setup, self.model = setup, MODELS_OF.get(setup.api, model)
        self.db, self.runs = db or InMemoryDb(), 1000
        self.agent = self.made(setup)

    def made(self, setup):
        tools = [Function.from_callable(tool) for tool in setup.tools]
        for tool in tools:
            tool.requires_confirmation = True if tool.name == setup.denied else None
        if setup.look:
            tools.append(looking(setup.look))
        if setup.helper:
            helper = self.made(setup.helper)

            async def ask_helper(task: str) -> str:
                """Let the helper do a task."""
                return (await helper.arun(task)).content

            tools.append(ask_helper)
        model = self.model(setup)
        if setup.context:
            model = context_model(model, setup.context)
            tools += read_back_tools(model)
        return Agent(
            model=model,
            instructions=setup.instructions,
            tools=tools,
            db=self.db,
            add_history_to_context=True,
            num_history_runs=self.runs,
            output_schema=Answer if setup.structured else None,
            telemetry=False,
        )

    async def run(self, question, *, conversation="main", picture=b""):
        images = [Image(content=picture, format="png")] if picture else None
        output = await self.agent.arun(question, session_id=conversation, images=images)
        while output.is_paused:
            for each in output.active_requirements:
                each.reject()
            output = await self.agent.acontinue_run(
                run_id=output.run_id,
                requirements=output.requirements,
                session_id=conversation,
            )
        if output.status == "ERROR":
            raise RuntimeError(output.content)
        content = output.content
        return content.model_dump_json() if isinstance(content, BaseModel) else content

    def run_sync(self, question):
        return self.agent.run(question, session_id="main").content

    def trim(self, turns):
        self.agent.num_history_runs = turns

    async def stream(self, question, most=None):
        pieces, last = [], None
        async for event in self.agent.arun(
            question, session_id="main", stream=True, stream_events=True
        ):
            last = event
            if isinstance(event, RunContentEvent) and event.content:
                pieces.append(event.content)
                if len(pieces) == most:
                    return pieces
        if type(last).__name__ == "RunErrorEvent":
            raise RuntimeError(last.content)
        return pieces

    def history(self, conversation="main"):
        session = self.agent.get_session(conversation)
        return json.dumps(session.to_dict(), ensure_ascii=False, default=str)

    def restarted(self, setup):
        return AgnoAgent(setup, self.model, self.db)


class AgnoDriver:
    moves_to = ("anthropic", "openai-chat")

    def __init__(self, name, api, model, cannot=None):
        self.name, self.api, self.model = name, api, model
        self.cannot = cannot or {}

    def agent(self, setup):
        return AgnoAgent(setup, self.model)


NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
DRIVERS = [
    AgnoDriver(
        "agno, openai",
        "openai-chat",
        openai_model,
        {
            "a-denied-approval": "the framework sends a field of its own in the tool's schema, "
            "which a strict server refuses",
            "thinking": NO_THINKING,
            "thinking-bound-to-its-prefix": NO_THINKING,
        },
    ),
    AgnoDriver("agno, anthropic", "anthropic", anthropic_model),
]
