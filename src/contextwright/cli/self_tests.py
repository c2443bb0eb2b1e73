"""An agent of each framework before the strict scripted server, which has it read files."""

import asyncio
import json
import logging
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from types import MappingProxyType
from typing import Any

import msgspec

from contextwright.adapters.port import context_of
from contextwright.testing.adapter_suite.agent_driver import MODELS
from contextwright.testing.adapter_suite.suite_tools import LIMIT, WINDOW, read, reading
from contextwright.testing.strict_server import StrictServer
from contextwright.words import C

CALLS = 24
"""Calls of the model in a self-test."""
_QUESTION = "Read all the files and say what they have in common."
_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
_Play = Callable[[str, Any], Any]


class SelfTest(msgspec.Struct, frozen=True):
    """What came of one.

    Args:
        passed: calls that the server took, of `CALLS`.
        largest: tokens of the largest request, as the server counts them.
        error: what ended it before.
    """

    passed: int
    largest: int
    error: str = ""

    @property
    def holds(self) -> bool:
        """Whether every call was taken."""
        return not self.error and self.passed == CALLS


class NoSelfTest(Exception):
    """No agent of a framework can be played here; says why."""


def self_test(package: str, *, acts: bool = True) -> SelfTest:
    """Play the agent of a framework.

    Args:
        package: of the framework.
        acts: whether the adapter is there.

    Raises:
        NoSelfTest: there is none of this framework, or a package is missing for it.
    """
    play = _PLAYS.get(package)
    if play is None:
        raise NoSelfTest("no agent of it is played here")
    with StrictServer([*reading(CALLS - 1), "done"], window=WINDOW) as server:
        model = MODELS[_APIS.get(package, "openai-chat")]
        context = context_of(C.compaction(LIMIT), {"model": model}) if acts else None
        error = ""
        try:
            with _silence():
                done = play(server.url, context)
                if asyncio.iscoroutine(done):
                    asyncio.run(done)
        except ImportError as missing:
            raise NoSelfTest(f"its agent can not be played: {missing}") from missing
        except Exception as raised:  # noqa: BLE001 -- whatever a framework raises is the finding
            error = f"{type(raised).__name__}: {raised}".partition("\n")[0]
        largest = max((each.tokens for each in server.requests), default=0)
        return SelfTest(len(server.requests), largest, error)


