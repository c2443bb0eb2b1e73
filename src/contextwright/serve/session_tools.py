"""What an agent may ask about stored sessions and memories, as text: six tools, whoever calls.

Which session is meant is an argument of each call, its handle. What is not in the scope is as
unknown as what is not there.
"""

from collections.abc import Callable, Iterable
from typing import Any, Protocol

import msgspec

from contextwright.blocks.ref import range_ref
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.plan import plan
from contextwright.engine.engine import Engine
from contextwright.engine.expanded_text import ReadBackCall, answer_of
from contextwright.engine.search_out_of_sight import Sight, found_out_of_sight
from contextwright.errors import ContextwrightError, SessionError
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.stores.memory_store import SQLiteMemory
from contextwright.stores.refs import Refs
from contextwright.stores.store import ArtifactStore

PAGE = 2_000
"""Tokens of an answer, where a call does not say."""
MOST = 20_000
"""Tokens of an answer at most."""
NEWEST = 20
"""Sessions that are searched where a call names none: those stored last."""
NAMED = 5
"""Sessions that an error names, those stored last."""
CHANGES = 12
"""Changes that `why` names at most."""


class SessionSource(Protocol):
    """Where sessions are read, such as a `SessionStore`."""

    def ids(self) -> list[str]:
        """The ids of all, the newest last."""
        ...

    def load(self, session_id: str) -> Session:
        """A session.

        Raises:
            ContextwrightError: there is none.
        """
        ...


class SessionFiles:
    """Sessions that were read from files, by their names.

    Args:
        sessions: by handle.
    """

    def __init__(self, sessions: dict[str, Session]) -> None:
        self._sessions = sessions

    def ids(self) -> list[str]:
        """The handles."""
        return list(self._sessions)

    def load(self, session_id: str) -> Session:
        """The session of a handle.

        Raises:
            SessionError: there is none.
        """
        try:
            return self._sessions[session_id]
        except KeyError:
            raise SessionError("no such session", where=session_id, fix="see ids()") from None


class UnknownHandle(Exception):
    """What a call names is not there, or not in the scope: nobody can tell which."""


