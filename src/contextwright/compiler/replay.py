"""The same bytes again, from a stored session and a manifest; or what differs, exactly."""

from hashlib import sha256
from typing import Any

import msgspec

from contextwright.blocks.resolve import NOTHING_OUTSIDE, RefSources
from contextwright.compiler.build_manifest import tools_digest
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ReplayError
from contextwright.render.providers import provider_named
from contextwright.render.target import Target
from contextwright.session.event import Tool
from contextwright.session.session import Session
from contextwright.spec.codec import from_data
from contextwright.spec.task import Answers
from contextwright.tokens.counter import named_counter


def replay(
    manifest: Manifest,
    session: Session,
    *,
    tools: tuple[Tool, ...] | None = None,
    sources: RefSources = NOTHING_OUTSIDE,
) -> Pack:
    """Build the pack of a manifest again.

    Args:
        tools: what might be called; by default the session's.
        sources: what its refs named outside the session.

    Raises:
        ReplayError: the session, its state, the tools, the spec or the result is not the same;
            names the first thing that differs.
    """
    snapshot = session.snapshot_at(manifest.position, manifest.state_version)
    tools = snapshot.tools if tools is None else tools
    state = msgspec.json.encode(dict(snapshot.state), order="sorted")
    _same("session_id", manifest.session_id, snapshot.session_id, "the session")
    _same("session_digest", manifest.session_digest, snapshot.digest, "the log, up to there")
    _same("state_digest", manifest.state_digest, sha256(state).hexdigest(), "the state")
    if provider_named(manifest.format).takes_messages:
        _same("tools_digest", manifest.tools_digest, tools_digest(tools), "the tools")
    compiler = SpecCompiler(
        from_data(manifest.spec),
        agent=manifest.agent,
        sources=sources,
        now_ms=manifest.now_ms,
        steps=bool(manifest.steps),
        answers=Answers(manifest.answers),
    )
    pack = compiler.compile(snapshot, _target(manifest, tools))
    _same("spec_hash", manifest.spec_hash, pack.manifest.spec_hash, "the spec")
    if pack.manifest.checksum != manifest.checksum:
        raise ReplayError(
            f"the request is not the same: {_difference(manifest, pack.manifest)}",
            where=manifest.pack_id,
            fix="replay with the version of contextwright that compiled it",
        )
    return pack


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
    )


def _same(field: str, wanted: str, actual: str, what: str) -> None:
    if wanted != actual:
        raise ReplayError(
            f"{what} is not what the pack was compiled from",
            where=f"{field}: {wanted[:16]} in the manifest, {actual[:16]} here",
            fix="give the session file that the pack was compiled from, or a later one of it",
        )


def _difference(old: Manifest, new: Manifest) -> str:
    """The first thing in which two manifests part."""
    before = {block.id: block for block in old.kept}
    for block in new.kept:
        if block.id not in before:
            return f"block {block.id} is new"
        if block != before[block.id]:
            return f"block {block.id}: {_fields(before[block.id], block)}"
    missing = [id for id in before if id not in {block.id for block in new.kept}]
    if missing:
        return f"block {missing[0]} is missing"
    return f"{old.tokens} tokens then, {new.tokens} now; all blocks alike"


def _fields(old: Any, new: Any) -> str:
    for field in old.__struct_fields__:
        if getattr(old, field) != getattr(new, field):
            return f"{field} was {getattr(old, field)!r}, is {getattr(new, field)!r}"
    return "alike"
