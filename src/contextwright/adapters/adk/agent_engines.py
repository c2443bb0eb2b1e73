"""The specs of ADK's agents, and an engine for each agent and model."""

from collections.abc import Mapping
from typing import Any, Unpack

from contextwright.compiler.spec_compiler import Compiler
from contextwright.engine.context import Context
from contextwright.engine.door import Ports, checked_ports
from contextwright.engine.engine import Engine
from contextwright.engine.run_tasks import TaskRunner
from contextwright.errors import ModelError, SpecError
from contextwright.spec.expr import Expr
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.models import model_info

UNKNOWN_WINDOW = 128_000
"""Tokens of the window of a model that is not known; a spec's own budget is the one that counts."""

_OF_CONTEXT = ("detector", "vault")
"""Ports that a context may have of its own."""

Specs = Expr | Compiler | Mapping[str, Expr | Compiler]
"""One for every agent, or one for each by name."""


class AgentEngines:
    """What compiles for which agent.

    Args:
        specs: of the agents.
        context: whose specs they are, if it is one's.
        artifacts: where manifests are kept.
        models: who summarizes, scores and extracts.
        window: tokens of the model's window, where its name is not known.
        where: the call that is given the ports, for errors.
        ports: what the application gives to the specs.
    """

    def __init__(
        self,
        specs: Specs,
        *,
        context: Context | None = None,
        artifacts: ArtifactStore | None = None,
        models: TaskRunner | None = None,
        window: int | None = None,
        where: str = "ContextPlugin(...)",
        **ports: Unpack[Ports],
    ) -> None:
        stated = context.options if context is not None else {}
        if context is not None and context.has_conversations:
            raise SpecError(
                "ADK keeps its conversations itself: those of the Context would come to nothing",
                where=f"{where[:-5]}(Context(conversations=...))",
                fix="a Context without them; sessions last by ADK's own session service",
            )
        self._specs, self._context = specs, context
        self._window: int | None = stated.get("window") if window is None else window
        of_context = {name: stated[name] for name in _OF_CONTEXT if name in stated}
        self._redaction = checked_ports({**of_context, **ports}, where)
        self._options: dict[str, Any] = {
            "models": models,
            "artifacts": artifacts,
            "roots": ports.get("roots", ()),
            "hosts": ports.get("hosts", {}),
            "reader": ports.get("reader", ""),
        }
        self._engines: dict[tuple[str, str], Engine] = {}

    def spec(self, agent: str) -> Expr | Compiler | None:
        """The spec of an agent; None where it is left alone."""
        return self._specs.get(agent) if isinstance(self._specs, Mapping) else self._specs

    def newest(self, agent: str) -> Engine | None:
        """The engine that compiled for this agent last."""
        engines = [engine for (name, _), engine in self._engines.items() if name == agent]
        return engines[-1] if engines else None

    def engine(self, agent: str, spec: Expr | Compiler, model: str) -> Engine:
        """The engine for an agent with this model; the one used last stands last."""
        engine = self._engines.pop((agent, model), None) or self._made(agent, spec, model)
        engine.ports = self._redaction
        self._engines[agent, model] = engine
        return engine

    def _made(self, agent: str, spec: Expr | Compiler, model: str) -> Engine:
        window = window_of(model, self._window)
        own: dict[str, Any] = {"agent": agent, "format": "gemini", "window": window, "tools": ()}
        options = {**self._options, **own}
        if self._context is not None:
            stated = {key: value for key, value in options.items() if value}
            return self._context.engine(model or "gemini", **stated)
        return Engine(spec, model or "gemini", **options)


def window_of(model: str, window: int | None) -> int:
    """Tokens of a model's window."""
    if window is not None:
        return window
    try:
        return model_info(model).window
    except ModelError:
        return UNKNOWN_WINDOW
