"""A spec for one agent, by ADK's callbacks around it and its model
(context-algebra.md#instruction-provider)."""

from collections.abc import Mapping
from typing import Unpack

from google.adk.agents import BaseAgent, LlmAgent

from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.model_requests import ModelRequests, has_own_context
from contextwright.engine.door import Ports, SpecLike, spec_or_compiler
from contextwright.engine.run_tasks import TaskRunner
from contextwright.errors import SpecError


def with_context(
    agent: LlmAgent,
    spec: SpecLike,
    *,
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    window: int | None = None,
    **ports: Unpack[Ports],
) -> LlmAgent:
    """The agent, whose every request to its model is what the spec says: the running turn too is
    redacted, shortened and counted.

    Its instruction and tools stay. What the spec captures, extracts and distills is written to
    ADK's state before the agent runs, what it notes and captures of the output after it. The
    agent's own callbacks keep running: those before the model ahead of ours, with the whole
    conversation in the request, so that what they add, change and leave out is covered; those
    after the agent behind, since ADK ends with the first that answers.

    Args:
        agent: changed in place, and returned.
        spec: a spec, its text, a recipe, or any compiler with `compile(snapshot, target)`.
        models: who summarizes, scores and extracts; by default the embedded models.
        mirrors: where sessions are mirrored; by default shared by the process.
        window: tokens of the model's window, where its name is not known.
        ports: `detector` and `vault` for `C.redact`, `roots` and `hosts` for `C.expand`, and
            `reader` for refs, as `contextwright.compile` takes them.

    Raises:
        SpecError: no LlmAgent, no spec, or an agent that has a context already.
    """
    compiler = spec_or_compiler(spec, "with_context(agent, spec)")
    candidate: object = agent
    if not isinstance(candidate, LlmAgent):
        raise SpecError(
            f"expected an LlmAgent, got {type(candidate).__name__}",
            where="with_context(agent, ...)",
            fix="with_contexts(root, {NAME: SPEC}) takes a tree of other agents",
        )
    if has_own_context(agent):
        raise SpecError(
            f"expected an agent without a context, got {agent.name!r}, which has one",
            where="with_context(agent, ...)",
            fix="one spec says it all: with_context(agent, FIRST + SECOND)",
        )
    requests = ModelRequests(
        compiler, models=models, mirrors=mirrors, window=window, where="with_context(...)", **ports
    )
    return put_requests(agent, requests)


def put_requests(agent: LlmAgent, requests: ModelRequests) -> LlmAgent:
    """The agent, whose every request to its model is compiled."""
    agent.include_contents = "none"
    agent.before_agent_callback = [*agent.canonical_before_agent_callbacks, requests.before_agent]
    own = agent.canonical_before_model_callbacks
    before = [requests.before_callbacks, *own] if own else []
    agent.before_model_callback = [*before, requests.before_model]
    agent.after_model_callback = [requests.after_model, *agent.canonical_after_model_callbacks]
    agent.on_model_error_callback = [
        *agent.canonical_on_model_error_callbacks,
        requests.on_model_error,
    ]
    agent.after_agent_callback = [requests.after_agent, *agent.canonical_after_agent_callbacks]
    return agent


def with_contexts(
    root: BaseAgent,
    specs: Mapping[str, SpecLike],
    *,
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    window: int | None = None,
    **ports: Unpack[Ports],
) -> BaseAgent:
    """A tree of agents, each seeing what the spec of its name says; whoever built the tree. The
    arguments are those of `with_context`.

    Raises:
        SpecError: a name that no `LlmAgent` of the tree has.
    """
    agents: dict[str, LlmAgent] = {}
    left: list[BaseAgent] = [root]
    while left:
        agent = left.pop()
        left += agent.sub_agents
        if isinstance(agent, LlmAgent):
            agents[agent.name] = agent
    for name in specs:
        if name not in agents:
            raise SpecError(
                f"no agent is called {name!r}",
                where=f"with_contexts({root.name!r}, ...)",
                fix=f"known: {', '.join(sorted(agents))}",
            )
    for name, spec in specs.items():
        with_context(agents[name], spec, models=models, mirrors=mirrors, window=window, **ports)
    return root
