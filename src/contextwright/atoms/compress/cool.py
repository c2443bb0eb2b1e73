"""`C.cool()`: what is over a threshold in tokens is brought under it
(cooling-and-forgetting.md#cooled-functor): context is heat."""

from collections.abc import Callable
from typing import Any, ClassVar

import msgspec

from contextwright.atoms.shorten import Short, shortened, summary_task
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import Layer
from contextwright.errors import SpecError
from contextwright.session.event import ToolCall
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.task import Task
from contextwright.text.content_router import full_output_note
from contextwright.text.tool_result import is_noted

SHARES = (4, 16)
"""A text keeps a quarter of its tokens; where that was not enough, a sixteenth."""
LEAST = 40
"""Tokens that each text keeps at least; of up to twice as many, all."""
STEP = 4
"""Blocks that are cooled together: between two steps no block changes, so a provider's cache
keeps its prefix."""
_FRAMING = {Layer.SYSTEM, Layer.TASK, Layer.TOOLS}


class Cool(Atom, frozen=True, kw_only=True):
    """Nothing while what stands to the left has at most `threshold` tokens. Over it, agents'
    outputs, tool results and context texts are summarized, the oldest first, until it is under.

    Never touched: what is protected (`blocks.protection`): what the user or the system said, the
    live edge, pinned blocks, tier 1, the newest open failure of a tool. Where those alone are over
    the threshold, the rest is cooled all the same and says so; a `budget` behind it decides what
    goes.

    Args:
        threshold: tokens, as they are sent.
        model: who summarizes; empty for the engine's.
        prompt: what matters.
    """

    word: ClassVar[str] = "cool"
    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    threshold: int = 4096
    model: str = ""
    prompt: str = ""

    def __post_init__(self) -> None:
        if self.threshold < 1:
            raise SpecError(
                f"threshold is {self.threshold}", where=repr(self), fix="give at least 1 token"
            )

    def apply(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The same blocks, as many of them cooled as it takes."""
        task = Task(kind="summary", model=self.model, prompt=self.prompt)
        return cooled(blocks, inputs, self.threshold, _may_cool(inputs), How(task))


def _may_cool(inputs: Inputs) -> Callable[[Block], bool]:
    def may(block: Block) -> bool:
        if not inputs.protection.may_change(block) or block.tier == 1:
            return False
        return bool(block.messages) or block.layer not in _FRAMING

    return may


def _tail(text: str, ref: str, tokens: int) -> str:
    return f"\n{full_output_note(ref, tokens)}" if ref else ""


class How(msgspec.Struct, frozen=True):
    """How texts are cooled.

    Args:
        task: whose `model` and `prompt` are asked.
        tail: what stands behind a text, its ref and its tokens, saying where the whole is.
        on_shortened: hears of every text that is shortened.
    """

    task: Task = Task(kind="summary")
    tail: Callable[[str, str, int], str] = _tail
    on_shortened: Callable[[str, Short], object] = lambda text, short: None


def cooled(
    blocks: Blocks, inputs: Inputs, threshold: int, may: Callable[[Block], bool], how: How
) -> Blocks:
    """The blocks, the oldest of those that may be touched with their texts in short.

    How many it takes is told from what is asked of a model, not from its answers: so the same
    blocks are cooled before and after it answered.

    Args:
        threshold: tokens of all of them.
    """
    over = sum(map(inputs.cost, blocks)) - threshold
    if over <= 0:
        return blocks
    out = list(blocks)
    places = [place for place, block in enumerate(blocks) if may(block)]
    chosen: dict[int, int] = {}
    for share in SHARES:
        for start in range(0, len(places), STEP):
            if over <= 0:
                break
            for place in places[start : start + STEP]:
                block = blocks[place]
                before = gain(block, chosen[place], inputs) if place in chosen else 0
                over -= gain(block, share, inputs) - before
                chosen[place] = share
    still = f"; {over} tokens over it stay: protected, or in short" if over > 0 else ""
    why = f"over {threshold} tokens{still}"
    for place, share in chosen.items():
        out[place] = _short(blocks[place], share, inputs, how, why)
    return tuple(out)


def _room(tokens: int, share: int) -> int:
    """Tokens that a text keeps; 0 where it stays whole."""
    room = max(LEAST, tokens // share)
    return room if room * 2 <= tokens else 0


def gain(block: Block, share: int, inputs: Inputs) -> int:
    """Tokens that cooling a block to this share of its texts saves at least."""
    gains: list[int] = []

    def on_text(text: str, ref: str) -> str:
        tokens = inputs.count(text)
        room = 0 if is_noted(text, ref) else _room(tokens, share)
        gains.append(tokens - room if room else 0)
        return text

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        return on_text(text, ref)

    if block.messages:
        rewrite(block, on_result=on_result, on_text=on_text)
    else:
        on_text(block.text, "")
    return sum(gains)


def _short(block: Block, share: int, inputs: Inputs, how: How, why: str) -> Block:
    """One block with its long texts in short, each by itself."""
    return in_short(block, inputs, lambda tokens: _room(tokens, share), how, why)


def in_short(
    block: Block, inputs: Inputs, room_of: Callable[[int], int], how: How, why: str
) -> Block:
    """One block with its texts in short, each by itself.

    Args:
        room_of: from a text's tokens to those that it keeps; 0 where it stays whole.
    """
    makers: list[str] = []
    known = inputs.memo.table(("in short", inputs.counter_id))

    def on_text(text: str, ref: str) -> str:
        tokens = inputs.count(text)
        room = room_of(tokens)
        if not room or is_noted(text, ref):
            return text
        tail = how.tail(text, ref, tokens)
        answer = inputs.ask(_memoized_task(text, room, how.task, inputs))
        key = (text, room, tail, answer and (answer.model, str(answer.value), answer.fallback))
        short = known.get(key)
        if short is None:
            short = known[key] = shortened(text, room, answer, inputs.count, tail)
        if short.text != text:
            how.on_shortened(text, short)
            makers.append(short.by)
        return short.text

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        return on_text(text, ref)

    change: dict[str, Any]
    if block.messages:
        messages = rewrite(block, on_result=on_result, on_text=on_text)
        change = {} if messages is block.messages else {"messages": messages}
    else:
        text = on_text(block.text, "")
        change = {} if text == block.text else {"text": text}
    if not change:
        return block
    by = ", ".join(dict.fromkeys(filter(None, makers)))
    return block.lower(Fidelity.SUMMARIZED, why=f"{why}: by {by}", **change)


def _memoized_task(text: str, room: int, task: Task, inputs: Inputs) -> Task:
    table = inputs.memo.table(("cool", task.model, task.prompt))
    key = (text, room)
    if key not in table:
        table[key] = summary_task(text, room, model=task.model, prompt=task.prompt)
    return table[key]
