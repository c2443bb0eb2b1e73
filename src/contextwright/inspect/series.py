"""One spec at every call of a session, as columns: what a page draws, each thing once and as
changes against the call before."""

from collections.abc import Callable
from itertools import chain, takewhile
from typing import Any

import msgspec

from contextwright.compiler.manifest import Manifest, PrefixLoss
from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.ledger import Ledgers
from contextwright.errors import ContextwrightError
from contextwright.inspect.alignment import SourcePart, aligned, source_parts
from contextwright.inspect.call_moments import CallMoment, GrownSession
from contextwright.inspect.fates import FateSeries
from contextwright.inspect.request_parts import request_parts, tool_names
from contextwright.inspect.text_table import TextTable
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Expr
from contextwright.spec.memo import Memo

LAYERS = ("instruction", "tools", "overhead", "note", "text", "earlier", "running")
"""Parts of a request that sum to its tokens, in the order in which a bar stacks them."""
MESSAGE = -1
"""Stands between the messages of a request."""
ABSENT = -1
"""Tokens of a block that is not sent any more."""


class CallPack(msgspec.Struct, frozen=True):
    """What a call came to: a pack, or the error in its place.

    Args:
        cost: microdollars; whole_tokens, whole_cost: of sending everything instead.
        expired: whether the cache had forgotten the request before.
    """

    snapshot: Snapshot
    pack: Pack | None
    error: ContextwrightError | None
    cost: int = 0
    cached: int = 0
    whole_tokens: int = 0
    whole_cost: int = 0
    expired: bool = False


class SpecRun:
    """Compiles a spec at one call after the other, and keeps the bill."""

    def __init__(self, session: Session, spec: Expr, target: Target, memo: Memo) -> None:
        self.session, self.target = session, target
        self._grown = GrownSession(session)
        self._compiler = SpecCompiler(spec, memo=memo)
        self._ledgers = Ledgers(None)

    def compiled(self, call: CallMoment) -> CallPack:
        """The call's request; an error of ours is the call's result."""
        snapshot = self._grown.at(call)
        compiler = msgspec.structs.replace(self._compiler, now_ms=call.time_ms)
        ledger = self._ledgers.of(snapshot.log)
        before = ledger.summary()
        try:
            pack = compiler.compile(snapshot, self.target, previous=ledger.newest)
        except ContextwrightError as error:
            return CallPack(snapshot, None, error)
        made = ledger.weighed(pack, lambda: snapshot, self.target, lambda _: compiler)
        ledger.sent(made, self.target)
        after, prefix = ledger.summary(), pack.manifest.prefix
        cached = after.cached - before.cached
        return CallPack(
            snapshot,
            pack,
            None,
            cost=after.cost - before.cost,
            cached=cached,
            whole_tokens=after.whole_tokens - before.whole_tokens,
            whole_cost=after.whole_cost - before.whole_cost,
            expired=prefix is not None and prefix.read > cached,
        )


