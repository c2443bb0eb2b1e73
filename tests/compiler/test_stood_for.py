"""What a summary stands for is told anew only of what came since."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from contextwright.blocks.block import Block, Message
from contextwright.compiler.stood_for import NOTHING, stood_for
from contextwright.session.event import Text


def block_of(n: int, id: int | None = None) -> Block:
    text = Text(text=f"words {n}")
    lineage = (f"e{n if id is None else id}",)
    return Block(
        id=f"e{n}", source="s", messages=(Message("user", (text,)),), order=n, lineage=lineage
    )


BLOCKS = tuple(map(block_of, range(12)))


@given(st.sets(st.integers(0, 11)), st.integers(0, 12), st.lists(st.integers(0, 30), max_size=4))
def test_it_holds_as_by_a_look_at_all(summarized, stays, since):
    before = BLOCKS[:8]
    lineage = tuple(f"e{n}" for n in sorted(summarized))
    summary = Block(id="summary", source="summary", text="short", lineage=lineage)
    known = stood_for(summary, before, lambda block: 1)
    assert known.holds(before)
    newer = (*before[:stays], *(block_of(n + 20, n) for n in since))
    assert known.holds(newer) == replace(known, before=()).holds(newer)


def test_what_is_known_is_not_looked_at_again():
    class Counted(tuple):
        looks = 0

        def __iter__(self):
            Counted.looks += 1
            return super().__iter__()

    summary = Block(id="summary", source="summary", text="short", lineage=("e1", "e2"))
    known = stood_for(summary, BLOCKS, lambda block: 1)
    assert known.holds(Counted((*BLOCKS, block_of(20)))) and not Counted.looks
    assert not known.holds(Counted((*BLOCKS, block_of(20, 1)))) and not Counted.looks


@given(st.lists(st.sets(st.integers(0, 11)), max_size=4), st.lists(st.integers(0, 12), max_size=4))
def test_a_summary_that_goes_on_is_told_by_what_is_new(more, stops):
    known, ids = NOTHING, ()
    for new, stop in zip(more, stops, strict=False):
        ids += tuple(f"e{n}" for n in sorted(new) if f"e{n}" not in ids)
        summary = Block(id="summary", source="summary", text="short", lineage=ids)
        known = stood_for(summary, BLOCKS[:stop], lambda block: 1, known)
        assert known == replace(stood_for(summary, BLOCKS[:stop], lambda block: 1), rest=known.rest)


def test_where_a_summary_goes_on_what_it_told_is_not_counted_again():
    counted: list[Block] = []

    def cost(block: Block) -> int:
        counted.append(block)
        return 1

    def summary(stop: int) -> Block:
        lineage = tuple(f"e{n}" for n in range(stop))
        return Block(id="summary", source="summary", text="short", lineage=lineage)

    known = stood_for(summary(6), BLOCKS[:8], cost)
    counted.clear()
    after = stood_for(summary(9), BLOCKS, cost, known)
    assert counted == [*BLOCKS[6:9]]
    assert (after.spans, after.tokens, after.rest) == (((0, 9),), 9, BLOCKS[9:])
