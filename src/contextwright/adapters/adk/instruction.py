"""A spec as the instruction of one agent: `include_contents='none'` and an async provider
(context-algebra.md#instruction-provider), with what it writes in callbacks around the agent."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from google.adk.agents import BaseAgent, LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.utils.instructions_utils import inject_session_state

from contextwright.adapters.adk.mirror import Mirrors
from contextwright.adapters.adk.turn import first_sent
from contextwright.adapters.adk.visible_events import VisibleEvents
from contextwright.adapters.adk.writing import publish, write_changes
from contextwright.engine.door import SpecLike, spec_or_compiler
from contextwright.engine.engine import Engine
from contextwright.engine.run_tasks import TaskRunner
from contextwright.errors import ModelError, SpecError
from contextwright.session.session import Session
from contextwright.tokens.models import model_info

UNKNOWN_WINDOW = 128_000
"""Tokens of the window of a model that is not known; a spec's own budget is the one that counts."""

MIRRORS = Mirrors()
"""Shared by the agents of this process: a session is taken over once for all of them."""

Provider = Callable[[ReadonlyContext], Awaitable[str]]


def with_context(
    agent: LlmAgent,
    spec: SpecLike,
    *,
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    window: int | None = None,
) -> LlmAgent:
    """The agent, seeing what the spec says: its own instruction, then the context as text.

    ADK sends the current turn by itself; that is left out of the text. What the spec captures,
    extracts and distills is written to ADK's state before the agent runs, what it notes and
    captures of the output after it. Callbacks that the agent has keep running: those before it
    ahead of ours, those after it behind, since ADK ends with the first that says something.

    Args:
        agent: changed in place, and returned.
        spec: a spec, its text, a recipe, or any compiler with `compile(snapshot, target)`, which
            is given what ADK does not send by itself, and a target of the `text` format.
        models: who summarizes, scores and extracts; by default the embedded models.
        mirrors: where sessions are mirrored; by default shared by the process.
        window: tokens of the model's window, where its name is not known.
    """
    compiler = spec_or_compiler(spec, "with_context(agent, spec)")
    candidate: object = agent
    if not isinstance(candidate, LlmAgent):
        raise SpecError(
            f"expected an LlmAgent, got {type(candidate).__name__}",
            where="with_context(agent, ...)",
            fix="with_contexts(root, {NAME: SPEC}) takes a tree of other agents",
        )
    context = _AgentContext(agent, compiler, models, mirrors or MIRRORS, window)
    agent.include_contents = "none"
    agent.instruction = context.instruct(agent.instruction)
    agent.before_agent_callback = [*agent.canonical_before_agent_callbacks, context.before]
    agent.after_agent_callback = [context.after, *agent.canonical_after_agent_callbacks]
    return agent


def with_contexts(
    root: BaseAgent,
    specs: Mapping[str, SpecLike],
    *,
    models: TaskRunner | None = None,
    mirrors: Mirrors | None = None,
    window: int | None = None,
) -> BaseAgent:
    """A tree of agents, each seeing what the spec of its name says; whoever built the tree.

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
        with_context(agents[name], spec, models=models, mirrors=mirrors, window=window)
    return root


class _AgentContext:
    """The engine of one agent, and ADK's moments for it."""

    def __init__(
        self,
        agent: LlmAgent,
        spec: SpecLike,
        models: TaskRunner | None,
        mirrors: Mirrors,
        window: int | None,
    ) -> None:
        self._agent, self._spec, self._models = agent, spec, models
        self._mirrors, self._window = mirrors, window
        self._engine: Engine | None = None

    def instruct(self, own: Any) -> Provider:
        """A provider of the agent's own instruction and the context behind it."""

        async def provide(context: ReadonlyContext) -> str:
            session, sent_from = self._take(context)
            pack = await self.engine.acompile(session, sent_from=sent_from)
            return "\n\n".join(filter(None, (await _own(own, context), pack.text)))

        return provide

    async def before(self, callback_context: CallbackContext) -> None:
        """Prepare, and write what comes before the turn."""
        session, sent_from = self._take(callback_context)
        since = len(session.changes)
        pack = await self.engine.acompile(session, sent_from=sent_from)
        write_changes(session, since, callback_context.state)
        publish(pack, self._agent.name, callback_context.state)

    async def after(self, callback_context: CallbackContext) -> None:
        """Record: notes, captured outputs."""
        session, _ = self._take(callback_context)
        since = len(session.changes)
        await self.engine.arecord(session)
        write_changes(session, since, callback_context.state)

    @property
    def engine(self) -> Engine:
        """Made when the agent first runs: only then does it know the model that it inherits."""
        if self._engine is None:
            model = self._agent.canonical_model.model
            self._engine = Engine(
                self._spec,
                model,
                models=self._models,
                agent=self._agent.name,
                format="text",
                window=window_of(model, self._window),
            )
        return self._engine

    def _take(self, context: ReadonlyContext) -> tuple[Session, int | None]:
        """Our session, and the place in it from which on ADK sends by itself."""
        adk_session = context.session
        state: Any = context.state
        plain: dict[str, Any] = state.to_dict() if hasattr(state, "to_dict") else dict(state)
        session = self._mirrors.session(adk_session, plain, VisibleEvents.of(context))
        return session, first_sent(adk_session.events, self._agent.name, session.log)


def window_of(model: str, window: int | None) -> int:
    """Tokens of a model's window."""
    if window is not None:
        return window
    try:
        return model_info(model).window
    except ModelError:
        return UNKNOWN_WINDOW


async def _own(instruction: Any, context: ReadonlyContext) -> str:
    """The agent's own instruction: a provider's, or a text with `{state}` in it as ADK reads it."""
    if not callable(instruction):
        return await inject_session_state(instruction, context) if instruction else ""
    text: Any = instruction(context)
    return str(await text if inspect.isawaitable(text) else text)
