"""Answers to every kind of task, by rules and word statistics."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from contextwright.blocks.block import Block
from contextwright.blocks.transcript import transcript
from contextwright.memo.ownership import owned_growing
from contextwright.models.embedded.facts import conflicts, facts, known_facts
from contextwright.models.embedded.field_rules import missing, record
from contextwright.models.embedded.near_duplicates import duplicates, merged
from contextwright.models.embedded.packing_index import PackingIndex
from contextwright.models.embedded.statements import calls_in, statements
from contextwright.models.embedded.summary import FIRST_READ, blocks_read, summary
from contextwright.retrieval.context_rerank import rerank as shaped
from contextwright.retrieval.lexical import scores
from contextwright.spec.task import Answer, Task, answer_to

Count = Callable[[str], int]


def answer(task: Task, *, count: Count, fallback: str = "") -> Answer:
    """The answer to any task.

    Args:
        count: tokens of a text; a summary's room is measured with it.
        fallback: why no other model made it; empty where none was asked.
    """
    try:
        model, value = _MAKERS[task.kind](task, count)
    except Exception as error:  # noqa: BLE001 -- a rule's bug must not end a turn
        model, value = "none", _EMPTY_VALUES[task.kind](task)
        fallback = f"the embedded model failed: {type(error).__name__}: {error}"[:200]
    return answer_to(task, value, model, fallback=fallback, note=_note(task, value))


def _note(task: Task, value: Any) -> str:
    """What a summary did not read; what the rules left empty, where a schema is filled."""
    if task.kind == "summary" and not task.schema:
        read, every = len(blocks_read(task.blocks)), len(task.blocks)
        left = f"the first {FIRST_READ} and the newest {read - FIRST_READ} were read"
        return f"of {every:,} texts {left}; a language model reads all" if read < every else ""
    names = missing(task.schema, value) if task.schema and isinstance(value, dict) else []
    return f"nothing said was found for {', '.join(names)}; a language model may" if names else ""


_EMPTY_VALUES: dict[str, Callable[[Task], Any]] = {
    "summary": lambda task: {} if task.schema else "",
    "relevance": lambda task: [0] * len(task.blocks),
    "duplicates": lambda task: [],
    "record": lambda task: {},
    "facts": lambda task: known_facts(task.previous),
    "merge": lambda task: task.previous,
    "contradictions": lambda task: [],
    "premises": lambda task: [],
}
"""The value of an answer where the rules failed."""


def relevance(query: str, blocks: tuple[Block, ...]) -> list[int]:
    """How many of a query's words each block shares, in millionths of the best."""
    return scores(query, [transcript(block) for block in blocks])


def _summary(task: Task, count: Count) -> tuple[str, Any]:
    if task.schema:
        return "rules", _record(task)
    return "extractive", summary(task, count)


def _record(task: Task) -> dict[str, Any]:
    calls, arguments = calls_in(tuple(task.blocks))
    stated = sorted([*statements(task), *calls], key=lambda each: each.place)
    return record(task.schema, stated, arguments, task.previous)


def packing_scores(query: str, earlier: str, blocks: tuple[Block, ...]) -> list[int]:
    """Scores of blocks for a query under a token budget: by their words, their neighbours, their
    speaker and their length.

    Returns:
        A score for each block, in millionths of the best.
    """
    source = blocks[0].source if blocks else ""
    with owned_growing(("packing", source), PackingIndex) or nullcontext(PackingIndex()) as packing:
        packing.follow(blocks)
        scored = packing.index.scores(query, earlier=earlier.splitlines(), feedback=True)
        rerank = shaped(packing.items, scored, query)
    most = max(rerank, default=0.0)
    return [round(score / most * 1_000_000) if most > 0 else 0 for score in rerank]


def _relevance(task: Task) -> list[int]:
    if task.max_tokens:
        return packing_scores(task.query, task.previous, tuple(task.blocks))
    return relevance(task.query, tuple(task.blocks))


def _premises(task: Task) -> list[dict[str, Any]]:
    # experimental, and of no use to most: imported where it is asked for
    from contextwright.premises.premise_task import rule_answer

    return rule_answer(task)


_MAKERS: dict[str, Callable[[Task, Count], tuple[str, Any]]] = {
    "summary": _summary,
    "relevance": lambda task, count: ("lexical", _relevance(task)),
    "duplicates": lambda task, count: ("near", duplicates(tuple(task.blocks))),
    "record": lambda task, count: ("rules", _record(task)),
    "facts": lambda task, count: ("rules", facts(statements(task), task.previous)),
    "merge": lambda task, count: ("near", merged(task.previous, tuple(task.blocks))),
    "contradictions": lambda task, count: ("rules", conflicts(tuple(task.blocks))),
    "premises": lambda task, count: ("rules", _premises(task)),
}