class Series:
    """The columns of one spec."""

    def __init__(self, spec: str, target: Target, table: TextTable, rows: dict[int, int]) -> None:
        self._target, self._table, self._rows = target, table, rows
        self._sources: dict[int, list[SourcePart]] = {}
        self._fates: list[list[int]] = [[] for _ in rows]
        self._fate_series = FateSeries()
        self._why: dict[tuple[str, str, str], int] = {}
        self._sizes: dict[int, int] = {}
        self._whole: dict[int, int] = {}
        self._items: list[int] = []
        self._last: dict[str, Any] = {}
        self._fixed: dict[tuple[Any, ...], dict[str, int]] = {}
        self._columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        self._layers: dict[str, list[int]] = {name: [] for name in LAYERS}
        self._spec = spec

    def add(self, call: CallPack) -> None:
        """Put a call behind those before."""
        at = len(self._columns["tokens"])
        if call.pack is None:
            self._add_error(at, call)
            return
        manifest, prefix = call.pack.manifest, call.pack.manifest.prefix
        request = call.pack.request
        columns = self._columns
        columns["tokens"].append(manifest.tokens)
        columns["budget"].append(manifest.budget)
        columns["prefix"].append(prefix.tokens if prefix is not None else 0)
        columns["read"].append(call.cached)
        columns["written"].append(prefix.written if prefix is not None else manifest.tokens)
        columns["cost"].append(call.cost)
        columns["pack"].append(manifest.pack_id)
        self._add_loss(at, call)
        self._add_request(call, request)
        self._add_layers(manifest, request)
        self._add_sizes(manifest)
        self._add_fates(at, manifest, call.snapshot)
        self._changed("engine", at, _engine_blocks(manifest, self._table.clean))
        self._changed("tools", at, [self._table.clean(name) for name, _ in tool_names(request)])
        self._changed("words", at, _words(manifest, self._table.clean))
        self._changed("counts", at, _counts(manifest))
        self._changed("threshold", at, manifest.soft_threshold)

    def data(self) -> dict[str, Any]:
        """Everything as JSON data."""
        clean = self._table.clean
        why = [[clean(text) for text in key] for key in self._why]
        whole = list(chain(*self._whole.items()))
        return {"spec": clean(self._spec), "layers": self._layers, "fates": self._fates,
                "why": why, "whole": whole, **self._columns}  # fmt: skip

    def _add_error(self, at: int, call: CallPack) -> None:
        for name in ("tokens", "budget", "prefix", "read", "written", "cost"):
            self._columns[name].append(0)
        self._columns["pack"].append("")
        for column in self._layers.values():
            column.append(0)
        self._columns["sizes"].append([])
        self._columns["requests"].append([len(self._items), [], 0])
        clean = self._table.clean
        error = call.error
        assert error is not None
        texts = (error.what, str(error.where or ""), str(error.fix or ""))
        self._columns["errors"].append([at, *map(clean, texts)])

    def _add_loss(self, at: int, call: CallPack) -> None:
        assert call.pack is not None
        prefix = call.pack.manifest.prefix
        loss = prefix.loss if prefix is not None else msgspec.UNSET
        if call.expired:
            loss = PrefixLoss(cause="clock", piece="", tokens=prefix.tokens if prefix else 0)
        if isinstance(loss, PrefixLoss):
            record = msgspec.to_builtins(loss)
            record = {key: self._table.clean(one) if isinstance(one, str) else one
                      for key, one in record.items()}  # fmt: skip
            self._columns["losses"].append([at, record])

    def _add_request(self, call: CallPack, request: dict[str, Any]) -> None:
        assert call.pack is not None
        manifest, items, message = call.pack.manifest, list[int](), -2
        orders = [block.order for block in manifest.kept if block.order >= 0]
        sources = [part for order in sorted(orders) for part in self._source(order, call.snapshot)]
        for one in aligned(request_parts(request), manifest, sources):
            if one.part.message != message:
                message = one.part.message
                items.append(MESSAGE)
            row = self._rows.get(one.source.order, -1) if one.source is not None else -1
            items.append(self._table.part(one, row))
        self._columns["requests"].append(_splice(self._items, items))
        self._items = items

    def _source(self, order: int, snapshot: Snapshot) -> list[SourcePart]:
        """The parts of an exchange; of one whose results may still come, read anew."""
        known = self._sources.get(order)
        if known is None or order >= snapshot.exchange_count - 3:
            known = self._sources[order] = source_parts(order, snapshot)
        return known

    def _add_layers(self, manifest: Manifest, request: dict[str, Any]) -> None:
        sums: dict[str, int] = dict.fromkeys(LAYERS, 0)
        newest = max((block.turn for block in manifest.kept), default=-1)
        noted = {change.id for change in manifest.changes if change.action == "summarized"}
        for block in manifest.kept:
            if block.order < 0:
                sums["note" if block.id in noted else "text"] += block.tokens
            else:
                sums["running" if block.turn == newest else "earlier"] += block.tokens
        rest = manifest.fixed_tokens
        for name, tokens in self._fixed_tokens(manifest, request).items():
            sums[name] = min(rest, tokens)
            rest -= sums[name]
        sums["overhead"] = rest
        for name, column in self._layers.items():
            column.append(sums[name])

    def _fixed_tokens(self, manifest: Manifest, request: dict[str, Any]) -> dict[str, int]:
        """Tokens of the instruction and of the tools, each counted alone."""
        renderer = self._target.provider.renderer
        names = tuple(name for name, _ in tool_names(request))
        key = (names, manifest.tools_digest, manifest.fixed_tokens)
        if key not in self._fixed:
            *heads, conversation = renderer.cache_order
            bare: dict[str, Any] = {"model": manifest.model, conversation: []}
            least = renderer.measure(bare, self._target)
            tokens = {"instruction": 0, "tools": 0}
            for head in heads:
                if request.get(head):
                    alone = renderer.measure({**bare, head: request[head]}, self._target) - least
                    tokens["tools" if head == "tools" else "instruction"] += max(0, alone)
            first = list(takewhile(_is_instruction, request.get(conversation) or ()))
            if first:
                alone = renderer.measure({**bare, conversation: first}, self._target) - least
                tokens["instruction"] += max(0, alone)
            self._fixed[key] = tokens
        return self._fixed.get(key, {})

    def _add_sizes(self, manifest: Manifest) -> None:
        blocks = {block.id: block for block in manifest.kept if block.order in self._rows}
        sizes = {self._rows[block.order]: block.tokens for block in blocks.values()}
        for change in manifest.changes:
            if change.exchanges == 1 and change.id in blocks:
                row = self._rows[blocks[change.id].order]
                self._whole[row] = max(self._whole.get(row, 0), change.tokens_before)
        before = self._sizes
        changed = [row for row in sizes if before.get(row) != sizes[row]]
        lost = [row for row in before if row not in sizes]
        pairs = [number for row in changed for number in (row, sizes[row])]
        self._columns["sizes"].append(pairs + [number for row in lost for number in (row, ABSENT)])
        self._sizes = sizes

    def _add_fates(self, at: int, manifest: Manifest, snapshot: Snapshot) -> None:
        for order, fate in self._fate_series.changed(manifest, snapshot):
            runs = self._fates[self._rows[order]]
            key = (fate.step, fate.reason, fate.what)
            why = self._why.setdefault(key, len(self._why))
            if not runs or runs[-1] != why or runs[-2] != fate.fate:
                runs += (at, fate.fate, why)

    def _changed(self, name: str, at: int, value: Any) -> None:
        if self._last.get(name) != value:
            self._last[name] = value
            self._columns[name].append([at, value])


