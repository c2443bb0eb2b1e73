"""The digest of a manifest, worked out from where it grew: most entries of a receipt are those of
the one before, as the very same objects."""

from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from contextwright.memo.by_identity import NEWEST
from contextwright.memo.ownership import owned_table

if TYPE_CHECKING:
    from contextwright.compiler.manifest import Manifest

_encode = msgspec.json.Encoder(order="deterministic").encode
"""Structs in the order of their fields, dicts sorted: half the time of sorting both."""


class _Hashed(NamedTuple):
    """Entries that were hashed one behind the other. Nobody adds to `running`."""

    entries: tuple[object, ...]
    running: Any
    digest: bytes


def digest_of(manifest: "Manifest") -> str:
    """The sha256 over all fields but the digest itself: those of many entries as hashes of their
    own, behind the others."""
    plain = msgspec.structs.replace(manifest, digest="", kept=(), changes=())
    whole = sha256(_encode(plain))
    whole.update(_of_entries("kept", manifest.kept))
    whole.update(_of_entries("changes", manifest.changes))
    return whole.hexdigest()


def _of_entries(name: str, entries: tuple[object, ...]) -> bytes:
    table = owned_table(("hashed entries", name), brief=True)
    known: _Hashed | None = None if table is None else table.known(NEWEST)
    if known is not None and known.entries is entries:
        return known.digest
    count, running = 0, sha256()
    if known is not None and entries[: len(known.entries)] == known.entries:
        count, running = len(known.entries), known.running.copy()
    running.update(b"".join(map(_encode, entries[count:])))
    digest = running.digest()
    if table is not None:
        table[NEWEST] = _Hashed(entries, running, digest)
    return digest