@contextmanager
def _silence() -> Generator[None]:
    """Frameworks tell their steps, and log what the test counts; their handlers hold the stream
    that was there before."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(before)


def _bounded(client: Any, context: Any) -> Any:
    from contextwright.adapters.wrapped_client import wrap

    return client if context is None else wrap(client, context)


def _chat(send: Callable[..., Any], **options: Any) -> None:
    """The loop over OpenAI's chat messages, with whatever sends them."""
    tool = {"name": "read", "description": "Read a file.", "parameters": _SCHEMA}
    messages: list[Any] = [{"role": "user", "content": _QUESTION}]
    while True:
        tools = [{"type": "function", "function": tool}]
        message = send(messages=list(messages), tools=tools, **options).choices[0].message
        if not message.tool_calls:
            return
        calls: list[dict[str, Any]] = [
            {
                "id": each.id,
                "type": "function",
                "function": {"name": "read", "arguments": each.function.arguments},
            }
            for each in message.tool_calls
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        for each in calls:
            text = read(**json.loads(each["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": each["id"], "content": text})


def _openai(url: str, context: Any) -> None:
    import openai

    client = _bounded(openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0), context)
    _chat(client.chat.completions.create, model=MODELS["openai-chat"])


def _litellm(url: str, context: Any) -> None:
    import litellm  # pyright: ignore[reportMissingImports]

    from contextwright.adapters.litellm import ContextCallback

    send: Any = litellm.completion if context is None else ContextCallback(context).completion
    model = f"openai/{MODELS['openai-chat']}"
    _chat(send, model=model, api_base=f"{url}/v1", api_key="none", max_retries=0)


def _anthropic(url: str, context: Any) -> None:
    import anthropic

    client = _bounded(anthropic.Anthropic(base_url=url, api_key="none", max_retries=0), context)
    tools = [{"name": "read", "description": "Read a file.", "input_schema": _SCHEMA}]
    messages: list[Any] = [{"role": "user", "content": _QUESTION}]
    options: dict[str, Any] = {"model": MODELS["anthropic"], "max_tokens": 1000, "tools": tools}
    while True:
        answer = client.messages.create(messages=list(messages), **options)
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            return
        keys = {"type", "id", "name", "input"}
        content = [{k: v for k, v in each.to_dict().items() if k in keys} for each in calls]
        messages.append({"role": "assistant", "content": content})
        results = [(each.id, read(**each.input)) for each in calls]
        messages.append({"role": "user", "content": list(_tool_results(results))})


def _tool_results(results: Iterable[tuple[str, str]]) -> Iterable[dict[str, str]]:
    for id, text in results:
        yield {"type": "tool_result", "tool_use_id": id, "content": text}


def _google(url: str, context: Any) -> None:
    from google import genai

    options: Any = {"base_url": url}
    client = _bounded(genai.Client(api_key="none", http_options=options), context)
    functions = [{"name": "read", "description": "", "parameters_json_schema": _SCHEMA}]
    config = {"tools": [{"function_declarations": functions}]}
    contents: list[Any] = [{"role": "user", "parts": [{"text": _QUESTION}]}]
    while True:
        answer = client.models.generate_content(
            model=MODELS["gemini"], contents=list(contents), config=config
        )
        content = answer.candidates[0].content
        calls = [part.function_call for part in content.parts if part.function_call]
        if not calls:
            return
        contents.append(content.model_dump(mode="json", exclude_none=True))
        results = [(each.id, each.name, {"output": read(**each.args)}) for each in calls]
        keys = ("id", "name", "response")
        parts = [{"function_response": dict(zip(keys, each, strict=True))} for each in results]
        contents.append({"role": "user", "parts": parts})


async def _pydantic_ai(url: str, context: Any) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    from contextwright.adapters.pydantic_ai import ContextCapability

    provider = OpenAIProvider(base_url=f"{url}/v1", api_key="none")
    model = OpenAIChatModel(MODELS["openai-chat"], provider=provider)
    capabilities = [ContextCapability(context)] if context else []
    await Agent(model, tools=[read], capabilities=capabilities).run(_QUESTION)


def _langchain(url: str, context: Any) -> None:
    from langchain.agents import create_agent

    _of_langchain(create_agent, url, context)


def _deepagents(url: str, context: Any) -> None:
    from deepagents import create_deep_agent  # pyright: ignore[reportMissingImports]

    _of_langchain(create_deep_agent, url, context)


def _of_langchain(made: Callable[..., Any], url: str, context: Any) -> None:
    from langchain_openai import ChatOpenAI

    from contextwright.adapters.langchain import ContextMiddleware

    options: dict[str, Any] = {"base_url": f"{url}/v1", "api_key": "none", "max_retries": 0}
    model = ChatOpenAI(model=MODELS["openai-chat"], use_responses_api=False, **options)
    middleware = [ContextMiddleware(context)] if context else []
    agent = made(model=model, tools=[read], middleware=middleware)
    agent.invoke({"messages": [("user", _QUESTION)]}, {"recursion_limit": 500})


async def _openai_agents(url: str, context: Any) -> None:
    import agents
    from openai import AsyncOpenAI

    from contextwright.adapters.openai_agents import context_model

    agents.set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    model = agents.OpenAIChatCompletionsModel(MODELS["openai-chat"], client)
    if context:
        model = context_model(model, context)
    agent = agents.Agent[Any](name="reader", model=model, tools=[agents.function_tool(read)])
    await agents.Runner.run(agent, _QUESTION, max_turns=200)


async def _google_adk(url: str, context: Any) -> None:
    from google.adk.agents import LlmAgent, RunConfig
    from google.adk.apps import App
    from google.adk.models import Gemini
    from google.adk.runners import InMemoryRunner
    from google.genai import types

    from contextwright.adapters.adk import ContextPlugin

    model = Gemini(model=MODELS["gemini"], base_url=url, client_kwargs={"api_key": "none"})
    agent = LlmAgent(name="reader", model=model, tools=[read])
    plugins: list[Any] = [ContextPlugin(context)] if context else []
    runner = InMemoryRunner(app=App(name="doctor", root_agent=agent, plugins=plugins))
    ids: Any = {"user_id": "doctor", "session_id": "doctor"}
    await runner.session_service.create_session(app_name="doctor", **ids)
    message = types.Content(role="user", parts=[types.Part(text=_QUESTION)])
    config = RunConfig(max_llm_calls=500)
    async for event in runner.run_async(**ids, new_message=message, run_config=config):
        if event.error_message:
            raise RuntimeError(event.error_message)


def _agno(url: str, context: Any) -> None:
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    from contextwright.adapters.agno import context_model

    options: Any = {"base_url": f"{url}/v1", "api_key": "none", "max_retries": 0}
    model = OpenAIChat(MODELS["openai-chat"], **options)
    agent = Agent(
        model=context_model(model, context) if context else model, tools=[read], telemetry=False
    )
    _raised(agent.run(_QUESTION))


def _raised(output: Any) -> None:
    """What Agno gives instead of an error, as one."""
    if str(getattr(output.status, "value", output.status)).upper() == "ERROR":
        raise RuntimeError(output.content)


def _smolagents(url: str, context: Any) -> None:
    from smolagents import OpenAIModel, ToolCallingAgent, tool

    from contextwright.adapters.smolagents import context_model

    @tool
    def read_file(path: str) -> str:
        """Read a file.

        Args:
            path: of the file.
        """
        return read(path)

    read_file.name = "read"
    options: Any = {"api_key": "none", "client_kwargs": {"max_retries": 0}, "retry": False}
    model = OpenAIModel(MODELS["openai-chat"], f"{url}/v1", **options)
    agent = ToolCallingAgent(
        [read_file],
        context_model(model, context) if context else model,
        max_steps=CALLS,
        verbosity_level=0,
    )
    agent.run(_QUESTION)


async def _agent_framework(url: str, context: Any) -> None:
    from agent_framework import Agent
    from agent_framework_openai import OpenAIChatCompletionClient

    from contextwright.adapters.agent_framework import ContextChatMiddleware

    client: Any = OpenAIChatCompletionClient(
        MODELS["openai-chat"],
        api_key="none",
        base_url=f"{url}/v1",
        function_invocation_configuration={"max_iterations": 200},
    )
    middleware: Any = [ContextChatMiddleware(context)] if context else []
    await Agent(client, "Be brief.", tools=[read], middleware=middleware).run(_QUESTION)


async def _strands(url: str, context: Any) -> None:
    from strands import Agent, tool  # pyright: ignore[reportMissingImports]
    from strands.agent.conversation_manager import (  # pyright: ignore[reportMissingImports]
        NullConversationManager,
    )
    from strands.models.openai import OpenAIModel  # pyright: ignore[reportMissingImports]

    from contextwright.adapters.strands import ContextStage

    client = {"base_url": f"{url}/v1", "api_key": "none", "max_retries": 0}
    made: Any = Agent
    agent = made(
        model=OpenAIModel(client_args=client, model_id=MODELS["openai-chat"]),
        tools=[tool(read)],
        conversation_manager=NullConversationManager(),
        plugins=[ContextStage(context)] if context else None,
        callback_handler=None,
        retry_strategy=None,
    )
    await agent.invoke_async(_QUESTION)


async def _llama_index(url: str, context: Any) -> None:
    from llama_index.core.agent.workflow import (  # pyright: ignore[reportMissingImports]
        FunctionAgent,
    )
    from llama_index.core.memory import (  # pyright: ignore[reportMissingImports]
        ChatMemoryBuffer,
    )
    from llama_index.llms.openai import OpenAI  # pyright: ignore[reportMissingImports]

    from contextwright.adapters.llama_index import context_llm

    options: Any = {"api_base": f"{url}/v1", "api_key": "none", "max_retries": 0}
    llm: Any = OpenAI(MODELS["openai-chat"], **options)
    agent: Any = FunctionAgent(llm=context_llm(llm, context) if context else llm, tools=[read])
    memory: Any = ChatMemoryBuffer.from_defaults(token_limit=10**9)
    await agent.run(_QUESTION, memory=memory, max_iterations=200)


def _haystack(url: str, context: Any) -> None:
    from haystack.components.agents import Agent  # pyright: ignore[reportMissingImports]
    from haystack.components.generators.chat import (  # pyright: ignore[reportMissingImports]
        OpenAIChatGenerator,
    )
    from haystack.dataclasses import ChatMessage  # pyright: ignore[reportMissingImports]
    from haystack.tools import create_tool_from_function  # pyright: ignore[reportMissingImports]
    from haystack.utils import Secret  # pyright: ignore[reportMissingImports]

    from contextwright.adapters.haystack import context_generator

    options: Any = {"model": MODELS["openai-chat"], "api_base_url": f"{url}/v1", "max_retries": 0}
    generator: Any = OpenAIChatGenerator(Secret.from_token("none"), **options)
    bounded = context_generator(generator, context) if context else generator
    agent: Any = Agent(chat_generator=bounded, tools=[create_tool_from_function(read)])
    agent.run(messages=[ChatMessage.from_user(_QUESTION)])


_APIS = {"anthropic": "anthropic", "google-genai": "gemini", "google-adk": "gemini"}
_PLAYS: Mapping[str, _Play] = MappingProxyType(
    {
        "openai": _openai,
        "anthropic": _anthropic,
        "google-genai": _google,
        "litellm": _litellm,
        "pydantic-ai-slim": _pydantic_ai,
        "langchain": _langchain,
        "deepagents": _deepagents,
        "openai-agents": _openai_agents,
        "google-adk": _google_adk,
        "agno": _agno,
        "smolagents": _smolagents,
        "agent-framework-core": _agent_framework,
        "strands-agents": _strands,
        "llama-index-core": _llama_index,
        "haystack-ai": _haystack,
    }
)
