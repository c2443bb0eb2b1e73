"""Tasks over a conversation that grows: the answer before is brought up to date."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from contextwright.blocks.block import Blocks
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Answer, Task


def ask_grown(task: Task, name: str, blocks: Blocks, inputs: Inputs) -> tuple[Answer | None, str]:
    """The answer to a task over all `blocks`, asked only for what is new since the last one; and
    a name for the content of all of them.

    Args:
        task: without its blocks.
        name: tells it from other tasks of the same spec: the atom as code.
    """
    digests = inputs.digests(blocks)
    snapshot = inputs.snapshot
    start = blocks[0].id if blocks else ""
    series = _hash(f"{snapshot.root_id}\n{inputs.agent}\n{name}\n{start}".encode())
    known = next((one for one in inputs.answers.newest(series) if _is_of(one, digests)), None)
    covered = known.covers if known is not None else 0
    hashed = sha256(b"".join(digests[:covered]))
    rest = b"".join(digests[covered:])
    if known is not None and covered == len(blocks):
        inputs.used[known.fingerprint] = known
        return known, known.whole
    hashed.update(rest)
    whole = hashed.hexdigest()
    increment = msgspec.structs.replace(
        task,
        previous=_text(known.value) if known is not None else task.previous,
        blocks=blocks[covered:],
        source=_hash(rest),
        series=series,
        covers=len(blocks),
        whole=whole,
    )
    return inputs.ask(increment), whole


def _is_of(answer: Answer, digests: Sequence[bytes]) -> bool:
    """Whether it answers for what the conversation begins with."""
    if not 0 < answer.covers <= len(digests):
        return False
    return sha256(b"".join(digests[: answer.covers])).hexdigest() == answer.whole


def until_asked(inputs: Inputs) -> Blocks:
    """The conversation up to what the user said last: the same at every step of a turn."""
    snapshot = inputs.snapshot
    return inputs.blocks(snapshot.exchanges(snapshot.preamble, asked_until(inputs)), "history")


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
