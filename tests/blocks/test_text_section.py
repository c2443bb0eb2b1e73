"""Which texts stand between one pair of markers."""

from msgspec.structs import replace

from contextwright.blocks.block import Block
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.layering import Layer, Trust
from contextwright.blocks.text_section import section_key, shares_section

NOTE = Block(id="notes:a/0", source="notes:a", layer=Layer.MEMORY, text="one", ref="state://a")
CUT = replace(NOTE, id="notes:a/1", fidelity=Fidelity.TRUNCATED)


def test_texts_of_one_source_share_a_section():
    assert shares_section(NOTE)
    assert section_key(NOTE) == section_key(replace(NOTE, id="notes:a/7", text="another"))
    assert section_key(NOTE) != section_key(replace(NOTE, source="notes:b"))


def test_a_text_that_was_cut_stands_alone_where_its_ref_is_shown():
    assert not shares_section(CUT)
    assert section_key(CUT) != section_key(NOTE)
    assert shares_section(CUT, refs=False)
    assert section_key(CUT, refs=False) == section_key(NOTE)
    assert shares_section(replace(CUT, source="evidence")), "its address stands in its line"


def test_summaries_warnings_and_the_operators_own_words_share_none():
    assert not shares_section(replace(NOTE, fidelity=Fidelity.SUMMARIZED), refs=False)
    assert not shares_section(replace(NOTE, source="warning"))
    assert not shares_section(replace(NOTE, layer=Layer.SYSTEM, trust=Trust.OPERATOR))
