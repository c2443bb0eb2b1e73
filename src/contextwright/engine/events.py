"""What an engine tells as it works: facts, in frozen values. None of them says what the session
says, unless a hook was put on with `contents=True`."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.spec.task import Answer
from contextwright.tokens.context_overflow import Overflow

EventName = Literal[
    "compile", "step", "prepare", "recall", "overflow", "pre_compact", "budget", "error"
]


class EngineEvent(msgspec.Struct, frozen=True, kw_only=True):
    """What every event says.

    Args:
        session: the session's id.
        position: events that it had.
        turn: its running turn, counted from 0.
    """

    session: str
    position: int
    turn: int


class CompileEvent(EngineEvent, frozen=True, kw_only=True):
    """A pack was made.

    Args:
        pack_id, model, format: as in its manifest.
        tokens: of the request. tokens_before: what it would be with nothing shortened or left
            out of what was selected.
        limit: tokens that it might have.
        blocks: how many it has. changed: the ids of what was shortened or left out; of
            neighbours the first.
        prefix_tokens: shared with the request before, from its beginning.
        saved_microdollars: what a cache saves on these; None where the prices are not known.
        notes: how many notes the manifest has: fallbacks, keys that were missing.
        layer_tokens: tokens of the request by layer. layer_tokens_before: what they would be.
        actions: how many blocks were dropped, compacted, summarized, ...
        began_ns: nanoseconds since 1970 when it began.
        pack: request and manifest, for a hook that asked for contents.
    """

    pack_id: str
    model: str
    format: str
    tokens: int
    tokens_before: int
    limit: int
    blocks: int
    changed: tuple[str, ...]
    prefix_tokens: int
    saved_microdollars: int | None
    notes: int
    layer_tokens: Mapping[str, int] = {}
    layer_tokens_before: Mapping[str, int] = {}
    actions: Mapping[str, int] = {}
    began_ns: int = 0
    pack: Pack | None = None


class StepEvent(EngineEvent, frozen=True, kw_only=True):
    """A compaction, or another limit that goes down in steps (`C.budget`, `C.fit`, `C.cool`,
    `C.cap`, `C.sliding`, the model's window and others), goes a step down, or is about to
    (`pre_compact`): what was sent before gives way, and the provider's cache is written anew behind
    the first change. `C.allocate` shares its window out at each request, and has no steps; a step
    that is put off is none.

    Args:
        step: its number: it grows with every step, and leaps where the steps of a long conversation
            begin anew.
        tokens_before: of the request without it. tokens_after: with it.
        ids: the events that it shortens or puts into its note; neighbours as
            `event://FIRST#..LAST`.
        lost_prefix_tokens: of the request before, what a cache does not serve any more.
        pack: request and manifest with the step, for a hook that asked for contents.
    """

    step: int
    tokens_before: int
    tokens_after: int
    ids: tuple[str, ...]
    lost_prefix_tokens: int
    pack: Pack | None = None


class PrepareEvent(EngineEvent, frozen=True, kw_only=True):
    """Models were asked before a pack was made.

    Args:
        kinds: what was asked, a kind a question: `summary`, `scores`, ...
        models: who answered.
        fallbacks: how many answers stand in for ones that did not come.
        input_tokens, output_tokens: what the answers cost.
        began_ns: nanoseconds since 1970 when they were asked.
        answers: for a hook that asked for contents.
    """

    kinds: tuple[str, ...]
    models: tuple[str, ...]
    fallbacks: int
    input_tokens: int
    output_tokens: int
    began_ns: int = 0
    answers: tuple[Answer, ...] = ()


class RecallEvent(EngineEvent, frozen=True, kw_only=True):
    """A memory and retrievers were searched before a pack was made.

    Args:
        sources: classes of what was searched.
        hits: how many entries they gave.
        failed: how many failed, or gave less than they can.
        began_ns: nanoseconds since 1970 when the first was asked.
    """

    sources: tuple[str, ...]
    hits: int
    failed: int
    began_ns: int = 0


class OverflowEvent(EngineEvent, frozen=True, kw_only=True):
    """A provider refused a request as too long, and another was compiled.

    Args:
        overflow: what the provider said, in numbers.
        tokens_before: of the refused request. tokens_after: of the next.
        room: tokens that the conversation's requests may have from now on.
        refusals: how many there were, one after the other.
        pack: the next request, for a hook that asked for contents.
    """

    overflow: Overflow
    tokens_before: int
    tokens_after: int
    room: int
    refusals: int
    pack: Pack | None = None


class BudgetEvent(EngineEvent, frozen=True, kw_only=True):
    """A session passed a threshold of its budget.

    Args:
        threshold: the share that was passed. share: the one that is used up now.
        tokens, microdollars: spent in all; the latter None where prices are not known.
    """

    threshold: float
    share: float
    tokens: int
    microdollars: int | None


class ErrorEvent(EngineEvent, frozen=True, kw_only=True):
    """No pack could be made.

    Args:
        error: the class of the error; it is raised as well.
        began_ns: nanoseconds since 1970 when the compile began.
    """

    error: str
    began_ns: int = 0


class Deny(msgspec.Struct, frozen=True):
    """A `pre_compact` hook's word: no step now. While the request fits the model's window it is
    sent with nothing compacted; where it does not, steps are taken as the window demands.

    Args:
        why: for the manifest.
    """

    why: str = ""

    def __str__(self) -> str:
        return f"denied{self.why and ', '}{self.why}"


class Replace(msgspec.Struct, frozen=True):
    """A `pre_compact` hook's word: another spec for this request.

    Args:
        spec: what is compiled instead: a spec, its text, or a recipe that has one.
        why: for the manifest.
    """

    spec: Any
    why: str = ""

    def __str__(self) -> str:
        return f"replaced by {self.spec!r}{self.why and ', '}{self.why}"


EVENTS: dict[str, type[EngineEvent]] = {
    "compile": CompileEvent,
    "step": StepEvent,
    "prepare": PrepareEvent,
    "recall": RecallEvent,
    "overflow": OverflowEvent,
    "pre_compact": StepEvent,
    "budget": BudgetEvent,
    "error": ErrorEvent,
}
"""What a hook is called with, by the event's name."""
