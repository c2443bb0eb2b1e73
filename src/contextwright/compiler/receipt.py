"""What is known of a request before its manifest is written: nobody reads that of most.

A turn of an agent's loop needs a dozen facts of the request before it; a manifest tells of every
block, which takes a tenth of the turn (docs/adr/0189-a-manifest-is-written-when-it-is-read.md).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import ref

import msgspec

from contextwright.compiler.change import Change
from contextwright.compiler.manifest import Manifest, Prefix, PrefixLoss, Range
from contextwright.session.log import Log
from contextwright.spec.saved_fold import SavedFold

if TYPE_CHECKING:
    from contextwright.compiler.manifest_draft import ManifestDraft

WriteManifest = Callable[[Log], Manifest]
"""Writes a manifest, given the log that it is of. It holds nothing that would keep that one."""


class Receipt(msgspec.Struct, eq=False, kw_only=True):
    """A manifest that is written once somebody reads it; until then its facts that a turn needs,
    each as the manifest has it. Several threads may read it at once: each writes the same.

    Args:
        changes: in number and order those of the manifest, with their lineages written out.
        prefix: but for why some of it was lost. is_lost: whether some was.
        draft: what it is written from, this request's alone; None once it is.
    """

    position: int
    now_ms: int | None
    format: str
    counter: str
    reserved_system: int
    tokens: int
    fixed_tokens: int
    changes: tuple[Change, ...]
    left_out: tuple[Range, ...]
    folds: tuple[SavedFold, ...]
    limit_steps: int
    decided_at: int
    shows_refs: bool
    prefix: Prefix | None
    is_lost: bool
    log: ref[Log]
    draft: "ManifestDraft | None"
    write: WriteManifest | None
    written: Manifest | None = None

    @property
    def source(self) -> "Manifest | ManifestDraft":
        """The manifest, if it is written, or what it is written from."""
        draft, written = self.draft, self.written
        if written is None:
            assert draft is not None
            return draft
        return written

    @property
    def manifest(self) -> Manifest:
        """The manifest. Its log is there as long as anybody has the pack, or the session."""
        written = self.written
        if written is None:
            write, log = self.write, self.log()
            if write is None or log is None:
                # another thread wrote it meanwhile, and let go of both
                assert self.written is not None
                return self.written
            written = self.written = write(log)
            self.write = self.draft = None
        return written

    def __repr__(self) -> str:
        # not the fields: they hold what was said
        count = f"{len(self.changes)} change{'' if len(self.changes) == 1 else 's'}"
        return f"<Receipt: {self.format}, {self.tokens:,} tokens, {count}>"

    def __eq__(self, other: object) -> bool:
        manifest = other.manifest if isinstance(other, Receipt) else other
        return self.manifest == manifest

    __hash__ = None  # pyright: ignore[reportAssignmentType]  # as a manifest, it holds dicts

    def __reduce__(self) -> tuple[object, ...]:
        return _as_written, (self.manifest,)


def is_lost(receipt: Manifest | Receipt) -> bool:
    """Whether the request before is not the beginning of this one."""
    if isinstance(receipt, Receipt):
        return receipt.is_lost
    return receipt.prefix is not None and isinstance(receipt.prefix.loss, PrefixLoss)


def _as_written(manifest: Manifest) -> Manifest:
    """What a receipt is elsewhere, where its session is not."""
    return manifest
