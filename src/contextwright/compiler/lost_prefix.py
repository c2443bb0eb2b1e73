"""Whose doing it was that a request shares less with the one before than it could, and what that
costs: told from the two requests and their receipts, only where something was lost."""

import re
from collections.abc import Mapping, Sequence
from itertools import compress, count
from operator import ne
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from contextwright.compiler.change import Change
from contextwright.compiler.manifest import KeptBlock, Manifest, Prefix, PrefixLoss
from contextwright.compiler.pack import Pack, known_request
from contextwright.compiler.prefix import microdollars_saved, piece_bytes
from contextwright.compiler.receipt import Receipt
from contextwright.render.renderer import Request
from contextwright.render.target import Target
from contextwright.session.log import Log

if TYPE_CHECKING:
    from contextwright.compiler.manifest_draft import ManifestDraft

_PLACE = re.compile(r"(.+)\[(\d+)\]")
_ABSENT = object()


class LostPiece(NamedTuple):
    """Where a request that is not the beginning of the next one parts from it.

    Args:
        name: of the piece. old, new: what stands there; `_ABSENT` where nothing does.
        before: what the manifest of the request before says, or is written from. tokens: its own.
        microdollars: what it costs, by the prices of now; None where none is known.
    """

    name: str
    old: Any
    new: Any
    before: "Manifest | ManifestDraft"
    tokens: int
    microdollars: int | None


def lost_piece(
    prefix: Prefix, previous: Pack, request: Request, target: Target, log: Log, now: int
) -> LostPiece | None:
    """Where the request before is not the beginning of this one; None where this one only grew,
    and reads no request again.

    Args:
        log: that this request is of. now: its tokens.
    """
    piece, tokens = prefix.first_difference, previous.tokens
    if not piece or prefix.tokens >= tokens:
        return None
    known = known_request(previous)
    before = known.request if known is not None else previous.request
    old, new = _value(before, piece), _value(request, piece)
    conversation = target.provider.renderer.cache_order[-1]
    if old is _ABSENT and piece.partition("[")[0] == conversation:
        return None
    receipt = previous.receipt
    # what was sent of another session is told from the log of that one alone
    if isinstance(receipt, Receipt) and receipt.log() is log:
        source = receipt.source
    else:
        source = previous.manifest
    return LostPiece(piece, old, new, source, tokens, _price(prefix, tokens, now, target))


def with_loss(
    prefix: Prefix, lost: LostPiece, before: Manifest, manifest: Manifest, target: Target
) -> Prefix:
    """The prefix with what was lost of it.

    Args:
        before: the manifest of the request before.
    """
    conversation = target.provider.renderer.cache_order[-1]
    cause = _cause(lost.name, conversation, before, manifest)
    loss = msgspec.structs.replace(
        cause,
        byte=_first_difference(lost.old, lost.new),
        tokens=max(0, lost.tokens - prefix.tokens),
        tokens_before=lost.tokens,
        microdollars=lost.microdollars,
    )
    return msgspec.structs.replace(prefix, loss=loss)


def _value(request: Mapping[str, Any], piece: str) -> Any:
    """What stands at `messages[3]`, or under a key."""
    match = _PLACE.fullmatch(piece)
    if match is None:
        return request.get(piece, _ABSENT)
    items = request.get(match[1])
    place = int(match[2])
    if not isinstance(items, list):
        return _ABSENT
    listed = cast("list[Any]", items)
    return listed[place] if place < len(listed) else _ABSENT


def _first_difference(old: Any, new: Any) -> int:
    """The place of the first byte of the canonical JSON in which two pieces differ."""
    if old is _ABSENT or new is _ABSENT:
        return 0
    pair = piece_bytes(old), piece_bytes(new)
    return next(compress(count(), map(ne, *pair)), min(map(len, pair)))


def _cause(piece: str, conversation: str, before: Manifest, now: Manifest) -> PrefixLoss:
    key = piece.partition("[")[0]
    if key != conversation:
        cause = "tools" if key == "tools" else "instruction"
        return PrefixLoss(cause=cause, piece=piece)
    old, new = _first_pair(before.kept, now.kept)
    steps = _steps(now)
    if steps > _steps(before) or (new is not None and _is_note(new, now)):
        step, reason = _step_of(new, old, now)
        block = new or old
        return PrefixLoss(
            cause="step",
            piece=piece,
            block=block.id if block is not None else "",
            step=step,
            reason=reason,
            step_number=steps,
            threshold=now.soft_threshold,
        )
    if old is None or new is None:
        return PrefixLoss(cause="layout", piece=piece)
    change = _last_change(old, now)
    if change is not None:
        return PrefixLoss(
            cause="spec", piece=piece, block=old.id, step=change.step, reason=change.reason
        )
    if old.order < 0 and new.order < 0:
        return PrefixLoss(cause="state", piece=piece, block=new.id, step=new.source)
    if old.id not in {block.id for block in now.kept}:
        return _selection(piece, old, "no term of the spec brings it any more")
    if new.id not in {block.id for block in before.kept}:
        return _selection(piece, new, "the request before did not have it")
    return PrefixLoss(cause="layout", piece=piece, block=old.id)


def _selection(piece: str, block: KeptBlock, reason: str) -> PrefixLoss:
    return PrefixLoss(
        cause="selection", piece=piece, block=block.id, step=block.source, reason=reason
    )


def _first_pair(
    before: Sequence[KeptBlock], now: Sequence[KeptBlock]
) -> tuple[KeptBlock | None, KeptBlock | None]:
    """The first blocks that differ; None where there is none."""
    for old, new in zip(before, now, strict=False):
        if _form(old) != _form(new):
            return old, new
    at = min(len(before), len(now))
    return next(iter(before[at:]), None), next(iter(now[at:]), None)


def _form(block: KeptBlock) -> tuple[object, ...]:
    """What of an entry changes when the words that are sent do. Tokens of an exchange may be
    another share of an estimate."""
    own = block.tokens if block.order < 0 else 0
    return block.id, block.fidelity, block.layer, block.ref, block.lineage, own


def _is_note(block: KeptBlock, now: Manifest) -> bool:
    noted = {change.id for change in now.changes if change.action == "summarized"}
    return block.order < 0 and block.id in noted


def _steps(manifest: Manifest) -> int:
    return max((fold.steps for fold in manifest.folds), default=manifest.limit_steps)


def _step_of(new: KeptBlock | None, old: KeptBlock | None, now: Manifest) -> tuple[str, str]:
    for block in filter(None, (new, old)):
        change = _last_change(block, now)
        if change is not None:
            return change.step, change.reason
    return "", ""


def _last_change(block: KeptBlock, now: Manifest) -> Change | None:
    return next(iter(reversed(now.changes_of(block.id))), None)


def _price(prefix: Prefix, before: int, now: int, target: Target) -> int | None:
    """What reading as much of the request as the one before had would have saved more."""
    if prefix.saved_microdollars is None:
        return None
    end = prefix.read + prefix.written
    read = target.cache_rules.readable(min(before, now, end or now))
    saved = microdollars_saved(read, max(0, end - read), now, target.model)
    return max(0, (saved or 0) - prefix.saved_microdollars)
