"""Questions with what answers them, from recorded conversations, meetings and passages.

A unit of LoCoMo and of BEAM is `[date] speaker: text [image: caption]`.
"""

import gzip
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from contextwright.retrieval.item import Item

DATA = Path(os.environ.get("CONTEXTWRIGHT_DATA", "data"))


class Question(NamedTuple):
    """A question, the ids of what answers it, and the user's questions before it."""

    text: str
    gold: list[str]
    earlier: list[str] = []


class Corpus(NamedTuple):
    """Items, and the questions about them."""

    items: list[Item]
    questions: list[Question]


def rows(name: str) -> Iterator[Any]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def locomo() -> list[Corpus]:
    found = []
    for row in rows("locomo"):
        items = [
            Item(t["id"], told(s["date"], t), "turn", t["speaker"], str(s["session"]))
            for s in row["sessions"]
            for t in s["turns"]
        ]
        asked = [(qa["question"], qa["evidence"]) for qa in row["qa"] if qa["category"] != 5]
        found.append(corpus(items, asked))
    return found


def told(date: str, turn: dict[str, Any]) -> str:
    """A turn as a unit of evidence: `[date] speaker: text [image: caption]`."""
    dated = f"[{date}] " if date else ""
    speaker = turn.get("speaker") or turn["role"]
    caption = turn.get("image_caption")
    shown = f" [image: {caption}]" if caption else ""
    return f"{dated}{speaker}: {turn.get('text') or turn.get('content', '')}{shown}"


def chats(name: str) -> list[Corpus]:
    found = []
    for row in rows(name):
        items = [
            Item(
                str(m["id"]),
                told(m.get("date", ""), m),
                "turn",
                m["role"],
                m.get("conversation", ""),
            )
            for m in row["messages"]
        ]
        found.append(corpus(items, [(qa["question"], qa["evidence"]) for qa in row["qa"]]))
    return found


def qmsum() -> list[Corpus]:
    found = []
    for row in rows("qmsum"):
        items = [
            Item(str(m["id"]), f"{m['speaker']}: {m['content']}", "turn", m["speaker"], row["id"])
            for m in row["messages"]
        ]
        asked = [
            (qa["question"], sorted({n for a, b in qa["spans"] for n in range(int(a), int(b) + 1)}))
            for qa in row["qa"]
        ]
        found.append(corpus(items, asked))
    return found


def mtrag() -> list[Corpus]:
    pool, *asked = rows("mtrag_un")
    items = [Item(id, text) for id, text in pool["passages"].items()]
    found = []
    for row in asked:
        users = [m["content"] for m in row["messages"] if m["role"] == "user"]
        last = row["messages"][-1]["content"]
        if row["evidence"]:
            found.append(Corpus(items, [Question(last, row["evidence"], users[:-1])]))
    return found


def corpus(items: list[Item], asked: list[tuple[str, list[Any]]]) -> Corpus:
    known = {item.id for item in items}
    questions = [(text, [str(id) for id in gold if str(id) in known]) for text, gold in asked]
    return Corpus(items, [Question(text, gold) for text, gold in questions if gold])


SETS: dict[str, Callable[[], list[Corpus]]] = {
    "locomo": locomo,
    "beam_100k": lambda: chats("beam_100k"),
    "qmsum": qmsum,
    "mtrag_un": mtrag,
    "bfcl_memory": lambda: chats("bfcl_memory"),
}
