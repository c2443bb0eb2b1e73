"""A summary of a conversation that has grown reads what is new."""

import sys

import pytest

from contextwright.blocks.block import Block, Message
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering
from contextwright.models.embedded import answer
from contextwright.session.event import Text
from contextwright.spec.task import Task


def block_of(n: int) -> Block:
    text = f"We decided that order {n} leaves on day {n % 9}. Nothing else was said of it."
    return Block(id=f"e{n}", source="log", messages=(Message("user", (Text(text=text),)),), order=n)


def test_a_block_is_taken_apart_once(monkeypatch: pytest.MonkeyPatch):
    split = list[str]()
    splitting = sys.modules["contextwright.models.embedded.statements"]
    sentences = splitting.sentences

    def counted(text: str) -> list[str]:
        split.append(text)
        return sentences(text)

    monkeypatch.setattr(splitting, "sentences", counted)
    blocks = tuple(map(block_of, range(60)))

    def summary(size: int) -> str:
        task = Task(kind="summary", max_tokens=400, blocks=blocks[:size])
        return answer(task, count=len).value

    with remembering(Tables()):
        summary(50)
        assert len(split) == 50
        again = summary(60)
        assert len(split) == 60
    assert again == summary(60)
