"""A question that takes for granted what is not so, in google-adk."""

import asyncio
import json
import warnings

import pytest

pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService  # noqa: E402
from tests.adapters.adk.scripted import said, script  # noqa: E402

from contextwright.adapters.adk import (  # noqa: E402
    Mirrors,
    premise_before_agent,
    premise_before_model,
)
from contextwright.models import Models, ScriptedLLM  # noqa: E402

TALK = ["The server did not crash today.", "Why did the server crash?", "What shall we do now?"]


async def answers(agent, messages):
    """What the agent says to each message."""
    runner = Runner(agent=agent, app_name="app", session_service=InMemorySessionService())
    await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")
    found = []
    for message in messages:
        texts = [
            part.text or ""
            async for event in runner.run_async(
                user_id="u", session_id="s", new_message=said(message)
            )
            for part in (event.content.parts if event.content else ())
        ]
        found.append("".join(texts))
    return found


def guarded(where, model, **options):
    guard = premise_before_agent if where == "agent" else premise_before_model
    callback = {f"before_{where}_callback": guard(mirrors=Mirrors(), **options)}
    return LlmAgent(name="ops", model=model, **callback)


@pytest.mark.parametrize("where", ["agent", "model"])
def test_the_model_is_not_asked_what_is_not_so(where):
    model = script("model's words")
    found = asyncio.run(answers(guarded(where, model), TALK))
    assert found[0] == found[2] == "model's words"
    assert "the server did crash" in found[1]
    assert "you said otherwise" in found[1]
    assert "The server did not crash today" in found[1]
    assert len(model.sent) == 2


@pytest.mark.parametrize("where", ["agent", "model"])
def test_what_nothing_tells_passes_unless_it_is_not_to(where):
    asked = ["Our office is in Lyon.", "Why did the server crash?"]
    assert asyncio.run(answers(guarded(where, script("ok")), asked)) == ["ok", "ok"]
    strict = guarded(where, script("ok"), unknown=True, say=lambda result: result.verdict)
    assert asyncio.run(answers(strict, asked)) == ["ok", "unknown"]


def test_a_model_may_judge():
    row = {"premise": "It rains.", "verdict": "invalid", "reason": "it is dry", "evidence": []}
    models = Models(ScriptedLLM(json.dumps({"premises": [row]})))
    agent = guarded("model", script("ok"), models=models)
    (found,) = asyncio.run(answers(agent, ["Why does the rain stay in Spain?"]))
    assert "it is dry" in found
