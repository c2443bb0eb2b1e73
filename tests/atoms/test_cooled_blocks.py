"""Cooling that goes on from the last turn sends what cooling from the beginning sends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.atoms import cooled_blocks
from contextwright.atoms.compress import cool
from contextwright.atoms.compress.cool import SHARES, STEP
from contextwright.blocks.block import Block
from contextwright.testing import target_for

TARGET = target_for("openai-chat")


def shares_of(gains, over):
    """The share of each block that may be cooled: step by step, the definition."""
    chosen = {}
    for at, share in enumerate(SHARES):
        for start in range(0, len(gains), STEP):
            if over <= 0:
                break
            for place in range(start, min(len(gains), start + STEP)):
                over -= gains[place][at] - (gains[place][0] if at else 0)
                chosen[place] = share
    return chosen, over


class Column:
    """Inputs as far as a word asks them which blocks to cool."""

    def __init__(self, gains):
        self.gains = gains
        self.memo = self
        self.counter_id = ""

    def costs(self, blocks):
        return [sum(pair) for pair in self.gains] + [0]

    def column(self, key, blocks, read):
        return [True] * len(blocks)

    def whole_places(self, by, blocks):
        return set()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.integers(1, 200))
def test_as_many_are_cooled_as_it_takes(pairs, threshold):
    gains = [(least, least + more) for least, more in pairs]
    blocks = tuple(Block(id=str(n), source="s") for n in range(len(gains)))
    taken = {}

    def cooled(word, chosen, share, is_over, inputs):
        taken.update({int(block.id): (share, is_over) for block in chosen})
        return chosen

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            cool, "_gains", lambda share, some, inputs: [g[SHARES.index(share)] for g in gains]
        )
        patch.setattr(cool.Cool, "_cooled", cooled)
        cool.Cool(threshold=threshold).apply(blocks, Column(gains))
    wanted, over = shares_of(gains, sum(map(sum, gains)) - threshold)
    assert taken == {place: (share, over > 0) for place, share in wanted.items()}


def grow(session, number):
    session.user(f"question {number}: what of order A-{number}?")
    session.call("search", f'{{"q": "A-{number}"}}', id=f"c{number}")
    text = " ".join(f"Order A-{number} has part {n} of {n * number % 97} euros." for n in range(25))
    session.result(f"c{number}", text)
    session.assistant(f"It is there. {text}")


def test_a_turn_shortens_what_is_new(monkeypatch):
    spec = C.default() | C.cool(1_500) | C.budget(6_000)
    session = Session("s")
    for number in range(60):
        grow(session, number)
    compile(session, spec, target=TARGET)
    made = []
    shortened = cooled_blocks.shortened
    monkeypatch.setattr(
        cooled_blocks, "shortened", lambda *given: made.append(given[0]) or shortened(*given)
    )
    for number in range(60, 66):
        made.clear()
        grow(session, number)
        pack = compile(session, spec, target=TARGET)
        assert len(made) <= 8
        fresh = Session("s", events=list(session.log))
        assert compile(fresh, spec, target=TARGET).body == pack.body
