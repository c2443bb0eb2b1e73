"""From a snapshot to a pack. `compile_pack` reads top to bottom; everything it calls is pure."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Protocol

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.resolve import ReadArtifact, resolve
from contextwright.errors import RenderError
from contextwright.pack.assemble import Assembled, assemble
from contextwright.pack.layout import layout_of, section_of
from contextwright.pack.manifest import Kept, Manifest
from contextwright.pack.overflow import Room, fit_into
from contextwright.pack.pack import Pack
from contextwright.pack.plan import Plan, plan
from contextwright.pack.prefix import shared_prefix
from contextwright.pack.ranges import left_out
from contextwright.pack.renamed import renamed_tools
from contextwright.pack.trace import Tracer
from contextwright.pack.unrendered import unrendered
from contextwright.render.layout import Layout
from contextwright.render.renderer import Renderer, Request
from contextwright.render.renderers import renderer_for
from contextwright.render.target import Target
from contextwright.render.wire import scrubbed
from contextwright.session.event import Tool
from contextwright.session.snapshot import Snapshot
from contextwright.spec.codec import to_data
from contextwright.spec.expr import Expr
from contextwright.spec.inputs import Inputs, Memo
from contextwright.spec.task import NO_ANSWERS, Answers, Task


class Compiler(Protocol):
    """The only thing that a driver depends on."""

    def compile(self, snapshot: Snapshot, target: Target) -> Pack:
        """The pack for the next call."""
        ...


class Wants(msgspec.Struct, eq=False):
    """What a compile asks of the moments around it.

    Args:
        asked: tasks that have no answer yet, by fingerprint.
        wrote: state keys that the spec's writers would set before the turn.
    """

    asked: dict[str, Task] = msgspec.field(default_factory=dict[str, Task])
    wrote: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])


class SpecCompiler(msgspec.Struct, frozen=True, eq=False):
    """A compiler that does what a spec says.

    Args:
        spec: what should be seen.
        agent: the agent that the requests are for.
        read_artifact: gives the text of an `artifact://` path, or None.
        now_ms: the clock, where a rule needs one.
        memo: what earlier compiles worked out; never changes a result.
        steps: whether the manifest counts blocks and tokens at every step of the spec.
        answers: what models answered before.
        sent_from: place in the log from which on the driver sends events itself, so that a
            text beside them does not say them again.
    """

    spec: Expr
    agent: str = ""
    read_artifact: ReadArtifact | None = None
    now_ms: int | None = None
    memo: Memo = msgspec.field(default_factory=Memo)
    steps: bool = False
    answers: Answers = NO_ANSWERS
    sent_from: int | None = None

    def compile(
        self,
        snapshot: Snapshot,
        target: Target,
        *,
        previous: Pack | None = None,
    ) -> Pack:
        """The pack for the next call.

        Args:
            previous: the pack before, to tell what a provider's cache can use again.

        Raises:
            BudgetError: what must stay does not fit.
            SpecError: the spec can not be met by this session.
            RenderError: a bug: the request breaks a rule of its provider.
        """
        pack = self._compile(snapshot, target, previous, Wants(), dry=False)
        assert pack is not None
        return pack

    def try_compile(
        self, snapshot: Snapshot, target: Target, wants: "Wants", *, previous: Pack | None = None
    ) -> Pack | None:
        """The pack, or None where something is missing for it: `wants` says what, and what the
        spec would write, also where it raises as `compile` does."""
        return self._compile(snapshot, target, previous, wants, dry=True)

    def _compile(
        self,
        snapshot: Snapshot,
        target: Target,
        previous: Pack | None,
        wants: "Wants",
        *,
        dry: bool,
    ) -> Pack | None:
        self.memo.trim()
        renderer = renderer_for(target.format)
        planned = plan(self.spec)
        inputs = self._inputs(snapshot, target, renderer, planned, wants, dry=dry)
        known = self.memo.table(("summarized", target.format, target.model, target.counter.id))
        tracer = Tracer(inputs.cost, count_steps=self.steps, known=known)
        assembled = assemble(planned, inputs, tracer, target)
        if dry and wants.asked:
            return None
        room = _room(planned, assembled, inputs, tracer, target, renderer)
        blocks = fit_into(room, assembled.blocks, planned.terminal)
        if dry and wants.asked:
            return None
        layout = layout_of(assembled, blocks, inputs, target)
        request = renderer.request(layout, target)
        tokens = renderer.measure(request, target)
        _check(renderer, request, target, tokens, room.limit)
        tracer.notes.extend(_model_notes(inputs, room.inputs))
        return self._pack(
            _Built(snapshot, target, planned, assembled, blocks, layout, request, tokens, room),
            tracer,
            previous,
        )

    def _inputs(
        self,
        snapshot: Snapshot,
        target: Target,
        renderer: Renderer,
        planned: Plan,
        wants: "Wants",
        *,
        dry: bool,
    ) -> Inputs:
        return Inputs(
            snapshot=snapshot,
            count=target.counter.count,
            cost=_cost(self.memo, renderer, target),
            counter_id=target.counter.id,
            resolve=lambda ref: resolve(ref, snapshot, self.read_artifact),
            now_ms=self.now_ms,
            memo=self.memo,
            agent=self.agent,
            window=planned.window,
            clean=planned.clean,
            answers=self.answers,
            sent_from=self.sent_from,
            dry=dry,
            asked=wants.asked,
            wrote=wants.wrote,
        )

    def _pack(self, built: "_Built", tracer: Tracer, previous: Pack | None) -> Pack:
        body = msgspec.json.encode(built.request, order="sorted")
        manifest = _manifest(built, tracer, body, self)
        if previous is not None:
            prefix = shared_prefix(previous.request, built.request, built.target)
            manifest = msgspec.structs.replace(manifest, prefix=prefix)
        return Pack(body, manifest)


class _Built(msgspec.Struct, frozen=True, eq=False):
    snapshot: Snapshot
    target: Target
    planned: Plan
    assembled: Assembled
    blocks: Blocks
    layout: Layout
    request: Request
    tokens: int
    room: Room


def _cost(memo: Memo, renderer: Renderer, target: Target) -> Callable[[Block], int]:
    def cost(block: Block) -> int:
        if block.messages:
            return renderer.cost(block, target)
        return renderer.section_cost(section_of(block), target)

    return memo.computed(("cost", target.format, target.model, target.counter.id), cost)


def _room(
    planned: Plan,
    assembled: Assembled,
    inputs: Inputs,
    tracer: Tracer,
    target: Target,
    renderer: Renderer,
) -> Room:
    empty = renderer.request(layout_of(assembled, (), inputs, target), target)
    limit = target.max_input
    if planned.terminal is not None:
        limit = min(limit, limit_of(planned))
    fixed = renderer.measure(empty, target) + renderer.margin(target)
    return Room(limit, fixed, inputs.after(0), tracer)


def limit_of(planned: Plan) -> int:
    """Tokens that the spec allows; it must have a terminal."""
    terminal = planned.terminal
    assert terminal is not None
    return getattr(terminal, "max_tokens", None) or getattr(terminal, "target_tokens", 0)


def _check(renderer: Renderer, request: Request, target: Target, tokens: int, limit: int) -> None:
    violations = renderer.validate(request, target)
    if violations:
        first = violations[0]
        raise RenderError(
            f"the request breaks {len(violations)} rules of its provider; first "
            f"{first.rule}: {first.what}",
            where=f"{target.format} {first.where}",
            fix="report this with the session: a request that is built here must be valid",
        )
    if tokens > limit:
        raise RenderError(
            f"the request has {tokens} tokens and {limit} are allowed",
            where=target.format,
            fix="report this with the session: costs must never be counted too low",
        )


def _manifest(built: _Built, tracer: Tracer, body: bytes, compiler: SpecCompiler) -> Manifest:
    snapshot, target, room = built.snapshot, built.target, built.room
    spec = to_data(compiler.spec)
    state = msgspec.json.encode(dict(snapshot.state), order="sorted")
    checksum = sha256(body).hexdigest()
    spec_hash = sha256(msgspec.json.encode(spec, order="sorted")).hexdigest()
    origin = f"{snapshot.session_id}\n{snapshot.digest}\n{spec_hash}\n{checksum}"
    kept = tuple(_kept(block, room.inputs.cost(block)) for block in built.blocks)
    terminal = built.planned.terminal
    overflow = getattr(terminal, "overflow", None) or getattr(terminal, "strategy", "")
    return Manifest(
        pack_id="pack_" + sha256(origin.encode()).hexdigest()[:16],
        session_id=snapshot.session_id,
        position=snapshot.position,
        session_digest=snapshot.digest,
        state_version=snapshot.state.version,
        state_digest=sha256(state).hexdigest(),
        spec=spec,
        spec_hash=spec_hash,
        model=target.model,
        format=target.format,
        window=target.window,
        reserved_output=target.reserved_output,
        reserved_system=target.reserved_system,
        cache=target.cache,
        counter=target.counter.id,
        counter_factor=target.counter.factor,
        counter_exact=target.counter.exact,
        tools_digest=tools_digest(built.layout.tools),
        renamed_tools=renamed_tools(built.layout.tools, built.request),
        now_ms=compiler.now_ms,
        sent_from=compiler.sent_from,
        agent=compiler.agent,
        budget=room.limit,
        overflow=overflow or "",
        tokens=built.tokens,
        fixed_tokens=room.fixed,
        layer_tokens=_by_layer(kept),
        kept=kept,
        changes=tuple(tracer.changes),
        left_out=left_out(snapshot, built.blocks, tracer.changes, tracer.summarized),
        unrendered=unrendered(built.blocks, built.layout.conversation, target),
        notes=(*built.assembled.notes, *tracer.notes),
        answers=tuple(room.inputs.used.values()),
        steps=tuple(tracer.steps),
        checksum=checksum,
    )


def _model_notes(inputs: Inputs, later: Inputs) -> list[str]:
    """What models did not do, and who did it instead."""
    asked = {**inputs.asked, **later.asked}
    missing = [
        f"{kind} was not prepared: done without a model"
        for kind in dict.fromkeys(task.kind for task in asked.values())
    ]
    instead = [
        f"{answer.kind} by {answer.model}: {answer.fallback}"
        for answer in inputs.used.values()
        if answer.fallback
    ]
    return missing + list(dict.fromkeys(instead))


def _kept(block: Block, tokens: int) -> Kept:
    return Kept(
        id=block.id,
        source=block.source,
        layer=block.layer.label,
        tokens=tokens,
        fidelity=block.fidelity.label,
        cache=block.cache.label,
        tier=block.tier,
        score=block.score,
        ref=block.ref if block.fidelity.label != "raw" else "",
        lineage=block.lineage,
    )


def _by_layer(kept: tuple[Kept, ...]) -> dict[str, int]:
    tokens: dict[str, int] = {}
    for block in kept:
        tokens[block.layer] = tokens.get(block.layer, 0) + block.tokens
    return tokens


def tools_digest(tools: tuple[Tool, ...]) -> str:
    """sha256 of tool schemas."""
    plain = scrubbed(msgspec.to_builtins(tools))
    return sha256(msgspec.json.encode(plain, order="sorted")).hexdigest()
