"""Hooks: who is told of an engine's events, and may say no before a compaction."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from inspect import iscoroutinefunction
from time import time_ns
from typing import Any, cast
from weakref import WeakKeyDictionary

import msgspec

from contextwright.compiler.change import Change
from contextwright.compiler.pack import Pack
from contextwright.engine.door import spec_or_compiler
from contextwright.engine.events import (
    EVENTS,
    CompileEvent,
    Deny,
    EngineEvent,
    ErrorEvent,
    OverflowEvent,
    PrepareEvent,
    RecallEvent,
    Replace,
    StepEvent,
)
from contextwright.engine.hydrate import Recalled
from contextwright.engine.prepare import Answered
from contextwright.engine.recovery import Refusals
from contextwright.errors import BudgetError, ContextwrightError, SpecError, nearest
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.codec import from_data, to_data
from contextwright.spec.expr import Expr
from contextwright.spec.saved_fold import saved_folds
from contextwright.spec.task import Answer, Task, TaskGenerator
from contextwright.tokens.context_overflow import Overflow

Hook = Callable[[Any], Any]
"""Called with the event."""
Prepared = Callable[[Expr, Sequence[str]], TaskGenerator[Pack]]
"""Compiles a spec, with notes for the manifest."""
_COMPACTION = "compaction"
_LIMITS = {
    "budget": "max_tokens",
    "fit": "target_tokens",
    "cap": "max_tokens",
    "cool": "threshold",
    "relevant": "max_tokens",
    "compress_results": "budget",
    "sliding": "window",
}
"""Words that go down in steps, and the option with their tokens."""
_NO_LIMIT = 10**9
"""Tokens that no window has."""


class EventHooks:
    """The hooks of an engine. One that fails ends no turn: a note of the manifest names it."""

    def __init__(self, hooks: Mapping[str, Any] | None = None) -> None:
        self._hooks: dict[str, list[tuple[Hook, bool]]] = {name: [] for name in EVENTS}
        self._notes: WeakKeyDictionary[Log, list[str]] = WeakKeyDictionary()
        self._are_set = False  # whether anybody wants to know of anything, or something is noted
        self._on_all(hooks)

    def on(self, name: str, hook: object, *, contents: bool = False) -> None:
        """Call a function at an event.

        Raises:
            SpecError: no such event, or nothing that can be called and returns at once.
        """
        where = f"engine.on({name!r}, ...)"
        if str(name) not in self._hooks:
            raise SpecError(f"no event {name!r}", where=where, fix=nearest(str(name), EVENTS))
        if not callable(hook) or iscoroutinefunction(hook):
            raise SpecError(
                f"expected a function that is called with the event, got {type(hook).__name__}",
                where=where,
                fix="def hook(event): ...; what is async is put into a queue by it",
            )
        self._hooks[name].append((hook, contents))
        self._are_set = True

    def _on_all(self, hooks: Mapping[str, Any] | None) -> None:
        """Put on hooks by the name of their event, one or several each; one with an attribute
        `contents` that is true gets contents.

        Raises:
            SpecError: as `on`, or they stand under no names.
        """
        if hooks is not None and not isinstance(hooks, Mapping):  # pyright: ignore
            raise SpecError(
                f"expected hooks by the names of their events, got {type(hooks).__name__}",
                where="Engine(events=...)",
                fix='events={"compile": print}',
            )
        for name, several in (hooks or {}).items():
            listed = (
                cast("list[object]", several) if isinstance(several, (list, tuple)) else [several]
            )
            for hook in listed:
                self.on(name, hook, contents=getattr(hook, "contents", False) is True)

    def has(self, *names: str) -> bool:
        """Whether anybody wants to know."""
        for name in names:
            if self._hooks[name]:
                return True
        return False

    def tell(self, name: str, event: EngineEvent, notes: list[str], **contents: Any) -> list[Any]:
        """Call the hooks of an event.

        Args:
            notes: gets one for every hook that failed.
            contents: fields for those that asked for them.

        Returns:
            What they returned.
        """
        replies: list[Any] = []
        for hook, wants_contents in self._hooks[name]:
            whole = msgspec.structs.replace(event, **contents) if wants_contents else event
            try:
                replies.append(hook(whole))
            except Exception as error:  # noqa: BLE001 -- a hook of the user's may raise anything
                what = getattr(hook, "__qualname__", type(hook).__name__)
                notes.append(f"the hook {what} of {name!r} failed ({type(error).__name__})")
        return replies

    def note(self, log: Log, notes: Sequence[str]) -> None:
        """Keep notes for the next pack of a session: there is none to hold them now."""
        self._notes.setdefault(log, []).extend(notes)
        self._are_set = True

    def making(
        self, session: Session, previous: Pack | None, packing: TaskGenerator[Pack]
    ) -> TaskGenerator[Pack]:
        """Tell of the pack that is made, or of the error."""
        began_ns = time_ns()
        try:
            pack = yield from packing
        except Exception as error:
            if self.has("error"):
                event = ErrorEvent(
                    **_moment(session.snapshot()), error=type(error).__name__, began_ns=began_ns
                )
                self.tell("error", event, [])
            raise
        if self._are_set:
            return self._compiled(pack, previous, session, began_ns)
        return pack

    def _compiled(self, pack: Pack, previous: Pack | None, session: Session, began_ns: int) -> Pack:
        """Tell of a pack, and of the step that it takes; the pack with a note of what failed."""
        notes = self._notes.pop(session.log, []) if self._notes else list[str]()
        if self.has("step") and (step := step_of(pack, previous, session)) is not None:
            self.tell("step", step, notes, pack=pack)
        if self.has("compile"):
            self.tell("compile", _compile_event(pack, session, began_ns), notes, pack=pack)
        return with_notes(pack, notes)

    def deciding(
        self, spec: Expr, prepared: Prepared, previous: Pack | None, session: Session
    ) -> TaskGenerator[Pack]:
        """The pack of a spec, or what `pre_compact` hooks want instead where it takes a step."""
        if not self._are_set:
            return prepared(spec, ())
        return self._asking(spec, prepared, previous, session)

    def _asking(
        self, spec: Expr, prepared: Prepared, previous: Pack | None, session: Session
    ) -> TaskGenerator[Pack]:
        pack = yield from prepared(spec, ())
        notes: list[str] = []
        verdict = self._verdict(pack, previous, session, notes)
        if verdict is not None:
            notes.append(f"pre_compact: {verdict}")
            try:
                other = without_compaction(spec) if isinstance(verdict, Deny) else verdict.spec
                return (yield from prepared(other, notes))
            except BudgetError:
                notes.append("pre_compact: it does not fit otherwise, the step is taken")
            except ContextwrightError as error:
                notes.append(f"pre_compact: {type(error).__name__}, the step is taken")
        return with_notes(pack, notes)

    def _verdict(
        self, pack: Pack, previous: Pack | None, session: Session, notes: list[str]
    ) -> Deny | Replace | None:
        """What hooks say of the step that a pack takes: the first that denies or replaces it."""
        step = step_of(pack, previous, session) if self.has("pre_compact") else None
        if step is None:
            return None
        for reply in self.tell("pre_compact", step, notes, pack=pack):
            if isinstance(reply, Deny):
                return reply
            if isinstance(reply, Replace):
                if (replacing := _readable(reply, notes)) is not None:
                    return replacing
                continue
            if reply is False:
                return Deny()
            if reply is not None and reply is not True:
                notes.append(f"a hook of 'pre_compact' gave {type(reply).__name__}: not understood")
        return None

    def preparing(self, session: Session, notes: list[str]) -> Answered | None:
        """What tells of questions to models, and notes what failed; None where nobody wants to
        know."""
        if not self._hooks["prepare"]:
            return None

        def prepared(tasks: Sequence[Task], answers: Sequence[Answer], began_ns: int) -> None:
            event = PrepareEvent(
                **_moment(session.snapshot()),
                kinds=tuple(task.kind for task in tasks),
                models=tuple(dict.fromkeys(answer.model for answer in answers)),
                fallbacks=sum(bool(answer.fallback) for answer in answers),
                input_tokens=sum(answer.input_tokens for answer in answers),
                output_tokens=sum(answer.output_tokens for answer in answers),
                began_ns=began_ns,
            )
            self.tell("prepare", event, notes, answers=tuple(answers))

        return prepared

    def recalled(self, session: Session) -> Recalled | None:
        """What tells of a search of memories that begins now; None where nobody wants to know."""
        if not self._hooks["recall"]:
            return None
        began_ns = time_ns()

        def recalled(sources: Sequence[object], hits: int, failed: int) -> None:
            event = RecallEvent(
                **_moment(session.snapshot()),
                sources=tuple(type(source).__name__ for source in sources),
                hits=hits,
                failed=failed,
                began_ns=began_ns,
            )
            notes: list[str] = []
            self.tell("recall", event, notes)
            self.note(session.log, notes)

        return recalled

    def overflowed(
        self, session: Session, overflow: Overflow, sent: Pack, pack: Pack, refusals: Refusals
    ) -> Pack:
        """Tell of a refusal and what was compiled after it; the pack with a note of what failed."""
        notes: list[str] = []
        event = OverflowEvent(
            **_moment(session.snapshot()),
            overflow=overflow,
            tokens_before=sent.tokens,
            tokens_after=pack.tokens,
            room=refusals.room,
            refusals=refusals.count,
        )
        self.tell("overflow", event, notes, pack=pack)
        return with_notes(pack, notes)


def _readable(reply: Replace, notes: list[str]) -> Replace | None:
    """What a hook wants in the place of a step, its spec read where it is a text or a recipe; None
    where it is no spec, and a note says so."""
    try:
        spec = spec_or_compiler(reply.spec, "Replace(spec, why)", None)
    except ContextwrightError as error:
        notes.append(f"a hook of 'pre_compact' gave a spec that is none ({type(error).__name__})")
        return None
    if not isinstance(spec, Expr):
        notes.append("a hook of 'pre_compact' gave a compiler: not understood")
        return None
    return msgspec.structs.replace(reply, spec=spec)


def step_of(pack: Pack, previous: Pack | None, session: Session) -> StepEvent | None:
    """The step that a pack takes and the one before did not; None where it takes none."""
    before = {fold.key: fold.steps for fold in saved_folds(session.metadata)}
    for fold in () if previous is None else previous.receipt.folds:
        before[fold.key] = max(fold.steps, before.get(fold.key, 0))
    folds = [fold for fold in pack.receipt.folds if fold.steps > before.get(fold.key, 0)]
    limit_steps = pack.receipt.limit_steps
    if previous is not None and limit_steps <= previous.receipt.limit_steps:
        limit_steps = 0
    if not folds and not limit_steps:
        return None
    before_changes = () if previous is None else previous.manifest.changes
    known = set(before_changes)
    new = [change for change in pack.manifest.changes if change not in known]
    lineages = [change.lineage or (change.id,) for change in new]
    prefix = pack.manifest.prefix
    return StepEvent(
        **_moment(session.snapshot()),
        step=max((fold.steps for fold in folds), default=limit_steps),
        tokens_before=pack.tokens + _saved(pack.manifest.changes) - _saved(before_changes),
        tokens_after=pack.tokens,
        ids=tuple(dict.fromkeys(id for lineage in lineages for id in lineage)),
        lost_prefix_tokens=previous.tokens - prefix.tokens if previous and prefix else 0,
    )


def _saved(changes: Sequence[Change]) -> int:
    return sum(change.tokens_before - change.tokens_after for change in changes)


def _compile_event(pack: Pack, session: Session, began_ns: int) -> CompileEvent:
    manifest = pack.manifest
    prefix = manifest.prefix
    layers = Counter(manifest.layer_tokens)
    for change in manifest.changes:
        layers[change.layer] += change.tokens_before - change.tokens_after
    return CompileEvent(
        **_moment(session.snapshot()),
        pack_id=manifest.pack_id,
        model=manifest.model,
        format=manifest.format,
        tokens=manifest.tokens,
        tokens_before=manifest.tokens + _saved(manifest.changes),
        limit=manifest.budget,
        blocks=len(manifest.kept),
        changed=tuple(change.id for change in manifest.changes),
        prefix_tokens=prefix.tokens if prefix is not None else 0,
        saved_microdollars=prefix.saved_microdollars if prefix is not None else None,
        notes=len(manifest.notes),
        layer_tokens=manifest.layer_tokens,
        layer_tokens_before=dict(layers),
        actions=dict(Counter(change.action for change in manifest.changes)),
        began_ns=began_ns,
    )


def _moment(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "session": snapshot.session_id,
        "position": snapshot.position,
        "turn": max(0, snapshot.turn),
    }


def with_notes(pack: Pack, notes: Sequence[str]) -> Pack:
    """The pack with these notes in front of its manifest's own, where a replay expects them."""
    if not notes:
        return pack
    noted = msgspec.structs.replace(pack.manifest, notes=(*notes, *pack.manifest.notes))
    return Pack(pack.body, noted.digested())


def without_compaction(spec: Expr) -> Expr:
    """The spec whose compaction, or limit, waits until the model's window is full."""
    return from_data(_late(to_data(spec)))


def _late(value: Any) -> Any:
    if isinstance(value, list):
        return list(map(_late, cast("list[Any]", value)))
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    if fields.get("atom") == _COMPACTION:
        return {**fields, "max_tokens": 0, "soft": 100, "headroom": 0, "eager": False}
    option = _LIMITS.get(str(fields.get("atom")))
    if option is not None and fields.get(option):
        return {**fields, option: _NO_LIMIT}
    return {key: _late(inner) for key, inner in fields.items()}
