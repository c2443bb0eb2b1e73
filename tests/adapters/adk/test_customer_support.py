"""The pipeline of context-algebra.md#worked-example on ADK's real Runner, through every route."""

import asyncio
import importlib.util
import os
import re
import warnings
from pathlib import Path

import pytest

pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

ROOT = Path(__file__).parents[3]
SNAPSHOTS = Path(__file__).parent / "snapshots"
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SIGN = re.compile(r' sign="[^"]*"')
HISTORY = {
    "_notes_customer_history": [
        "Was promised a callback on Monday.",
        "Pays by card.",
        "The billing address is in Lyon.",
        "Asked about billing twice in May.",
        "Likes short answers.",
    ]
}


def example():
    spec = importlib.util.spec_from_file_location(
        "customer_support", ROOT / "examples/customer_support.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(intent, *messages):
    module = example()
    replies = {**module.REPLIES, "Classify": {"intent": intent, "urgency": "high", "category": "x"}}
    model = module.Scripted(replies=replies, requests=[])
    reply = asyncio.run(module.converse(module.support(model, model), *messages, state=HISTORY))
    return reply, model.requests


def shown(requests):
    """What the model was sent, without signs, which are the session's; how ADK words a quotation
    of another agent is ADK's."""
    out = []
    for request in requests:
        out.append("== system ==\n" + request.config.system_instruction)
        for content in request.contents:
            text = "".join(part.text or "" for part in content.parts)
            quoted = text.partition("said:")[2] if "BEGIN_QUOTED" in text else text
            lines = [line for line in quoted.splitlines() if "QUOTED_AGENT_CONTENT" not in line]
            out.append(f"== {content.role} ==\n" + "\n".join(lines).strip())
    return SIGN.sub("", UUID.sub("ID", "\n".join(out))) + "\n"


@pytest.mark.parametrize("intent", ["billing", "technical", "escalation", "none of these"])
def test_every_route_sends_what_its_spec_says(intent):
    _, requests = run(
        intent,
        "Hello, my invoice 4711 of May 3 is wrong. Write to ann@home.org.",
        "I was charged $49 twice, please refund one charge.",
    )
    path = SNAPSHOTS / f"{intent.replace(' ', '_')}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown(requests))
    assert shown(requests) == path.read_text()


def test_the_agents_of_a_route_run_and_no_others():
    def agents(intent):
        _, requests = run(intent, "Help me.")
        return [
            r.config.system_instruction.rpartition('name is "')[2].rstrip('".') for r in requests
        ]

    assert agents("billing") == ["classifier", "billing_handler", "responder"]
    assert agents("technical") == ["classifier", "tech_support", "responder"]
    assert agents(" Escalation ") == ["classifier", "escalation_prep", "responder"]
    assert agents("weather") == ["classifier", "responder"]


def test_findings_are_noted_for_the_next_turn():
    _, requests = run("billing", "I was charged twice.", "And again!")
    assert "billing_handler" in requests[4].config.system_instruction
    second = "".join(part.text or "" for c in requests[4].contents for part in c.parts)
    assert "refunded" in second.partition('source="notes:customer_history"')[2]


SECRETS = ("ann@home.org", "555 0100", "123-45-6789")


def test_no_personal_data_reaches_the_escalation():
    """Not from the user, not from another agent that repeats it, not from a turn before."""
    module = example()
    said = "Mail ann@home.org or call +1 415 555 0100, my SSN is 123-45-6789."
    repeats = {"intent": "escalation", "urgency": "high", "category": said}
    model = module.Scripted(replies={**module.REPLIES, "Classify": repeats}, requests=[])
    pipeline = module.support(model, model)
    assert pipeline.check().errors == ()
    asyncio.run(module.converse(pipeline, said, "Escalate this!", said, state=HISTORY))
    prepared = [r for r in model.requests if "escalation package" in str(r.config)]
    assert len(prepared) == 3
    for request in prepared:
        sent = request.model_dump_json()
        assert "[REDACTED]" in sent
        assert not [secret for secret in SECRETS if secret in sent]
