"""What a summary stands for is told anew only of what came since."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from contextwright.blocks.block import Block, Message
from contextwright.compiler.stood_for import stood_for
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
