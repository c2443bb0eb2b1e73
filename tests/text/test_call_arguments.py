"""Arguments of calls in short: the JSON keeps its shape, ids and paths stay."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.call_arguments import shorten_arguments


def count(text):
    return len(text.encode()) // 4 + 1


def short(value, **asked):
    options = {"min_tokens": 20, "max_tokens": 12, "count": count, "ref": "event://e1"} | asked
    text = value if isinstance(value, str) else json.dumps(value)
    return shorten_arguments(text, **options)


def test_a_written_file_is_its_path_and_where_the_whole_is():
    made = json.loads(
        short({"path": "src/app.py", "content": "def run(): pass\n" * 900, "mode": 5})
    )
    assert made["path"] == "src/app.py"
    assert made["mode"] == 5
    assert made["content"].endswith("tokens, shortened here; in full: event://e1]")
    assert count(made["content"]) < 60


def test_long_strings_are_found_at_any_depth_and_names_never_change():
    deep = {"edits": [{"old " * 40: "new " * 400, "id": "W12"}], "n": 1e3}
    made = json.loads(short(deep))
    assert list(made["edits"][0]) == ["old " * 40, "id"]
    assert len(made["edits"][0]["old " * 40]) < 400
    assert made["edits"][0]["id"] == "W12"


@pytest.mark.parametrize("text", ["", "{}", "not json " * 90, '{"cut": "' + "x" * 900, '["a"]'])
def test_what_is_no_object_or_short_stays(text):
    assert short(text) == text


def test_every_other_byte_stays():
    text = '{ "a" : 1.50,\n "b":"' + "word " * 200 + '", "c" : [1e400, "\\u00e9"] }'
    made = short(text)
    assert made.startswith('{ "a" : 1.50,\n "b":"')
    assert made.endswith('", "c" : [1e400, "\\u00e9"] }')


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=400),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=20), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=10), json_values))
def test_any_arguments_keep_their_shape_and_shortening_twice_is_shortening_once(value):
    once = short(value)
    made = json.loads(once)
    assert _shape(made) == _shape(value)
    assert short(once) == once
    assert count(once) <= count(json.dumps(value)) + 1


def _shape(value):
    if isinstance(value, dict):
        return {name: _shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_shape(item) for item in value]
    return "text" if isinstance(value, str) else value
