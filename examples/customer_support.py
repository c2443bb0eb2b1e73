"""A customer support pipeline on google-adk: five agents, each sees only what its step needs.

    pip install 'contextwright[adk]'
    python examples/customer_support.py

A scripted model stands in for Gemini, so that it runs without a key, and prints what each agent
was sent.
"""

# first: it names the command to install where google-adk is missing
from contextwright.adapters.adk import Agent, Pipeline, Route  # isort: skip

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from contextwright import C


def support(flash: Any = "gemini-2.5-flash", pro: Any = "gemini-2.5-pro") -> Pipeline:
    """The pipeline: classify, then one of three specialists, then the answer."""
    return (
        # capture the user's message for those who see no conversation
        C.capture("user_message")
        >> Agent("classifier", flash)
        .instruct("Classify the customer's intent and urgency.")
        .outputs("intent", "urgency", "category")
        .context(
            C.from_state("user_message")
            | C.priority(tier=1) + C.notes(key="customer_history")
            | C.priority(tier=2)
        )
        >> Route("intent")
        .eq(
            "billing",
            Agent("billing_handler", pro)
            .instruct("Resolve the billing issue.")
            .outputs("resolution", "actions_taken")
            .context(
                # Tier 1: what it is about
                C.from_state("intent", "category")
                | C.priority(tier=1)
                # Tier 2: the recent conversation, compacted
                + C.window(n=5)
                | C.compact()
                | C.priority(tier=2)
                # Tier 3: what was observed before and matters now
                + C.notes(key="customer_history")
                | C.relevant(query_key="intent", top_k=3)
                | C.priority(tier=3)
                # all of it in 8,000 tokens, the lowest tier leaving first
                | C.budget(max_tokens=8000, overflow="truncate_lowest_priority")
            )
            # after the turn: findings go to the scratchpad
            .context(C.write_notes(key="customer_history", strategy="append")),
        )
        .eq(
            "technical",
            Agent("tech_support", pro)
            .instruct("Diagnose and resolve the technical issue.")
            .outputs("resolution", "steps_taken")
            .context(
                C.window(n=15)
                | C.dedup(strategy="structural")
                | C.fresh(max_age=20, stale_action="compact")
                | C.budget(max_tokens=16000)
            ),
        )
        .eq(
            "escalation",
            Agent("escalation_prep", flash)
            .instruct("Prepare an escalation package for a human reviewer.")
            .outputs("escalation_package")
            .context(
                # single facts, each to be had later
                C.distill(key="case_facts", model="gemini-2.5-flash")
                # a summary with a contract
                + C.summarize(
                    schema={
                        "issue_description": "str",
                        "steps_attempted": "list[str]",
                        "customer_sentiment": "str",
                        "recommended_action": "str",
                    }
                )
                # no personal data leaves
                | C.redact(patterns=["email", "phone", "ssn"])
            ),
        )
        >> Agent("responder", flash)
        .instruct("Compose a friendly, helpful response to the customer.")
        .context(
            # state only, no conversation
            C.from_state("resolution", "actions_taken")
            | C.priority(tier=1) + C.from_state("user_message")
            | C.priority(tier=1) + C.notes(key="customer_history")
            | C.relevant(query_key="resolution", top_k=2)
            | C.priority(tier=3)
            | C.budget(max_tokens=4000)
        )
    )


class Scripted(BaseLlm):
    """A model that answers from a script and keeps what it was sent."""

    model: str = "gemini-2.5-flash"
    replies: dict[str, Any] = {}
    requests: list[LlmRequest] = []

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        self.requests.append(llm_request)
        said = str(llm_request.config.system_instruction)
        reply = next(reply for start, reply in self.replies.items() if start in said)
        text = reply if isinstance(reply, str) else json.dumps(reply)
        content = types.Content(role="model", parts=[types.Part(text=text)])
        yield LlmResponse(content=content)


REPLIES: dict[str, Any] = {
    "Classify": {"intent": "billing", "urgency": "high", "category": "double charge"},
    "Resolve the billing": {
        "resolution": "The second charge of $49 was refunded.",
        "actions_taken": ["found two charges of $49", "refunded one"],
    },
    "Diagnose": {"resolution": "A new build fixes the crash.", "steps_taken": ["read the log"]},
    "escalation package": "Customer was charged twice and is upset; a refund is due.",
    "Compose": "We have refunded the second charge of $49. Sorry for the trouble!",
}


async def converse(pipeline: Pipeline, *messages: str, state: dict[str, Any] | None = None) -> str:
    """Send the user's messages, one after the other, and give the last reply back."""
    service = InMemorySessionService()
    runner = Runner(agent=pipeline.build(), app_name="support", session_service=service)
    session = await service.create_session(app_name="support", user_id="ann", state=state)
    reply = ""
    for message in messages:
        content = types.Content(role="user", parts=[types.Part(text=message)])
        async for event in runner.run_async(
            user_id="ann", session_id=session.id, new_message=content
        ):
            if event.content and event.content.parts and event.content.parts[0].text:
                reply = event.content.parts[0].text
    return reply


def main() -> None:
    model = Scripted(replies=REPLIES, requests=[])
    state = {"_notes_customer_history": ["Was promised a callback on Monday.", "Pays by card."]}
    reply = asyncio.run(converse(support(model, model), "I was charged twice!", state=state))
    for request in model.requests:
        print("=" * 80, request.config.system_instruction, "-" * 80, sep="\n")
        for content in request.contents:
            print(f"{content.role}:", "".join(part.text or "" for part in content.parts or ()))
    print("=" * 80, reply, sep="\n")


if __name__ == "__main__":
    main()
