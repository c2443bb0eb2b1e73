"""Runs of google-adk with the plugin, and with one agent's own context."""

import asyncio
import json

from google.adk.agents import LlmAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.apps import App
from google.adk.events import Event
from google.adk.models import Gemini
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import FunctionTool
from google.genai import types
from pydantic import BaseModel
from tests.adapters.drivers.clients import NO_BOUND

from contextwright.adapters.adk import ContextPlugin

CONFIRM = "adk_request_confirmation"


class Answer(BaseModel):
    answer: str


def looking(picture):
    def look(path: str) -> types.Part:
        """Look at a picture."""
        return types.Part.from_bytes(data=picture, mime_type="image/png")

    return look


class AdkRun:
    def __init__(self, setup, stored=None):
        self.setup = setup
        self.sessions = InMemorySessionService()
        self.stored = stored or {}
        self.last = {}
        tools = [
            FunctionTool(t, require_confirmation=t.__name__ == setup.denied) for t in setup.tools
        ]
        if setup.look:
            tools.append(FunctionTool(looking(setup.look)))
        if setup.helper:
            helper = AdkRun(setup.helper)

            async def ask_helper(task: str) -> str:
                """Let the helper do a task."""
                return await helper.run(task)

            tools.append(FunctionTool(ask_helper))
        config = types.GenerateContentConfig(temperature=setup.temperature)
        agent = LlmAgent(
            name="reader",
            model=Gemini(model=setup.model, base_url=setup.url, client_kwargs={"api_key": "none"}),
            static_instruction=setup.instructions,
            tools=tools,
            generate_content_config=config,
            output_schema=Answer if setup.structured else None,
        )
        plugins = [ContextPlugin(setup.context)] if setup.context else []
        app = App(name="suite", root_agent=agent, plugins=plugins)
        self.runner = Runner(app=app, session_service=self.sessions)

    async def session(self, conversation):
        known = await self.sessions.get_session(
            app_name="suite", user_id="u", session_id=conversation
        )
        if known is None:
            known = await self.sessions.create_session(
                app_name="suite", user_id="u", session_id=conversation
            )
            for event in self.stored.get(conversation, ()):
                await self.sessions.append_event(known, Event.model_validate(event))
        return known

    async def events(self, message, conversation, **options):
        await self.session(conversation)
        config = RunConfig(max_llm_calls=500, **options)
        try:
            async for event in self.runner.run_async(
                user_id="u", session_id=conversation, new_message=message, run_config=config
            ):
                yield event
        finally:
            self.last[conversation] = await self.session(conversation)

    async def run(self, question, *, conversation="main", picture=b""):
        parts = [types.Part(text=question)]
        if picture:
            parts.append(types.Part.from_bytes(data=picture, mime_type="image/png"))
        message = types.Content(role="user", parts=parts)
        while message is not None:
            text, pending, message = "", [], message
            async for event in self.events(message, conversation):
                if event.error_message:
                    raise RuntimeError(event.error_message)
                pending += [c for c in event.get_function_calls() if c.name == CONFIRM]
                if event.is_final_response() and event.content:
                    text = "".join(p.text or "" for p in event.content.parts if not p.thought)
            message = self.denials(pending)
        return text

    def denials(self, pending):
        parts = [
            types.Part(function_response=types.FunctionResponse(
                id=call.id, name=CONFIRM, response={"confirmed": False}))
            for call in pending
        ]  # fmt: skip
        return types.Content(role="user", parts=parts) if parts else None

    def run_sync(self, question):
        return asyncio.run(self.run(question))

    def trim(self, turns):
        stored = self.dumped("main")
        users = [n for n, each in enumerate(stored) if each["author"] == "user"]
        kept = stored[users[-turns] :]
        self.sessions = self.runner.session_service = InMemorySessionService()
        self.stored = {"main": kept}

    async def stream(self, question, most=None):
        message = types.Content(role="user", parts=[types.Part(text=question)])
        pieces = []
        async for event in self.events(message, "main", streaming_mode=StreamingMode.SSE):
            if event.partial and event.content:
                pieces += [p.text for p in event.content.parts if p.text]
            if len(pieces) == most:
                break
        return pieces

    def dumped(self, conversation):
        events = self.last[conversation].events
        return [e.model_dump(mode="json", by_alias=True, exclude_none=True) for e in events]

    def history(self, conversation="main"):
        return json.dumps([self.setup.instructions, self.dumped(conversation)], ensure_ascii=False)

    def restarted(self, setup):
        return AdkRun(setup, {name: self.dumped(name) for name in self.last})


class AdkDriver:
    name, api = "google-adk", "gemini"
    moves_to = ()
    cannot = {
        "another-provider-goes-on": "its other providers are LiteLLM's",
        "thinking-bound-to-its-prefix": NO_BOUND,
    }

    def agent(self, setup):
        return AdkRun(setup)


DRIVERS = [AdkDriver()]
