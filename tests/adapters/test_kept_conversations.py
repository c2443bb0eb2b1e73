"""A service that keeps the conversation: a framework hands over what is new."""

import asyncio

import pytest

from contextwright import C

pytest.importorskip("agent_framework")

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
)

from contextwright.adapters.agent_framework import ContextChatMiddleware


class Keeping(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):
    """A service that keeps the conversation, calls a tool, and is done."""

    asked: list = []

    def _inner_get_response(self, *, messages, stream, options, **kwargs):
        async def answer():
            self.asked.append([content.type for one in messages for content in one.contents])
            call = Content.from_function_call("c1", "read", arguments="{}")
            said = [call] if len(self.asked) == 1 else ["done"]
            return ChatResponse(messages=[Message("assistant", said)], conversation_id="conv")

        return answer()


def read() -> str:
    """Rows."""
    return "row"


def test_a_result_goes_to_the_service_that_keeps_its_call():
    middleware = [ContextChatMiddleware(C.compaction(8_000), model="gpt-5")]
    client = Keeping()
    client.asked = []
    agent = Agent(client, tools=[read], middleware=middleware)
    assert asyncio.run(agent.run("hi")).text == "done"
    assert client.asked == [["text"], ["function_result"]]
