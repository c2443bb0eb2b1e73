"""The protocols of the stores; `contextwright.testing.SessionStoreSuite` checks one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from contextwright.session.event import Event
from contextwright.session.session import Session

if TYPE_CHECKING:
    from contextwright.stores.salvage import Salvage


@runtime_checkable
class SessionStore(Protocol):
    """Keeps sessions. What was acknowledged survives a killed process and a power cut."""

    def append(self, session_id: str, events: Sequence[Event], *, expected: int) -> int:
        """Append events if the stored log is `expected` events long; its new length. Events that
        are stored already are not stored again, so an append may be tried once more.

        Raises:
            WriteConflict: it is not: somebody else appended; or another event has one of their
                ids. Nothing was written.
            SessionError: one is no event, or holds what is no JSON data.
        """
        ...

    def save(self, session: Session) -> None:
        """Write what the store does not have yet: events, state changes, tools, metadata.

        Raises:
            WriteConflict: the stored log is not a beginning of this one.
        """
        ...

    def load(self, session_id: str) -> Session:
        """The session, every row checked.

        Raises:
            StoreError: it is not there. CorruptData: it is not what was written.
        """
        ...

    def load_new(self, session: Session) -> None:
        """Bring a session that was loaded from here, or saved, up to what is stored by now: only
        what is new is read. The session stays as it was where there is an error.

        Raises:
            WriteConflict: it holds what is not stored, or is not from here: load it again.
            CorruptData: what is new is not what was written.
        """
        ...

    def length(self, session_id: str) -> int:
        """How many events the stored log has; 0 where there is none. What `append` expects.

        Raises:
            CorruptData: it is not what was written.
        """
        ...

    def salvage(self, session_id: str) -> "Salvage":
        """What can still be read of a session that `load` refuses.

        Raises:
            StoreError: it is not there.
        """
        ...

    def ids(self) -> list[str]:
        """The sessions, in the order of their first save."""
        ...

    def delete(self, session_id: str) -> bool:
        """Remove a session's rows; whether it was there."""
        ...

    def rewrite(self, session_id: str, change: Callable[[Session], Session | None]) -> bool:
        """Put what `change` makes of a session in its place, its history with it: all of it or
        nothing, and nobody writes in between. What it replaces is overwritten on the disk.

        Args:
            change: gets the session as it is stored; None leaves it. What it gives may have
                another id.

        Returns:
            Whether it was there and something else is in its place.

        Raises:
            WriteConflict: the new id is taken; nothing was written.
            CorruptData: the session is not what was written.
        """
        ...

    def scrub(self) -> None:
        """Leave nothing of what was deleted in the store's files.

        Raises:
            StoreError: another process is reading them.
        """
        ...


class ArtifactStore(Protocol):
    """Keeps bytes under their sha256, and names for them."""

    def put(self, data: bytes, *, name: str = "") -> str:
        """Store; the ref `artifact://sha256/HEX`, or `artifact://NAME` if a name is given."""
        ...

    def get(self, ref: str) -> bytes:
        """The bytes, checked against their hash.

        Raises:
            RefError: nothing is stored there. CorruptData: the bytes were changed.
        """
        ...

    def read_text(self, path: str) -> str | None:
        """The text behind an `artifact://` path; None where there is none."""
        ...
