"""A live session of ADK's: no callback holds what is sent, so it is refused before it is opened."""

import asyncio
import warnings
from contextlib import aclosing, asynccontextmanager

import pytest

pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import LiveRequestQueue, LlmAgent  # noqa: E402
from google.adk.apps import App  # noqa: E402
from google.adk.events import Event  # noqa: E402
from google.adk.models import BaseLlm, LlmResponse  # noqa: E402
from google.adk.models.base_llm_connection import BaseLlmConnection  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService  # noqa: E402
from google.genai import types  # noqa: E402
from tests.adapters.adk.scripted import said  # noqa: E402

from contextwright import C  # noqa: E402
from contextwright.adapters.adk import ContextPlugin, Mirrors, with_context  # noqa: E402

SPEC = C.window(n=2) | C.redact(["pii"])
MAIL = "ann@home.org"


class LiveConnection(BaseLlmConnection):
    """Answers each content with a text, and keeps what came."""

    def __init__(self):
        self.history, self.contents = [], []
        self._heard = asyncio.Queue()

    async def send_history(self, history):
        self.history += history

    async def send_content(self, content):
        self.contents.append(content)
        await self._heard.put(True)

    async def send_realtime(self, blob):
        raise AssertionError("no sound is sent here")

    async def receive(self):
        while await self._heard.get():
            content = types.Content(role="model", parts=[types.Part(text="heard")])
            yield LlmResponse(content=content)
            yield LlmResponse(turn_complete=True)

    async def close(self):
        await self._heard.put(False)


class LiveScript(BaseLlm):
    """A model of live sessions."""

    model: str = "gemini-2.5-flash"
    connections: list = []

    async def generate_content_async(self, llm_request, stream=False):
        raise AssertionError("a live session makes no requests")
        yield

    @asynccontextmanager
    async def connect(self, llm_request):
        connection = LiveConnection()
        self.connections.append(connection)
        yield connection


async def talk_live(root, plugins=()):
    """Twelve messages were said before; one is said live."""
    sessions = InMemorySessionService()
    session = await sessions.create_session(app_name="app", user_id="u", session_id="s")
    for number in range(12):
        author = ("user", "clerk")[number % 2]
        content = types.Content(
            role=("user", "model")[number % 2], parts=[types.Part(text=f"said {number} {MAIL}")]
        )
        await sessions.append_event(session, Event(author=author, content=content))
    app = App(name="app", root_agent=root, plugins=list(plugins))
    queue = LiveRequestQueue()
    queue.send_content(said(f"live {MAIL}"))
    run = Runner(app=app, session_service=sessions).run_live(
        user_id="u", session_id="s", live_request_queue=queue
    )
    async with aclosing(run):
        async for event in run:
            if event.turn_complete:
                return


def texts(contents):
    return [part.text for content in contents for part in content.parts]


def test_adk_sends_history_and_words_past_its_callbacks():
    """Why it is refused: a callback is shown the new words alone, and what it makes of them does
    not go out."""
    seen = []

    def rewritten(callback_context, llm_request):
        seen.append(texts(llm_request.contents))
        llm_request.contents = [said("rewritten")]

    model = LiveScript(connections=[])
    agent = LlmAgent(name="clerk", model=model, before_model_callback=rewritten)
    asyncio.run(asyncio.wait_for(talk_live(agent), 30))
    (connection,) = model.connections
    assert len(connection.history) == 12 and f"said 0 {MAIL}" in texts(connection.history)
    assert seen == [[f"live {MAIL}"]]
    assert texts(connection.contents) == [f"live {MAIL}"]


@pytest.mark.parametrize("way", ["agent", "plugin"])
def test_a_context_refuses_before_a_connection_is_opened(way):
    model = LiveScript(connections=[])
    agent, plugins = LlmAgent(name="clerk", model=model), []
    if way == "agent":
        with_context(agent, SPEC, mirrors=Mirrors())
    else:
        plugins = [ContextPlugin(SPEC, mirrors=Mirrors())]
    with pytest.raises(Exception, match="live session") as caught:
        asyncio.run(asyncio.wait_for(talk_live(agent, plugins), 30))
    assert "Runner.run_async" in str(caught.value)
    assert "context_window_compression" in str(caught.value)
    assert model.connections == []


def test_an_agent_without_a_context_is_live_beside_others_that_have_one():
    model = LiveScript(connections=[])
    plugin = ContextPlugin({"other": SPEC}, mirrors=Mirrors())
    agent = LlmAgent(name="clerk", model=model)
    asyncio.run(asyncio.wait_for(talk_live(agent, [plugin]), 30))
    assert texts(model.connections[0].contents) == [f"live {MAIL}"]
