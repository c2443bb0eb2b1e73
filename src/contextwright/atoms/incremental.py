"""Tasks over a conversation that grows: the answer before is brought up to date."""

from collections.abc import Iterable
from functools import partial
from hashlib import sha256
from itertools import islice, pairwise
from typing import Any, NamedTuple, Protocol

import msgspec

from contextwright.atoms.logged_digests import LoggedDigests
from contextwright.blocks.block import Blocks
from contextwright.spec.growing import ITEM, Beginning
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import LogPart, NewBlocks, ReadPart
from contextwright.spec.task import MAX_WITHOUT, Answer, Task

HISTORY = "history"
"""What brings the conversation."""
CHECKPOINTS = 8
"""Hashes that are kept of one conversation: of what an answer covers, and of all."""


def ask_grown(
    task: Task, name: str, blocks: Blocks, inputs: Inputs, logged: Blocks = ()
) -> tuple[Answer | None, str]:
    """The answer to a task over all `blocks`, asked only for what is new since the last one; and
    a name for the content of all of them.

    Args:
        task: without its blocks.
        name: tells it from other tasks of the same spec: the atom as code.
        logged: the same blocks by which is told what an answer covers, if others than those that
            are read: what was shortened for one question may be left whole for the next.
    """
    digests = inputs.names(logged or blocks)
    series = _series(name, blocks[0].id if blocks else "", inputs)
    with inputs.memo.growing(("running digest", series), RunningDigest) as running:
        running.follow(digests)
        content = _GrownContent(blocks, inputs.names(blocks), digests, running)
        return _ask(task, series, content, inputs)


def ask_of_log(task: Task, name: str, read: ReadPart, inputs: Inputs) -> tuple[Answer | None, str]:
    """As `ask_grown`, over exchanges of the log, one at least, of which no others are looked at
    than those that the last answer did not cover."""
    snapshot, part = inputs.snapshot, read.part
    start = part.spans[0][0]
    series = _series(name, snapshot.exchanges(start, start + 1)[0].first.id, inputs)
    front = inputs.in_front.code if inputs.in_front is not None else ""
    key = "logged digests", name, front, inputs.guards, inputs.ports
    with inputs.memo.growing(key, LoggedDigests) as digests:
        digests.follow(read, inputs)
        return _ask(task, series, _LoggedContent(read, digests, inputs), inputs)


class _Content(Protocol):
    """What a task is over.

    Attributes:
        size: its blocks. without: places of exchanges between these that are none of them.
    """

    @property
    def size(self) -> int: ...
    @property
    def without(self) -> tuple[int, ...]: ...

    def digest(self, count: int, without: tuple[int, ...]) -> str:
        """Names the content of so many of the first that are none of these."""
        ...

    def new(self, count: int, without: tuple[int, ...]) -> NewBlocks:
        """All others than those."""
        ...


class _GrownContent(NamedTuple):
    """Blocks, and how much of them is known by their digests."""

    blocks: Blocks
    names: tuple[bytes, ...]
    digests: tuple[bytes, ...]
    running: "RunningDigest"

    @property
    def size(self) -> int:
        return len(self.blocks)

    @property
    def without(self) -> tuple[int, ...]:
        orders = [block.order for block in self.blocks if block.order >= 0]
        spans = pairwise((*orders, orders[-1])) if orders else ()
        return tuple([at for before, after in spans for at in range(before + 1, after)])

    def digest(self, count: int, without: tuple[int, ...]) -> str:
        places = self._places(count, without)
        if places is None:
            return self.running.digest(count)
        return _hash(b"".join(map(self.digests.__getitem__, places)))

    def new(self, count: int, without: tuple[int, ...]) -> NewBlocks:
        places = self._places(count, without)
        if places is None:
            return NewBlocks(self.blocks[count:], self.names[count:])
        known = {*places}
        new = [at for at in range(len(self.blocks)) if at not in known]
        names = tuple(map(self.names.__getitem__, new))
        return NewBlocks(tuple(map(self.blocks.__getitem__, new)), names)

    def _places(self, count: int, without: tuple[int, ...]) -> list[int] | None:
        """The places of the first so many that are none of some; None where these are the first."""
        freed = {*without}.intersection(block.order for block in self.blocks) if without else None
        if not freed:
            return None
        others = (at for at, block in enumerate(self.blocks) if block.order not in freed)
        return [*islice(others, count)]