_COLUMNS = ("tokens", "budget", "prefix", "read", "written", "cost", "pack", "losses", "requests",
            "sizes", "engine", "tools", "words", "counts", "threshold", "errors")  # fmt: skip


def _is_instruction(message: Any) -> bool:
    """Whether a message is of those that some formats put the instruction into."""
    return isinstance(message, dict) and message.get("role") in {"system", "developer"}  # pyright: ignore[reportUnknownMemberType]


def _splice(before: list[int], now: list[int]) -> list[Any]:
    """How a list comes from the one before: so many stay at its beginning, these are new, so many
    stay at its end."""
    least = min(len(before), len(now))
    head = next((n for n in range(least) if before[n] != now[n]), least)
    most = least - head
    tail = next((n for n in range(most) if before[-1 - n] != now[-1 - n]), most)
    return [head, now[head : len(now) - tail], tail]


def _engine_blocks(manifest: Manifest, clean: Callable[[str], str]) -> list[list[Any]]:
    """What the engine made: id, tokens, exchanges that it stands for and their tokens, trust,
    source."""
    changes = {change.id: change for change in manifest.changes if change.action == "summarized"}
    return [
        [
            clean(block.id),
            block.tokens,
            clean(changes[block.id].reason) if block.id in changes else "",
            changes[block.id].tokens_before if block.id in changes else 0,
            block.trust,
            clean(block.source),
        ]
        for block in manifest.kept
        if block.order < 0
    ]


def _words(manifest: Manifest, clean: Callable[[str], str]) -> list[list[Any]]:
    """What each step did: step, action, exchanges, tokens before and after."""
    sums: dict[tuple[str, str], list[int]] = {}
    for change in manifest.changes:
        row = sums.setdefault((change.step, change.action), [0, 0, 0])
        row[0] += change.exchanges
        row[1] += change.tokens_before
        row[2] += change.tokens_after
    return [[clean(step), action, *row] for (step, action), row in sums.items()]


def _counts(manifest: Manifest) -> dict[str, int]:
    """What is not in a request, or stands in it otherwise, in numbers."""
    redacted = sum(change.action == "redacted" for change in manifest.changes)
    return {
        "unselected": sum(gap.exchanges for gap in manifest.left_out),
        "unrendered": len(manifest.unrendered),
        "redacted": redacted,
        "inferred": sum(one.kind == "tool_stub" for one in manifest.inserted),
    }
