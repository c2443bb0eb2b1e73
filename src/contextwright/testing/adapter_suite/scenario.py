"""What a scenario is, and the stage that it is played on."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import msgspec

from contextwright.testing.adapter_suite.agent_driver import (
    BINDING_MODELS,
    MODELS,
    AgentDriver,
    AgentSetup,
    SuiteAgent,
)
from contextwright.testing.adapter_suite.suite_tools import LIMIT, WINDOW, read
from contextwright.testing.strict_server import StrictServer
from contextwright.testing.strict_server.reply import Line
from contextwright.words import C

Scenario = Callable[[AgentDriver], Awaitable[None]]
"""One scenario: it plays an agent against the strict server, and raises where that goes wrong."""
SCENARIOS: dict[str, Scenario] = {}
"""All scenarios by the name of what each proves."""


def scenario(name: str) -> Callable[[Scenario], Scenario]:
    """Put a scenario into the suite."""

    def enter(play: Scenario) -> Scenario:
        SCENARIOS[name] = play
        return play

    return enter


def bounded_context(model: str | None, spec: Any = None, **options: Any) -> Any:
    """A context for a model, or for that of each request, that holds requests to `LIMIT` tokens."""
    from contextwright.engine.context import Context

    return Context(spec or C.compaction(LIMIT), model=model, **options)


class AgentStage(msgspec.Struct, frozen=True):
    """One agent and the server that it talks to."""

    server: StrictServer
    agent: SuiteAgent
    setup: AgentSetup

    def passed(self, requests: int | None = None) -> None:
        """Nothing was refused, and there were so many requests."""
        if self.server.refused:
            first = self.server.refused[0]
            place = len(self.server.requests) + 1
            raise AssertionError(
                f"request {place} of {first.tokens} tokens was refused at {first.where}: "
                f"{first.message} ({first.code})"
            )
        count = len(self.server.requests)
        assert requests in {None, count}, f"{count} requests where {requests} were due"

    async def fails(self, question: str) -> None:
        """The agent does not get through."""
        try:
            answer = await self.agent.run(question)
        except Exception:  # noqa: BLE001
            return
        raise AssertionError(f"it should have failed, and answered {answer!r}")

    def replaced(self, **changes: Any) -> AgentSetup:
        """The setup with some fields changed."""
        return msgspec.structs.replace(self.setup, **changes)


@contextmanager
def stage(
    driver: AgentDriver,
    script: Sequence[Line] | Mapping[str, Sequence[Line]],
    *,
    context: Literal["default"] | None = "default",
    spec: Any = None,
    window: int = WINDOW,
    bound: bool = False,
    helper: dict[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    named: bool = True,
    **setup: Any,
) -> Generator[AgentStage]:
    """An agent of the driver's before a server with this script.

    Args:
        driver: makes the agent.
        script: what the model replies; by a text of the conversation where there are several.
        context: None for the same agent without an adapter.
        spec: of the context; by default a compaction at `LIMIT`.
        window: of the server.
        bound: whether reasoning is bound to its prefix.
        helper: fields of another agent's setup, which this one can hand a task to.
        options: of the context.
        named: whether the context is made for the model by name.
        setup: other fields of the agent's.
    """
    with StrictServer(script, window=window, bound=bound) as server:
        model = (BINDING_MODELS if bound else MODELS)[driver.api]

        def made(**fields: Any) -> AgentSetup:
            known = model if named else None
            own = bounded_context(known, spec, **(options or {})) if context else None
            return AgentSetup(url=server.url, model=model, context=own, **fields)

        other = made(**helper) if helper is not None else None
        full = made(**{"tools": (read,), "helper": other, **setup})
        yield AgentStage(server, driver.agent(full), full)


def play(driver: AgentDriver, name: str, timeout: float = 120) -> None:
    """Play one scenario.

    Raises:
        AssertionError: it does not hold.
    """
    asyncio.run(asyncio.wait_for(SCENARIOS[name](driver), timeout))
