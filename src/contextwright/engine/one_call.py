"""A spec in one call. The engine is imported when it is called: a program that only names it starts
without."""

import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from pathlib import Path

    from contextwright.compiler.pack import Pack
    from contextwright.compiler.spec_compiler import SpecCompiler
    from contextwright.engine.door import SessionLike, SpecLike
    from contextwright.engine.run_tasks import TaskRunner
    from contextwright.redaction.detector import Detector
    from contextwright.redaction.operators import Vault
    from contextwright.render.target import Target, TargetOptions
    from contextwright.session.snapshot import Snapshot
    from contextwright.stores.refs import Fetch
    from contextwright.stores.store import ArtifactStore

_NO_HOSTS: "Mapping[str, Fetch]" = MappingProxyType({})


def compile(
    session: "SessionLike",
    spec: "SpecLike | None" = None,
    model: str | None = None,
    *,
    target: "Target | None" = None,
    artifacts: "ArtifactStore | None" = None,
    roots: "Sequence[str | Path]" = (),
    hosts: "Mapping[str, Fetch]" = _NO_HOSTS,
    models: "TaskRunner | None" = None,
    previous: "Pack | None" = None,
    now_ms: int | None = None,
    agent: str = "",
    steps: bool = False,
    detector: "Detector | None" = None,
    vault: "Vault | None" = None,
    **options: "Unpack[TargetOptions]",
) -> "Pack":
    """The pack for the next call, in one line.

    Args:
        session: a session, a snapshot of one, a provider's body, or a list of messages: dicts,
            objects of an SDK or a framework, texts, `(role, text)` pairs.
        spec: what should be seen: a spec, its text, a recipe that has a `spec`, or a compiler
            with `compile(snapshot, target)`; by default all while it fits (`default_spec`).
        model: its name, by default the body's; `options` of `contextwright.target`: `format`,
            `window`, `reserved_output` (by default the body's), `tools`, `response_format`...
        target: instead of a model.
        artifacts: where `artifact://` refs are read: those that the session stored or was given.
        roots: folders whose files `C.expand` may read. hosts: hosts that it may ask, each with a
            function from an address to its text, which follows no redirect to another host.
        models: who summarizes, scores and extracts, waited for; by default the embedded models,
            which need no network.
        previous: the pack before, to tell what a provider's cache can use again.
        steps: count blocks and tokens at every step of the spec, for `ctx explain`.
        detector: finds the `entities` of `C.redact`. vault: has the key of its hashes.

    Raises:
        ModelError: an unknown model and no `window`, or neither model nor target.
        SessionError: what stands for the session is none. SpecError: what stands for the spec.
        BudgetError: what must stay does not fit.
    """
    _load_vocabulary(model, options)
    from contextwright.compiler.spec_compiler import SpecCompiler
    from contextwright.engine import door
    from contextwright.engine.body_target import target_of_call
    from contextwright.engine.engine import memo_of
    from contextwright.spec.expr import Expr

    snapshot = door.snapshot_of(session, "compile(session, ...)")
    _expect_types(target, previous, now_ms, agent)
    whom = target_of_call(session, snapshot, model, target, options)
    made = door.spec_or_compiler(spec, "compile(spec=...)", whom)
    if not isinstance(made, Expr):
        return door.compiled_by(made, snapshot, whom)
    sources = door.sources_of(artifacts, roots, hosts, "compile(...)").of_one_compile()
    ports = door.ports_of(detector, vault, "contextwright.compile(...)")
    compiler = SpecCompiler(made, agent=agent, sources=sources, now_ms=now_ms, steps=steps,
                            memo=memo_of(snapshot.log), ports=ports)  # fmt: skip
    return _prepared(compiler, whom, snapshot, previous, models)


def _load_vocabulary(model: str | None, options: "TargetOptions") -> None:
    """In a process that has no engine yet, begin to load what the model counts with: it takes as
    long as the imports that follow."""
    if "contextwright.engine.engine" in sys.modules or not isinstance(model, str):
        return
    from contextwright.tokens.counter import counter_for
    from contextwright.tokens.vocabulary import load_beside

    if options.get("counter") is None:
        load_beside(counter_for(model).base)


def _prepared(
    compiler: "SpecCompiler",
    whom: "Target",
    snapshot: "Snapshot",
    previous: "Pack | None",
    models: "TaskRunner | None",
) -> "Pack":
    """The pack, once models answered what it needs."""
    from contextwright.engine.embedded import answering_by
    from contextwright.engine.prepare import Turn, known_answers, preparing, remember
    from contextwright.engine.run_tasks import run_tasks
    from contextwright.memo.ownership import remembering

    runner = answering_by(models)
    turn = Turn(compiler, whom, lambda: snapshot, None, previous)
    asking = preparing(turn, known_answers(snapshot.log, runner), runner.latest)
    with remembering(compiler.memo):
        pack, answers = run_tasks(asking, runner, snapshot.session_id, lambda: snapshot.turn)
    remember(snapshot.log, runner, answers)
    return pack


def _expect_types(target: object, previous: object, now_ms: object, agent: object) -> None:
    from contextwright.compiler.pack import Pack
    from contextwright.engine.door import expect_type
    from contextwright.render.target import Target

    for name, value, type_, fix in (
        ("target", target, Target, 'contextwright.target("gpt-5"), or model="gpt-5"'),
        ("previous", previous, Pack, "give the pack that the last compile made"),
        ("now_ms", now_ms, int, "milliseconds since 1970, such as int(time.time() * 1000)"),
        ("agent", agent, str, "an agent's name, as its events have it"),
    ):
        expect_type(name, value, type_, "compile(...)", fix)
