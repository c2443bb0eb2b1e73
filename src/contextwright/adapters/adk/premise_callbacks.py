"""Experimental: a question that takes for granted what is not so, in google-adk, is answered
with what is known instead, before an agent or its model is asked."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypedDict, TypeVar, Unpack

from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.model_requests import MIRRORS
from contextwright.adapters.adk.visible_events import VisibleEvents
from contextwright.engine.run_tasks import TaskRunner

if TYPE_CHECKING:
    from contextwright.premises.findings import PremiseResult

T = TypeVar("T")
ReplyText = Callable[["PremiseResult"], str]
"""From a result to the answer in the model's place."""


class CallbackOptions(TypedDict, total=False):
    """`models` judge, by default the embedded model, which goes by rules; `mirrors`, where
    sessions are mirrored, are by default shared by the process; `unknown`: also where no statement
    supports the premise; `say` gives the answer instead, from the result."""

    models: TaskRunner | None
    mirrors: Mirrors | None
    unknown: bool
    say: ReplyText | None


def premise_before_model(
    **options: Unpack[CallbackOptions],
) -> Callable[..., Awaitable[LlmResponse | None]]:
    """A `before_model_callback` for one agent: where the user's last message takes for granted
    what is not so, the model is not asked."""
    return _callback(lambda text: LlmResponse(content=_content(text)), **options)


def premise_before_agent(
    **options: Unpack[CallbackOptions],
) -> Callable[..., Awaitable[types.Content | None]]:
    """The same as a `before_agent_callback`: the agent, and those under it, do not run."""
    return _callback(_content, **options)


def reply(result: "PremiseResult") -> str:
    """The answer: which premise, why not, and what is known."""
    verdict = "That is not so" if result.verdict == "invalid" else "I know nothing that says so"
    reason = result.reason.replace("user says", "you said", 1)
    return (
        f"Your question takes for granted: {result.invalid_premise}. {verdict}: {reason}. "
        f"{result.suggestion}"
    )


def _callback(
    wrap: Callable[[str], T],
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    unknown: bool = False,
    say: ReplyText | None = None,
) -> Callable[..., Awaitable[T | None]]:
    async def guard(
        *, callback_context: CallbackContext, llm_request: LlmRequest | None = None
    ) -> T | None:
        from contextwright.engine.premise_guard import apremise_guard, question_in

        visible, state = VisibleEvents.of(callback_context), callback_context.state.to_dict()
        session = await (mirrors or MIRRORS).asession(callback_context.session, state, visible)
        if question_in(session.snapshot()) is None:
            return None
        result = await apremise_guard(session, models=models)
        stops = result.verdict == "invalid" or (unknown and result.verdict == "unknown")
        text = (say or reply)(result) if stops else ""
        return wrap(text) if text else None

    return guard


def _content(text: str) -> types.Content:
    return types.Content(role="model", parts=[types.Part(text=text)])
