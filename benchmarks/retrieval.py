"""How much of the evidence for a question is in what is retrieved within a budget.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.retrieval [--only locomo,qmsum] [--methods ...]
        [--every 4]

Questions about month-long conversations (LoCoMo, without its adversarial questions, whose answer is
not there; BEAM 100k; BFCL memory), about meetings (QMSum) and about passages (MTRAG-UN); and the
tools that a request needs among 128 (BFCL). Recall is the mean share of a question's gold items
that were sent; a shortened one counts by the share of its five-word runs. Tokens are o200k's.
Every figure is given for all questions and, in brackets, for the halves: the conversations at
even places, on which weights were searched for, and those at odd places.

Every unit costs its tokens and 4 of a message. `within` sends a session's date with the first of
its units only.

Hybrid search needs a folder with an embedder in CONTEXTWRIGHT_EMBEDDER, a static one or a BERT
(its vectors are kept in the file CONTEXTWRIGHT_VECTORS, where one is named); `bm25s` is compared
with where it is installed.
"""

import argparse
import importlib.util
import json
import os
import random
import re
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from benchmarks.retrieval_corpora import SETS, Corpus, Question, rows
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.kept_vectors import KeptVectors
from contextwright.retrieval.lexical import scores
from contextwright.retrieval.mmr import by_vectors
from contextwright.retrieval.said_once import session_of
from contextwright.retrieval.sentence_embedder import SentenceEmbedder
from contextwright.retrieval.static_embedder import StaticEmbedder
from contextwright.retrieval.token_budget import Ranking, ranked
from contextwright.retrieval.tool_index import ToolIndex
from contextwright.retrieval.vectors import Vectorizer
from contextwright.session.event import Tool
from contextwright.tokens.counter import named_counter

FOLDER = os.environ.get("CONTEXTWRIGHT_EMBEDDER", "")
TOKENS = named_counter("o200k_base").count
UNIT = 4
"""Tokens of a unit beside those of its text, as of a message."""
VECTORS = os.environ.get("CONTEXTWRIGHT_VECTORS", "")
BUDGETS = {
    "locomo": (500, 1_000, 2_000, 4_000, 8_000, 16_000),
    "beam_100k": (2_000, 8_000, 16_000),
    "qmsum": (1_000, 4_000, 8_000),
    "mtrag_un": (500, 2_000, 4_000),
    "bfcl_memory": (500, 1_000),
}
TARGETS = {
    ("locomo", 500): 0.74,
    ("locomo", 1_000): 0.81,
    ("locomo", 2_000): 0.87,
    ("locomo", 4_000): 0.91,
    ("locomo", 8_000): 0.95,
    ("locomo", 16_000): 0.97,
    ("beam_100k", 2_000): 0.76,
    ("beam_100k", 8_000): 0.90,
    ("beam_100k", 16_000): 0.94,
    ("qmsum", 4_000): 0.60,
    ("mtrag_un", 2_000): 0.90,
}
TOOLS_SENT = 10


@cache
def cost(text: str) -> int:
    return TOKENS(text) + UNIT


Pack = Callable[[Question, int], list[Item]]
"""What a method sends for a question within a budget."""


def greedy(items: Sequence[Item], order: Sequence[int], room: int) -> list[Item]:
    found = []
    for place in order:
        size = cost(items[place].text)
        if size <= room:
            found.append(items[place])
            room -= size
    return found


def recency(items: list[Item]) -> Pack:
    order = range(len(items) - 1, -1, -1)
    return lambda question, room: greedy(items, order, room)


def plain(items: list[Item]) -> Pack:
    texts = [item.text for item in items]

    @lru_cache(maxsize=1)
    def order(query: str) -> list[int]:
        found = scores(query, texts)
        return sorted((n for n in range(len(texts)) if found[n]), key=lambda n: (-found[n], n))

    return lambda question, room: greedy(items, order(question.text), room)


