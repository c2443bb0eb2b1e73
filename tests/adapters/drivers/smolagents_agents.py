"""Agents of smolagents, with OpenAI's model."""

import asyncio
import io
import json
from itertools import islice

from PIL import Image
from smolagents import OpenAIModel, TaskStep, ToolCallingAgent
from smolagents import tool as smol_tool
from smolagents.models import (
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
)

from contextwright.adapters.smolagents import context_model, read_back_tools


class AnsweringModel(OpenAIModel):
    """A model that ends with a text: the framework wants a call of `final_answer`."""

    def generate(self, messages, **options):
        message = super().generate(messages, **options)
        if not message.tool_calls:
            function = ChatMessageToolCallFunction({"answer": message.content}, "final_answer")
            message.tool_calls = [ChatMessageToolCall(function, "final", "function")]
            message.content = None
        return message

    def generate_stream(self, messages, **options):
        has_calls, text = False, ""
        for delta in super().generate_stream(messages, **options):
            has_calls = has_calls or bool(delta.tool_calls)
            text += delta.content or ""
            yield delta
        if not has_calls:
            function = ChatMessageToolCallFunction(json.dumps({"answer": text}), "final_answer")
            call = ChatMessageToolCallStreamDelta(0, "final", "function", function)
            yield ChatMessageStreamDelta(tool_calls=[call])


def made_tool(function):
    function.__doc__ = f"{function.__doc__.split(chr(10))[0]}\n\nArgs:\n    path: of the file."
    return smol_tool(function)


class SmolAgent:
    def __init__(self, setup, stored=None):
        self.setup = setup
        self.stored = dict(stored or {})
        self.agents = {}
        self.model = self.bounded(setup)

    def bounded(self, setup):
        options = {} if setup.temperature is None else {"temperature": setup.temperature}
        client = {"max_retries": 0}
        model = AnsweringModel(
            setup.model, f"{setup.url}/v1", api_key="none", client_kwargs=client, retry=False,
            **options,
        )  # fmt: skip
        return context_model(model, setup.context) if setup.context else model

    def made(self, setup, model, stream=False, name=None):
        helpers = []
        if setup.helper:
            helper = self.made(setup.helper, self.bounded(setup.helper), name="helper")
            helpers.append(helper)
        return ToolCallingAgent(
            [made_tool(tool) for tool in setup.tools]
            + (read_back_tools(model) if setup.context else []),
            model,
            instructions=setup.instructions,
            managed_agents=helpers,
            max_steps=200,
            stream_outputs=stream,
            verbosity_level=0,
            name=name,
            description="helps" if name else None,
        )

    def agent(self, conversation, stream=False):
        if conversation not in self.agents:
            agent = self.made(self.setup, self.model, stream)
            agent.memory.steps = list(self.stored.get(conversation, []))
            self.agents[conversation] = agent
        return self.agents[conversation]

    async def run(self, question, *, conversation="main", picture=b""):
        images = [Image.open(io.BytesIO(picture))] if picture else None
        agent = self.agent(conversation)
        return await asyncio.to_thread(agent.run, question, reset=False, images=images)

    def run_sync(self, question):
        return self.agent("main").run(question, reset=False)

    def trim(self, turns):
        memory = self.agents["main"].memory
        users = [n for n, each in enumerate(memory.steps) if isinstance(each, TaskStep)]
        memory.steps = memory.steps[users[-turns] :]

    async def stream(self, question, most=None):
        agent = self.agent("main", stream=True)

        def pieces():
            texts = (
                event.content
                for event in agent.run(question, stream=True, reset=False)
                if isinstance(event, ChatMessageStreamDelta) and event.content
            )
            return list(islice(texts, most))

        return await asyncio.to_thread(pieces)

    def history(self, conversation="main"):
        steps = [step.dict() for step in self.agents[conversation].memory.steps]
        for step in steps:  # what was sent is no history
            step.pop("model_input_messages", None)
        return json.dumps([self.setup.instructions, steps], ensure_ascii=False, default=str)

    def restarted(self, setup):
        stored = {name: agent.memory.steps for name, agent in self.agents.items()}
        return SmolAgent(setup, stored)


class SmolDriver:
    name, api = "smolagents, openai", "openai-chat"
    moves_to = ()
    cannot = {
        "another-provider-goes-on": "its models speak OpenAI's chat interface alone",
        "pictures-in-results": "a result of the framework's is a text",
        "an-object-at-the-end-of-every-turn": "an agent's answer is the argument of a call",
        "a-denied-approval": "the framework has no approval of calls",
        "cancellation": "runs are synchronous; they are interrupted between two steps",
        "structured-output": "an agent's answer is the argument of a call, and has no schema",
        "thinking": "the framework sends no reasoning back",
        "thinking-bound-to-its-prefix": "the framework sends no reasoning back",
    }

    def agent(self, setup):
        return SmolAgent(setup)


DRIVERS = [SmolDriver()]
