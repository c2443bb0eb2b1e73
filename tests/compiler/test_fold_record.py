"""A fold is written down by where its words stand; finding them is no search through a result."""

import sys
from collections.abc import Iterator

import pytest

from contextwright.blocks.block import Block, Message
from contextwright.compiler.steps.fold_record import word_numbers
from contextwright.compiler.steps.word_weights import weighed
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering
from contextwright.session.event import Text

WORDS = 2_000


@pytest.fixture
def calls() -> Iterator[list[int]]:
    """Functions called since it was made: its first element."""
    counted = [0]

    def count(frame: object, event: str, argument: object) -> None:
        counted[0] += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    yield counted
    sys.setprofile(before)


def block_of(text: str) -> Block:
    return Block(id="e1", source="log", messages=(Message("user", (Text(text=text),)),), order=1)


def test_a_word_of_many_is_found_without_a_look_at_the_others(calls: list[int]):
    block = block_of(" ".join(f"ID-{n}" for n in range(WORDS)))
    with remembering(Tables()):
        assert len(weighed(block)) == WORDS
        calls[0] = 0
        numbers = word_numbers(tuple((f"ID-{n}", 0) for n in range(WORDS)), [block])
    assert numbers == tuple((0, n) for n in range(WORDS))
    assert calls[0] < 5 * WORDS


def test_a_word_that_is_said_twice_stands_where_it_is_said_first():
    block = block_of("A-1 B-2 and A-1")
    assert word_numbers((("A-1", 0), ("B-2", 0)), [block]) == ((0, 0), (0, 1))
