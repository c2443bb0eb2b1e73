"""One text in at most so many tokens: a summary, or, where none was made, what its content needs.

Every word and adapter that shortens a text by itself comes here: what is asked of a model, and
what becomes of its answer, is decided once.
"""

from hashlib import sha256

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.spec.task import Answer, Task
from contextwright.text.content_router import shorten
from contextwright.text.cut import Count
from contextwright.text.sentence_cut import is_whole, sentence_cut
from contextwright.text.sentences import sentences

SUMMARY_ROOM = 12
"""Tokens below which no summary is asked for: it could not be a sentence."""
EXTRACTIVE = "extractive"
"""The embedded model: it chooses sentences and writes none."""
PER_BLOCK = 8
"""Sentences of one block: as many as an embedded model reads of each."""
LONG_BLOCK = 1_200
"""Characters from which on a block ends with the sentence at hand."""


class Short(msgspec.Struct, frozen=True):
    """A text, shortened.

    Args:
        by: who made it: a model's name; `cut`; empty where the text is as it was.
        why: why nobody better did; empty where that is not so.
    """

    text: str
    by: str = ""
    why: str = ""


def summary_task(
    text: str, max_tokens: int, *, model: str = "", prompt: str = "", query: str = ""
) -> Task:
    """What is asked of a model so that a text has at most `max_tokens`.

    Args:
        prompt: how to do it.
        query: what the text is read for.
    """
    return Task(
        kind="summary",
        model=model,
        prompt=prompt,
        query=query,
        max_tokens=max_tokens,
        blocks=_blocks(text),
        source=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def shortened(
    text: str,
    max_tokens: int,
    answer: Answer | None,
    count: Count,
    tail: str = "",
    query: str = "",
) -> Short:
    """The text in at most `max_tokens`, and never longer than it was (rules.md#it-must-pay).

    Where no model summarized it, it is shortened by its kind of content, every hole marked. Of
    prose, and of what is read for a question, the sentences that the embedded model chose stay
    before others; a program, a log or a table has lines that say more of it than frequent words.

    Args:
        answer: to the `summary_task`; None where none was asked.
        tail: what says where the whole stands; part of the tokens, left out where it has no room.
        query: the task's.
    """
    tokens = count(text)
    if tokens <= max_tokens:
        return Short(text)
    spare = max_tokens - count(tail) if tail else max_tokens
    if spare < min(SUMMARY_ROOM, max_tokens):
        spare, tail = max_tokens, ""
    made = _made(text, spare, answer, count, query)
    whole = made.text + tail
    if (over := count(whole) - max_tokens) > 0:  # two pieces may count a token more than their sum
        made = msgspec.structs.replace(made, text=shorten(made.text, spare - over - 1, count).text)
        whole = made.text + tail
    return msgspec.structs.replace(made, text=whole) if count(whole) < tokens else Short(text)


def _made(text: str, room: int, answer: Answer | None, count: Count, query: str) -> Short:
    if answer is None:
        return Short(shorten(text, room, count).text, "cut")
    summary = str(answer.value).strip()
    if answer.model == EXTRACTIVE:
        # its sentences stand in the text: chosen there, what lies between them can be marked
        keep_in = None if query else ("prose",)
        chosen = shorten(text, room, count, keep=summary.splitlines(), keep_in=keep_in)
        by = EXTRACTIVE if chosen.kind == "prose" and summary else chosen.kind or "cut"
        return Short(chosen.text, by, answer.fallback)
    if not summary or not is_whole(summary):
        why = "an empty summary" if not summary else "a summary with half a code block"
        why = answer.fallback or f"{answer.model} gave {why}"
        return Short(shorten(text, room, count).text, "cut", why)
    tokens = count(summary)
    if tokens <= room:
        return Short(summary, answer.model, answer.fallback)
    why = f"{answer.model} gave {tokens:,} tokens where {room:,} were asked"
    return Short(sentence_cut(summary, room, count), f"{answer.model}, cut", why)


def _blocks(text: str) -> Blocks:
    """The text in blocks of a few sentences each: a model that picks sentences reads only the
    ends of a long block, and one that is too long for a question is asked in pieces."""
    groups: list[list[str]] = [[]]
    length = 0
    for sentence in sentences(text):
        if len(groups[-1]) >= PER_BLOCK or length > LONG_BLOCK:
            groups.append([])
            length = 0
        groups[-1].append(sentence)
        length += len(sentence)
    return tuple(
        Block(id=f"part{n}", source="text", text="\n".join(group))
        for n, group in enumerate(groups)
        if group
    )
