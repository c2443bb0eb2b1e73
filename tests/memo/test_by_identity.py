"""What is known of an object is known of that object alone."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.memo.by_identity import by_identity
from contextwright.memo.owned_tables import Table


@given(st.lists(st.lists(st.integers(0, 3), max_size=3), min_size=1, max_size=12), st.data())
def test_what_was_made_of_an_object_is_made_once(objects: list[list[int]], data: st.DataObject):
    table, made = Table(brief=True), list[list[int]]()

    def make(item: list[int]) -> int:
        made.append(item)
        return sum(item)

    for shown in data.draw(st.lists(st.lists(st.sampled_from(objects)), max_size=4)):
        assert by_identity(table, shown, make) == [sum(one) for one in shown]
        table.turn_over()
        before = len(made)
        assert by_identity(table, shown, make) == [sum(one) for one in shown]
        assert len(made) == before


def test_equal_objects_are_not_the_same():
    table, one, other = Table(), [1], [1]
    assert by_identity(table, [one, other], id) == [id(one), id(other)]


def test_another_object_at_the_place_of_a_forgotten_one_is_looked_at():
    table, one, other = Table(), [1], [2]
    by_identity(table, [one], sum)
    table[id(other)] = table.pop(id(one))  # as if `other` came to lie where `one` did
    assert by_identity(table, [other], sum) == [2]


def test_a_sequence_that_goes_on_is_looked_at_where_it_is_new():
    """And what stood in it is known in another order, however long ago it was asked for."""
    table, made, items = Table(brief=True), list[list[int]](), [[n] for n in range(20)]

    def make(item: list[int]) -> int:
        made.append(item)
        return sum(item)

    for count in range(5, 21):
        assert by_identity(table, items[:count], make) == list(range(count))
        table.turn_over()
    assert by_identity(table, items[::-1], make) == list(range(19, -1, -1))
    assert len(made) == 20
