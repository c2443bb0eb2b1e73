"""Agents whose history is loaded behind their middleware: refused, with the way that works."""

import asyncio

import pytest

from contextwright import C, wrap
from contextwright.errors import SpecError
from contextwright.testing.adapter_suite.suite_tools import read, reading
from contextwright.testing.strict_server import StrictServer

pytest.importorskip("agent_framework_openai")
LOADED = {"require_per_service_call_history_persistence": True}
SPEC = C.compaction(3_000)


def agent_of(server, *, wrapped=None, middleware=(), **options):
    from agent_framework import Agent
    from agent_framework_openai import OpenAIChatCompletionClient
    from openai import AsyncOpenAI

    own = AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0)
    client = OpenAIChatCompletionClient(
        "gpt-5", async_client=own if wrapped is None else wrap(own, wrapped)
    )
    client.function_invocation_configuration["max_iterations"] = 50
    return Agent(client, "Be brief.", tools=[read], middleware=list(middleware), **options)


async def talk(agent, streams=False):
    session = agent.create_session()
    for question in ("read all", "and now?"):
        if streams:
            answer = await agent.run(question, session=session, stream=True).get_final_response()
        else:
            answer = await agent.run(question, session=session)
    return answer.text


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("others", [0, 1])
def test_what_is_loaded_behind_the_middleware_is_refused_before_it_is_sent(streams, others):
    from agent_framework import chat_middleware

    from contextwright.adapters.agent_framework import ContextChatMiddleware

    @chat_middleware
    async def other(context, call_next):
        await call_next()

    with StrictServer([*reading(3), "done", "fine"], window=100_000) as server:
        both = [ContextChatMiddleware(SPEC, model="gpt-5"), *[other] * others]
        with pytest.raises(SpecError, match="loaded behind its middleware") as refused:
            asyncio.run(talk(agent_of(server, middleware=both, **LOADED), streams))
        assert "wrap(AsyncOpenAI()" in refused.value.fix
        assert not server.requests and not server.refused


def test_what_can_not_be_told_from_the_middleware_is_told_from_the_conversation():
    from contextwright.adapters.loaded_history import refuse_loaded_history

    refuse_loaded_history(print, None)
    refuse_loaded_history(lambda: None, "conv_1")
    with pytest.raises(SpecError):
        refuse_loaded_history(print, "agent_framework_local_history_persistence")


def test_a_client_that_is_wrapped_sees_all_of_it():
    with StrictServer([*reading(20), "done", "fine"], window=100_000) as server:
        assert asyncio.run(talk(agent_of(server, wrapped=SPEC, **LOADED))) == "fine"
        sizes = [request.tokens for request in server.requests]
        assert len(sizes) == 22 and max(sizes) < 4_500 and not server.refused
