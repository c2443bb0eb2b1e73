"""The same request and receipt again, from a stored session and a manifest; or what differs."""

import json
from hashlib import sha256
from typing import Any

import msgspec

from contextwright.blocks.resolve import NOTHING_OUTSIDE, RefSources
from contextwright.compiler.compare import first_difference
from contextwright.compiler.lasting_facts import tools_digest
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ReplayError
from contextwright.redaction.detector import NO_PORTS, RedactionPorts
from contextwright.render.providers import provider_named
from contextwright.render.target import Target
from contextwright.session.event import Tool
from contextwright.session.session import Session
from contextwright.spec.codec import from_data
from contextwright.spec.memo import Memo
from contextwright.spec.task import Answers
from contextwright.tokens.counter import named_counter

UNCOMPARED = frozenset({"prefix", "pack_id", "checksum", "digest", "folds"})
"""Fields that are not compared by themselves: the prefix is that of a request that is not here,
folds save time, the others follow from what is compared."""
INPUT_FIELDS = (
    "window",
    "reserved_output",
    "now_ms",
    "agent",
    "cache",
    "answers",
    "notes",
    "prefix",
)
"""Fields that a replay takes as they are: only the digest tells whether they were edited."""


_PORTS = "replay(pack, session, ports=RedactionPorts(...))"


def replay(
    pack: Pack | Manifest,
    session: Session,
    *,
    tools: tuple[Tool, ...] | None = None,
    ports: RedactionPorts = NO_PORTS,
    sources: RefSources = NOTHING_OUTSIDE,
) -> Pack:
    """Build a pack again, and compare its request and every field of its manifest. What a compile
    is given (window, reserves, clock, agent, answers of models, what preparing noted) is taken
    from the manifest, and must lead to the same request and receipt.

    Args:
        pack: the pack, or its manifest alone, whose request is known by its checksum.
        session: as it was then, or later.
        tools: those that were given then; by default the session's.
        ports: what the application gave redactions then.
        sources: what its refs named outside the session.

    Returns:
        The pack as it is built now: the same.

    Raises:
        ReplayError: the session, its state, the tools, the request or the manifest is not the
            same; names the first thing that differs.
    """
    manifest = pack.manifest if isinstance(pack, Pack) else pack
    _expect_types(manifest, session)
    ports = ports if ports is not NO_PORTS else RedactionPorts(where=_PORTS)
    snapshot = session.snapshot_at(manifest.position, manifest.state_version)
    tools = snapshot.tools if tools is None else tools
    state = msgspec.json.encode(dict(snapshot.state), order="sorted")
    spec = from_data(manifest.spec)
    session_id = plan(spec, snapshot.state, ports).clean_id(snapshot.session_id)
    _same("session_id", manifest.session_id, session_id, "the session")
    _same("session_digest", manifest.session_digest, snapshot.digest, "the log, up to there")
    _same("state_digest", manifest.state_digest, sha256(state).hexdigest(), "the state")
    if provider_named(manifest.format).takes_messages:
        _same("tools_digest", manifest.tools_digest, tools_digest(tools), "the tools")
    compiler = SpecCompiler(
        spec,
        agent=manifest.agent,
        sources=sources,
        now_ms=manifest.now_ms,
        steps=bool(manifest.steps),
        answers=Answers(manifest.answers),
        folds=manifest.folds,
        ports=ports,
        decided_at=manifest.decided_at,
    )
    target, then = _target(manifest, tools), snapshot.as_it_was
    try:
        return _compared(pack, manifest, compiler.compile(then, target))
    except ReplayError:
        if then is snapshot:
            raise
        # it was built from a log that had gone on by then: such a compile looks at more
        compiler = msgspec.structs.replace(compiler, memo=Memo())
        return _compared(pack, manifest, compiler.compile(snapshot, target))


def _compared(pack: Pack | Manifest, manifest: Manifest, again: Pack) -> Pack:
    """What was built again, which is the same.

    Raises:
        ReplayError: it is not.
    """
    _compare_built(manifest, again.manifest)
    if manifest.version >= again.manifest.version:  # an older one says the same in other fields
        _compare_fields(manifest, again.manifest)
        _compare_digest(manifest)
    if isinstance(pack, Pack) and pack.body != again.body:
        _compare_requests(pack, again)
    return again


