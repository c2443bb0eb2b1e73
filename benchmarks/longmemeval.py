"""LongMemEval's own retrieval scores, with tokens as the third axis, for whoever has its data.

    python -m benchmarks.longmemeval longmemeval_s.json [--level turn|session] [--questions N]

The data is not part of the project. Scores are those of LongMemEval's `evaluate_retrieval`: at k items
`recall_any`, `recall_all` and nDCG, over what the user said, by turn or by session; questions about what
never was said (`_abs`), and those whose evidence no user turn has, are left out as there. Beside each k
stand the tokens that so many items take; below, the same recalls for what fits a budget.
"""

import argparse
import json
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.lexical import scores
from contextwright.retrieval.token_budget import within
from contextwright.tokens.counter import named_counter

Level = Literal["turn", "session"]
DEPTHS = (1, 3, 5, 10, 30, 50)
BUDGETS = (500, 1_000, 2_000, 4_000, 8_000)
COUNT = lru_cache(maxsize=None)(named_counter("o200k_base").count)


class Instance(NamedTuple):
    """A question about many conversations, and the ids of what answers it."""

    id: str
    sort: str
    question: str
    items: list[Item]
    gold: frozenset[str]


class Recall(NamedTuple):
    """Whether any and all of the evidence is there, how early, and what it takes."""

    any: float
    all: float
    ndcg: float
    tokens: float


def instances(rows: Sequence[dict[str, Any]], level: Level) -> Iterator[Instance]:
    """The questions that are scored."""
    for row in rows:
        items, gold = (_turns if level == "turn" else _sessions)(row)
        if gold and not row["question_id"].endswith("_abs"):
            sort = row["question_type"]
            yield Instance(row["question_id"], sort, row["question"], items, frozenset(gold))


def _user_turns(row: dict[str, Any]) -> Iterator[tuple[str, list[tuple[int, dict[str, Any]]]]]:
    pairs = zip(row["haystack_session_ids"], row["haystack_sessions"], strict=True)
    for session, turns in pairs:
        yield session, [(at, t) for at, t in enumerate(turns, 1) if t["role"] == "user"]


def _turns(row: dict[str, Any]) -> tuple[list[Item], list[str]]:
    items, gold = [], []
    for session, turns in _user_turns(row):
        for at, turn in turns:
            items.append(Item(f"{session}_{at}", turn["content"], "turn", "user", session))
            if turn.get("has_answer"):
                gold.append(items[-1].id)
    return items, gold


def _sessions(row: dict[str, Any]) -> tuple[list[Item], list[str]]:
    found = [(session, turns) for session, turns in _user_turns(row) if turns]
    items = [
        Item(session, " ".join(turn["content"] for _, turn in turns), "passage")
        for session, turns in found
    ]
    evidence = {s for s, turns in found if any(turn.get("has_answer") for _, turn in turns)}
    return items, sorted(evidence & set(row["answer_session_ids"]))


def recalled(sent: Sequence[Item], gold: frozenset[str], most: int | None = None) -> Recall:
    """The scores of what is sent, in its order, of `most` that might have been."""
    ids = [item.id for item in sent]
    marks = [id in gold for id in ids]
    return Recall(
        float(any(marks)),
        float(gold <= set(ids)),
        _gain(marks) / _gain([True] * min(len(gold), most or len(ids))) if ids else 0.0,
        sum(COUNT(item.text) for item in sent),
    )


def _gain(marks: Sequence[bool]) -> float:
    """LongMemEval's: the second place counts as the first."""
    return sum(mark / math.log2(max(2, at)) for at, mark in enumerate(marks, 1))


Order = Callable[[list[Item], str], list[Item]]


def by_words(items: list[Item], question: str) -> list[Item]:
    """All items, by BM25."""
    worth = scores(question, [item.text for item in items])
    return [items[at] for at in sorted(range(len(items)), key=lambda at: (-worth[at], at))]


def by_index(items: list[Item], question: str) -> list[Item]:
    """The best fifty of our index."""
    index = Index()
    index.add(items)
    return [hit.item for hit in index.search(question, max(DEPTHS))]


ORDERS: dict[str, Order] = {"BM25": by_words, "search, ours": by_index}


def at_depths(asked: Sequence[Instance], order: Order) -> dict[int, Recall]:
    """Means at each k."""
    found: dict[int, list[Recall]] = {k: [] for k in DEPTHS}
    for one in asked:
        ranked = order(one.items, one.question)
        for k in DEPTHS:
            found[k].append(recalled(ranked[:k], one.gold, k))
    return {k: _mean(some) for k, some in found.items()}


def in_budgets(asked: Sequence[Instance]) -> dict[int, Recall]:
    """Means of what `within` sends at each budget: shortened items count as left out."""
    found: dict[int, list[Recall]] = {room: [] for room in BUDGETS}
    for one in asked:
        index, whole = Index(), {item.id: item.text for item in one.items}
        index.add(one.items)
        for room in BUDGETS:
            sent = within(index, one.question, room, COUNT)
            kept = [item for item in sent if item.text == whole[item.id]]
            found[room].append(recalled(kept, one.gold))
    return {room: _mean(some) for room, some in found.items()}


def _mean(some: Sequence[Recall]) -> Recall:
    return Recall(*(statistics.mean(column) for column in zip(*some, strict=True)))


def tables(asked: Sequence[Instance]) -> Iterator[str]:
    """What is printed."""
    yield f"{len(asked)} questions\n"
    yield "| | k | recall_any | recall_all | nDCG | tokens |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for name, order in ORDERS.items():
        for k, mean in at_depths(asked, order).items():
            yield f"| {name} | {k} | {mean.any:.3f} | {mean.all:.3f} | {mean.ndcg:.3f} | {mean.tokens:,.0f} |"
    yield "\n| within, ours | recall_any | recall_all | tokens |"
    yield "| ---: | ---: | ---: | ---: |"
    for room, mean in in_budgets(asked).items():
        yield f"| {room:,} | {mean.any:.3f} | {mean.all:.3f} | {mean.tokens:,.0f} |"


def main() -> None:
    """Score a file of LongMemEval."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--level", choices=["turn", "session"], default="turn")
    parser.add_argument("--questions", type=int, help="the first so many")
    given = parser.parse_args()
    rows = json.loads(given.data.read_text(encoding="utf-8"))[: given.questions]
    for line in tables(list(instances(rows, given.level))):
        print(line, flush=True)


if __name__ == "__main__":
    main()
