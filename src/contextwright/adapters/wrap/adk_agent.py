"""A google-adk agent whose models are sent cooled requests (extra `adk`)."""

from typing import Any, TypeVar

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse

from contextwright.adapters.wrap.intake import Intake

Agent = TypeVar("Agent", bound=BaseAgent)


def cooled_agent(agent: Agent, intake: Intake) -> Agent:
    """A copy of the agent, its sub-agents with it, that cools what its models are sent: the
    conversation, tool results of the running turn included. Callbacks that it has run before.
    """

    async def cool(
        callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        config = llm_request.config
        instruction = config.system_instruction if config else None
        arguments: dict[str, Any] = {"contents": llm_request.contents}
        if isinstance(instruction, str):
            arguments["system_instruction"] = instruction
        llm_request.contents = (await intake.later(arguments))["contents"]
        return None

    copy = agent.clone()
    left: list[BaseAgent] = [copy]
    while left:
        each = left.pop()
        left += each.sub_agents
        if isinstance(each, LlmAgent):
            each.before_model_callback = [*each.canonical_before_model_callbacks, cool]
    return copy
