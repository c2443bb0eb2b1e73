"""Tasks over a few texts, and models over a script."""

import pytest

from contextwright.blocks.block import Block
from contextwright.models import Models, ScriptedLLM
from contextwright.spec.task import Task

WORDS = "The refund of order A17 was approved on May 3 by Ann. " * 12


def task_of(kind="summary", texts=(WORDS,), **fields):
    """A task over texts, one block each."""
    blocks = tuple(Block(id=f"b{n}", source="test", text=text) for n, text in enumerate(texts))
    fields.setdefault("max_tokens", 40 if kind == "summary" else 0)
    return Task(kind=kind, blocks=blocks, source=str(texts), **fields)


@pytest.fixture
def make_task():
    return task_of


@pytest.fixture
def scripted():
    """Models over lines, which wait for nothing."""

    async def sleep(seconds):
        pass

    def make(*lines, **options):
        llm = ScriptedLLM(lines) if len(lines) != 1 else ScriptedLLM(lines[0])
        return Models(llm, sleep=sleep, uniform=lambda low, high: high, **options)

    return make
