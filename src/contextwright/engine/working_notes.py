"""Working memory: the notes of one step, with a time to live, kept when the step is done
(context-packs.md#memory)."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from contextwright.argument_types import expect_types
from contextwright.atoms.select.from_state import plain_text
from contextwright.engine.engine_options import expect_methods
from contextwright.errors import SessionError
from contextwright.session.session import Session
from contextwright.stores.memory_store import MemoryRecord, SQLiteMemory, memory_of
from contextwright.stores.store import ArtifactStore
from contextwright.tasks.plan_step import (
    EVIDENCE,
    PLAN,
    WORKING,
    is_of_step,
    names_of,
    step_in,
    step_of,
)

CHECKPOINT = "checkpoint.json"


def add_working_note(
    session: Session,
    text: str,
    *,
    turns: int | None = None,
    seconds: float | None = None,
    now_ms: int | None = None,
) -> dict[str, Any]:
    """Note something for the step at hand; `C.memory()` shows it while it lives.

    Args:
        turns: how many turns it lives, the running one included.
        seconds: how long it lives; needs `now_ms`.
        now_ms: milliseconds since 1970.

    Raises:
        SessionError: `seconds` without `now_ms`, no text, or no time to live.
    """
    where = "add_working_note(session, text, ...)"
    expect_types(where, SessionError, session=(session, Session), text=(text, str))
    expect_types(
        where,
        SessionError,
        turns=(1 if turns is None else turns, int),
        seconds=(1 if seconds is None else seconds, float),
        now_ms=(0 if now_ms is None else now_ms, int),
    )
    if not text.strip() or (seconds is not None and now_ms is None):
        raise SessionError(
            "a working note needs a text, and a clock where it lives for seconds",
            where="add_working_note(session, text, seconds=..., now_ms=...)",
            fix="give now_ms, milliseconds since 1970, or turns",
        )
    if (turns is not None and turns < 1) or (seconds is not None and not 0 < seconds < math.inf):
        raise SessionError(
            f"a working note lives for {turns} turns, {seconds} seconds",
            where="add_working_note(session, text, turns=..., seconds=...)",
            fix="give at least 1 turn or more than 0 seconds; neither, for as long as the step",
        )
    snapshot = session.snapshot()
    step = step_in(snapshot.state)
    ends = now_ms + round(seconds * 1000) if now_ms is not None and seconds is not None else None
    fields = {
        "text": text,
        **names_of(step),
        "until_turn": max(0, snapshot.turn) + turns - 1 if turns is not None else None,
        "time_ms": now_ms,
        "until_ms": ends,
    }
    entry = {name: value for name, value in fields.items() if value is not None}
    same = _identity(entry)

    def noted(state: Mapping[str, Any]) -> dict[str, Any]:
        others = [one for one in _notes_in(state) if _identity(one) != same]
        return {WORKING: [*others, entry]}

    session.revise(noted)
    return entry


def _identity(note: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a note says, and of which step: it is noted once."""
    return note["text"], note.get("task"), note.get("step")


def notes_of(session: Session) -> list[dict[str, Any]]:
    """The working notes of a session, of all steps, those that are plain texts too."""
    return _notes_in(session.state)


def _notes_in(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    listed: Any = state.get(WORKING) or []
    items: list[Any] = listed if isinstance(listed, list) else [listed]
    notes = [dict(one) if isinstance(one, Mapping) else {"text": one} for one in items]
    return [one for one in notes if one.get("text")]


def checkpoint(
    session: Session,
    *,
    memory: SQLiteMemory | None = None,
    artifacts: ArtifactStore | None = None,
    scope: str = "",
    now_ms: int | None = None,
) -> str:
    """The step at hand is done: its working notes leave the state, and are kept as one memory
    and as an artifact, where there are such stores. The step itself leaves the state too.

    Returns:
        The artifact's ref; empty without a store of artifacts.

    Raises:
        StepError: there is no step. SessionError: no session. SpecError: what is no store.
    """
    where = "checkpoint(session, ...)"
    expect_types(where, SessionError, session=(session, Session))
    expect_methods("memory", memory, ("write",), where, 'SQLiteMemory("memory.db")')
    expect_methods("artifacts", artifacts, ("put",), where, 'FileArtifacts("artifacts")')
    step = step_of(session.state.get(PLAN))
    notes = notes_of(session)
    step_notes = [one for one in notes if is_of_step(one, names_of(step))]
    ref = ""
    if artifacts is not None:
        content = {
            "step": step.to_state(),
            "notes": step_notes,
            "evidence": session.state.get(EVIDENCE, []),
        }
        data = msgspec.json.encode(content, order="sorted")
        ref = artifacts.put(data, name=f"{step.folder}/{CHECKPOINT}")
    if memory is not None and step_notes:
        lines = "; ".join(plain_text(one["text"]) for one in step_notes)
        text = f"{step.goal or '; '.join(step.do)} (step {step.step_id}): {lines}"
        origin = (ref,) if ref else ()
        memory.write(
            MemoryRecord(text=text, kind="checkpoint", scope=scope, time_ms=now_ms, origin=origin)
        )

    def done(state: Mapping[str, Any]) -> dict[str, Any]:
        left = [one for one in _notes_in(state) if one not in step_notes]
        return {WORKING: left or None, PLAN: None}

    session.revise(done)
    return ref


def promote(session: Session, text: str, memory: SQLiteMemory, **fields: Any) -> MemoryRecord:
    """Make a working note a lasting memory, on purpose.

    Args:
        fields: of the memory: `kind`, `scope`, `entity`.

    Raises:
        SessionError: there is no such note. SpecError: no memory.
    """
    expect_methods("memory", memory, ("write",), "promote(...)", 'SQLiteMemory("memory.db")')
    entry = next((one for one in notes_of(session) if one.get("text") == text), None)
    if entry is None:
        raise SessionError(
            "no working note has this text",
            where=f"{text[:60]!r}",
            fix="give the text of a note: notes_of(session) lists them",
        )
    return memory.write(memory_of(entry, **fields))
