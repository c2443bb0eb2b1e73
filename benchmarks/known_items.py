"""Whether a text is found by six of its own words, how long that takes, and what an index costs.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.known_items [--sizes 10000,100000] [--only Index,...]

Texts are LoCoMo's turns, and past their number two of them joined, drawn with a fixed seed, so that
no text is there twice. A query is six different words of a text in any order. A hit is the text
among the ten best. Times are CPU time of one process, milliseconds, each engine in a process of its
own; memory is what the process grew by. bm25s, tantivy and SQLite's FTS5 with Porter's stems are
measured where they are installed, with their stop words kept.
"""

import argparse
import gzip
import importlib.util
import json
import os
import random
import re
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item

DATA = Path(os.environ.get("CONTEXTWRIGHT_DATA", "data"))
QUERIES = 400
K = 10
TARGET = 0.97
Search = Callable[[str], list[int]]
Add = Callable[[int, str], None]


def turns() -> list[str]:
    found = []
    with gzip.open(DATA / "locomo.jsonl.gz", "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            for session in row["sessions"]:
                found += [f"{turn['speaker']}: {turn['text']}" for turn in session["turns"]]
    return found


def texts(many: int) -> list[str]:
    said, dice = turns(), random.Random(7)
    joined = [f"{dice.choice(said)} {dice.choice(said)}" for _ in range(many - len(said))]
    return (said + joined)[:many]


def queries(each: list[str], many: int = QUERIES) -> list[tuple[int, str]]:
    dice, found = random.Random(1), []
    while len(found) < many:
        place = dice.randrange(len(each))
        words = list(dict.fromkeys(re.findall(r"\w+", each[place])))
        if len(words) >= 6:
            found.append((place, " ".join(dice.sample(words, 6))))
    return found


def ours(index: Any, each: list[str]) -> tuple[Search, Add]:
    index.add([Item(str(place), text) for place, text in enumerate(each)])
    return (
        lambda query: [int(hit.item.id) for hit in index.search(query, K)],
        lambda place, text: index.add([Item(str(place), text)]),
    )


def own(each: list[str]) -> tuple[Search, Add]:
    return ours(Index(), each)


def tantivy(each: list[str]) -> tuple[Search, Add]:
    from contextwright.retrieval.tantivy_index import TantivyIndex

    return ours(TantivyIndex(), each)


def fts5(each: list[str]) -> tuple[Search, None]:
    file = sqlite3.connect(":memory:")
    file.execute("CREATE VIRTUAL TABLE t USING fts5(w, content='', tokenize='porter unicode61')")
    file.executemany("INSERT INTO t(rowid, w) VALUES (?, ?)", enumerate(each))

    def search(query: str) -> list[int]:
        match = " OR ".join(f'"{word}"' for word in query.split())
        ranked = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t) LIMIT ?"
        return [row for (row,) in file.execute(ranked, (match, K))]

    return search, None


def bm25s(each: list[str]) -> tuple[Search, None]:
    import bm25s

    engine = bm25s.BM25()
    split: dict[str, Any] = {"stopwords": None, "show_progress": False}
    engine.index(bm25s.tokenize(each, **split), show_progress=False)

    def search(query: str) -> list[int]:
        found, _ = engine.retrieve(bm25s.tokenize(query, **split), k=K, show_progress=False)
        return [int(place) for place in found[0]]

    return search, None


ENGINES: dict[str, tuple[str, Callable[[list[str]], tuple[Search, Add | None]]]] = {
    "Index": ("contextwright", own),
    "TantivyIndex": ("tantivy", tantivy),
    "bm25s": ("bm25s", bm25s),
    "FTS5": ("sqlite3", fts5),
}


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = run()
    return 1_000 * (time.process_time() - start), result


def measured(name: str, many: int) -> dict[str, Any]:
    """One engine over so many texts."""
    each = texts(many)
    asked = queries(each)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    added, (search, add) = timed(lambda: ENGINES[name][1](each))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1_024
    took, hits = [], 0
    for place, query in asked:
        spent, found = timed(lambda query=query: search(query))
        took.append(spent)
        hits += any(each[row] == each[place] for row in found)
    one = []
    for n in range(100 if add else 0):
        one.append(timed(lambda n=n: add(many + n, f"{each[7 * n]} again"))[0])
        assert many + n in search(f"{each[7 * n]} again")
    took.sort()
    return {
        "hits": hits / len(asked),
        "p50": took[len(took) // 2],
        "p99": took[int(len(took) * 0.99)],
        "max": took[-1],
        "added": added,
        "one": sorted(one)[50] if one else None,
        "memory": grown,
    }


def row(name: str, many: int) -> str:
    code = f"import json; from benchmarks.known_items import measured; print(json.dumps(measured({name!r}, {many})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    m = json.loads(done.stdout)
    one = "-" if m["one"] is None else f"{m['one']:.2f}"
    return (
        f"| {name} | {m['hits']:.3f} | {m['p50']:.2f} | {m['p99']:.2f} | {m['max']:.2f} "
        f"| {m['added']:,.0f} | {one} | {m['memory']:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--only", default=",".join(ENGINES))
    asked = parser.parse_args()
    for many in map(int, asked.sizes.split(",")):
        print(f"\n| {many:,} texts | found | p50 | p99 | max | put in | one more | MB |")
        print("| --- |" + " ---: |" * 7)
        for name, (package, _) in ENGINES.items():
            if importlib.util.find_spec(package) and name in asked.only.split(","):
                print(row(name, many), flush=True)
    print(f"\nThe target at 10,000 texts is {TARGET}; a query within 1 ms at p50 and 5 at p99.")


if __name__ == "__main__":
    main()
