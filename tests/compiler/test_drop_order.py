"""Which block is dropped first: by age, turn by turn, and no more turns than are asked for."""

from hypothesis import given
from hypothesis import strategies as st
from tests.work_counts import function_calls

from contextwright.blocks.block import Block, Message
from contextwright.compiler.drop_order import by_age, in_drop_order
from contextwright.session.event import Text

SAID = st.tuples(st.integers(0, 4), st.sampled_from(["user", "assistant", "tool"]))


def said(order, turn, role):
    words = (Message(role, (Text(text=f"{role} {order}"),)),)
    return Block(id=f"e{order}", source="history", messages=words, turn=turn, order=order)


@given(st.lists(SAID, max_size=12), st.integers(0, 3))
def test_by_age_is_the_order_of_its_key(conversation, texts):
    blocks = [said(order, *one) for order, one in enumerate(conversation)]
    blocks += [Block(id=f"t{at}", source="notes", text="x", tier=at) for at in range(texts)]
    assert list(in_drop_order(tuple(blocks), by_age)) == sorted(blocks, key=by_age)


def test_of_many_turns_those_are_looked_at_that_are_asked_for():
    def calls(turns):
        blocks = tuple([said(order, order // 4, "assistant") for order in range(4 * turns)])
        return function_calls(lambda: next(iter(in_drop_order(blocks, by_age))), {"call"})

    assert calls(400) == calls(10)
