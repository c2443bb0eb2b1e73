"""How good the embedded models are, on real conversations.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.embedded

Relevance: of questions about month-long conversations (LoCoMo) and meetings (QMSum), how many have
a turn that answers them among the first k. Summaries: how many of the answers' words stay in a
summary that knows the question, beside one that does not, the first words and random sentences.
"""

import gzip
import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any

from contextwright.blocks.block import Block
from contextwright.models import embedded
from contextwright.spec.task import Task
from contextwright.text.search_terms import content_words
from contextwright.text.sentences import sentences
from contextwright.tokens.counter import named_counter

DATA = Path(os.environ.get("CONTEXTWRIGHT_DATA", "data"))
COUNT = named_counter("o200k_base").count
ROOM = 200


def rows(name: str) -> list[Any]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def block(id: Any, speaker: str, text: str, place: int) -> Block:
    return Block(id=str(id), source="data", text=f"{speaker}: {text}", order=place)


def locomo() -> list[tuple[tuple[Block, ...], str, set[str]]]:
    """(turns, question, ids of the turns that answer it)."""
    found = []
    for row in rows("locomo"):
        turns = [turn for session in row["sessions"] for turn in session["turns"]]
        blocks = tuple(block(t["id"], t["speaker"], t["text"], n) for n, t in enumerate(turns))
        for qa in row["qa"]:
            if qa["category"] != 5 and qa["evidence"]:
                found.append((blocks, qa["question"], set(qa["evidence"])))
    return found


def qmsum() -> list[tuple[tuple[Block, ...], str, set[str], str]]:
    """(turns, query, ids of the turns that answer it, the answer)."""
    found = []
    for row in rows("qmsum"):
        turns = row["messages"]
        blocks = tuple(block(t["id"], t["speaker"], t["content"], n) for n, t in enumerate(turns))
        for qa in row["qa"]:
            ids = {str(n) for first, last in qa["spans"] for n in range(int(first), int(last) + 1)}
            if ids:
                found.append((blocks, qa["question"], ids, qa["answer"]))
    return found


def hits(cases: Any, ks: tuple[int, ...]) -> dict[int, float]:
    """Share of the questions with an answering turn among the best k."""
    counted = dict.fromkeys(ks, 0)
    for blocks, question, ids, *_ in cases:
        scores = embedded.relevance(question, blocks)
        best = sorted(range(len(blocks)), key=lambda place: (-scores[place], -place))
        for k in ks:
            counted[k] += any(blocks[place].id in ids for place in best[:k])
    return {k: counted[k] / len(cases) for k in ks}


def kept(text: str, answer: str) -> float:
    """Share of an answer's telling words that a text has."""
    wanted = set(content_words(re.sub(r"speaker \w+", "", answer)))
    return len(wanted & set(content_words(text))) / len(wanted) if wanted else 1.0


def summaries(cases: Any) -> dict[str, float]:
    """Mean share of the answers' words in `ROOM` tokens made four ways."""
    dice, sums = random.Random(1), dict.fromkeys(("query", "none", "lead", "random"), 0.0)
    for blocks, question, _, answer in cases:
        for name, query in (("query", question), ("none", "")):
            task = Task(kind="summary", blocks=blocks, source="x", query=query, max_tokens=ROOM)
            sums[name] += kept(embedded.answer(task, count=COUNT).value, answer)
        every = [line for one in blocks for line in sentences(one.text)]
        sums["lead"] += kept(within(every), answer)
        dice.shuffle(every)
        sums["random"] += kept(within(every), answer)
    return {name: total / len(cases) for name, total in sums.items()}


def within(lines: list[str]) -> str:
    """As many lines as there is room for."""
    out, room = [], ROOM
    for line in lines:
        room -= COUNT(line) + 1
        if room < 0:
            break
        out.append(line)
    return "\n".join(out)


def main() -> None:
    cases = qmsum()
    for name, found in (("LoCoMo", locomo()), ("QMSum", cases)):
        shown = "  ".join(
            f"hit@{k} {share:.2f}" for k, share in hits(found, (1, 5, 10, 20)).items()
        )
        print(f"{name}: {len(found)} questions, lexical: {shown}")
    shown = "  ".join(f"{name} {share:.3f}" for name, share in summaries(cases[:60]).items())
    print(f"QMSum: words of the answer in {ROOM} tokens: {shown}")


if __name__ == "__main__":
    sys.exit(main())