def other(items: list[Item]) -> Pack:
    import bm25s

    engine = bm25s.BM25()
    texts = [item.text for item in items]
    engine.index(bm25s.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    @lru_cache(maxsize=1)
    def order(query: str) -> list[int]:
        asked = bm25s.tokenize(query, stopwords="en", show_progress=False)
        places, _ = engine.retrieve(asked, k=len(items), show_progress=False)
        return [int(place) for place in places[0]]

    return lambda question, room: greedy(items, order(question.text), room)


def searched(items: list[Item], **options: Any) -> Pack:
    """The best hits in their order, and nothing more."""
    index = Index(**options)
    index.add(items)

    @lru_cache(maxsize=1)
    def found(query: str) -> list[Item]:
        return [hit.item for hit in index.search(query, 400)]

    return lambda question, room: greedy(
        found(question.text), range(len(found(question.text))), room
    )


def packed(items: list[Item], earlier: bool = True, **options: Any) -> Pack:
    index = Index(**options)
    index.add(items)

    @lru_cache(maxsize=1)
    def ranking(query: str, before: tuple[str, ...]) -> Ranking:
        return ranked(index, query, earlier=before)

    return lambda question, room: ranking(
        question.text, tuple(question.earlier) if earlier else ()
    ).packed(room, cost)


def methods() -> dict[str, Callable[[list[Item]], Pack]]:
    found: dict[str, Callable[[list[Item]], Pack]] = {"recency": recency, "BM25": plain}
    if importlib.util.find_spec("bm25s"):
        found["bm25s"] = other
    found["search"] = searched
    found["search + MMR"] = lambda items: searched(items, mmr=0.9)
    found["search + expansion"] = lambda items: searched(items, expand=True)
    found["within"] = packed
    found["within, question alone"] = lambda items: packed(items, earlier=False)
    found["within + expansion"] = lambda items: packed(items, expand=True)
    if FOLDER:
        embedder = folder_embedder()
        found["hybrid search"] = lambda items: searched(items, embedder=embedder)
        found["hybrid search, RRF"] = lambda items: searched(items, embedder=embedder, fusion="rrf")
        found["hybrid + MMR"] = lambda items: searched(items, embedder=embedder, mmr=0.9)
        found["hybrid within"] = lambda items: packed(items, embedder=embedder)
    return found


_WORD = re.compile(r"\w+")


@lru_cache(maxsize=4_096)
def runs(text: str) -> frozenset[tuple[str, ...]]:
    said = _WORD.findall(text.lower())
    return frozenset(tuple(said[n : n + 5]) for n in range(max(1, len(said) - 4)))


def recall(question: Question, full: dict[str, Item], sent: list[Item]) -> float:
    texts = {item.id: item.text for item in sent}
    whole = (full[item.id] for item in sent if item.text == full[item.id].text)
    dated = {session_of(item) for item in whole}
    total = 0.0
    for id in question.gold:
        text, session = texts.get(id), session_of(full[id])
        if text is not None and session in dated and session and not text.startswith(session[1]):
            text = session[1] + text  # its date stands above it
        if text is not None:
            gold = runs(full[id].text)
            total += 1 if text == full[id].text else len(gold & runs(text)) / len(gold)
    return total / len(question.gold)


def measured(
    name: str, corpora: list[Corpus], make: Callable[[list[Item]], Pack], every: int = 1
) -> list[str]:
    found: dict[int, tuple[list[float], list[float]]] = {n: ([], []) for n in BUDGETS[name]}
    kept: dict[int, tuple[Pack, dict[str, Item]]] = {}
    for place, (items, questions) in enumerate(corpora):
        if id(items) not in kept:
            kept[id(items)] = make(items), {item.id: item for item in items}
        pack, full = kept[id(items)]
        for question in questions[::every]:
            for room in BUDGETS[name]:
                sent = pack(question, room)
                assert sum(cost(item.text) for item in sent) <= room
                found[room][place % 2].append(recall(question, full, sent))
    return [cell(*halves) for halves in found.values()]


def cell(even: list[float], odd: list[float]) -> str:
    halves = f"{statistics.mean(even):.2f} {statistics.mean(odd):.2f}"
    return f"{statistics.mean(even + odd):.3f} ({halves})"


Chosen = Callable[[str], list[str]]
"""The names of the tools that are sent for a request."""


def tools(choose: Chosen) -> str:
    """Tools that requests' calls need, among the ten sent: of all that are needed, and as a mean
    over requests."""
    _, *sessions = rows("bfcl_tools")
    means: tuple[list[float], list[float]] = ([], [])
    needs: tuple[list[float], list[float]] = ([], [])
    for place, session in enumerate(sessions):
        for turn in session["turns"]:
            needed = {call.partition("(")[0] for call in turn["calls"]}
            if needed:
                sent = set(choose(turn["user"]))
                means[place % 2].append(len(needed & sent) / len(needed))
                needs[place % 2].extend(name in sent for name in sorted(needed))
    return f"{cell(*needs)} | {cell(*means)}"


def choosers() -> Iterator[tuple[str, Chosen]]:
    """Ways to choose tools: a definition's text in an index, and `ToolIndex`."""
    first, *_ = rows("bfcl_tools")
    texts = [Item(tool["name"], json.dumps(tool), "tool") for tool in first["tools"]]

    def searched(**options: Any) -> Chosen:
        index = indexed(texts, **options)
        return lambda request: [hit.item.id for hit in index.search(request, TOOLS_SENT)]

    yield "search", searched()
    yield "search + expansion", searched(expand=True)
    yield "search + MMR", searched(mmr=0.9)
    defined = [
        Tool(
            name=tool["name"],
            description=tool["description"],
            parameters=tool["parameters"],
            extra={"outputSchema": tool["response"]},
        )
        for tool in first["tools"]
    ]
    words = ToolIndex(defined)
    yield "ToolIndex", lambda request: words.search(request, TOOLS_SENT)
    if FOLDER:
        meaning = ToolIndex(defined, folder_embedder())
        yield "ToolIndex with vectors", lambda request: meaning.search(request, TOOLS_SENT)


def folder_embedder() -> Vectorizer:
    """The embedder of CONTEXTWRIGHT_EMBEDDER."""
    is_bert = (Path(FOLDER) / "config.json").is_file() or Path(FOLDER).is_file()
    embedder = SentenceEmbedder(FOLDER) if is_bert else StaticEmbedder(FOLDER)
    return KeptVectors(embedder, VECTORS) if VECTORS else embedder


def indexed(items: list[Item], **options: Any) -> Index:
    index = Index(**options)
    index.add(items)
    return index


def speed() -> None:
    """Adding an item to 10,000 and searching them; choosing 50 of 1,000."""
    dice = random.Random(1)
    syllables = [a + b for a in "bdfgklmnprstv" for b in ("a", "e", "i", "o", "u")]
    vocabulary = ["".join(dice.choices(syllables, k=3)) for _ in range(5_000)]

    def text() -> str:
        return " ".join(vocabulary[min(4_999, int(dice.paretovariate(0.7)) + 9)] for _ in range(40))

    items = [Item(str(n), text()) for n in range(10_000)]
    start = time.perf_counter()
    index = indexed(items)
    built = time.perf_counter() - start
    took = []
    for n in range(200):
        query = " ".join(dice.choice(items).text.split()[:6])
        start = time.perf_counter()
        index.add([Item(f"new {n}", text())])
        index.search(query, 10)
        took.append(1_000 * (time.perf_counter() - start))
    print(f"\n10,000 items put in: {built:.2f} s; add one + query: {cut(took)} (target 5 ms)")
    if importlib.util.find_spec("numpy"):
        import numpy as np

        vectors = np.random.default_rng(1).normal(size=(1_000, 256)).astype("float32")
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        marks = [dice.random() for _ in range(1_000)]
        took = []
        for _ in range(20):
            start = time.perf_counter()
            by_vectors(marks, vectors, 50)
            took.append(1_000 * (time.perf_counter() - start))
        print(f"MMR, 1,000 to 50: {cut(took)} (target 5 ms)")


def cut(took: list[float]) -> str:
    took = sorted(took)
    return f"median {statistics.median(took):.2f} ms, p95 {took[int(len(took) * 0.95)]:.2f} ms"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default=",".join([*SETS, "tools", "speed"]))
    parser.add_argument("--methods", default="")
    parser.add_argument("--every", type=int, default=1, help="each so manieth question")
    asked = parser.parse_args()
    only = asked.only.split(",")
    chosen = {
        name: make
        for name, make in methods().items()
        if not asked.methods or name in asked.methods.split(",")
    }
    for name in (name for name in SETS if name in only):
        corpora = SETS[name]()
        print(f"\n| {name} | " + " | ".join(f"{room:,}" for room in BUDGETS[name]) + " |")
        print("| --- |" + " ---: |" * len(BUDGETS[name]))
        for method, make in chosen.items():
            print(
                f"| {method} | " + " | ".join(measured(name, corpora, make, asked.every)) + " |",
                flush=True,
            )
        wanted = [TARGETS.get((name, room)) for room in BUDGETS[name]]
        print("| target | " + " | ".join(f"{each:.2f}" if each else "" for each in wanted) + " |")
    if "tools" in only:
        print(f"\n| tools, {TOOLS_SENT} of 128 | of all needed | mean of requests |")
        print("| --- | ---: | ---: |")
        for method, choose in choosers():
            print(f"| {method} | {tools(choose)} |", flush=True)
        print("| target | 0.90 | |")
    if "speed" in only:
        speed()


if __name__ == "__main__":
    main()
