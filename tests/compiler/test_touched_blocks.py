"""What a step touched, where terms of a union brought a block several times."""

import random

import pytest
from tests.engine.test_any_spec import FORMATS, grown_packs

from contextwright import C, Engine, Session
from contextwright.blocks.block import Block
from contextwright.compiler.replay_pack import replay
from contextwright.compiler.touched_blocks import touched_blocks
from contextwright.testing import target_for


def blocks(*texts):
    return tuple(Block(id=text[0], source="history", text=text) for text in texts)


def became(before, after):
    return [(one.text, now and now.text) for one, now in touched_blocks(before, after)]


def test_a_block_became_what_came_out_with_its_key():
    assert became(blocks("a", "b long", "c"), blocks("a", "b")) == [
        ("a", "a"), ("b long", "b"), ("c", None),
    ]  # fmt: skip


def test_the_very_same_objects_are_not_touched():
    before = blocks("a", "b long", "c")
    after = (before[0], *blocks("b"), before[2])
    assert became(before, after) == [("b long", "b")]


def test_of_several_of_one_key_each_became_what_stands_in_its_place():
    before = blocks("a stale", "b", "a")
    assert became(before, (*blocks("a st"), *before[1:])) == [("a stale", "a st")]
    assert became(before, (*before[:2], *blocks("a, short"))) == [("a", "a, short")]


def test_of_several_of_which_one_is_gone_what_another_says_is_not_touched():
    before = blocks("a stale", "a", "a long")
    assert became(before, blocks("a", "a stale")) == [("a long", "a stale")]
    assert became(before, ()) == [("a stale", None), ("a", None), ("a long", None)]


D = C.default()


@pytest.mark.parametrize(
    "spec",
    [
        (D | C.fresh(max_age=1, stale_action="warn")) + D | C.cool(1_200),
        (D | C.fresh(max_age=1, stale_action="compact") | C.decay(full=1, fold=0, summary=False))
        + D
        | C.cool(300),
    ],
    ids=repr,
)
def test_a_session_that_two_terms_bring_has_the_receipt_that_a_replay_writes(spec):
    """An honest receipt was called edited: a block that a step had left alone, held by another
    object, was held against the other term's."""
    for seed in (1, 3):
        dice = random.Random(seed)
        engine = Engine(spec, target=target_for(dice.choice(FORMATS)), suspend=False)
        session = Session("any", state={"goal": "Find parts.", "intent": "parts"})
        for place, pack in grown_packs(engine, session, dice, 40, lambda *_: None):
            if place % 7 == 0:
                assert replay(pack.manifest, session).body == pack.body
