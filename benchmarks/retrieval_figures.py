"""`benchmarks.retrieval` with intervals, as a file of figures: questions of a conversation are drawn
together.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.retrieval_figures [SET ...] [--methods ...]

Sets and methods that are not asked for keep their figures.
"""

import argparse
from collections.abc import Sequence
from typing import Any

from benchmarks import figures
from benchmarks.intervals import mean_interval
from benchmarks.retrieval import BUDGETS, TARGETS, Pack, methods, recall
from benchmarks.retrieval_corpora import SETS, Corpus
from contextwright.retrieval.item import Item

CHOSEN = ("recency", "BM25", "bm25s", "within")
"""What the page shows; the rest is on docs/reference/retrieval.md."""


def recalls(corpora: list[Corpus], make: Any, rooms: Sequence[int]) -> list[list[list[float]]]:
    """By budget, the share of each question's evidence, by conversation."""
    kept: dict[int, tuple[Pack, dict[str, Item]]] = {}
    found: list[list[list[float]]] = [[] for _ in rooms]
    for items, questions in corpora:
        if id(items) not in kept:
            kept[id(items)] = make(items), {item.id: item for item in items}
        pack, full = kept[id(items)]
        shares = [[recall(each, full, pack(each, room)) for room in rooms] for each in questions]
        for place, groups in enumerate(found):
            groups.append([each[place] for each in shares])
    return found


def measured(name: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """A set's figures by method and budget."""
    corpora, rows = SETS[name](), []
    for method, make in chosen.items():
        cells = [mean_interval(groups) for groups in recalls(corpora, make, BUDGETS[name])]
        rows.append({"method": method, "recall": cells})
        print(name, rows[-1], flush=True)
    return {
        "set": name,
        "questions": sum(len(each.questions) for each in corpora),
        "budgets": list(BUDGETS[name]),
        "targets": [TARGETS.get((name, room)) for room in BUDGETS[name]],
        "rows": rows,
    }


def merged(new: list[dict[str, Any]], old: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sets as they were, with the rows of the methods that were measured anew in their places."""
    found = {part["set"]: part for part in old}
    for part in new:
        before = found.get(part["set"], part)["rows"]
        rows = {row["method"]: row for row in [*before, *part["rows"]]}
        found[part["set"]] = part | {"rows": list(rows.values())}
    return list(found.values())


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sets", nargs="*", default=[name for name in SETS if name != "bfcl_memory"])
    parser.add_argument("--methods", default=",".join(CHOSEN))
    given = parser.parse_args()
    wanted = given.methods.split(",")
    chosen = {name: make for name, make in methods().items() if name in wanted}
    parts = [measured(name, chosen) for name in given.sets]
    before = figures.load("retrieval") or {"parts": []}
    parts = merged(parts, before["parts"])
    print(figures.save("retrieval", "python -m benchmarks.retrieval_figures", ("bm25s",), parts))


if __name__ == "__main__":
    main()
