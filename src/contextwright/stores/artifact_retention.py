"""How long artifacts stay, and what may go: never what a live session, a kept
manifest or a kept checkpoint names."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import islice
from urllib.parse import unquote

import msgspec

from contextwright.argument_types import expect_types
from contextwright.errors import CorruptData, StoreError
from contextwright.stores.artifacts import SHA256, Artifacts
from contextwright.stores.store import SessionStore

_REF = re.compile(r"artifact://(?=([^\s\"<>\\\]}]++))")
_STOP = re.compile(r"[^\w/%]", re.ASCII)
STOPS = 200
"""Places at most at which an address in a text may end."""
DAY_MS = 86_400_000
GRACE_MS = 3_600_000
"""Milliseconds for which a new artifact stays: its session may not be saved yet."""
RECORDS = ("/manifest.json", "/checkpoint.json")
"""Ends of the names of artifacts that hold what they name: receipts, and what a step left."""
KEEP_DAYS: Mapping[str, float] = {"": 30}
"""Days that artifacts stay by the beginning of their names; the longest beginning counts."""


class Collected(msgspec.Struct, frozen=True):
    """The names and blobs that a collection removed, or would remove.

    Args:
        names, blobs: what went. size: bytes of the blobs.
        held: names past their time that something still refers to.
        damaged: entries of names, and sessions of `refs_of`, that were passed over: while an
            entry is damaged, bytes that no name stands for stay.
    """

    names: tuple[str, ...]
    blobs: tuple[str, ...]
    size: int
    held: tuple[str, ...]
    damaged: tuple[str, ...] = ()


class LiveRefs(set[str]):
    """Refs that must resolve. `damaged` names the sessions that could not be loaded; of those the
    refs are here that can still be read in them."""

    damaged: tuple[str, ...] = ()


def collect(
    artifacts: Artifacts,
    live: Iterable[str],
    *,
    now_ms: int,
    keep_days: Mapping[str, float] = KEEP_DAYS,
    dry: bool = False,
) -> Collected:
    """Remove the names that are past their time, and the bytes that nothing names any more.

    Names go before bytes, so that a process killed in between leaves no name without bytes.

    Args:
        live: refs that must resolve, with or without `artifact://`: those of `refs_of` for
            every session that is kept, `SQLiteMemory.refs()` and `TaskBoard.refs()`.
        now_ms: milliseconds since 1970.
        keep_days: retention windows by the beginnings of names; `math.inf` for ever. Names
            that none of them begins stay as long as `KEEP_DAYS` says.
        dry: say what would go, remove nothing.

    Raises:
        StoreError: an argument of another type; nothing was removed.
    """
    where = "collect(artifacts, live, ...)"
    expect_types(where, StoreError, artifacts=(artifacts, Artifacts), now_ms=(now_ms, float))
    # a text would be as many refs as it has characters
    refs = None if isinstance(live, str) else live
    expect_types(where, StoreError, live=(refs, Iterable))
    expect_types(where, StoreError, keep_days=(keep_days, Mapping))
    for begins, days in keep_days.items():
        expect_types(where, StoreError, **{f"keep_days[{begins!r}]": (days, float)})
    names = artifacts.names()
    old = {n.name for n in names if now_ms - n.written_ms > _window_ms(n.name, keep_days)}
    wanted = {form for ref in live for form in forms(ref)}
    for named in names:
        if named.name.endswith(RECORDS) and (named.name not in old or named.name in wanted):
            wanted |= refs_in(artifacts.readable(named.name))
    removed = tuple(name for name in sorted(old - wanted))
    left = {named.sha256 for named in names if named.name not in set(removed)}
    left |= {ref.removeprefix(SHA256) for ref in wanted if ref.startswith(SHA256)}
    damaged = artifacts.damaged()
    free = [
        blob
        for blob in artifacts.blobs()
        if not damaged and blob.key not in left and now_ms - blob.written_ms > GRACE_MS
    ]
    if not dry:
        for name in removed:
            artifacts.forget_name(name)
        for blob in free:
            artifacts.forget_blob(blob.key)
    return Collected(
        names=removed,
        blobs=tuple(blob.key for blob in free),
        size=sum(blob.size for blob in free),
        held=tuple(sorted(old & wanted)),
        damaged=(*(record.id for record in damaged), *getattr(live, "damaged", ())),
    )


def refs_in(text: str) -> set[str]:
    """The artifacts that a text names, by their paths; rather one too many than one too few:
    with and without each mark that may be the sentence's own, and all that follows it."""
    paths: set[str] = set()
    for path in _REF.findall(text):
        ends = [stop.start() for stop in islice(_STOP.finditer(path), STOPS)]
        for end in (*ends, len(path)):
            paths |= {path[:end], unquote(path[:end])}
    return paths - {""}


def forms(ref: str) -> set[str]:
    """The paths that a ref may mean: as it is, and decoded."""
    path = ref.removeprefix("artifact://")
    return {path, unquote(path)}


def refs_of(sessions: SessionStore) -> LiveRefs:
    """The artifacts that any stored session names, in its events or its state; of a damaged one,
    those that can still be read in it."""
    refs = LiveRefs()
    for id in sessions.ids():
        try:
            session = sessions.load(id)
            for value in (list(session.log), session.changes, session.metadata):
                refs |= refs_in(msgspec.json.encode(value).decode())
        except CorruptData:
            refs.damaged += (id,)
            with suppress(CorruptData):
                refs |= refs_in(sessions.salvage(id).text)
    return refs


def _window_ms(name: str, keep_days: Mapping[str, float]) -> float:
    longest = max((start for start in keep_days if name.startswith(start)), key=len, default=None)
    days = KEEP_DAYS[""] if longest is None else keep_days[longest]
    return max(GRACE_MS, days * DAY_MS)
