"""How deep JSON may nest does not depend on the Python: what it takes more of than another is no
reason for another request."""

import json

import pytest

from contextwright import compile, parse
from contextwright.json_depth import DEEP, DEEPEST, is_shallow, is_too_deep
from contextwright.session.json_text import json_value
from contextwright.text.file_arguments import names_file
from contextwright.text.json_fields import project_json


def nested(levels, inside="1"):
    return '{"x": ' + "[" * (levels - 1) + inside + "]" * (levels - 1) + "}"


def talk(arguments, result="ok"):
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
        {"role": "user", "content": "next"},
    ]


def test_the_depth_of_a_value_is_counted():
    for levels in (1, DEEP, DEEPEST):
        value = json.loads(nested(levels))
        assert is_shallow(value, levels) and not is_shallow(value, levels - 1)
        assert not is_too_deep(nested(levels), value)
    assert is_too_deep(nested(DEEPEST + 1), json.loads(nested(DEEPEST + 1)))
    many = "[" + ",".join(["[]"] * DEEPEST * 2) + "]"
    assert not is_too_deep(many, json.loads(many)) and not is_too_deep(
        '"' + "[" * 900 + '"', "[" * 900
    )


@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro"])
def test_arguments_beyond_it_are_no_object_on_every_python(model):
    kept = compile(talk(nested(DEEPEST)), model=model).body
    assert b"[" * (DEEPEST - 1) in kept
    bodies = {compile(talk(nested(levels)), model=model).body for levels in (DEEPEST + 1, 960)}
    assert all(b'"x":' + b"[" * 300 not in body for body in bodies)


def test_what_is_read_of_a_text_is_the_same():
    assert json_value(nested(DEEPEST))
    for levels in (DEEPEST + 1, 960, 5_000):
        with pytest.raises(RecursionError):
            json_value(nested(levels))
    assert not names_file('{"x": [1]}') and names_file(nested(DEEP + 1))


@pytest.mark.parametrize("levels", [DEEP + 1, 450, 960, 5_000, 40_000])
def test_no_walk_of_a_deep_value_ends_a_compile(levels):
    text = '{"x": ' * levels + "1" + "}" * levels
    listed = nested(levels)
    assert project_json(listed, ("x.y",), ()) is None and project_json(text, (), ("y.z",)) is None
    for spec in (
        "C.project('x.y')",
        "C.compact()",
        "C.dedup()",
        "C.redact(fields=['y'])",
        "C.truncate(max_tokens=50)",
    ):
        for deep in (text, listed):
            assert compile(talk(deep, deep), parse(f"C.default() | {spec}"), model="gpt-5").body
