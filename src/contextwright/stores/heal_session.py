"""Healing a damaged session: out of what its hashes prove, and a copy; or cutting it to its whole
beginning."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from contextwright.stores.salvage import salvage
from contextwright.stores.session_row import SessionRow, chained
from contextwright.stores.session_rows import StoredSession, is_whole

TABLES = ("events", "changes")


def heal_session(stored: StoredSession, copy: StoredSession | None) -> bool:
    """Put back what was written, where the seal or the chains prove it; whether they did.

    Args:
        copy: the same session in a backup, which may be older or damaged too.
    """
    row = stored.row
    abouts = [(row.tools, row.metadata)]
    if copy is not None:
        abouts.append((copy.row.tools, copy.row.metadata))
    events, changes = (list(_bodies(stored, copy, table)) for table in TABLES)
    for tools, metadata in abouts:
        for one in events:
            for other in changes:
                wanted = row._replace(tools=tools, metadata=metadata)
                for table, bodies in zip(TABLES, (one, other), strict=True):
                    wanted = wanted.with_end(table, len(bodies), _head(bodies))
                wanted = wanted._replace(about=wanted.about_hash)
                if _is_proven(wanted, row):
                    for table, bodies in zip(TABLES, (one, other), strict=True):
                        stored.put_bodies(table, bodies)
                    stored.seal(wanted)
                    return not stored.problem()
    return False


def cut_session(stored: StoredSession) -> list[dict[str, Any]]:
    """Leave the longest beginning that is whole; all rows as they were."""
    rest = salvage(stored)
    lost: list[dict[str, Any]] = [{"table": "sessions", "row": list(stored.row)}]
    for table in TABLES:
        rows = [[stored.number, *row] for row in stored.raw(table)]
        lost += [{"table": table, "session": stored.row.id, "row": row} for row in rows]
        stored.put_bodies(table, [])
    stored.seal(SessionRow(stored.number, stored.row.id, b"[]", b"{}"))
    stored.set_about(rest.session)
    stored.add_new(rest.session)
    return lost


def _is_proven(wanted: SessionRow, row: SessionRow) -> bool:
    """Whether the seal is that of these rows, or all that it seals is."""
    return wanted.seal_hash == row.seal or wanted[4:9] == row[4:9]


def _bodies(stored: StoredSession, copy: StoredSession | None, table: str) -> Iterator[list[bytes]]:
    """What the bodies of a table may have been."""
    here = {seq: (body, digest) for seq, body, digest in stored.raw(table)}
    there = {
        seq: body
        for seq, body, digest in (copy.raw(table) if copy is not None else ())
        if is_whole(body, digest)
    }
    count = stored.row.end(table)[0]
    for length in {count, len(here)} if isinstance(count, int) else {len(here)}:
        bodies: list[Any] = []
        for seq in range(length):
            body, digest = here.get(seq, (None, None))
            bodies.append(body if is_whole(body, digest) else there.get(seq, body))
            if not isinstance(bodies[-1], bytes):
                break
        else:
            yield bodies


def _head(bodies: list[bytes]) -> bytes:
    return chained(b"", (sha256(body).digest() for body in bodies))
