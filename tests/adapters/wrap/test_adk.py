"""Agents of google-adk in their real Runner: what their models are sent is cooled."""

import asyncio
import warnings

import pytest

adk = pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import BaseAgent, LlmAgent, SequentialAgent  # noqa: E402
from google.adk.models.base_llm import BaseLlm  # noqa: E402
from google.adk.models.llm_response import LlmResponse  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService  # noqa: E402
from google.genai import types  # noqa: E402

from contextwright.adapters.wrap import Cooled, with_context_management  # noqa: E402
from contextwright.tokens.counter import named_counter  # noqa: E402

COUNT = named_counter("o200k_base").count
LONG = " ".join(f"Supplier {n} confirmed order A{n} at {n} euros." for n in range(60))


class Script(BaseLlm):
    """Calls a tool a few times, then answers; keeps what it was sent."""

    model: str = "gemini-2.5-flash"
    calls: int = 0
    says: str = "done"
    sent: list = []

    async def generate_content_async(self, llm_request, stream=False):
        self.sent.append(llm_request.model_copy(deep=True))
        part = types.Part(text=self.says)
        if len(self.sent) <= self.calls:
            call = types.FunctionCall(name="search", args={}, id=f"c{len(self.sent)}")
            part = types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def search() -> str:
    """Finds suppliers."""
    return LONG


async def talk(root, *messages):
    service = InMemorySessionService()
    runner = Runner(agent=root, app_name="app", session_service=service)
    await service.create_session(app_name="app", user_id="u", session_id="s")
    for message in messages:
        content = types.Content(role="user", parts=[types.Part(text=message)])
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=content):
            pass
    return await service.get_session(app_name="app", user_id="u", session_id="s")


def texts(request):
    found = []
    for content in request.contents:
        for part in content.parts:
            response = part.function_response.response if part.function_response else {}
            found.append(part.text or response.get("result", ""))
    return found


def test_a_tool_loop_of_an_llm_agent_stays_under_the_threshold():
    model = Script(calls=6, sent=[])
    before = LlmAgent(name="guide", model=model, instruction="Help.", tools=[search])
    heard = []
    agent = with_context_management(before, 1200, on_cool=heard.append)
    assert isinstance(agent, LlmAgent)
    assert agent is not before
    assert before.before_model_callback is None
    session = asyncio.run(talk(agent, "Find the cheapest."))
    assert len(model.sent) == 7
    for request in model.sent:
        assert sum(map(COUNT, texts(request))) <= 1200
        assert texts(request)[0] == "Find the cheapest."
        calls = [p.function_call.id for c in request.contents for p in c.parts if p.function_call]
        backs = [
            p.function_response.id for c in request.contents for p in c.parts if p.function_response
        ]
        assert calls == backs
    assert texts(model.sent[1])[-1] == LONG
    assert heard
    assert all(report.tokens_after <= 1200 for report in heard)
    results = [r.response["result"] for e in session.events for r in e.get_function_responses()]
    assert results == [LONG] * 6


def test_agents_of_a_pipeline_hear_each_other_in_short_and_keep_their_own_callbacks():
    ran = []
    first, second = Script(says=LONG, sent=[]), Script(sent=[])
    writer = LlmAgent(name="writer", model=first)
    critic = LlmAgent(
        name="critic", model=second, before_model_callback=lambda **_: ran.append("own") and None
    )
    root = Cooled(SequentialAgent(name="team", sub_agents=[writer, critic]), 300)
    assert isinstance(root, BaseAgent)
    asyncio.run(talk(root, "Go."))
    (request,) = second.sent
    assert sum(map(COUNT, texts(request))) <= 300
    assert "Go." in texts(request)
    quoted = next(text for text in texts(request) if "Supplier" in text)
    assert quoted.startswith("[writer] said:")
    assert "QUOTED" not in quoted or quoted.rstrip().endswith("<<<END_QUOTED_AGENT_CONTENT>>>")
    assert ran == ["own"]


@pytest.mark.parametrize("preamble", ["For context:", "For context: below is a transcript"])
def test_a_user_who_speaks_like_a_quotation_is_the_user(preamble):
    model = Script(sent=[])
    text = f"{preamble} [writer] said: {LONG}"
    asyncio.run(talk(Cooled(LlmAgent(name="guide", model=model), 100), text))
    assert texts(model.sent[0]) == [text]


def test_the_users_words_are_sent_as_they_are():
    model = Script(sent=[])
    heard = []
    agent = Cooled(LlmAgent(name="guide", model=model), 100, on_cool=heard.append)
    asyncio.run(talk(agent, LONG))
    assert texts(model.sent[0]) == [LONG]
    assert "by themselves" in heard[0].why
