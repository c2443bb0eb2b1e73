"""Many conversations in one process, each found by its id or by how it begins."""

import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import msgspec

from contextwright.argument_types import expect_types
from contextwright.compute_gate import holding, waiting
from contextwright.engine.conversation import MOST, Conversation
from contextwright.engine.engine_options import expect_methods
from contextwright.engine.message_history import MessageHistory, identity_of
from contextwright.errors import ContextwrightError, SessionError, SpecError, is_number
from contextwright.formats.message_content import canonical, digest
from contextwright.formats.message_list import MessageList, message_list, plain_message
from contextwright.process_bound import ProcessBound
from contextwright.session.session import Session
from contextwright.stores.store import SessionStore

DEFAULT_BYTES = 256 * 1024 * 1024
ALIKE = 64
"""Histories that are kept of conversations that begin with the same words, and have no id."""
_SYSTEM = ("system", "developer")


class _Live(msgspec.Struct):
    """A conversation in memory: how large it is, when it was used last, and how many use it now. It
    stays as long as somebody does: who comes next would begin another one of the same id."""

    conversation: Conversation
    size: int
    used_s: float
    users: int = 0


class Conversations(ProcessBound):
    """Conversations, found by their id, or by the messages that they begin with.

    Without an id a conversation is told by its tenant, its model, its system text, its tools and
    what its messages have in common with those known, as a stateless proxy needs it. Two that are
    the same so far are one until they differ. Nothing is shared between two tenants. It may be
    used from several threads.

    Args:
        max_bytes: of all messages in memory, as JSON; the conversation used longest ago goes
            first. What is worked out for a session (`contextwright.memory`) goes with it.
        expires_after_s: seconds without use after which a conversation leaves the memory.
        store: where sessions are saved after each update, and found again after a restart. What
            leaves the memory stays there.
        format: of all messages; found out by default.
        clock: seconds, for `expires_after_s`.

    Attributes:
        degraded: why the store was not used the last time; empty where it was.

    Raises:
        SpecError: a limit that is none.
    """

    in_a_worker = (
        "make one in each process, Conversations(store=PostgresSessions(...)), say: a store of all "
        "of them finds the same conversations"
    )

    def __init__(
        self,
        *,
        max_bytes: int = DEFAULT_BYTES,
        expires_after_s: float | None = None,
        store: SessionStore | None = None,
        format: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        for name, value in (("max_bytes", max_bytes), ("expires_after_s", expires_after_s)):
            if value is not None and (not is_number(value) or value <= 0):
                raise SpecError(
                    f"{name} is {value!r}", where=f"Conversations({name}=...)", fix="more than 0"
                )
        fix = 'such as SQLiteSessions("sessions.db")'
        expect_methods("store", store, ("ids", "save"), "Conversations(...)", fix)
        self.max_bytes, self.expires_after_s = max_bytes, expires_after_s
        self.store, self.format, self.degraded = store, format, ""
        self._clock = clock
        self._lock = threading.RLock()  # held while a session is loaded
        self._live: dict[str, _Live] = {}  # the one used last stands last
        self._stored: dict[str, list[str]] | None = None  # name -> ids of its sessions

    def __len__(self) -> int:
        return len(self._live)

    def update(self, source: Any, *, id: str | None = None, tenant: str = "") -> Session:
        """The session of these messages, brought up to date.

        Args:
            source: all messages so far: a list, or a provider's body.
            id: of the conversation; by default it is told from its messages.
            tenant: whose it is. A list without a body names no model: what else tells
                conversations apart is said here.

        Raises:
            SessionError: no messages, or one that is not understood.
        """
        with self.updated(source, id=id, tenant=tenant) as history:
            return history.session

    @contextmanager
    def updated(
        self, source: Any, *, id: str | None = None, tenant: str = ""
    ) -> Generator[MessageHistory]:
        """The history of these messages, which no other thread brings further meanwhile. It is
        saved at the end."""
        listed = message_list(source, "conversations.update(messages)")
        identity = identity_of(listed, listed.format or self.format)
        where = "conversations.update(messages, id=..., tenant=...)"
        expect_types(where, SessionError, id=("" if id is None else id, str), tenant=(tenant, str))
        name = self._name(listed, identity, id, tenant)
        with holding(self._lock):
            live = self._opened(name, most=MOST if id is not None else ALIKE)
        conversation = live.conversation
        try:
            with conversation.updated(listed, identity) as history:
                try:
                    yield history
                finally:
                    self._save(conversation, history, listed.key)
                    while conversation.size > self.max_bytes and conversation.forget_oldest():
                        pass
                    live.size = conversation.size
        finally:
            with holding(self._lock):
                live.users -= 1
                live.used_s = self._clock()
                self._make_room(name)

    def forget(self, id: str, *, tenant: str = "") -> bool:
        """Let a conversation leave the memory; whether it was there."""
        with holding(self._lock):
            return self._live.pop(_named(id, tenant), None) is not None

    def _name(self, listed: MessageList, identity: bytes, id: str | None, tenant: str) -> str:
        """The name of a conversation: of its id, or of what it begins with."""
        if id is not None:
            return _named(id, tenant)
        first: list[Any] = []
        for message in listed.messages:
            made = canonical(plain_message(message))
            role = made.get("role", made.get("type")) if isinstance(made, dict) else None
            if isinstance(made, dict) and not made.keys() - {"role"}:
                continue  # it only reminds
            first.append(made)
            if role not in _SYSTEM:
                break
        begin = digest([identity.hex(), first]).hex()[:24]
        return f"{quote(tenant, safe='')}/*{begin}" if tenant else f"*{begin}"

    def _opened(self, name: str, most: int) -> _Live:
        """A conversation, from the memory or the store; it counts as used now."""
        now_s = self._clock()
        if self.expires_after_s is not None:
            oldest_s = now_s - self.expires_after_s
            for old, live in list(self._live.items()):
                if live.used_s < oldest_s and not live.users:
                    del self._live[old]
        live = self._live.pop(name, None)
        if live is None:
            live = _Live(Conversation(name, self.format, most=most), 0, now_s)
            self._restore(live.conversation)
        live.used_s = now_s
        live.users += 1
        self._live[name] = live
        return live

    def _make_room(self, used: str) -> None:
        size = sum(live.size for live in self._live.values())
        for name in list(self._live):
            if size <= self.max_bytes:
                break
            if name != used and not self._live[name].users:
                size -= self._live.pop(name).size

    def _restore(self, conversation: Conversation) -> None:
        """The histories of a conversation that are stored."""
        if self.store is None:
            return
        try:
            with waiting():
                if self._stored is None:
                    stored: dict[str, list[str]] = {}
                    for id in self.store.ids():
                        stored.setdefault(id.partition("#")[0], []).append(id)
                    self._stored = stored
                ids = self._stored.get(conversation.id, [])
                for id in ids:
                    conversation.number(id)
                for id in ids[-conversation.most :]:
                    conversation.restore(self.store.load(id))
        except (ContextwrightError, OSError) as error:
            self.degraded = f"nothing was restored: {error}"

    def _save(self, conversation: Conversation, history: MessageHistory, field: str) -> None:
        """Save a session. What a store can not keep ends no turn: it is said in `degraded`."""
        if self.store is None:
            return
        history.save_folds()
        conversation.describe(history, field)
        id = history.session.id
        try:
            with waiting():
                self.store.save(history.session)
            self.degraded = ""
        except (ContextwrightError, OSError) as error:
            self.degraded = f"session {id!r} was not saved: {error}"
            return
        with holding(self._lock):
            if self._stored is None:  # it is asked for them when it is to be had again
                return
            ids = self._stored.setdefault(conversation.id, [])
            if id in ids:
                ids.remove(id)
            ids.append(id)


def _named(id: str, tenant: str) -> str:
    """One name for a tenant's conversation, which no other two make."""
    return f"{quote(tenant, safe='')}/{quote(id, safe='')}" if tenant else quote(id, safe="")
