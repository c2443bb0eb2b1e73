"""`C.dedup()`: one version of what was said or found more than once
(context-algebra.md#deduplication)."""

from collections.abc import Callable
from hashlib import sha256
from itertools import chain
from operator import attrgetter
from typing import Any, ClassVar, Literal

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.session.event import ToolCall
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.task import Task
from contextwright.text.near_keys import exact_key


class Dedup(Atom, frozen=True, kw_only=True):
    """Leave out what another block says as well.

    The user's words, what is protected and what has not settled yet stay in any case.

    Args:
        strategy: `exact`, the first of blocks with the same text stays, so that a cached prefix
            does not move; `structural`, exact, and a tool execution goes when a later one of
            the same agent made the same call, or made its failure good; `semantic`, exact, and
            of blocks that say the same in other words, as a model judges, the later stays.
            Where that was not judged: structural.
        model: who judges; empty for the engine's.
    """

    word: ClassVar[str] = "dedup"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    strategy: Literal["exact", "structural", "semantic"] = "exact"
    model: str = ""

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks without the repeated ones."""
        if self.strategy == "structural":
            blocks = _latest(blocks, inputs)
        blocks = _first(blocks, inputs)
        return self._judged(blocks, inputs) if self.strategy == "semantic" else blocks

    def _judged(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """Without those that a model found said again later."""
        open_to = tuple(block for block in blocks if _may_leave(block, inputs))
        if len(open_to) < 2:
            return blocks
        source = sha256(b"".join(inputs.digests(open_to))).hexdigest()
        task = Task(kind="duplicates", model=self.model, blocks=open_to, source=source)
        answer = inputs.ask(task)
        if answer is None:
            return _latest(blocks, inputs)
        pairs: list[list[int]] = answer.value
        duplicates = {open_to[earlier] for earlier, later in pairs if 0 <= earlier < later}
        return tuple(block for block in blocks if block not in duplicates)


def _may_leave(block: Block, inputs: Inputs) -> bool:
    return inputs.may_rewrite(block) and inputs.protection.may_drop(block)


def _first(blocks: Blocks, inputs: Inputs) -> Blocks:
    keys = _remembered("exact_key", _exact, blocks, inputs)
    if len(set(keys)) == len(keys):
        return blocks
    seen: set[str] = set()
    out: list[Block] = []
    for block, key in zip(blocks, keys, strict=True):
        if key not in seen or not _may_leave(block, inputs):
            out.append(block)
        seen.add(key)
    return tuple(out)


def _latest(blocks: Blocks, inputs: Inputs) -> Blocks:
    keys: list[tuple[str, ...]] = _remembered("call_keys", _call_keys, blocks, inputs)
    every = list(chain.from_iterable(keys))
    if len(set(every)) == len(every) and not any(map(attrgetter("failed"), blocks)):
        return blocks
    later: set[str] = set()
    out: list[Block] = []
    for block, calls in zip(reversed(blocks), reversed(keys), strict=True):
        superseded = bool(calls) and all(call in later for call in calls)
        superseded = superseded or block.failed
        if not superseded or not _may_leave(block, inputs):
            out.append(block)
        if not block.failed:
            later.update(calls)
    return tuple(reversed(out))


def _remembered(
    name: str, key_of: Callable[[Block], Any], blocks: Blocks, inputs: Inputs
) -> list[Any]:
    table = inputs.memo.table(name)
    keys = list(map(table.get, blocks))
    if None in keys:
        for place, block in enumerate(blocks):
            if keys[place] is None:
                keys[place] = table[block] = key_of(block)
    return keys


def _exact(block: Block) -> str:
    calls = "\n".join(_call_keys(block))
    media = len(block.messages) and sum(
        not hasattr(part, "text") and not isinstance(part, ToolCall)
        for message in block.messages
        for part in message.parts
    )
    own = block.id if media else ""
    return exact_key("\n".join((block.role, block.author, calls, block.plain_text, own)))


def _call_keys(block: Block) -> tuple[str, ...]:
    """Author, tool and arguments of every call, the arguments in canonical form."""
    return tuple(
        f"{block.author}\n{part.name}\n{_canonical(part.arguments)}"
        for message in block.messages
        for part in message.parts
        if isinstance(part, ToolCall)
    )


def _canonical(arguments: str) -> str:
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments), order="sorted").decode()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return arguments
