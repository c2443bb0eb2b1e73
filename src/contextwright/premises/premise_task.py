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
from contextwright.premises.findings import (
    PremiseFinding,
    PremiseResult,
    Presupposition,
    Verdict,
    result_of,
)
from contextwright.premises.premise_check import MAX_QUOTE, check_premises
from contextwright.premises.presuppositions import extract_premises
from contextwright.retrieval.item import Item
from contextwright.retrieval.plain_forms import plain_stems
from contextwright.spec.task import Task
from contextwright.typed_decoding import converted, decoder

QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")
"""What a question ends with, in most scripts."""
MAX_QUERY = 4_000

ReadItems = Callable[[Block], tuple[Item, ...]]


class PremiseRow(msgspec.Struct):
    """A verdict as an answer's value has it; `evidence` are places of the task's blocks."""

    premise: str
    verdict: Verdict
    reason: str
    evidence: list[int]
    known: str = ""


def premise_task(
    question: str,
    blocks: Sequence[Block],
    *,
    model: str = "",
    asker: str = "",
    any_language: bool = False,
    read: ReadItems = items_of,
) -> Task | None:
    """The task of judging a question by what is known.

    Args:
        blocks: what is known, the oldest first, redacted already.
        model: who judges; empty for the one at hand.
        asker: who `I` is in the question.
        any_language: whether a model is also asked what the patterns can not read.
        read: the items of a block, from memory where that saves time.

    Returns:
        The task; None where the question takes nothing for granted.
    """
    premises, is_read = premises_of(question, any_language)
    if not premises:
        return None
    rows, nearest = _judged(premises, blocks, asker, read)
    for row in rows:
        row.evidence = [nearest.index(place) for place in row.evidence]
    candidates = tuple(blocks[place] for place in nearest)
    shown = "\n".join(f"{block.id}\n{transcript(block)}" for block in candidates)
    return Task(
        kind="premises",
        model=model,
        query=question[:MAX_QUERY],
        previous=msgspec.json.encode(rows if is_read else []).decode(),
        blocks=candidates,
        source=sha256(shown.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def premises_of(question: str, any_language: bool) -> tuple[tuple[Presupposition, ...], bool]:
    """What a question takes for granted, and whether the patterns could read it; where they could
    not, and any language will do, all of it."""
    premises = extract_premises(question)
    if premises or not (any_language and question.rstrip().endswith(QUESTION_MARKS)):
        return premises, bool(premises)
    terms = tuple(dict.fromkeys(plain_stems(question)))
    return (Presupposition(question[:MAX_QUERY], terms),), False


def rule_answer(task: Task) -> list[dict[str, Any]]:
    """The rules' verdicts as `Answer.value`: those in the task, made over all that is known; else
    those by its blocks."""
    try:
        rows = decoder(list[PremiseRow]).decode(task.previous)
    except (msgspec.DecodeError, RecursionError):
        rows, _ = _judged(extract_premises(task.query), task.blocks)
    return msgspec.to_builtins(rows)


def premise_result(value: Sequence[Any], blocks: Blocks) -> PremiseResult:
    """The result that an answer's value is; its evidence as refs of the blocks that were read."""
    findings: list[PremiseFinding] = []
    for row in converted(value, list[PremiseRow]):
        read = [blocks[place] for place in row.evidence if 0 <= place < len(blocks)]
        refs = tuple(dict.fromkeys(block.ref or block.id for block in read))
        is_quoted = bool(read) and row.verdict != "valid"
        known = row.known or (transcript(read[0]) if is_quoted else "")
        premise = Presupposition(_line(row.premise))
        findings.append(PremiseFinding(premise, row.verdict, _line(row.reason), refs, _line(known)))
    return result_of(findings)


def _judged(
    premises: Sequence[Presupposition],
    blocks: Sequence[Block],
    asker: str = "",
    read: ReadItems = items_of,
) -> tuple[list[PremiseRow], list[int]]:
    """The rules' verdicts with places of blocks as evidence, and the nearest blocks' places."""
    pairs = [(place, item) for place, block in enumerate(blocks) for item in read(block)]
    findings = check_premises(premises, [item for _, item in pairs], asker=asker).findings
    rows: list[PremiseRow] = []
    for each in findings:
        near = [pairs[place] for place in each.near]
        owners = dict.fromkeys(owner for owner, item in near if item.id in each.evidence)
        text = each.premise.text
        rows.append(PremiseRow(text, each.verdict, each.reason, list(owners), each.known))
    return rows, sorted({pairs[place][0] for each in findings for place in each.near})


def _line(text: str) -> str:
    """On one line, and no longer than what the rules quote."""
    return " ".join(text[: 2 * MAX_QUOTE].split())
