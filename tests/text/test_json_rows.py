"""JSON in rows: what a reader would take for something else is not among what they leave out."""

import json

from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.cut import beginning
from contextwright.text.json_rows import _NO_BLANKS, json_rows, values_only, without_blanks


def test_truth_values_stay_with_their_names():
    order = {"order": "A1", "shipped": False, "refundable": False, "total": 20}

    assert json_rows(order) == "order A1, shipped false, refundable false, total 20"
    assert json_rows({"ok": False, "reason": "slot taken"}) == "ok false, reason slot taken"


def test_truth_values_of_a_table_stay_with_their_rows():
    users = [{"id": "u1", "active": False}, {"id": "u2", "active": True}]

    assert json_rows(users) == "id/active: u1 false | u2 true"


def test_what_all_rows_have_alike_is_said_once():
    users = [{"id": "u1", "active": False}, {"id": "u2", "active": False}]

    assert json_rows(users) == "(active false) id: u1 | u2"


def test_values_without_names_have_no_truth_values():
    assert values_only('{"order": "A1", "shipped": false}') == "A1"


def test_a_list_of_times_is_told():
    slots = {"doctor": "Lind", "slots": ["14:20", "14:40"]}

    assert json_rows(slots) == "doctor Lind; slots 14:20, 14:40"


def test_a_table_names_the_columns_of_times_that_it_leaves_out():
    flights = {"flights": [{"no": "HAT1", "at": "07:00:00"}, {"no": "HAT2", "at": "09:30:00"}]}

    assert json_rows(flights) == "flights (without at) no: HAT1 | HAT2"


def test_a_table_of_nothing_but_times_is_told():
    assert json_rows([{"at": "07:00"}, {"at": "09:30"}]) == "at: 07:00 | 09:30"


def test_a_long_value_ends_with_a_word():
    text = "Keep it. " * 6 + "We do not refund 120000 of this to anybody in any case, ever."
    rows = json_rows({"note": text})

    assert rows == f"note {'Keep it. ' * 6}We do…"
    assert json.loads(json.dumps(rows)) == rows


def test_what_has_no_words_is_cut_where_it_is_long():
    assert beginning("x" * 90, 60) == "x" * 60 + "…"
    assert beginning("short", 60) == "short"


def test_several_values_in_a_cell_are_told_all_or_by_their_ends():
    issues = [{"id": 7, "labels": [{"name": "bug"}, {"name": "p1"}]}, {"id": 8, "labels": []}]
    assert json_rows(issues) == "id/name: 7 bug, p1 | 8 -"
    values = [[1_777_901_400 + 60 * n, f"{n}.5"] for n in range(60)]
    series = [{"metric": {"service": "api"}, "values": values}]
    assert json_rows(series) == "service/values: api 0.5, \u2026 59.5 (60 values, 0.5 to 59.5)"
    many = [{"id": 1, "tags": [f"tag-{n}" for n in range(40)]}]
    assert json_rows(many) == "id/tags: 1 tag-0, \u2026 tag-39 (40 values)"


def test_columns_of_one_name_are_told_by_what_they_are_in():
    day = "2026-03-1{}T{}:00"
    events = [
        {"id": n, "start": {"dateTime": day.format(n, 10)}, "end": {"dateTime": day.format(n, 11)}}
        for n in range(2)
    ]
    assert json_rows(events).startswith("id/start/end: 0 2026-03-10T10:00 2026-03-10T11:00 | 1 ")
    offers = [{"seats": {"a": n, "b": n}, "prices": {"a": n + 5, "b": 9 * n}} for n in range(2)]
    assert json_rows(offers).startswith("a/b/a/b: ")


def test_the_times_of_one_appointment_stay_without_its_names():
    event = {"id": "e7", "created": "2026-02-01T09:00:00Z", "start": "2026-03-16T16:30:00"}
    assert values_only(json.dumps(event)) == "e7 2026-03-16T16:30:00"
    many = [{"id": f"e{n}", "at": f"2026-03-16T1{n}:30:00"} for n in range(5)]
    assert "2026" not in values_only(json.dumps(many))


@given(st.text(st.sampled_from('" \\\n\t{}[]:,a1\u2003')))
def test_blanks_outside_strings_are_those_that_the_expression_leaves_out(text):
    assert without_blanks(text) == "".join(_NO_BLANKS.findall(text))