class _LoggedContent(NamedTuple):
    """A part of the log, and its exchanges' digests."""

    read: ReadPart
    digests: LoggedDigests
    inputs: Inputs

    @property
    def size(self) -> int:
        return self.read.part.size

    @property
    def without(self) -> tuple[int, ...]:
        spans = self.read.part.spans
        return tuple([at for at in self.read.part.without if spans[0][0] < at < spans[-1][1]])

    def digest(self, count: int, without: tuple[int, ...]) -> str:
        return self.digests.hash_of(count, self.read.minus(without), self.inputs)

    def new(self, count: int, without: tuple[int, ...]) -> NewBlocks:
        read, inputs = self.read, self.inputs
        names = partial(self.digests.names, read=read, inputs=inputs)
        return read.others(read.minus(without), count, names, inputs)


def _series(name: str, start: str, inputs: Inputs) -> str:
    return _hash(f"{inputs.snapshot.root_id}\n{inputs.agent}\n{name}\n{start}".encode())


def _ask(task: Task, series: str, content: _Content, inputs: Inputs) -> tuple[Answer | None, str]:
    known = _known(inputs.answers.newest(series), content)
    covered = known.covers if known is not None else 0
    if known is not None and covered == content.size:
        inputs.take(known)
        return known, known.whole
    new = content.new(covered, known.without if known is not None else ())
    whole, without = content.digest(content.size, ()), content.without
    increment = msgspec.structs.replace(
        task,
        previous=_text(known.value) if known is not None else task.previous,
        blocks=new.blocks,
        source=_hash(b"".join(new.names)),
        series=series,
        covers=content.size,
        whole=whole,
        without=without if len(without) <= MAX_WITHOUT else (),
    )
    return inputs.ask(increment), whole


def _known(newest: Iterable[Answer], content: _Content) -> Answer | None:
    """The answer for all of it, else the newest for what it begins with: where a limit summarizes
    twice, more at first and then less, who went by the newest alone asked for each anew."""
    answers = [*newest]
    for one in answers:
        if one.covers == content.size and _is_of(one, content):
            return one
    return next((one for one in answers if _is_of(one, content)), None)


def _is_of(answer: Answer, content: _Content) -> bool:
    """Whether it answers for what the conversation begins with, but for what it was without."""
    if not 0 < answer.covers <= content.size:
        return False
    return content.digest(answer.covers, answer.without) == answer.whole


class RunningDigest:
    """The hash of what a growing conversation begins with, gone on with from where one was asked
    for before."""

    def __init__(self) -> None:
        self._beginning = Beginning()
        self._known: dict[int, Any] = {}  # how many of the first -> their hash

    @property
    def held_bytes(self) -> int:
        """About what it takes."""
        return ITEM * self.count

    @property
    def count(self) -> int:
        """Digests of the conversation."""
        return len(self._beginning.items)

    def follow(self, digests: tuple[bytes, ...]) -> None:
        """Bring it up to date with the conversation as it is now."""
        stays = self._beginning.shared(digests)
        newest = sorted(count for count in self._known if count <= stays)[-CHECKPOINTS:]
        self._known = {count: self._known[count] for count in newest}

    def digest(self, count: int) -> str:
        """Of so many of the first."""
        start = max((known for known in self._known if known <= count), default=0)
        hashed = self._known[start].copy() if start else sha256()
        hashed.update(b"".join(self._beginning.items[start:count]))
        self._known[count] = hashed
        return hashed.hexdigest()


def ask_until_asked(task: Task, name: str, inputs: Inputs) -> Answer | None:
    """The answer to a task over the conversation up to what the user said last, as the log has
    it; None also where nobody said anything."""
    part = LogPart(inputs.snapshot.preamble, asked_until(inputs))
    return ask_of_log(task, name, ReadPart(part, HISTORY), inputs)[0] if part.size else None


def until_asked(inputs: Inputs) -> Blocks:
    """The conversation up to what the user said last: the same at every step of a turn."""
    snapshot, stop = inputs.snapshot, asked_until(inputs)
    # all but the newest exchange, which may still grow, is one object from turn to turn
    older = max(snapshot.preamble, min(stop, snapshot.exchange_count - 1))
    newest = inputs.blocks(snapshot.exchanges(older, stop), HISTORY)
    known = inputs.until(older, HISTORY)
    return (*known, *newest) if newest else known


def asked_until(inputs: Inputs) -> int:
    """The exchange behind what the user said last."""
    snapshot = inputs.snapshot
    stop = max(snapshot.preamble, snapshot.turn_start(snapshot.turn))
    for exchange in snapshot.exchanges(stop):
        if exchange.first.role != "user":
            break
        stop = exchange.index + 1
    return stop


def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
