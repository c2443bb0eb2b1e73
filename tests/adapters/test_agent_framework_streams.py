"""Streamed answers of Agent Framework, with other chat middleware in front of ours and behind it."""

import asyncio

import pytest

from contextwright import C, Context
from contextwright.testing.adapter_suite.suite_tools import read, reading
from contextwright.testing.strict_server import StrictServer

pytest.importorskip("agent_framework_openai")

from agent_framework import Agent, ChatMiddleware, MiddlewareTermination
from agent_framework_openai import OpenAIChatCompletionClient

from contextwright.adapters.agent_framework import ContextChatMiddleware


class Listener(ChatMiddleware):
    """Asks to see each update of a stream, and its whole answer."""

    def __init__(self):
        self.heard = []

    async def process(self, context, call_next):
        context.stream_update_transforms = [*context.stream_update_transforms, self.update]
        context.stream_result_transforms = [*context.stream_result_transforms, self.result]
        await call_next()

    def update(self, update):
        self.heard.append(update.text)
        return update

    def result(self, result):
        self.heard.append(("all", result.text))
        return result


class Denial(ChatMiddleware):
    """Lets no request through."""

    async def process(self, context, call_next):
        raise MiddlewareTermination("not today")


async def stream_of(agent, question):
    stream = agent.run(question, stream=True)
    async for _ in stream:
        pass
    return (await stream.get_final_response()).text


def client_of(server):
    return OpenAIChatCompletionClient("gpt-5", api_key="none", base_url=f"{server.url}/v1")


@pytest.mark.parametrize("is_last", [False, True])
def test_middleware_hears_a_stream_wherever_it_stands(is_last):
    """What stood behind ours asked in vain: its transforms, and its gates, were never called."""
    listener, ours = Listener(), ContextChatMiddleware(C.compaction(8_000))
    with StrictServer(["one two three"]) as server:
        order = [ours, listener] if is_last else [listener, ours]
        agent = Agent(client_of(server), middleware=order)
        assert asyncio.run(stream_of(agent, "go")) == "one two three"
    assert listener.heard[-1] == ("all", "one two three")
    assert "".join(listener.heard[:-1]) == "one two three"


def test_a_stream_that_middleware_behind_ours_ends_is_ended():
    def outcome(*middleware):
        with StrictServer(["one"]) as server:
            agent = Agent(client_of(server), middleware=list(middleware))
            try:
                return asyncio.run(stream_of(agent, "go"))
            except Exception as error:  # noqa: BLE001 whatever the framework makes of it
                return type(error), str(error)
            finally:
                assert not server.requests

    ours = ContextChatMiddleware(C.compaction(8_000))
    assert outcome(ours, Denial()) == outcome(Denial())


def test_a_streamed_request_that_is_too_long_goes_out_once_more():
    context = Context(C.compaction(24_000), model="gpt-5")
    with StrictServer([*reading(12), "done"], window=9_000) as server:
        agent = Agent(
            client_of(server), tools=[read], middleware=[ContextChatMiddleware(context), Listener()]
        )
        agent.client.function_invocation_configuration["max_iterations"] = 50
        assert asyncio.run(stream_of(agent, "read all")) == "done"
    assert server.refused and server.overflows == len(server.refused)
    assert context.manifest.tokens < 9_000
