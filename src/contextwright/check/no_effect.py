"""Words that changed nothing in a session, with the reason that their session gives."""

from contextwright.check.report import Finding
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.plan import walk
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom, Expr
from contextwright.spec.kind import Kind
from contextwright.spec.terminal import Terminal

_CHECKED = {Kind.REFINER, Kind.TRANSFORM, Kind.TERMINAL}
"""Kinds of words that should leave something else than what came. A guard (`C.redact`) that
finds nothing is at its best."""


def idle_words(spec: Expr, manifests: list[Manifest]) -> list[Atom]:
    """The words that ran and changed nothing.

    Args:
        manifests: of one or more compiles of the spec, with their steps counted.
    """
    steps = [step for manifest in manifests for step in manifest.steps]
    ran = {step.step for step in steps}
    changed = {step.step for step in steps if step.changed}
    words = {repr(atom): atom for atom in walk(spec) if atom.kind in _CHECKED}
    return [
        atom
        for text, atom in words.items()
        if text not in changed
        and (not _has_stage(atom, changed) if isinstance(atom, Terminal) else text in ran)
    ]


def _has_stage(terminal: Terminal, changed: set[str]) -> bool:
    """Whether a stage of a limit changed something: their names begin with its label."""
    return any(f"{step}: ".startswith(f"{terminal.label}: ") for step in changed)


def findings(agent: str, idle: list[tuple[Atom, Snapshot]]) -> list[Finding]:
    """A warning for every word that changed nothing at any measured moment of a session."""
    return [
        Finding(
            "warning",
            "no-effect",
            agent,
            repr(word),
            f"{word!r} changed nothing in the session {last.session_id!r}",
            reason(word, last),
        )
        for word, last in idle
    ]


def reason(atom: Atom, snapshot: Snapshot) -> str:
    """Why a word may have changed nothing in a session, and what to write instead."""
    turns = f"{snapshot.turn + 1} turn" + ("s" if snapshot.turn else "")
    session = f"the session has {turns} and {snapshot.exchange_count} steps"
    if isinstance(atom, Terminal):
        return "the request is below the limit without it"
    if atom.traits.turns is not None and "steps" in atom.__struct_fields__:
        return f"{session}: C.{atom.word}(steps=...) counts steps"
    if atom.traits.turns is not None:
        return f"it counts turns, and {session}"
    if atom.traits.min_age is not None:
        return f"{session}: none of what came is {atom.traits.min_age} old"
    return "it found nothing here to change: lower its limits, or leave it out"
