"""Streamed answers of Agent Framework, with other chat middleware in front of ours and behind it, and
agents that speak in turns."""

import asyncio

import pytest

from contextwright import C, Context
from contextwright.testing.adapter_suite.suite_tools import read, reading
from contextwright.testing.strict_server import Reply, StrictServer, call

pytest.importorskip("agent_framework_openai")

from agent_framework import Agent, ChatMiddleware, Message, MiddlewareTermination
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


def test_a_stream_that_is_left_or_cancelled_leaves_its_conversation_whole():
    """The next turn goes on, within its limit and without what is redacted."""
    context = Context(C.compaction(8_000) | C.redact("email"), model="gpt-5")
    answers = [*reading(12), "one two three", "four five six", Reply("never", held=True), "done"]
    with StrictServer(answers) as server:
        agent = Agent(client_of(server), tools=[read], middleware=[ContextChatMiddleware(context)])
        agent.client.function_invocation_configuration["max_iterations"] = 50
        session = agent.create_session()

        async def play():
            await agent.run("read all for a@b.example", session=session)
            async for _ in agent.run("and now?", session=session, stream=True):
                break  # the reader goes away
            held = asyncio.create_task(agent.run("and then?", session=session))
            await asyncio.sleep(0.3)
            held.cancel()
            with pytest.raises(asyncio.CancelledError):
                await held
            server.release.set()
            return (await agent.run("go on", session=session)).text

        assert asyncio.run(play()) == "done"
    assert not server.refused and context.manifest.tokens < 8_000
    assert not any("a@b.example" in request.text for request in server.requests)


SPEAKERS = ("writer", "critic", "editor")


def test_agents_of_a_group_have_what_the_others_said_by_name():
    """What group chats hand each agent: what the others said, with their names."""
    answers = [reply for n in range(9) for reply in (call("read", path=f"f{n}"), f"say {n}")]
    spec = C.compaction(3_000) | C.redact("email")
    with StrictServer(answers) as server:
        contexts = {name: Context(spec, model="gpt-5") for name in SPEAKERS}
        agents = {
            name: Agent(
                client_of(server),
                f"You are the {name}, for a@b.example.",
                name=name,
                tools=[read],
                middleware=[ContextChatMiddleware(contexts[name])],
            )
            for name in SPEAKERS
        }

        async def play():
            sessions = {name: agents[name].create_session() for name in SPEAKERS}
            unheard = {name: [Message("user", ["write to a@b.example"])] for name in SPEAKERS}
            for number in range(9):
                name = SPEAKERS[number % 3]
                heard, unheard[name] = unheard[name], []
                said = (await agents[name].run(heard, session=sessions[name])).text
                for other in set(SPEAKERS) - {name}:
                    unheard[other].append(Message("assistant", [said], author_name=name))

        asyncio.run(play())
    assert not server.refused and len(server.requests) == 18
    assert all(context.manifest.tokens < 3_000 for context in contexts.values())
    for number, request in enumerate(server.requests):
        name = SPEAKERS[number // 2 % 3]
        assert "a@b.example" not in request.text
        assert request.body["messages"][0]["content"].startswith(f"You are the {name}, for [RED")
    # the newest that the others said, as theirs
    last = server.requests[-2].body["messages"]
    said = {each["content"]: each.get("name") for each in last if each.get("content")}
    assert said["say 6"] == "writer" and said["say 7"] == "critic"
