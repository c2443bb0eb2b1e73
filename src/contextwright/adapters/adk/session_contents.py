"""What ADK itself makes of a session for an agent: the contents that it would send without us."""

from google.adk.agents import LlmAgent
from google.adk.agents.invocation_context import InvocationContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.code_executors import BaseCodeExecutor
from google.adk.code_executors.code_execution_utils import CodeExecutionUtils
from google.adk.flows.llm_flows.contents import request_processor
from google.adk.models.llm_request import LlmRequest
from google.adk.planners import BasePlanner, BuiltInPlanner
from google.genai import types

_ALONE = frozenset({"single_turn", "task"})
"""Modes in which an agent is told of its task alone, not of the conversation around it."""


def invocation_of(context: ReadonlyContext | InvocationContext) -> InvocationContext:
    """The run that a context belongs to."""
    return context._invocation_context if isinstance(context, ReadonlyContext) else context  # pyright: ignore


async def session_contents(
    context: ReadonlyContext | InvocationContext,
    *,
    history: bool = False,
    chained: str | None = None,
) -> list[types.Content]:
    """What ADK makes of the session for the running agent, by its own processors. The contents are
    nobody else's; what they hold is the session's.

    Args:
        history: the whole of it, also where the agent is told of the running turn alone.
        chained: the provider's own memory of the conversation, behind which ADK tells the turn.
    """
    running = invocation_of(context)
    agent, config = running.agent, running.run_config
    changes: dict[str, object] = {}
    if config is not None and config.model_input_context:
        changes["run_config"] = config.model_copy(update={"model_input_context": None})
    if history and is_told_the_turn(agent):
        assert isinstance(agent, LlmAgent)
        changes["agent"] = agent.model_copy(update={"include_contents": "default"})
    request = LlmRequest(previous_interaction_id=chained)
    async for _ in request_processor.run_async(running.model_copy(update=changes), request):
        pass
    _as_a_planner_has_them(request.contents, getattr(agent, "planner", None))
    _as_an_executor_has_them(request.contents, getattr(agent, "code_executor", None))
    return request.contents


def is_told_the_turn(agent: object) -> bool:
    """Whether ADK tells an agent of the running turn alone, where there may be more to tell: an
    agent of a single turn has that alone, and ADK itself sets it so."""
    is_single = getattr(agent, "mode", None) == "single_turn"
    return isinstance(agent, LlmAgent) and agent.include_contents == "none" and not is_single


def is_chained(context: ReadonlyContext | InvocationContext) -> bool:
    """Whether ADK tells the running agent's model the turn alone: its provider has the rest."""
    model = getattr(invocation_of(context).agent, "canonical_model", None)
    return bool(getattr(model, "use_interactions_api", False))


def is_told_otherwise(context: ReadonlyContext | InvocationContext) -> bool:
    """Whether ADK tells the running agent the session in another way than its events are."""
    running = invocation_of(context)
    agent = running.agent
    if running.isolation_scope is not None or getattr(agent, "mode", None) in _ALONE:
        return True
    planner = getattr(agent, "planner", None)
    return bool(planner) and not isinstance(planner, BuiltInPlanner)


def shallow(contents: list[types.Content]) -> list[types.Content]:
    """Contents whose parts may be changed without changing these."""
    return [
        content.model_copy(update={"parts": [part.model_copy() for part in content.parts or ()]})
        for content in contents
    ]


def _as_a_planner_has_them(contents: list[types.Content], planner: object) -> None:
    """As `PlanReActPlanner` has them: what it marked as thoughts was said."""
    if not planner or isinstance(planner, BuiltInPlanner) or not isinstance(planner, BasePlanner):
        return
    for content in contents:
        for part in content.parts or ():
            part.thought = None


def _as_an_executor_has_them(contents: list[types.Content], executor: object) -> None:
    """As an executor of code has them: its code and what that gave are text."""
    if not isinstance(executor, BaseCodeExecutor):
        return
    fence = next(iter(executor.code_block_delimiters), ("", ""))
    for content in contents:
        CodeExecutionUtils.convert_code_execution_parts(
            content, fence, executor.execution_result_delimiters
        )
