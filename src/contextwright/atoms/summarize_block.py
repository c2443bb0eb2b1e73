"""One block with its long texts summarized, each by itself; calls and the user's words stay."""

from hashlib import sha256

from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.shorten import shortened
from contextwright.blocks.block import Block
from contextwright.blocks.block_texts import rewrite
from contextwright.blocks.fidelity import Fidelity
from contextwright.session.event import ToolCall
from contextwright.spec.inputs import Inputs
from contextwright.spec.task import Task
from contextwright.text.ref_notes import full_output_note

MOST_TOKENS = 300
SHARE = 4
"""A summary has a quarter of its text's tokens at most."""
LEAST_ROOM = 20
"""Tokens below which no summary says anything."""
JOINS = 4
"""Tokens that a text may count more where it is put together."""
_COMPACT = Compact()


def in_few_words(block: Block, inputs: Inputs) -> Block:
    """The block summarized; compacted where no summary was prepared."""
    before = inputs.asked.times

    def shorter(text: str, ref: str) -> str:
        short = _summary(text, block, inputs)
        tail = f"\n{full_output_note(ref, inputs.count(text))}" if ref else ""
        return short + tail if inputs.count(short + tail) < inputs.count(text) else text

    def on_result(text: str, call: ToolCall, ref: str) -> str:
        return shorter(text, ref)

    if not block.messages:
        text = shorter(block.text, "")
        return _lower(block, text=text) if text != block.text else block
    messages = rewrite(block, on_result=on_result, on_text=shorter)
    if inputs.asked.times > before:
        return _COMPACT.compacted(block, inputs)
    return block if messages is block.messages else _lower(block, messages=messages)


def saved_at_least(block: Block, inputs: Inputs) -> int:
    """Tokens that a summary of the block saves, however much of its room the summary takes: known
    before anybody is asked for one."""
    texts: list[tuple[str, str]] = [("", block.text)] if not block.messages else []

    def on_text(text: str, ref: str) -> str:
        texts.append((ref, text))
        return text

    rewrite(block, on_result=lambda text, call, ref: on_text(text, ref), on_text=on_text)
    return sum(_saved(text, ref, inputs) for ref, text in texts)


def _saved(text: str, ref: str, inputs: Inputs) -> int:
    tokens = inputs.count(text)
    room = min(MOST_TOKENS, tokens // SHARE)
    tail = inputs.count(f"\n{full_output_note(ref, tokens)}") if ref else 0
    return max(0, tokens - room - tail - JOINS) if room >= LEAST_ROOM else 0


def _lower(block: Block, **change: object) -> Block:
    return block.lower(Fidelity.SUMMARIZED, why="one of the largest", **change)  # pyright: ignore


def _summary(text: str, block: Block, inputs: Inputs) -> str:
    room = min(MOST_TOKENS, inputs.count(text) // SHARE)
    if room < LEAST_ROOM:
        return text
    piece = Block(id=block.id, source=block.source, text=text, turn=block.turn)
    task = Task(
        kind="summary",
        max_tokens=room,
        blocks=(piece,),
        source=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    )
    answer = inputs.ask(task)
    return shortened(text, room, answer, inputs.count).text if answer is not None else text
