"""Premises as work for a model: the question and what comes nearest to it in what is known.

The rules have judged before: the embedded model gives their answer back, a language model is not
told it.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.transcript import transcript
from contextwright.premises.block_items import items_of
from contextwright.premises.premise_check import (
    QUOTED,
    Finding,
    PremiseResult,
    check_premises,
    result_of,
)
from contextwright.premises.presuppositions import Premise, extract_premises
from contextwright.retrieval.item import Item
from contextwright.retrieval.stems import stems
from contextwright.spec.task import Task

ASKS = ("?", "\uff1f", "\u061f", "\u037e")
"""What a question ends with, in most scripts."""
LONGEST = 4_000
"""Characters of a question that a model reads."""


def premise_task(
    question: str,
    blocks: Sequence[Block],
    *,
    model: str = "",
    asker: str = "",
    listener: str = "",
    unread: bool = False,
    read: Callable[[Block], tuple[Item, ...]] = items_of,
) -> Task | None:
    """The task of judging a question by what is known; None where it takes nothing for granted.

    Args:
        blocks: what is known, the oldest first, redacted already.
        model: who judges; empty for the one at hand.
        asker: who `I` is in the question. listener: who `you` is.
        unread: whether a model is also asked about a question that the patterns can not read, in
            another language for one.
        read: the items of a block, from memory where that saves time.
    """
    premises = extract_premises(question)
    plain = bool(premises)
    if not plain and unread and question.rstrip().endswith(ASKS):
        premises = (Premise(question[:LONGEST], "", tuple(dict.fromkeys(stems(question)))),)
    if not premises:
        return None
    items: list[Item] = []
    owners: list[int] = []
    for place, block in enumerate(blocks):
        found = read(block)
        items += found
        owners += [place] * len(found)
    result = check_premises(premises, items, asker=asker, listener=listener)
    near = sorted({owners[place] for one in result.findings for place in one.near})
    shown = {owner: place for place, owner in enumerate(near)}
    rows = [
        _row(one, [shown[owners[p]] for p in one.near if items[p].id in one.evidence])
        for one in (result.findings if plain else ())
    ]
    candidates = tuple(blocks[place] for place in near)
    said = "\n".join(f"{block.id}\n{transcript(block)}" for block in candidates)
    return Task(
        kind="premises",
        model=model,
        query=question[:LONGEST],
        previous=msgspec.json.encode(rows).decode(),
        blocks=candidates,
        source=sha256(said.encode("utf-8", "surrogatepass")).hexdigest(),
    )


def premise_rows(query: str, blocks: Blocks) -> list[dict[str, Any]]:
    """What the rules say of a question and a few blocks, as `Answer.value` has it."""
    task = premise_task(query, blocks)
    if task is None:
        return []
    rows: list[dict[str, Any]] = msgspec.json.decode(task.previous)
    there = {block.id: place for place, block in enumerate(blocks)}
    for row in rows:
        row["evidence"] = [there[task.blocks[place].id] for place in row["evidence"]]
    return rows


def premise_result(value: Sequence[Any], blocks: Blocks) -> PremiseResult:
    """The result that an answer's value is; its evidence as refs of the blocks that were read."""
    findings: list[Finding] = []
    for row in value:
        read = [blocks[place] for place in row["evidence"] if 0 <= place < len(blocks)]
        refs = tuple(dict.fromkeys(block.ref or block.id for block in read))
        told = row.get("known", "")
        if not told and read and row["verdict"] != "valid":
            told = transcript(read[0])[: 2 * QUOTED]
        premise = Premise(_line(row["premise"]))
        findings.append(Finding(premise, row["verdict"], _line(row["reason"]), refs, _line(told)))
    return result_of(findings)


def _line(text: str) -> str:
    """On one line, and no longer than what the rules quote."""
    return " ".join(text[: 2 * QUOTED].split())


def _row(one: Finding, places: list[int]) -> dict[str, Any]:
    return {
        "premise": one.premise.text,
        "verdict": one.verdict,
        "reason": one.reason,
        "evidence": list(dict.fromkeys(places)),
        "known": one.known,
    }
