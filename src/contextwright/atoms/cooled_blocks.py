"""Blocks with their texts in short, kept from turn to turn with what models were asked for them."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import compress
from operator import is_not
from typing import Any, NamedTuple

from contextwright.atoms.shorten import shortened, summary_task
from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.session.event import ToolCall
from contextwright.spec.growing import Beginning
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Answer, Task
from contextwright.text.content_router import full_output_note
from contextwright.text.tool_result import is_noted

LEAST = 40
"""Tokens that each text keeps at least; of up to twice as many, all."""
COOLED = 1_000
"""Bytes of a block in short, and of what was asked for it."""
AnswerTo = Callable[[str, int], Answer | None]
"""The answer to a text that should have so many tokens."""


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


class CooledBlocks:
    """Blocks of a sequence that grows at its end, each with its texts in short.

    Args:
        cooling: how.
    """

    def __init__(self, cooling: TextCooling) -> None:
        self._cooling = cooling
        self._beginning = Beginning()
        self._made: list[Block] = []
        self._unmade: set[int] = set()  # places that nobody was to see yet
        self._homes: list[int] = []  # by task: the place of its block
        self._tasks: list[Task | None] = []  # without an answer: a task holds all of its text
        self._fingerprints: list[str] = []
        self._answers: list[Answer | None] = []

    @property
    def held_bytes(self) -> int:
        """About what it takes."""
        waiting = (task.blocks for task in self._tasks if task is not None)
        return COOLED * len(self._made) + sum(len(one.text) for some in waiting for one in some)

    def of(self, blocks: Blocks, inputs: Inputs) -> list[Block]:
        """Each block with its texts in short, as models answered by now."""
        self._cut(self._beginning.shared(blocks))
        answers = inputs.answers.of(self._fingerprints)
        others = set() if inputs.dry else self._unmade
        if answers != self._answers:
            others = others.union(compress(self._homes, map(is_not, answers, self._answers)))
            answers = self._until_lost(answers)
            self._answers = answers
        for place in sorted(others):
            if place < len(self._made):
                self._made[place] = self._made_again(place, blocks[place], inputs)
        for place, block in enumerate(blocks[len(self._made) :], len(self._made)):
            self._made.append(self._made_first(place, block, inputs))
        inputs.ask_again(self._tasks, self._fingerprints, self._answers)
        return self._made

    def _until_lost(self, answers: list[Answer | None]) -> list[Answer | None]:
        """The answers up to one that was there and is no more: from its block on all is anew."""
        lost = (
            home
            for home, task, answer in zip(self._homes, self._tasks, answers, strict=True)
            if task is None and answer is None
        )
        self._cut(next(lost, len(self._made)))
        answers = answers[: len(self._homes)]
        pairs = zip(self._tasks, answers, strict=True)
        self._tasks = [None if answer else task for task, answer in pairs]
        return answers

    def _cut(self, start: int) -> None:
        """Forget all from a place on."""
        tasks = bisect_left(self._homes, start)
        for column in (self._homes, self._tasks, self._fingerprints, self._answers):
            del column[tasks:]
        del self._made[start:]
        self._unmade = {place for place in self._unmade if place < start}

    def _made_first(self, place: int, block: Block, inputs: Inputs) -> Block:
        def answer_to(text: str, room: int) -> Answer | None:
            how = self._cooling
            task = summary_task(text, room, model=how.model, prompt=how.prompt)
            fingerprint = task.fingerprint
            (answer,) = inputs.answers.of([fingerprint])
            self._homes.append(place)
            self._tasks.append(None if answer else task)
            self._fingerprints.append(fingerprint)
            self._answers.append(answer)
            return answer

        return self._short(place, block, inputs, answer_to)

    def _made_again(self, place: int, block: Block, inputs: Inputs) -> Block:
        first, stop = bisect_left(self._homes, place), bisect_right(self._homes, place)
        answers = iter(self._answers[first:stop])
        return self._short(place, block, inputs, lambda text, room: next(answers))

    def _short(self, place: int, block: Block, inputs: Inputs, answer_to: AnswerTo) -> Block:
        """One block with its long texts in short, each by itself."""
        makers: list[str] = []
        self._unmade.discard(place)

        def on_text(text: str, ref: str) -> str:
            tokens = inputs.count(text)
            room = room_of(tokens, self._cooling.share)
            if not room or is_noted(text, ref):
                return text
            answer = answer_to(text, room)
            if answer is None and inputs.dry:
                self._unmade.add(place)
                return text
            tail = f"\n{full_output_note(ref, tokens)}" if ref else ""
            short = shortened(text, room, answer, inputs.count, tail)
            if short.text != text:
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
        return block.lower(Fidelity.SUMMARIZED, why=f"{self._cooling.why}: by {by}", **change)


def room_of(tokens: int, share: int) -> int:
    """Tokens that a text keeps; 0 where it stays whole."""
    room = max(LEAST, tokens // share)
    return room if room * 2 <= tokens else 0


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
