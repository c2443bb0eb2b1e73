"""Blocks that are made when they are read are the blocks that would have been made before."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.blocks.block import Block
from contextwright.spec.lazy_blocks import PAGE, LazyBlocks


def blocks_of(size):
    return tuple(Block(id=f"b{n}", source="history", order=n) for n in range(size))


@given(st.integers(0, 3 * PAGE), st.data())
def test_they_read_as_a_tuple_does(size, data):
    every = blocks_of(size)
    lazy = LazyBlocks(size, lambda start, stop: every[start:stop])
    assert len(lazy) == size
    assert (*lazy,) == every and (*reversed(lazy),) == every[::-1]
    part = data.draw(st.slices(size))
    assert lazy[part] == every[part]
    if size:
        place = data.draw(st.integers(-size, size - 1))
        assert lazy[place] is every[place]


def test_only_what_is_read_is_made_and_once():
    made, every = list[tuple[int, int]](), blocks_of(10 * PAGE + 5)

    def between(start, stop):
        made.append((start, stop))
        return every[start:stop]

    lazy = LazyBlocks(len(every), between)
    for place in (0, 3, PAGE - 1, -1, -5, -1):
        assert lazy[place] is every[place]
    assert made == [(0, PAGE), (10 * PAGE, 10 * PAGE + 5)]
