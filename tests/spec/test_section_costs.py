"""Markers come with the first text of a section and go with its last."""

from contextwright.blocks.block import Block, Message
from contextwright.spec.section_costs import SectionCosts

FIRST, SECOND = (Block(id=f"notes:a/{n}", source="notes:a", text="word") for n in range(2))
OTHER = Block(id="notes:b/0", source="notes:b", text="word")
TALK = Block(id="e1", source="history", messages=(Message("user", ()),))


def costs(*blocks):
    return SectionCosts(lambda block: 5, lambda blocks: 20 * len(blocks), blocks, refs=True)


def test_the_first_text_of_a_section_brings_its_markers():
    sections = costs()
    assert [sections.take(one) for one in (FIRST, SECOND, OTHER, TALK)] == [25, 5, 25, 5]
    assert sections.added(OTHER) == 5


def test_the_last_takes_them_along():
    sections = costs(FIRST, SECOND, OTHER, TALK)
    assert [sections.leave(one) for one in (OTHER, SECOND, TALK, FIRST)] == [25, 5, 5, 25]