def _expect_types(manifest: object, session: object) -> None:
    for value, type_, what in ((manifest, Manifest, "pack"), (session, Session, "session")):
        if not isinstance(value, type_):
            raise ReplayError(
                f"expected a {type_.__name__} as {what}, got {type(value).__name__}",
                where="replay(pack, session)",
                fix="the pack or its manifest first: replay(pack, read_session(PATH)); "
                "contextwright.compiler.manifest.manifest_from_json reads a manifest",
            )


def _compare_built(old: Manifest, new: Manifest) -> None:
    _same("spec_hash", old.spec_hash, new.spec_hash, "the spec")
    if old.checksum != new.checksum:
        raise ReplayError(
            f"the request is not the same: {_difference(old, new)}",
            where=old.pack_id,
            fix="replay with the version of contextwright that compiled it",
        )


def _compare_fields(old: Manifest, new: Manifest) -> None:
    # what preparing noted stands in front, and is not known here
    noted = old.notes[max(0, len(old.notes) - len(new.notes)) :]
    old = msgspec.structs.replace(old, notes=noted)
    for field in Manifest.__struct_fields__:
        if field not in UNCOMPARED and getattr(old, field) != getattr(new, field):
            difference = first_difference(getattr(old, field), getattr(new, field), field)
            raise _edited("the manifest says otherwise than what was built", difference, old)
    if old.pack_id != new.pack_id:
        difference = first_difference(old.pack_id, new.pack_id, "pack_id")
        raise _edited("the manifest says otherwise than what was built", difference, old)


def _compare_digest(manifest: Manifest) -> None:
    if manifest.digest and manifest.digest != manifest.digested().digest:
        what = "the manifest is not as it was made, though it leads to the same request"
        raise _edited(what, f"a field such as {', '.join(INPUT_FIELDS)}", manifest)


def _compare_requests(pack: Pack, again: Pack) -> None:
    try:
        stored = msgspec.json.decode(pack.body)
        refuse_repeated(pack.body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise _edited("the pack's request is no JSON", str(error), pack.manifest) from error
    difference = first_difference(stored, again.request, "request")
    if difference:
        raise _edited("the pack's request is not the one that was built", difference, pack.manifest)


def refuse_repeated(data: bytes) -> None:
    """Refuse JSON in which an object has a field twice: readers differ in which of them counts.

    Raises:
        DecodeError: it has.
    """

    def checked(pairs: list[tuple[str, Any]]) -> None:
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise msgspec.DecodeError(f"the field {twice!r} stands twice in one object")

    json.loads(data, object_pairs_hook=checked)


def _edited(what: str, difference: str, manifest: Manifest) -> ReplayError:
    return ReplayError(
        f"{what}: {difference}",
        where=f"pack {manifest.pack_id!r}",
        fix="the pack was edited since: compile it again, or take it from where it was kept",
    )


def _target(manifest: Manifest, tools: tuple[Tool, ...]) -> Target:
    return Target(
        model=manifest.model,
        format=manifest.format,
        window=manifest.window,
        reserved_output=manifest.reserved_output,
        counter=named_counter(manifest.counter),
        tools=tools,
        cache=manifest.cache,
        reserved_system=manifest.reserved_system,
        response_format=manifest.response_format,
        read_back=manifest.read_back,
        refs="show" if manifest.shows_refs else "hide",
        overrides=frozenset(manifest.overrides),
    )


def _same(field: str, wanted: str, actual: str, what: str) -> None:
    if wanted != actual:
        raise ReplayError(
            f"{what} is not what the pack was compiled from",
            where=f"{field}: {wanted[:16]} in the manifest, {actual[:16]} here",
            fix="give the session file that the pack was compiled from, or a later one of it",
        )


def _difference(old: Manifest, new: Manifest) -> str:
    """The first thing in which two manifests of different requests part."""
    before = {block.id: block for block in old.kept}
    for block in new.kept:
        if block.id not in before:
            return f"block {block.id} is new"
        if block != before[block.id]:
            return first_difference(before[block.id], block, f"block {block.id}")
    missing = [id for id in before if id not in {block.id for block in new.kept}]
    if missing:
        return f"block {missing[0]} is missing"
    return f"{old.tokens} tokens then, {new.tokens} now; all blocks alike"
