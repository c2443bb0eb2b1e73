"""Packs of the newest calls, for whoever asks what was sent; each for its own tenant only."""

from collections import OrderedDict
from threading import Lock

from contextwright.compiler.pack import Pack
from contextwright.session.session import Session


class RecentPacks:
    """Packs in memory, the newest ones.

    Args:
        max_bytes: of their requests.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes, self._size = max_bytes, 0
        self._packs: OrderedDict[tuple[str, str], tuple[Pack, Session]] = OrderedDict()
        self._lock = Lock()

    def put(self, tenant: str, pack: Pack, session: Session) -> None:
        """Keep a pack, and let the oldest ones go."""
        key = tenant, pack.manifest.pack_id
        with self._lock:
            self._drop(key)
            self._packs[key] = pack, session
            self._size += len(pack.body)
            while self._size > self._max_bytes and len(self._packs) > 1:
                self._drop(next(iter(self._packs)))

    def get(self, tenant: str, id: str) -> tuple[Pack, Session] | None:
        """A tenant's pack and its session. Another's is as unknown as one that never was."""
        with self._lock:
            return self._packs.get((tenant, id))

    def newest(self, tenant: str) -> dict[str, tuple[Pack, Session]]:
        """A tenant's conversations by their ids, each with its newest pack; the newest first."""
        with self._lock:
            own = [pair for (of, _), pair in self._packs.items() if of == tenant]
        rows: dict[str, tuple[Pack, Session]] = {}
        for pack, session in reversed(own):
            rows.setdefault(session.id, (pack, session))
        return rows

    def _drop(self, key: tuple[str, str]) -> None:
        known = self._packs.pop(key, None)
        if known is not None:
            self._size -= len(known[0].body)
