"""Numbers of many rows at once are the numbers of each."""

from hypothesis import given
from hypothesis import strategies as st

from contextwright.retrieval.bit_slices import added, largest, product, put_weight, rows_of

ROWS = 130
weights = st.lists(st.tuples(st.sets(st.integers(0, ROWS - 1)), st.integers(0, 40)), max_size=12)
numbers = st.lists(st.integers(0, 200), min_size=1, max_size=ROWS)


def bits(rows):
    return sum(1 << row for row in rows)


def sliced(values):
    return [bits(n for n, value in enumerate(values) if value >> place & 1) for place in range(8)]


def values(slices):
    return [
        sum((each >> row & 1) << place for place, each in enumerate(slices)) for row in range(ROWS)
    ]


@given(weights)
def test_weights_add_up(parts):
    columns = []
    for rows, weight in parts:
        put_weight(columns, bits(rows), weight)
    assert values(added(columns)) == [
        sum(weight for rows, weight in parts if row in rows) for row in range(ROWS)
    ]


@given(numbers, numbers)
def test_a_product_is_that_of_each_row(one, other):
    both = zip(one + [0] * ROWS, other + [0] * ROWS, strict=False)
    expected = [a * b for (a, b), _ in zip(both, range(ROWS), strict=False)]
    assert values(product(sliced(one), sliced(other))) == expected


@given(numbers, st.integers(1, 20), st.data())
def test_the_largest_are_so_many_and_what_is_level_with_the_last(values_of_rows, count, data):
    among = data.draw(st.sets(st.integers(0, len(values_of_rows) - 1)))
    ranked = sorted((values_of_rows[row] for row in among), reverse=True)
    least = ranked[min(count, len(ranked)) - 1] if ranked else 0
    found = rows_of(largest(sliced(values_of_rows), bits(among), count))
    assert found == sorted(row for row in among if values_of_rows[row] >= least)


@given(st.sets(st.integers(0, 5_000)))
def test_rows_come_back_in_order(rows):
    assert rows_of(bits(rows)) == sorted(rows)
