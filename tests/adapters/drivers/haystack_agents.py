"""Agents of Haystack, with OpenAI's and with Anthropic's chat generators."""

import json
import os
from base64 import b64encode

from anthropic import Anthropic, AsyncAnthropic
from haystack.components.agents import Agent
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage, ImageContent
from haystack.hooks.human_in_the_loop import ConfirmationHook
from haystack.hooks.human_in_the_loop.dataclasses import ToolExecutionDecision
from haystack.tools import create_tool_from_function
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator
from tests.adapters.drivers.own_loop import ANSWER
from tests.adapters.drivers.sdk_settings import NO_TEMPERATURE

from contextwright.adapters.haystack import context_generator, read_back_tools

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")
# the framework asks for no bill of a stream by itself
STREAM = {"stream_options": {"include_usage": True}}
KEY = Secret.from_token("none")


class Denial:
    """A strategy of confirmation that denies."""

    def run(self, *, tool_name, tool_call_id=None, **_):
        feedback = "The operator denied this call."
        return ToolExecutionDecision(tool_name, False, tool_call_id, feedback)

    async def run_async(self, **call):
        return self.run(**call)


def openai_generator(setup):
    options = {} if setup.temperature is None else {"temperature": setup.temperature}
    if setup.structured:
        form = {"name": "answer", "schema": ANSWER, "strict": True}
        options["response_format"] = {"type": "json_schema", "json_schema": form}
    return OpenAIChatGenerator(
        api_key=KEY, model=setup.model, api_base_url=f"{setup.url}/v1", max_retries=0,
        tools_strict=setup.structured,
        generation_kwargs=options,
    )  # fmt: skip


def anthropic_generator(setup):
    options = {"max_tokens": 1000}
    if setup.temperature is not None:
        options["temperature"] = setup.temperature
    generator = AnthropicChatGenerator(
        KEY, setup.model, generation_kwargs=options, ignore_tools_thinking_messages=False
    )
    client = {"base_url": setup.url, "api_key": "none", "max_retries": 0}
    generator.client, generator.async_client = Anthropic(**client), AsyncAnthropic(**client)
    return generator


GENERATORS = {"openai-chat": openai_generator, "anthropic": anthropic_generator}


def looking(picture):
    def look(path: str) -> list:
        """Look at a picture."""
        return [ImageContent(b64encode(picture).decode(), mime_type="image/png")]

    return create_tool_from_function(look, outputs_to_string={"raw_result": True})


class TurnedAway(Exception):
    """The caller has heard enough of a stream."""


class HaystackAgent:
    def __init__(self, setup, generator, stored=None):
        self.setup, self.generator = setup, GENERATORS.get(setup.api, generator)
        self.stored = dict(stored or {})
        self.agent = self.made(setup)

    def made(self, setup):
        tools = [create_tool_from_function(tool) for tool in setup.tools]
        if setup.look:
            tools.append(looking(setup.look))
        if setup.helper:
            helper = self.made(setup.helper)

            def ask_helper(task: str) -> str:
                """Let the helper do a task."""
                return helper.run(messages=[ChatMessage.from_user(task)])["last_message"].text

            tools.append(create_tool_from_function(ask_helper))
        generator = self.generator(setup)
        if setup.context:
            generator = context_generator(generator, setup.context)
            tools += read_back_tools(generator)
        confirmation = ConfirmationHook({setup.denied: Denial()}) if setup.denied else None
        return Agent(
            chat_generator=generator,
            tools=tools,
            system_prompt=setup.instructions,
            hooks={"before_tool": [confirmation]} if confirmation else None,
        )

    def messages(self, question, conversation="main", picture=b""):
        parts = [question]
        if picture:
            parts.append(ImageContent(b64encode(picture).decode(), mime_type="image/png"))
        before = [m for m in self.stored.get(conversation, []) if m.role.value != "system"]
        return [*before, ChatMessage.from_user(content_parts=parts)]

    async def run(self, question, *, conversation="main", picture=b""):
        result = await self.agent.run_async(self.messages(question, conversation, picture))
        self.stored[conversation] = result["messages"]
        return result["last_message"].text

    def run_sync(self, question):
        result = self.agent.run(self.messages(question))
        self.stored["main"] = result["messages"]
        return result["last_message"].text

    def trim(self, turns):
        messages = self.stored["main"]
        users = [n for n, each in enumerate(messages) if each.role.value == "user"]
        self.stored["main"] = messages[users[-turns] :]

    async def stream(self, question, most=None):
        pieces = []

        async def piece(chunk):
            if chunk.content and not chunk.tool_call_result:
                pieces.append(chunk.content)
                if len(pieces) == most:
                    raise TurnedAway

        options = {} if self.generator is anthropic_generator else STREAM
        try:
            result = await self.agent.run_async(
                self.messages(question), streaming_callback=piece, generation_kwargs=options
            )
        except Exception:
            if most is None:
                raise
            return pieces
        self.stored["main"] = result["messages"]
        return pieces

    def history(self, conversation="main"):
        known = [message.to_dict() for message in self.stored[conversation]]
        return json.dumps(known, ensure_ascii=False, default=str)

    def restarted(self, setup):
        stored = {
            name: [ChatMessage.from_dict(json.loads(json.dumps(each.to_dict()))) for each in all]
            for name, all in self.stored.items()
        }
        return HaystackAgent(setup, self.generator, stored)


class HaystackDriver:
    moves_to = ("anthropic", "openai-chat")

    def __init__(self, name, api, generator, cannot=None):
        self.name, self.api, self.generator = name, api, generator
        self.cannot = cannot or {}

    def agent(self, setup):
        return HaystackAgent(setup, self.generator)


NO_THINKING = "OpenAI's chat interface gives no signed reasoning"
DRIVERS = [
    HaystackDriver(
        "haystack, openai",
        "openai-chat",
        openai_generator,
        {
            "thinking": NO_THINKING,
            "pictures-in-results": "the framework takes results of texts alone for this interface",
            "thinking-bound-to-its-prefix": NO_THINKING,
        },
    ),
    HaystackDriver("haystack, anthropic", "anthropic", anthropic_generator, NO_TEMPERATURE),
]
