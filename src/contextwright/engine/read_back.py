"""The tools with which a model reads what was shortened or left out, and what answers them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

from contextwright.blocks.protection import protection_of
from contextwright.blocks.read_back_tools import read_back_tools
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import Plan, plan
from contextwright.engine.door import ports_of, snapshot_of
from contextwright.engine.expanded_text import ReadBackCall, answer_of, read_call
from contextwright.engine.search_out_of_sight import Sight, found_out_of_sight
from contextwright.errors import ContextwrightError, ModelError, RefError, SessionError
from contextwright.redaction.detector import Detector
from contextwright.redaction.operators import Vault
from contextwright.render.exchange_text import text_behind
from contextwright.render.message_layout import Layout
from contextwright.render.providers import provider_named
from contextwright.render.target import Target, target
from contextwright.session.event import Event, Tool
from contextwright.session.log import Log
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.codec import from_data
from contextwright.spec.terminal import Refuse
from contextwright.stores.refs import Fetch, Refs
from contextwright.stores.store import ArtifactStore
from contextwright.tokens.counter import Counter, named_counter
from contextwright.worker_threads import off_loop

PAGE_SHARE = 4
"""A page is this part of what a request may have (rules.md#refs)."""
LEAST = 48
"""Tokens of room below which nothing is read: the answer would be no more than its last line."""
AROUND = 64
"""Tokens around an answer: the call, and what a provider adds."""
SEARCHED = 600
"""Tokens of what a search gives, where its call does not say."""
REFS_NAMED = 12
"""Refs that are named to a model that asked for one that there is not."""
_NO_HOSTS: Mapping[str, Fetch] = MappingProxyType({})


class _Reading:
    """Tokens that were read back since a pack: several calls of one step share its room."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.pack, self.tokens = "", 0


_READINGS: WeakKeyDictionary[Log, _Reading] = WeakKeyDictionary()


class ReadBack:
    """What a model may ask about a session, and the answers, as text: it never raises for what a
    model wrote, and never gives more than there is room for.

    Args:
        session: whose refs are read, redacted as the spec says.
        pack: the pack that the model has seen, or a function that gives the newest, None before
            the first.
        receiver: who the schemas are for before there is a pack, and a counter of one's own.
        artifacts, roots, hosts, detector, vault: as `compile` takes them.

    Raises:
        SessionError: no session, or no pack.
    """

    def __init__(
        self,
        session: Session | Snapshot,
        pack: Pack | Callable[[], Pack | None],
        *,
        receiver: Target | None = None,
        artifacts: ArtifactStore | None = None,
        roots: Sequence[str | Path] = (),
        hosts: Mapping[str, Fetch] = _NO_HOSTS,
        detector: Detector | None = None,
        vault: Vault | None = None,
    ) -> None:
        where = "ReadBack(session, pack)"
        if not isinstance(session, (Session, Snapshot)) or not (  # pyright: ignore[reportUnnecessaryIsInstance]
            isinstance(pack, Pack) or callable(pack)
        ):
            raise SessionError(
                f"expected a session and its pack, got {type(session).__name__} and "
                f"{type(pack).__name__}",
                where=where,
                fix="pack = compile(session, SPEC, model=..., read_back=True); "
                "ReadBack(session, pack)",
            )
        self._session, self._pack, self._receiver = session, pack, receiver
        self._artifacts, self._roots, self._hosts = artifacts, roots, hosts
        self._ports = ports_of(detector, vault, where)

    @property
    def tools(self) -> tuple[Tool, Tool]:
        """The two tools, by names that no tool of the agent has."""
        pack = self._newest()
        if pack is not None and pack.manifest.tools is not None:
            sent = pack.manifest.tools.sent
            own = sent[:-2] if pack.manifest.read_back else sent
            return read_back_tools(Tool(name=name) for name in own)
        tools = self._receiver.tools if self._receiver is not None else None
        return read_back_tools(self._session.tools if tools is None else tools)

    @property
    def names(self) -> tuple[str, str]:
        """What the tools are called: the one that reads a ref, the one that finds refs."""
        expand, search = self.tools
        return expand.name, search.name

    def schemas(self, format: str | None = None) -> list[dict[str, Any]]:
        """The tools as a provider's request has them.

        Args:
            format: a provider's; by default the one that the pack is for.
        """
        name = format or (self._receiver.format if self._receiver else self._seen().format)
        renderer = provider_named(name).renderer
        layout = Layout(tools=self.tools, system=(), conversation=(), tail=())
        known = target("tools", window=1_000_000, format=name)
        return renderer.tools_of(renderer.request(layout, known))

    def handles(self, name: str) -> bool:
        """Whether a call of this name is answered here."""
        return name in self.names

    def call(self, name: str, arguments: str | Mapping[str, Any] | None = None) -> str:
        """The answer to a call: what was read or found, or why not, for the model.

        Args:
            name: one of `names`.
            arguments: as the provider gives them: JSON text, or a mapping.

        Raises:
            SessionError: another name, or nothing was compiled yet.
        """
        if not self.handles(name):
            raise SessionError(
                f"no tool {name!r} reads back",
                where="ReadBack.call(name, arguments)",
                fix=f"ask handles(name) first; the names are {', '.join(self.names)}",
            )
        wanted = read_call(arguments, wanted="ref" if name == self.names[0] else "query")
        if isinstance(wanted, str):
            return wanted
        seen, snapshot = self._seen(), snapshot_of(self._session, "ReadBack.call(...)")
        planned = plan(from_data(seen.spec), ports=self._ports)
        reading = _READINGS.setdefault(snapshot.log, _Reading())
        with reading.lock:  # calls of one step may come from several threads
            if reading.pack != seen.checksum:
                reading.pack, reading.tokens = seen.checksum, 0
            room = self._room(seen, snapshot, planned, reading.tokens)
            text = self._answered(wanted, planned, snapshot, seen, room)
            reading.tokens += self._counter(seen).count(text) + AROUND
        return text

    async def acall(self, name: str, arguments: str | Mapping[str, Any] | None = None) -> str:
        """`call` in a worker thread, letting the event loop run."""
        return await off_loop(self.call, name, arguments)

    def _answered(
        self, wanted: ReadBackCall, planned: Plan, snapshot: Snapshot, seen: Manifest, room: int
    ) -> str:
        """What was asked for, or why it is not to be had."""
        if room < LEAST:
            return f"Not read: {max(0, room)} tokens are left here. Answer with what is in sight."
        count, (expand, _) = self._counter(seen).count, self.names
        refs = Refs(snapshot, self._artifacts, self._roots, self._hosts, planned.cites)
        try:
            if wanted.query:
                most = min(wanted.max_tokens or SEARCHED, room)
                sight = Sight(snapshot, seen, refs.read, planned)
                return found_out_of_sight(wanted.query, sight, count, most, expand=expand)
            text = planned.clean(text_behind(wanted.ref, snapshot, refs.read))
            page = seen.budget // PAGE_SHARE
            most = max(LEAST, min(wanted.max_tokens or page, page))
            return answer_of(wanted, text, count, tool=expand, most=most, room=room)
        except RefError as error:
            return f"Not read: {error.what}. {_refs_of(seen)}"
        except ContextwrightError as error:
            return f"Not read: {error.what}. {error.fix or ''}".strip()
        except Exception as error:  # noqa: BLE001 -- a store of the user's may raise anything
            return f"Not read: {type(error).__name__}. Go on without it."

    def _newest(self) -> Pack | None:
        return self._pack if isinstance(self._pack, Pack) else self._pack()

    def _seen(self) -> Manifest:
        pack = self._newest()
        if pack is None:
            raise SessionError(
                "the model has seen nothing of this session yet",
                where="ReadBack",
                fix="compile first: engine.compile(session)",
            )
        return pack.manifest

    def _counter(self, seen: Manifest) -> Counter:
        """The counter as it was calibrated for the pack; one of the user's own as it is."""
        try:
            return named_counter(seen.counter)
        except ModelError:
            if self._receiver is None:
                raise
            return self._receiver.counter

    def _room(self, seen: Manifest, snapshot: Snapshot, planned: Plan, tokens: int) -> int:
        """Tokens that the next request has beside what it can not do without, less what was
        given since the last, or came otherwise."""
        protection = protection_of(snapshot)
        held = set(protection.held_exchanges(snapshot.exchange_count))
        stays = [b for b in seen.kept if b.pinned or b.tier == 1 or b.order in held]
        taken = seen.fixed_tokens + sum(block.tokens for block in stays)
        stages = planned.terminal.stages if planned.terminal is not None else ()
        if any(isinstance(stage, Refuse) for stage in stages):
            taken = seen.tokens  # nothing of it gives way
        count = self._counter(seen).count
        new = sum(
            count(_all_text(snapshot.log[at])) for at in range(seen.position, snapshot.position)
        )
        return seen.budget - taken - AROUND - max(new, tokens)


def _all_text(event: Event) -> str:
    texts = (event.text, *(call.arguments for call in event.calls))
    return "\n".join((*texts, *(result.text for result in event.results)))


def _refs_of(seen: Manifest) -> str:
    """The refs that a model could have meant."""
    refs = dict.fromkeys(change.ref for change in reversed(seen.changes) if change.ref)
    named = ", ".join(list(refs)[:REFS_NAMED])
    return f"Refs of this conversation: {named}." if named else "Nothing was shortened here."
