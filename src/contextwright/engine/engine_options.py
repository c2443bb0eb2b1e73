"""What an engine, or a context, is given beside its spec, and what of it is none."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contextwright.argument_types import expect_types
from contextwright.engine.run_tasks import TaskRunner
from contextwright.engine.session_budget import SessionBudget
from contextwright.errors import SpecError
from contextwright.redaction.detector import Detector
from contextwright.redaction.operators import Vault
from contextwright.render.target import TargetOptions
from contextwright.retrieval.retriever import Retriever
from contextwright.stores.refs import Fetch
from contextwright.stores.store import ArtifactStore

if TYPE_CHECKING:
    from contextwright.stores.memory_store import MemoryStore


class EngineOptions(TargetOptions, total=False):
    """The options of an `Engine` that a `Context` takes as well."""

    models: TaskRunner | None
    artifacts: ArtifactStore | None
    roots: Sequence[str | Path]
    hosts: Mapping[str, Fetch]
    memory: "MemoryStore | None"
    scope: str
    retrievers: Sequence[Retriever]
    agent: str
    clock: Callable[[], int] | None
    detector: Detector | None
    vault: Vault | None
    events: Mapping[str, Any] | None
    budget: SessionBudget | None
    suspend: bool
    never_dearer: bool


def expect_plain(
    where: str, agent: object, scope: object, clock: object, suspend: object, never_dearer: object
) -> None:
    """Refuse names, a clock and switches of another type: they would only do nothing.

    Args:
        where: the call that was given them.

    Raises:
        SpecError: one of them is.
    """
    switches = {"suspend": (suspend, bool), "never_dearer": (never_dearer, bool)}
    expect_types(where, SpecError, agent=(agent, str), scope=(scope, str), **switches)
    if clock is not None and not callable(clock):
        raise SpecError(
            f"expected a function as clock, got {type(clock).__name__}",
            where=where,
            fix="clock=lambda: int(time.time() * 1000)",
        )


def expect_stores(where: str, sessions: object, memory: object, retrievers: object) -> None:
    """Refuse what is no store. A store that fails ends no turn, so that one that never was any
    would only be missed.

    Args:
        where: the call that was given them.

    Raises:
        SpecError: one of them is none.
    """
    expect_methods("sessions", sessions, ("save",), where, 'such as SQLiteSessions("sessions.db")')
    expect_methods("memory", memory, ("search",), where, 'such as SQLiteMemory("memory.db")')
    if isinstance(retrievers, str | Mapping) or not isinstance(retrievers, Sequence):
        raise SpecError("expected a list of retrievers", where=where, fix="retrievers=[index]")
    for one in retrievers:  # pyright: ignore[reportUnknownVariableType]
        fix = "such as contextwright.retrieval.Index()"
        expect_methods("retrievers", one, ("search",), where, fix)


def expect_methods(name: str, value: object, methods: Sequence[str], where: str, fix: str) -> None:
    """Refuse an argument that is neither None nor an object with these methods.

    Raises:
        SpecError: it lacks one, or is a class.
    """
    if value is None:
        return
    missing = [one for one in methods if not callable(getattr(value, one, None))]
    if missing or isinstance(value, type):
        got = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
        lacks = f", which has no `{missing[0]}(...)`" if missing else ""
        raise SpecError(f"expected {name} to be a store, got {got}{lacks}", where=where, fix=fix)
