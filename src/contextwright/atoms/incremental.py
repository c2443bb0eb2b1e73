"""Tasks over a conversation that grows: the answer before is brought up to date."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from contextwright.atoms.logged_digests import LoggedDigests
from contextwright.blocks.block import Blocks
from contextwright.spec.growing import ITEM, Beginning
from contextwright.spec.inputs import Inputs
from contextwright.spec.log_part import LogPart, ReadPart
from contextwright.spec.task import Answer, Task

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
    digests = inputs.digests(logged or blocks)
    series = _series(name, blocks[0].id if blocks else "", inputs)
    with inputs.memo.growing(("running digest", series), RunningDigest) as running:
        running.follow(digests)
        content = _TaskContent(len(blocks), running.digest, blocks.__getitem__)
        return _ask(task, series, content, inputs)


def ask_of_log(task: Task, name: str, read: ReadPart, inputs: Inputs) -> tuple[Answer | None, str]:
    """As `ask_grown`, over exchanges of the log, one at least, of which no others are looked at
    than those that the last answer did not cover."""
    snapshot, part = inputs.snapshot, read.part
    start = part.spans[0][0]
    series = _series(name, snapshot.exchanges(start, start + 1)[0].first.id, inputs)
    key = "logged digests", name, inputs.guards, inputs.ports
    with inputs.memo.growing(key, LoggedDigests) as digests:
        digests.follow(read, inputs)

        def behind(new: slice) -> Blocks:
            return read.behind(new.start, inputs)

        def hash_of(count: int) -> str:
            return digests.hash_of(count, read, inputs)

        content = _TaskContent(part.size, hash_of, behind)
        return _ask(task, series, content, inputs)


class _TaskContent(NamedTuple):
    """What a task is over.

    Args:
        size: its blocks. digest: names the content of so many of the first.
        behind: the blocks of a slice.
    """

    size: int
    digest: Callable[[int], str]
    behind: Callable[[slice], Blocks]


def _series(name: str, start: str, inputs: Inputs) -> str:
    return _hash(f"{inputs.snapshot.root_id}\n{inputs.agent}\n{name}\n{start}".encode())


def _ask(
    task: Task, series: str, content: _TaskContent, inputs: Inputs
) -> tuple[Answer | None, str]:
    known = next((one for one in inputs.answers.newest(series) if _is_of(one, content)), None)
    covered = known.covers if known is not None else 0
    if known is not None and covered == content.size:
        inputs.take(known)
        return known, known.whole
    whole, new = content.digest(content.size), content.behind(slice(covered, None))
    increment = msgspec.structs.replace(
        task,
        previous=_text(known.value) if known is not None else task.previous,
        blocks=new,
        source=_hash(b"".join(inputs.digests(new))),
        series=series,
        covers=content.size,
        whole=whole,
    )
    return inputs.ask(increment), whole


def _is_of(answer: Answer, content: _TaskContent) -> bool:
    """Whether it answers for what the conversation begins with."""
    return 0 < answer.covers <= content.size and content.digest(answer.covers) == answer.whole


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