class SessionTools:
    """Answers calls about sessions and memories.

    Args:
        sessions: where sessions are.
        memory: where memories are.
        spec: by which `why` is answered, and whose redactions hold for every answer.
        model: whose tokens are counted.
        artifacts: of the sessions.
        scope: sessions are those whose id begins with it, memories those of it.
        options: of `Engine`, such as `window`.
    """

    def __init__(
        self,
        sessions: SessionSource,
        *,
        memory: SQLiteMemory | None = None,
        spec: Expr | None = None,
        model: str = "gpt-5",
        artifacts: ArtifactStore | None = None,
        scope: str = "",
        **options: Any,
    ) -> None:
        self._sessions, self._memory, self._scope = sessions, memory, scope
        self._engine = Engine(spec, model, artifacts=artifacts, **options)
        self._count: Callable[[str], int] = self._engine.target.counter.count
        self._planned = plan(self._engine.spec)
        self._packs: dict[str, tuple[int, Session, Manifest]] = {}

    def recall(self, query: str, session: str = "", max_tokens: int = 0) -> str:
        """Passages and memories that share the query's words."""
        most = _bounded(max_tokens, PAGE // 2)
        parts = self._memories(query, most // 4)
        handles = [session] if session else self._handles()[-NEWEST:]
        left = most - sum(map(self._count, parts))
        for handle in reversed(handles):
            try:
                passages = self._passages(query, handle, left)
            except UnknownHandle:
                if session:
                    raise
                continue
            if passages:
                parts.append(f"session {handle}\n{passages}")
                left -= self._count(parts[-1])
            if left < PAGE // 20:
                break
        return "\n\n".join(parts) or "Nothing here shares a word with this query."

    def expand(
        self,
        session: str,
        ref: str,
        lines: str = "",
        page: int = 1,
        grep: str = "",
        max_tokens: int = 0,
    ) -> str:
        """What a ref names, a page at a time."""
        loaded, _ = self._seen(session)
        try:
            text = self._planned.clean(self._refs(loaded).read(ref))
        except ContextwrightError:
            raise UnknownHandle(f"nothing in this session has the ref {ref!r}"[:200]) from None
        most = _bounded(max_tokens, PAGE)
        call = ReadBackCall(ref=ref, lines=lines, page=page, grep=grep, max_tokens=max_tokens)
        return answer_of(call, text, self._count, tool="expand", most=most, room=most)

    def why(self, session: str, about: str) -> str:
        """What became of an event, a ref, or of what has these words, in the newest request."""
        loaded, manifest = self._seen(session)
        ids = [about.partition("://")[2].partition("#")[0]] if "://" in about else []
        ids = ids or ([about] if loaded.log.position_of(about) is not None else [])
        ids = ids or [e.id for e in loaded.log if about.lower() in _words(e)][-CHANGES:]
        if not ids:
            raise UnknownHandle(f"nothing in this session is, or says, {about!r}"[:200])
        fates = [line for id in ids for line in self._fates(id, manifest, loaded)]
        return "\n".join(fates[:CHANGES]) or f"{ids[0]}: not in the newest request's receipt"

    def remember(self, text: str) -> str:
        """Keep a memory."""
        return f"kept as {self._memory_store().write(text, scope=self._scope).id}"

    def forget(self, id: str) -> str:
        """Remove a memory."""
        return f"{self._memory_store().forget([self._known(id)])} forgotten"

    def pin(self, id: str) -> str:
        """Keep a memory from being forgotten by a policy."""
        return f"{self._memory_store().pin([self._known(id)])} pinned"

    def _handles(self) -> list[str]:
        return [id for id in self._sessions.ids() if id.startswith(self._scope)]

    def _unknown(self, handle: str) -> "UnknownHandle":
        """The error that no session is called so; it names some that are there."""
        known = self._handles()
        newest = ", ".join(known[-NAMED:])
        there = f"the newest are {newest}" if known else "there is none yet"
        return UnknownHandle(f"no session {handle!r}"[:200] + f"; {there}")

    def _seen(self, handle: str) -> tuple[Session, Manifest]:
        """A session and the receipt of its newest request.

        Raises:
            UnknownHandle: there is none in the scope.
        """
        if not handle.startswith(self._scope) or not handle:
            raise self._unknown(handle)
        try:
            session = self._sessions.load(handle)
        except ContextwrightError:
            raise self._unknown(handle) from None
        known = self._packs.get(handle)
        if known is not None and known[0] == len(session.log):
            return known[1], known[2]
        manifest = self._engine.assemble(session.snapshot()).manifest
        self._packs[handle] = len(session.log), session, manifest
        while len(self._packs) > NEWEST:
            del self._packs[next(iter(self._packs))]
        return session, manifest

    def _refs(self, session: Session) -> Refs:
        return Refs(session.snapshot(), self._engine.artifacts, named=self._planned.cites)

    def _passages(self, query: str, handle: str, most: int) -> str:
        session, manifest = self._seen(handle)
        everything = msgspec.structs.replace(manifest, kept=())
        sight = Sight(session.snapshot(), everything, self._refs(session).read, self._planned)
        listed = found_out_of_sight(query, sight, self._count, most, expand="expand")
        return listed if "://" in listed else ""

    def _memories(self, query: str, most: int) -> list[str]:
        if self._memory is None:
            return []
        lines: list[str] = []
        for hit in self._memory.search(query, scope=self._scope):
            lines.append(f"memory {hit.memory.id}: {self._planned.clean(hit.memory.text)}")
            if sum(map(self._count, lines)) > most:
                lines.pop()
                break
        return ["\n".join(lines)] if lines else []

    def _fates(self, id: str, manifest: Manifest, session: Session) -> Iterable[str]:
        changes = manifest.changes_of(id, session)
        for change in changes:
            size = f"{change.tokens_before:,} → {change.tokens_after:,} tokens"
            ref = f", {change.ref}" if change.ref else ""
            yield f"{id}: {change.action} by {change.step}, {size}: {change.reason}{ref}"
        if not changes and any(id in (b.id, *b.lineage) for b in manifest.kept):
            yield f"{id}: sent as it is"
        elif not changes and (gap := manifest.left_out_with(id, session)):
            ref = range_ref(gap.first, gap.last)
            yield f"{id}: left out, no term of the spec selected it, {ref}"

    def _memory_store(self) -> SQLiteMemory:
        if self._memory is None:
            raise UnknownHandle("there is no memory here")
        return self._memory

    def _known(self, id: str) -> str:
        """The id of a memory of this scope."""
        listed = self._memory_store().listed()
        if not any(row.memory.id == id and row.memory.scope == self._scope for row in listed):
            raise UnknownHandle(f"no memory {id!r}"[:200])
        return id


def _bounded(wanted: int, usual: int) -> int:
    return max(64, min(wanted or usual, MOST))


def _words(event: Any) -> str:
    return "\n".join((event.text, *(result.text for result in event.results))).lower()
