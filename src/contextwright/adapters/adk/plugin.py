"""Specs for a whole ADK app: every request to a model is compiled."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Unpack

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.genai import types

from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.model_requests import (
    LOG,
    ModelRequests,
    expect_requests,
    has_own_context,
)
from contextwright.compiler.spec_compiler import Compiler
from contextwright.engine.context import Context
from contextwright.engine.door import Ports, SpecLike, spec_or_compiler
from contextwright.engine.run_tasks import TaskRunner
from contextwright.spec.expr import Expr
from contextwright.stores.store import ArtifactStore


class ContextPlugin(BasePlugin):
    """Replaces what ADK would send of a conversation by what a spec says.

    ADK's own instruction, tools and settings stay, and so does what stands beside the
    conversation, such as a loaded artifact; all of it is redacted as the spec says, and counts
    against the budget. What a plugin in front of this one made of the request is what the spec is
    given. An agent that has a context of its own keeps that.

    Args:
        specs: one for all agents, or one for each by name; agents without one are left alone: a
            spec, its text, a recipe, any compiler with `compile(snapshot, target)`, or a `Context`,
            which then says what the last request held. A PackBuilder reads the step from the state
            key `plan`, the tools in scope from `tools`, memories from `knowledge` and ADK's
            MemoryService, evidence from `evidence` and ADK's ArtifactService.
        artifacts: where manifests are kept, each with its address in the log, and where
            `C.offload` puts tool results.
        models: who summarizes, scores and extracts; by default the embedded models.
        mirrors: where sessions are mirrored; by default shared by the process.
        window: tokens of the models' window, where a name is not known.
        ports: `detector` and `vault` for `C.redact`, `roots` and `hosts` for `C.expand`, and
            `reader` for refs, as `contextwright.compile` takes them.
    """

    def __init__(
        self,
        specs: SpecLike | Context | Mapping[str, SpecLike],
        *,
        artifacts: ArtifactStore | None = None,
        models: TaskRunner | None = None,
        mirrors: Mirrors | None = None,
        window: int | None = None,
        name: str = "contextwright",
        **ports: Unpack[Ports],
    ) -> None:
        super().__init__(name=name)
        where = "ContextPlugin(specs)"
        context = specs if isinstance(specs, Context) else None
        source = specs.spec if isinstance(specs, Context) else specs
        made: Expr | Compiler | dict[str, Expr | Compiler]
        # names whose specs nobody was found for yet, and those of the agents that there are
        self._unmet = set(source) if isinstance(source, Mapping) else set[str]()
        self._met: set[str] = set()
        if isinstance(source, Mapping):
            made = {n: spec_or_compiler(s, f"{where}, {n}") for n, s in source.items()}
        else:
            made = spec_or_compiler(source, where)
        self._requests = ModelRequests(
            made,
            artifacts=artifacts,
            models=models,
            mirrors=mirrors,
            window=window,
            context=context,
            **ports,
        )

    async def before_run_callback(
        self, *, invocation_context: InvocationContext
    ) -> types.Content | None:
        """Look whom the specs are for."""
        agent = invocation_context.agent
        if not isinstance(agent, BaseAgent):
            self._unmet.clear()  # a graph, whose nodes are known once they run
        elif self._unmet:
            self._met |= _names_under(agent.root_agent)
        return None

    async def after_run_callback(self, *, invocation_context: InvocationContext) -> None:
        """Say whose spec came to nothing: the requests of an agent by another name leave whole."""
        self._unmet -= self._met
        for name in sorted(self._unmet):
            LOG.warning(
                "no agent is called %r, its spec was used for nobody; there are %s",
                name,
                ", ".join(sorted(self._met)),
            )
        self._unmet.clear()

    async def before_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Refuse what no request of which would pass here."""
        self._met.add(agent.name)  # one of a graph, or of a tool, is under no root
        if self._requests.covers(agent):
            expect_requests(callback_context, agent.name)
        return None

    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        """Put the compiled request in place of ADK's."""
        if _is_left_alone(callback_context):
            return None
        return await self._requests.before_model(
            callback_context=callback_context, llm_request=llm_request
        )

    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        """Learn from the bill how the provider counts tokens."""
        return await self._requests.after_model(
            callback_context=callback_context, llm_response=llm_response
        )

    async def on_model_error_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest, error: Exception
    ) -> LlmResponse | None:
        """The answer to a smaller request, where the model said that this one is too long."""
        if _is_left_alone(callback_context):
            return None
        return await self._requests.on_model_error(
            callback_context=callback_context, llm_request=llm_request, error=error
        )

    async def after_agent_callback(
        self, *, agent: BaseAgent, callback_context: CallbackContext
    ) -> types.Content | None:
        """Record: notes, captured outputs."""
        return await self._requests.after_agent(callback_context)


def before_model(
    spec: SpecLike,
    *,
    artifacts: ArtifactStore | None = None,
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    window: int | None = None,
    **ports: Unpack[Ports],
) -> Callable[..., Awaitable[LlmResponse | None]]:
    """A `before_model_callback` for one agent: the same as the plugin, for this agent only, and
    with the same arguments.

    What a spec writes after the turn is the plugin's: a callback before the model does not run
    then.
    """
    return ModelRequests(
        spec_or_compiler(spec, "before_model(spec)"),
        artifacts=artifacts,
        models=models,
        mirrors=mirrors,
        window=window,
        where="before_model(...)",
        **ports,
    ).before_model


def _names_under(root: BaseAgent) -> set[str]:
    """Names of the agents that may run in this one's: of its tree, and of its tools."""
    names: set[str] = set()
    left = [root]
    while left:
        agent = left.pop()
        if agent.name in names:
            continue
        names.add(agent.name)
        tools = agent.tools if isinstance(agent, LlmAgent) else ()
        behind = (getattr(tool, "agent", None) for tool in tools)
        left += [*agent.sub_agents, *(one for one in behind if isinstance(one, BaseAgent))]
    return names


def _is_left_alone(context: CallbackContext) -> bool:
    return has_own_context(context.get_invocation_context().agent)
