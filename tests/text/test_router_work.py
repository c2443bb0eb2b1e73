"""What the router looks at, counted: a form that says nothing new is not tried, and what is the
same in every form is worked out once."""

import json
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.work_counts import function_calls

from contextwright.text import content_router, json_tables, line_selection
from contextwright.text.content_router import shorten
from contextwright.text.json_cells import FORMS, Scalars, cell
from contextwright.text.json_units import json_forms, read_json
from contextwright.text.line_selection import Selection, Unit, select_units

ROWS = [{"id": f"A-{n}", "price": n * 7, "text": f"word{n} " * 8} for n in range(12)]


def quarters(text: str) -> int:
    return -(-len(text) // 4)


def test_a_form_that_cuts_nothing_more_is_the_form_before():
    rows = [{"name": "x" * 60 + f" {n}"} for n in range(3)]
    forms = list(json_forms(read_json(json.dumps(rows))))
    assert forms[2] is forms[1]  # 160 and 80 characters
    assert forms[3] is not forms[2]  # 48 characters
    assert len(forms) == len(FORMS)


def test_columns_are_classed_once_for_all_forms(monkeypatch):
    seen: Counter[str] = Counter()
    known = json_tables._class

    def counted(name, values):
        seen[name] += 1
        return known(name, values)

    monkeypatch.setattr(json_tables, "_class", counted)
    list(json_forms(read_json(json.dumps(ROWS))))
    assert seen == {"id": 1, "price": 1, "text": 1}


def test_no_selection_is_made_of_rows_before_the_last_form(monkeypatch):
    calls = []
    select = content_router.select_units
    monkeypatch.setattr(
        content_router, "select_units", lambda *a, **k: calls.append(a) or select(*a, **k)
    )
    for size in range(22, 100, 8):
        assert "A-11" in shorten(json.dumps(ROWS), size, quarters).text
    assert not calls  # only what stands beside rows, a field or a cut text, could make one fit


def test_of_a_json_much_too_long_no_form_is_made_that_can_not_fit(monkeypatch):
    made: list[int] = []
    forms = content_router.json_forms

    def noted(value, some=FORMS):
        return (made.append(1) or units for units in forms(value, some))

    monkeypatch.setattr(content_router, "json_forms", noted)
    rows = [{"id": f"order-number-{n:05}", "note": f"so it is {n} " * 4} for n in range(200)]
    text = json.dumps(rows)
    shorten(text, quarters(text) // 16, quarters)
    assert len(made) == 1
    shorten(text, quarters(text) // 3, quarters)
    assert len(made) > 2


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["A-17", "depot 3", "so it is " * 9]),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["id", "name", "note", "when", "price"]), inner)
        | st.lists(st.fixed_dictionaries({"id": inner, "note": inner}), min_size=1, max_size=9)
    ),
    max_leaves=40,
)


@given(VALUES, st.integers(3, 40))
def test_what_is_much_too_long_is_what_all_forms_would_make_of_it(value, size):
    text = json.dumps(value, indent=1)
    made = shorten(text, size, quarters, kind="json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_router, "_barest_alone", lambda text, value, limit: [])
        assert shorten(text, size, quarters, kind="json") == made


def test_a_choice_among_units_asks_nothing_of_each():
    """What is known of all of them is told of all at once, and a hole's mark is made once."""

    def calls(number: int) -> int:
        units = [Unit(f"line {n} of it", (n % 7,)) for n in range(number)]
        return function_calls(lambda: select_units(units, 60, quarters), events=("call",))

    assert calls(800) < calls(200) + 200


def test_a_form_that_cuts_nothing_more_of_a_table_has_its_lines():
    """One long string makes every form another; what stands beside it is made ready once."""

    def calls(flights: int) -> int:
        rows = [{"id": f"A-{n}", "price": n, "seat": "window"} for n in range(flights)]
        value = read_json(json.dumps({"note": "word " * 60, "rows": rows}))
        return function_calls(lambda: list(json_forms(value)), events=("call",))

    assert calls(40) < calls(4) + 200  # of eight forms, 288 cells more each


def test_rows_that_do_not_fit_end_the_search_for_fields_to_miss():
    units = [Unit("a: 1", (0,), noun="fields"), *(Unit(f"row {n} " * 5) for n in range(40))]
    tried = []

    def counted(text: str) -> int:
        tried.append(text)
        return quarters(text)

    assert select_units(units, 60, counted, missing="fields").text == ""
    some, tried = len(tried), []
    assert select_units(units, 60, counted).text
    assert some <= 13 < len(tried)


UNITS = st.lists(
    st.builds(
        Unit,
        st.sampled_from(["id: 1", "row one of it", "a line that is longer than the others are"]),
        st.tuples(st.integers(0, 3)),
        noun=st.sampled_from(["fields", "rows"]),
        joint=st.sampled_from([", ", "\n"]),
    ),
    min_size=1,
    max_size=20,
)


@given(UNITS, st.integers(1, 60), st.sampled_from(["", "fields"]))
def test_what_fits_is_what_trying_every_number_finds(units, size, missing):
    made = select_units(units, size, quarters, missing=missing)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_selection, "_most", lambda steps, *_: len(steps))
        expected = select_units(units, size, quarters, missing=missing)
        every = select_units(units, size, quarters)
    assert made == expected
    assert made in (every, Selection("", len(units))) or missing


@given(UNITS, st.integers(1, 60))
def test_fields_alone_are_missing_where_filling_what_is_left_leaves_out_no_others(units, size):
    made = select_units(units, size, quarters, missing="fields")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_selection, "_room_for", lambda *_: True)
        expected = select_units(units, size, quarters, missing="fields")
    if expected.text and expected.nouns <= {"fields"}:
        assert made == expected
    else:
        assert not made.text or not made.nouns <= {"fields"}


def test_of_many_units_of_which_few_fit_few_numbers_are_tried():
    units = [Unit(f"line {n} of some forty that it has", (n,)) for n in range(40)]
    tried = []

    def counted(text: str) -> int:
        tried.append(text)
        return quarters(text)

    assert select_units(units, 60, counted).text
    assert len(tried) <= 24  # halving and filling; 48 where each number was tried


@given(st.lists(st.sampled_from(["a", "1.5", "null", "-", " ", "x y", ",", "{", "\t", "é", ""])))
def test_values_are_plain_where_each_stands_for_itself(values: list[str]):
    texts = ["".join(pair) for pair in pairwise(values)]
    told = [cell(text, FORMS[0]) for text in texts]
    assert Scalars(texts).texts(FORMS[0]) == told
