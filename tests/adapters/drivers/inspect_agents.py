"""Agents of inspect_ai: `react` with our strategy of compaction, and with our model."""

import asyncio
import json
import os
import tempfile

from inspect_ai import Task, eval_async
from inspect_ai.agent import as_solver, react, run
from inspect_ai.approval import Approval, ApprovalPolicy, approver
from inspect_ai.dataset import Sample
from inspect_ai.log import resolve_sample_attachments
from inspect_ai.model import (
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    ResponseSchema,
    get_model,
)
from inspect_ai.tool import ToolDef
from inspect_ai.util import JSONSchema
from tests.adapters.drivers.clients import data_url

from contextwright.adapters.inspect_ai import ContextCompaction, context_model, read_back_tools
from contextwright.testing.adapter_suite.suite_tools import LIMIT


@approver
def deny():
    async def approve(message, call, view, history):
        return Approval(decision="reject", explanation="The operator denied this call.")

    return approve


def model_of(setup, api):
    # without, the framework tries out whether the model gives any
    config = {"temperature": setup.temperature, "max_retries": 0, "reasoning_summary": "none"}
    if setup.structured:
        fields = {"answer": JSONSchema(type="string")}
        schema = JSONSchema(
            type="object", properties=fields, required=["answer"], additionalProperties=False
        )
        config["response_schema"] = ResponseSchema(name="answer", json_schema=schema, strict=True)
    options = {"base_url": setup.url, "api_key": "none", "memoize": False}
    if api == "anthropic":
        config["max_tokens"] = 1000
        return get_model(f"anthropic/{setup.model}", config=GenerateConfig(**config), **options)
    options |= {"base_url": f"{setup.url}/v1", "responses_api": api == "openai-responses"}
    return get_model(f"openai/{setup.model}", config=GenerateConfig(**config), **options)


async def counted(input, config=None):
    """Four characters a token: the framework's own counter downloads its vocabulary."""
    return len(input if isinstance(input, str) else str([m.model_dump() for m in input])) // 4


def tool_of(function):
    async def execute(path: str) -> str:
        return function(path)

    return ToolDef(
        execute, function.__name__, function.__doc__, parameters={"path": "of the file"}
    ).as_tool()


def looking(picture):
    async def look(path: str):
        return [ContentImage(image=data_url(picture))]

    parameters = {"path": "of the picture"}
    return ToolDef(look, "look", "Look at a picture.", parameters=parameters).as_tool()


os.environ.setdefault("INSPECT_DISPLAY", "none")


class InspectAgent:
    def __init__(self, setup, api, acts, stored=None):
        self.setup, self.api, self.acts = setup, setup.api or api, acts
        self.stored = dict(stored or {})
        self.waiting = []
        self.agent = self.made(setup, "reader")

    def made(self, setup, name):
        tools = [tool_of(tool) for tool in setup.tools]
        if setup.look:
            tools.append(looking(setup.look))
        if setup.helper:
            helper = self.made(setup.helper, "helper")

            async def ask_helper(task: str) -> str:
                """Let the helper do a task.

                Args:
                    task: to do.
                """
                return (await run(helper, task)).output.completion

            tools.append(ToolDef(ask_helper, "ask_helper").as_tool())
        model = model_of(setup, self.api)
        options = {"model": model}
        if setup.context and self.acts == "model":
            options["model"] = context_model(setup.context, model=model)
            tools += read_back_tools(options["model"])
        elif setup.context:
            model.api.count_tokens = counted
            options["compaction"] = ContextCompaction(setup.context, threshold=LIMIT)
            tools += options["compaction"].tools
        if setup.denied:
            options["approval"] = [
                ApprovalPolicy(deny(), setup.denied),
            ]
        return react(
            name=name,
            description="reads",
            prompt=setup.instructions,
            tools=tools,
            submit=False,
            **options,
        )

    async def run(self, question, *, conversation="main", picture=b""):
        content = question
        if picture:
            content = [ContentText(text=question), ContentImage(image=data_url(picture))]
        before = [m for m in self.stored.get(conversation, []) if m.role != "system"]
        messages = [*before, ChatMessageUser(content=content)]
        answer = asyncio.get_running_loop().create_future()
        self.waiting.append((Sample(input=messages, id=conversation), answer))
        await asyncio.sleep(0)
        if self.waiting:  # one evaluation at a time, with all the samples that wait
            waiting, self.waiting = self.waiting, []
            await self.evaluate(waiting)
        return await answer

    def trim(self, turns):
        messages = self.stored["main"]
        users = [n for n, each in enumerate(messages) if each.role == "user"]
        self.stored["main"] = messages[users[-turns] :]

    async def stream(self, question, most=None):
        """Plays what needs no pieces: the framework gives none."""
        return [await self.run(question)]

    async def evaluate(self, waiting):
        with tempfile.TemporaryDirectory() as folder:
            task = Task(dataset=[sample for sample, _ in waiting], solver=as_solver(self.agent))
            options = {"log_dir": folder, "model": model_of(self.setup, self.api)}
            log = (await eval_async(task, **options))[0]
            if log.error:
                raise RuntimeError(log.error.message)
            for sample, answer in waiting:
                done = next(each for each in log.samples if each.id == sample.id)
                done = resolve_sample_attachments(done, "full")
                self.stored[sample.id] = done.messages
                if done.output.stop_reason == "model_length":  # the framework ends the agent
                    raise RuntimeError(done.output.completion)
                answer.set_result(done.output.completion)

    def history(self, conversation="main"):
        known = [message.model_dump() for message in self.stored[conversation]]
        return json.dumps(known, ensure_ascii=False, default=str)

    def restarted(self, setup):
        stored = {
            name: [type(each).model_validate_json(each.model_dump_json()) for each in messages]
            for name, messages in self.stored.items()
        }
        return InspectAgent(setup, self.api, self.acts, stored)


class InspectDriver:
    moves_to = ("anthropic", "openai-responses")

    def __init__(self, name, api, acts, cannot=None):
        self.name, self.api, self.acts = name, api, acts
        self.cannot = {**COMMON, **(cannot or {})}

    def agent(self, setup):
        return InspectAgent(setup, self.api, self.acts)


BETA = "the framework asks for it by a beta that the strict server is without"
NO_STREAM = "agents of the framework give no stream to the caller"
COMMON = {
    "synchronous": "agents of the framework are asynchronous only",
    "streaming-streams": NO_STREAM,
    "an-interrupted-stream": NO_STREAM,
    "an-abandoned-stream": NO_STREAM,
    "two-agents-on-one-context": "a process has one evaluation at a time",
}
ABOVE = "the framework asks a strategy above its threshold only; `context_model` sees all requests"
NO_BOUND = "no model of this interface that binds is in the table of models"
RESPONSES = {"thinking-bound-to-its-prefix": NO_BOUND}
DRIVERS = [
    InspectDriver("inspect_ai model, responses", "openai-responses", "model", RESPONSES),
    InspectDriver(
        "inspect_ai model, anthropic",
        "anthropic",
        "model",
        {
            "structured-output": BETA,
            "an-object-at-the-end-of-every-turn": BETA,
        },
    ),
    InspectDriver(
        "inspect_ai strategy, responses",
        "openai-responses",
        "strategy",
        {
            **RESPONSES,
            "redaction-of-everything-that-is-sent": ABOVE,
            "the-pack-tells-what-was-shortened": ABOVE,
            "the-bill-reaches-the-context": "the framework gives a strategy no bill",
        },
    ),
]
