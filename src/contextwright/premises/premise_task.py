"""The port: a question and what comes nearest to it in what is known, as work for a model.

The rules judge first, over all that is known. The embedded model gives their verdicts back; a
language model judges anew from the nearest blocks and is not told them.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.transcript import transcript
from contextwright.premises.block_items import items_of
from contextwright.premises.findings import Finding, PremiseResult, Presupposition, result_of
from contextwright.premises.premise_check import MAX_QUOTE, check_premises
from contextwright.premises.presuppositions import extract_premises
from contextwright.retrieval.item import Item
from contextwright.retrieval.stems import stems
from contextwright.spec.task import Task

QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")
"""What a question ends with, in most scripts."""
MAX_QUERY = 4_000
"""Characters of a question that a model reads."""


def premise_task(
    question: str,
    blocks: Sequence[Block],
    *,
    model: str = "",
    asker: str = "",
    any_language: bool = False,
    read: Callable[[Block], tuple[Item, ...]] = items_of,
) -> Task | None:
    """The task of judging a question by what is known.

    Args:
        question: the user's words.
        blocks: what is known, the oldest first, redacted already.
        model: who judges; empty for the one at hand.
        asker: who `I` is in the question.
        any_language: whether a model is also asked about a question that the patterns can not
            read.
        read: the items of a block, from memory where that saves time.

    Returns:
        The task; None where the question takes nothing for granted.
    """
    premises = extract_premises(question)
    is_read = bool(premises)
    if not is_read and any_language and question.rstrip().endswith(QUESTION_MARKS):
        premises = (Presupposition(question[:MAX_QUERY], tuple(dict.fromkeys(stems(question)))),)
    if not premises:
        return None
    pairs = [(place, item) for place, block in enumerate(blocks) for item in read(block)]
    result = check_premises(premises, [item for _, item in pairs], asker=asker)
    nearest = sorted({pairs[place][0] for each in result.findings for place in each.near})
    rows = [_row(each, pairs, nearest) for each in (result.findings if is_read else ())]
    candidates = tuple(blocks[place] for place in nearest)
    shown = "\n".join(f"{block.id}\n{transcript(block)}" for block in candidates)
    return Task(
        kind="premises",
        model=model,
        query=question[:MAX_QUERY],
        previous=msgspec.json.encode(rows).decode(),
        blocks=candidates,
        source=sha256(shown.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def rule_answer(task: Task) -> list[dict[str, Any]]:
    """The rules' verdicts as `Answer.value`: those in the task, made over all that is known; else
    those by its blocks."""
    try:
        rows: Any = msgspec.json.decode(task.previous) if task.previous else None
    except (msgspec.DecodeError, RecursionError):
        rows = None
    if isinstance(rows, list) and all(_is_row(row, len(task.blocks)) for row in rows):
        return rows
    alone = premise_task(task.query, task.blocks)
    if alone is None:
        return []
    rows = msgspec.json.decode(alone.previous)
    for row in rows:
        row["evidence"] = [task.blocks.index(alone.blocks[place]) for place in row["evidence"]]
    return rows


def premise_result(value: Sequence[Any], blocks: Blocks) -> PremiseResult:
    """The result that an answer's value is; its evidence as refs of the blocks that were read."""
    findings: list[Finding] = []
    for row in value:
        read = [blocks[place] for place in row["evidence"] if 0 <= place < len(blocks)]
        refs = tuple(dict.fromkeys(block.ref or block.id for block in read))
        known = row.get("known", "")
        if not known and read and row["verdict"] != "valid":
            known = transcript(read[0])
        premise = Presupposition(_line(row["premise"]))
        findings.append(Finding(premise, row["verdict"], _line(row["reason"]), refs, _line(known)))
    return result_of(findings)


def _line(text: str) -> str:
    """On one line, and no longer than what the rules quote."""
    return " ".join(text[: 2 * MAX_QUOTE].split())


def _row(found: Finding, pairs: Sequence[tuple[int, Item]], nearest: list[int]) -> dict[str, Any]:
    near = (pairs[place] for place in found.near)
    owners = (owner for owner, item in near if item.id in found.evidence)
    return {
        "premise": found.premise.text,
        "verdict": found.verdict,
        "reason": found.reason,
        "evidence": [nearest.index(owner) for owner in dict.fromkeys(owners)],
        "known": found.known,
    }


def _is_row(row: Any, count: int) -> bool:
    return (
        isinstance(row, dict)
        and {"premise", "verdict", "reason", "evidence"} <= row.keys()
        and row["verdict"] in {"valid", "unknown", "invalid"}
        and isinstance(row["evidence"], list)
        and all(isinstance(place, int) and 0 <= place < count for place in row["evidence"])
    )
