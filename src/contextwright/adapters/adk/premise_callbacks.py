"""Experimental: a question that takes for granted what is not so, in google-adk, is answered
with what is known instead, before an agent or its model is asked."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from contextwright.adapters.adk.instruction import MIRRORS
from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.visible_events import VisibleEvents
from contextwright.engine.run_tasks import TaskRunner

if TYPE_CHECKING:
    from contextwright.premises.findings import PremiseResult

ReplyText = Callable[["PremiseResult"], str]
"""From a result to the answer in the model's place."""


def premise_before_model(
    *,
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    unknown: bool = False,
    say: ReplyText | None = None,
) -> Callable[..., Awaitable[LlmResponse | None]]:
    """A `before_model_callback` for one agent: where the user's last message takes for granted
    what is not so, the model is not asked.

    Args:
        models: who judges; by default the embedded model, which goes by rules.
        mirrors: where sessions are mirrored; by default shared by the process.
        unknown: also where no statement supports it.
        say: the answer instead, from the result.

    Returns:
        The callback: for `LlmAgent(before_model_callback=...)`.
    """
    answer = _answering(models, mirrors, unknown, say)

    async def guard(
        *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        content = await answer(callback_context)
        return LlmResponse(content=content) if content else None

    return guard


def premise_before_agent(
    *,
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    unknown: bool = False,
    say: ReplyText | None = None,
) -> Callable[..., Awaitable[types.Content | None]]:
    """The same as a `before_agent_callback`: the agent, and those under it, do not run."""
    answer = _answering(models, mirrors, unknown, say)

    async def guard(*, callback_context: CallbackContext) -> types.Content | None:
        return await answer(callback_context)

    return guard


def reply(result: "PremiseResult") -> str:
    """The answer: which premise, why not, and what is known."""
    verdict = "That is not so" if result.verdict == "invalid" else "I know nothing that says so"
    reason = result.reason.replace("user says", "you said", 1)
    return (
        f"Your question takes for granted: {result.invalid_premise}. {verdict}: {reason}. "
        f"{result.suggestion}"
    )


def _answering(
    models: TaskRunner | None, mirrors: Mirrors | None, unknown: bool, say: ReplyText | None
) -> Callable[[CallbackContext], Awaitable[types.Content | None]]:
    """The answer in the model's place; None where the model is to be asked."""

    async def answer(context: CallbackContext) -> types.Content | None:
        from contextwright.engine.premise_guard import apremise_guard, question_in

        view = VisibleEvents.of(context)
        session = (mirrors or MIRRORS).session(context.session, context.state.to_dict(), view)
        if question_in(session.snapshot()) is None:
            return None
        result = await apremise_guard(session, models=models)
        if result.verdict == "invalid" or (unknown and result.verdict == "unknown"):
            return types.Content(role="model", parts=[types.Part(text=(say or reply)(result))])
        return None

    return answer
