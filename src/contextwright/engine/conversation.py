"""A living session for callers that hand over all messages so far, call after call: what is new is
appended, and what was rewritten begins a history of its own."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import msgspec

from contextwright.argument_types import expect_types
from contextwright.compute_gate import holding
from contextwright.engine.message_history import MessageHistory, Overlap, identity_of
from contextwright.errors import SessionError
from contextwright.formats import FORMATS, format_named
from contextwright.formats.message_list import MessageList, message_list
from contextwright.formats.read_messages import cut, read_list, restored
from contextwright.process_bound import ProcessBound
from contextwright.session.session import Session
from contextwright.typed_decoding import converted

MOST = 8
"""Histories that a conversation keeps; the one used longest ago goes first."""
STORED = "contextwright.conversation"
"""Key of a session's metadata: what its messages were read from."""


class StoredHistory(msgspec.Struct, frozen=True):
    """What a stored session has of its history.

    Args:
        identity: of the messages, in hex.
        format: that they were read from. field: of the body that they stood in.
    """

    identity: str
    format: str
    field: str


class Conversation(ProcessBound):
    """All messages so far, at every call, as a session that lives and grows.

    A message that says the same as before is the same message, though its keys stand in another
    order, a cache breakpoint moved, a text became a list of one text, an SDK added an id, or an
    agent put a `<system-reminder>` in. Another model, system text or set of tools, and a message
    that was changed or taken away, begin a history of their own with a session of its own; older
    ones are kept, so that going back to one costs nothing. It may be used from several threads.

    Args:
        id: of the first session; others have a number behind it.
        format: of all messages; found out by default.
        most: histories that are kept; the one used longest ago goes first.
    """

    in_a_worker = (
        "pickle the session that `update(messages)` gave, or give all messages to a Conversation "
        "of the other process"
    )

    def __init__(
        self, id: str = "conversation", format: str | None = None, *, most: int = MOST
    ) -> None:
        expect_types("Conversation(...)", SessionError, id=(id, str), most=(most, int))
        if format is not None:
            format_named(format)
        self.id, self.format, self.most = id, format, most
        self._histories: list[MessageHistory] = []  # the one used last stands last
        self._begun = 0
        # held for as long as a compile takes, and the models that it asks
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        count = len(self._histories)
        return f"<Conversation {self.id!r}: {len(self.messages)} messages, {count} histories>"

    @property
    def messages(self) -> tuple[Any, ...]:
        """The caller's own objects that the session is made of, as they came last."""
        return tuple(self._histories[-1].messages) if self._histories else ()

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The session of each history that is kept, the one used last at the end."""
        with holding(self._lock):
            return tuple(history.session for history in self._histories)

    @property
    def size(self) -> int:
        """Bytes of the messages that are kept, as JSON, of all histories."""
        with holding(self._lock):
            return sum(history.size for history in self._histories)

    def update(self, source: Any) -> Session:
        """The session of these messages: one that grew, or a new one.

        Args:
            source: all messages so far: a list, or a provider's body.

        Raises:
            SessionError: it is none, or a message of it is not understood. Nothing changed.
        """
        with self.updated(source) as history:
            return history.session

    def append(self, messages: list[Any]) -> Session:
        """The session, gone on with by further messages, for a caller who knows that those before
        are what they were: they are not compared.

        Args:
            messages: what follows those of the newest history.

        Raises:
            SessionError: a message is not understood. Nothing changed.
        """
        with holding(self._lock):
            if self._histories and (not messages or self._histories[-1].append(messages)):
                return self._histories[-1].session
            listed = message_list([*self.messages, *messages], "conversation.append(messages)")
            return self._updated(listed).session

    @contextmanager
    def updated(self, source: Any, identity: bytes | None = None) -> Generator[MessageHistory]:
        """The history of these messages, which no other thread brings further meanwhile.

        Args:
            identity: of them, where it is known.
        """
        listed = message_list(source, "conversation.update(messages)")
        with holding(self._lock):
            yield self._updated(listed, identity)

    def forget_oldest(self) -> bool:
        """Let go of the history that was used longest ago; whether there was another."""
        with holding(self._lock):
            if len(self._histories) < 2:
                return False
            del self._histories[0]
            return True

    def restore(self, session: Session) -> bool:
        """Take a session that was stored; whether it is one of a conversation.

        Args:
            session: what `update` gave, with what `describe` put into its metadata.
        """
        try:
            about = converted(session.metadata.get(STORED), StoredHistory)
        except msgspec.ValidationError:
            return False
        if about.format not in FORMATS:
            return False
        is_named = self.format is not None
        read, messages = restored(session, about.format, about.field, is_named=is_named)
        history = MessageHistory(bytes.fromhex(about.identity), read)
        history.hold(messages)
        with holding(self._lock):
            self._histories.append(history)
        return True

    def number(self, session_id: str) -> None:
        """Give no new history the id of this session."""
        count = session_id.rpartition("#")[2] if session_id != self.id else "1"
        self._begun = max(self._begun, int(count) if count.isdecimal() else 1)

    def describe(self, history: MessageHistory, field: str) -> None:
        """Put into the metadata of a history's session what `restore` asks for."""
        about = StoredHistory(history.identity.hex(), history.read.format, field)
        history.session.metadata[STORED] = msgspec.to_builtins(about)

    def _updated(self, listed: MessageList, identity: bytes | None = None) -> MessageHistory:
        identity = identity or identity_of(listed, listed.format or self.format)
        alike = [one for one in self._histories if one.identity == identity]
        for one in alike:  # one that was stored does not know who named its format
            one.read.is_named = one.read.is_named or bool(listed.format)
        overlaps = [one.overlap(listed.messages) for one in alike]
        pairs = list(zip(alike, overlaps, strict=True))
        whole = [pair for pair in pairs if pair[1].known == len(pair[0])]
        longest = max((overlap.known for _, overlap in whole), default=0)
        best = [pair for pair in whole if pair[1].known == longest]
        history = None
        if len(best) == 1:  # of two that are equally good nobody knows which it is
            history = self._followed(*best[0], listed)
        if history is None:
            history = self._branched(pairs, listed, identity)
        if history in self._histories:
            self._histories.remove(history)
        self._histories.append(history)
        del self._histories[: -self.most]
        history.note_breakpoints()
        return history

    def _followed(
        self, history: MessageHistory, overlap: Overlap, listed: MessageList
    ) -> MessageHistory | None:
        """The history, gone on with; None where new messages change how it is read."""
        if history.follow(listed, overlap):
            return history
        read = read_list(listed, listed.format or self.format)
        log, known = read.session.log, len(history.session.log)
        if read.format != history.read.format or log[:known] != list(history.session.log):
            return None
        read.session, whole = history.session, read.session
        read.session.extend(whole.log[known:])
        read.session.tools = whole.tools
        read.session.metadata = {**history.session.metadata, **whole.metadata}
        history.read = read
        history.renew(listed, overlap)
        history.hold(listed.messages[overlap.taken :])
        history.places[overlap.known :] = range(overlap.taken, len(listed.messages))
        return history

    def _branched(
        self, pairs: list[tuple[MessageHistory, Overlap]], listed: MessageList, identity: bytes
    ) -> MessageHistory:
        """A new history, which begins with what it has in common with another."""
        pairs = [(one, overlap) for one, overlap in pairs if overlap.known and one.read.format]
        if pairs:
            source, overlap = max(pairs, key=lambda pair: pair[1].known)
            source.save_folds()
            count = min(overlap.known, len(source) - 1) or overlap.known
            read, count = cut(source.read, source.messages, count, self._new_id())
            if count:
                history = MessageHistory(identity, read)
                places = overlap.places[:count]
                kept_to = next((at for at in reversed(places) if at >= 0), -1)
                history.hold(
                    [
                        listed.messages[at] if at >= 0 else source.messages[n]
                        for n, at in enumerate(places)
                    ]
                )
                common = Overlap(count, places, kept_to + 1)
                if history.follow(listed, common):
                    return self._begin(history)
        read = read_list(listed, listed.format or self.format)
        read.session.id = self._new_id()
        history = MessageHistory(identity, read, listed.fields)
        history.hold(listed.messages)
        return self._begin(history)

    def _begin(self, history: MessageHistory) -> MessageHistory:
        if history.messages or history.read.format:  # nothing at all begins nothing
            self._begun += 1
        return history

    def _new_id(self) -> str:
        return f"{self.id}#{self._begun + 1}" if self._begun else self.id
