"""JSON in rows: what a reader would take for something else is not among what they leave out."""

import json

from contextwright.text.cut import beginning
from contextwright.text.json_rows import json_rows, values_only


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
