"""A `Session` of OpenAI Agents over a store of ours: the run's items as a session that everything
here can read, compile, check and forget."""

import threading
from contextlib import suppress
from typing import Any

from agents.memory import SessionSettings

from contextwright.engine.conversation import Conversation
from contextwright.errors import WriteConflict
from contextwright.session.session import Session
from contextwright.stores.store import SessionStore
from contextwright.worker_threads import off_loop

_FORMAT = "openai-responses"


class StoreSession:
    """The items of one conversation, for `Runner.run(session=...)`; they come back as they were
    added, and in the store they are the events of a session of the same id.

    Args:
        session_id: of the conversation.
        store: such as `SQLiteSessions`.
        session_settings: the framework's own, such as a limit.
    """

    def __init__(
        self,
        session_id: str,
        store: SessionStore,
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id, self.session_settings = session_id, session_settings
        self._store = store
        self._lock = threading.Lock()
        self._conversation: Conversation | None = None

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The items, oldest first.

        Args:
            limit: only so many of the newest; by default as the settings say.

        Raises:
            CorruptData: the store holds what was not written.
        """
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items = await off_loop(self._items)
        return items if limit is None else items[max(0, len(items) - limit) :]

    async def add_items(self, items: list[Any]) -> None:
        """Append items.

        Raises:
            SessionError: one is none. WriteConflict: another process wrote meanwhile.
        """
        if items:
            await off_loop(self._append, items)

    async def pop_item(self) -> Any | None:
        """Take away the newest item; None where there is none."""
        return await off_loop(self._pop)

    async def clear_session(self) -> None:
        """Forget all items."""
        await off_loop(self._clear)

    def _items(self) -> list[Any]:
        with self._lock:
            return list(self._living().messages)

    def _append(self, items: list[Any]) -> None:
        with self._lock:
            self._save([*self._living().messages, *items])

    def _pop(self) -> Any | None:
        with self._lock:
            *rest, last = [None, *self._living().messages]
            if rest[1:]:
                self._save(rest[1:])
            elif rest:
                self._forget()
            return last

    def _clear(self) -> None:
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        self._store.delete(self.session_id)
        self._conversation = None

    def _living(self) -> Conversation:
        """The conversation as it is stored; another process may have gone on with it, or taken
        something back."""
        known = self._conversation
        if not self._store.length(self.session_id):
            self._conversation = Conversation(self.session_id, _FORMAT)
            return self._conversation
        if known is not None and known.sessions:
            session = known.sessions[-1]
            count = len(session.log)
            with suppress(WriteConflict):
                self._store.load_new(session)
                return known if len(session.log) == count else self._restored(session)
        return self._restored(self._store.load(self.session_id))

    def _restored(self, session: Session) -> Conversation:
        self._conversation = conversation = Conversation(self.session_id, _FORMAT)
        conversation.restore(session)
        conversation.number(self.session_id)
        return conversation

    def _save(self, items: list[Any]) -> None:
        """Write the items: what is new, or all, where an item is read otherwise by what follows."""
        session = self._described(self._living(), items)
        if session.id == self.session_id:
            self._store.save(session)
            return
        self._conversation = Conversation(self.session_id, _FORMAT)
        whole = self._described(self._conversation, items)
        self._store.rewrite(self.session_id, lambda _: whole)

    def _described(self, conversation: Conversation, items: list[Any]) -> Session:
        with conversation.updated(items) as history:
            conversation.describe(history, "")
            return history.session
