"""An agent of each framework before the strict scripted server, which has it read files."""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
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


def self_test(package: str, *, acts: bool = True) -> SelfTest | None:
    """Play the agent of a framework; None for one that has none here, or lacks a package for it.

    Args:
        package: of the framework.
        acts: whether the adapter is there.
    """
    play = _PLAYS.get(package)
    if play is None:
        return None
    with StrictServer([*reading(CALLS - 1), "done"], window=WINDOW) as server:
        model = MODELS[_APIS.get(package, "openai-chat")]
        context = context_of(C.compaction(LIMIT), {"model": model}) if acts else None
        error = ""
        try:
            done = play(server.url, context)
            if asyncio.iscoroutine(done):
                asyncio.run(done)
        except ImportError:
            return None
        except Exception as raised:  # noqa: BLE001 -- whatever a framework raises is the finding
            error = f"{type(raised).__name__}: {raised}".partition("\n")[0]
        largest = max((each.tokens for each in server.requests), default=0)
        return SelfTest(len(server.requests), largest, error)


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
    }
)
