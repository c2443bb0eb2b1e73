"""Blocks with their texts in short, kept from turn to turn with what models were asked for them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from contextwright.atoms.shorten import shortened, summary_task
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.memo.sizes import measured_by
from contextwright.session.event import Event, Text, ToolCall, ToolResult
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Answer, Task
from contextwright.text.call_arguments import arguments_in
from contextwright.text.ref_notes import full_output_note, is_noted

LEAST = 40
"""Tokens that each text keeps at least; of up to twice as many, all."""
LONG_REF = "event://e000000"
"""A ref that is as long as any: what it leaves at least is told before the ref is known."""
COOLED = 1_000
"""Bytes of a block in short, and of what was asked for it."""


class TextCooling(NamedTuple):
    """How texts are cooled.

    Args:
        model, prompt: who is asked for a summary, and how.
        share: a text keeps one of so many parts.
        why: what the receipt says.
    """

    model: str
    prompt: str
    share: int
    why: str


class _Cooled(msgspec.Struct, frozen=True, eq=False):
    """A block in short, as models answered.

    Args:
        block: what was made. is_made: whether all of it was; what nobody was to see yet is not.
        tasks: what was asked for its texts; None for one with an answer: a task holds all of its
            text.
        fingerprints: what names each. answers: what was answered to each.
    """

    block: Block
    is_made: bool
    tasks: tuple[Task | None, ...]
    fingerprints: tuple[str, ...]
    answers: list[Answer | None]

    def holds(self, inputs: Inputs) -> bool:
        """Whether it would be made the same again."""
        if not self.is_made and not inputs.dry:
            return False
        return not self.fingerprints or inputs.answers.of(self.fingerprints) == self.answers


def _bytes_of(cooled: _Cooled) -> int:
    waiting = (task.blocks for task in cooled.tasks if task is not None)
    return COOLED + sum(len(one.text) for some in waiting for one in some)


measured_by(_Cooled, _bytes_of)


def cooled(blocks: Blocks, cooling: TextCooling, inputs: Inputs) -> Iterator[Block]:
    """Each block with its texts in short, as models answered by now; what is missing is asked for.

    Args:
        cooling: how.
    """
    table = inputs.memo.table(("cooled", cooling, inputs.counter_id))
    for block in blocks:
        known: _Cooled | None = table.known(block)
        if known is None or not known.holds(inputs):
            known = table[block] = _made(block, cooling, inputs)
        if known.fingerprints:
            inputs.ask_again(known.tasks, known.fingerprints, known.answers)
        yield known.block


def _made(block: Block, how: TextCooling, inputs: Inputs) -> _Cooled:
    """One block with its long texts in short, each by itself."""
    tasks: list[Task | None] = []
    fingerprints: list[str] = []
    answers: list[Answer | None] = []
    makers: list[str] = []

    def on_text(text: str, ref: str) -> str:
        tokens = inputs.count(text)
        room = room_of(tokens, how.share)
        if not room or is_noted(text, ref):
            return text
        task = summary_task(text, room, model=how.model, prompt=how.prompt)
        (answer,) = inputs.answers.of([task.fingerprint])
        tasks.append(None if answer else task)
        fingerprints.append(task.fingerprint)
        answers.append(answer)
        if answer is None and inputs.dry:
            return text
        tail = f"\n{full_output_note(ref, tokens)}" if ref else ""
        short = shortened(text, room, answer, inputs.count, tail)
        if short.text != text:
            makers.append(short.by)
        return short.text

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        return on_text(text, ref)

    def on_call(call: ToolCall, ref: str) -> str:
        short = cooled_arguments(call.arguments, how.share, inputs, ref)
        if short != call.arguments:
            makers.append("cut")
        return short

    change: dict[str, Any]
    if block.messages:
        messages = rewrite(block, on_result=on_result, on_text=on_text, on_call=on_call)
        change = {} if messages is block.messages else {"messages": messages}
    else:
        text = on_text(block.text, "")
        change = {} if text == block.text else {"text": text}
    if change:
        by = ", ".join(dict.fromkeys(filter(None, makers)))
        block = block.lower(Fidelity.SUMMARIZED, why=f"{how.why}: by {by}", **change)
    is_made = not inputs.dry or None not in answers
    return _Cooled(block, is_made, tuple(tasks), tuple(fingerprints), answers)


def room_of(tokens: int, share: int) -> int:
    """Tokens that a text keeps; 0 where it stays whole."""
    room = max(LEAST, tokens // share)
    return room if room * 2 <= tokens else 0


def cooled_arguments(arguments: str, share: int, inputs: Inputs, ref: str) -> str:
    """Arguments of a call with their long strings in short; nobody is asked for them."""

    def room(tokens: int) -> int | None:
        return room_of(tokens, share) or None

    return arguments_in(arguments, room, 2 * LEAST - 1, inputs.count, ref)


def arguments_gain(calls: Iterable[ToolCall], share: int, inputs: Inputs) -> int:
    """Tokens that the arguments of calls lose at least."""
    gain = 0
    for call in calls:
        short = cooled_arguments(call.arguments, share, inputs, LONG_REF)
        if short != call.arguments:
            gain += max(0, inputs.count(call.arguments) - inputs.count(short))
    return gain


def calls_of_events(events: Sequence[Event]) -> Iterator[ToolCall]:
    """The calls that events made."""
    return (part for event in events for part in event.parts if isinstance(part, ToolCall))


def texts_of(events: Sequence[Event]) -> Iterator[str]:
    """The texts that may be shortened of an exchange of the assistant's, one by one: its words, and
    what its calls gave."""
    for event in events:
        for part in event.parts:
            if isinstance(part, (Text, ToolResult)):
                yield part.text


def shortened_tokens(block: Block, inputs: Inputs) -> tuple[int, ...]:
    """Tokens of each text of a block that may be shortened, and was not yet."""
    tokens: list[int] = []

    def on_text(text: str, ref: str) -> str:
        if not is_noted(text, ref):
            tokens.append(inputs.count(text))
        return text

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        return on_text(text, ref)

    if block.messages:
        rewrite(block, on_result=on_result, on_text=on_text)
    else:
        on_text(block.text, "")
    return tuple(tokens)
