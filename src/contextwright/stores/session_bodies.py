"""What sessions begin with, in a cache: of a session that it has, only what is new is read."""

from collections.abc import Iterable
from typing import Protocol

import msgspec

from contextwright.errors import CorruptData
from contextwright.session.session import Session
from contextwright.stores.session_rows import CachedBodies, StoredSession

MORE = 32
"""Events that a session may have beyond what is in the cache before it is put there anew."""
_KIND = "session"
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(tuple[list[bytes], list[bytes]]).decode


class ValueCache(Protocol):
    """Values that may be gone at any moment."""

    def get(self, kind: str, name: str) -> bytes | None:
        """A value, if it is there."""
        ...

    def put(self, kind: str, name: str, value: bytes) -> bool:
        """Keep a value; whether it is kept."""
        ...

    def delete(self, kind: str, names: Iterable[str]) -> None:
        """Remove values.

        Raises:
            StoreError: it can not be known whether they are gone.
        """
        ...


class SessionBodies:
    """Bodies of stored events and changes in a cache. What is loaded of them is proved by the
    chain and the seal of the store, so that no state of the cache makes a wrong session.

    Args:
        place: names the store whose sessions these are.
    """

    def __init__(self, cache: ValueCache, place: str) -> None:
        self._cache, self._place = cache, place

    def load(self, stored: StoredSession) -> Session:
        """The session of these rows.

        Raises:
            CorruptData: the rows are not what was written.
        """
        name = self._name(stored.row.id)
        known = self._known(name)
        try:
            session = stored.load(known)
        except CorruptData:  # of another life of the session, or damaged in the cache
            known = None
            session = stored.load()
        if known is None or len(session.log) - len(known[0]) > MORE:
            changes = [body for _, body, _ in stored.raw("changes")]
            bodies = session.log.bodies(0, len(session.log)), changes
            self._cache.put(_KIND, name, _encode(bodies))
        return session

    def forget(self, session_id: str) -> None:
        """Remove a session.

        Raises:
            StoreError: it can not be known whether it is gone.
        """
        self._cache.delete(_KIND, [self._name(session_id)])

    def _known(self, name: str) -> CachedBodies | None:
        body = self._cache.get(_KIND, name)
        try:
            return None if body is None else _decode(body)
        except msgspec.DecodeError:
            return None

    def _name(self, session_id: str) -> str:
        return f"{self._place}\n{session_id}"
