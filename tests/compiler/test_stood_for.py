"""What a summary stands for is told anew only of what came since."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.work_counts import function_calls

from contextwright.blocks.block import Block, Message
from contextwright.compiler.stood_for import NOTHING, stood_for, stood_for_spans
from contextwright.session.event import Event, Text
from contextwright.session.log import Log


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


def test_a_note_on_spans_stands_for_exchanges_and_texts_of_theirs():
    log = Log([Event(id=f"e{n}", role="user", parts=(Text(text="x"),)) for n in range(12)])
    told = Block(id="told", source="state", text="of two", lineage=("e2", "e3"))
    half = Block(id="half", source="state", text="of two", lineage=("e3", "e6"))
    known = stood_for_spans(((1, 4), (8, 10)), 7, (*BLOCKS, told, half), log, lambda block: 5)
    assert known.blocks == {*BLOCKS[1:4], *BLOCKS[8:10], told}
    assert known.tokens == 7 + 5


def test_a_note_on_spans_asks_nothing_of_each_exchange():
    def calls(count: int) -> int:
        blocks = tuple(map(block_of, range(count)))
        work = lambda: stood_for_spans(((0, count),), 0, blocks, Log(), lambda block: 1)  # noqa: E731
        work()  # from here on each block's hash is known
        return function_calls(work, events=("call",))

    assert calls(400) == calls(4)
