"""What is wrong in a file that is no JSON, and where: by line and by field, not by a byte alone."""

import json

import pytest

from contextwright import read_session
from contextwright.errors import MalformedRecord

HELLO = {"role": "user", "content": "Hello"}


def fault(data: str, name="run.json", tmp_path=None):
    path = tmp_path / name
    path.write_text(data)
    with pytest.raises(MalformedRecord) as caught:
        read_session(path)
    return caught.value


@pytest.mark.parametrize(
    ("written", "what"),
    [
        ("NaN", "NaN is no number of JSON's"),
        ("-Infinity", "-Infinity is no number of JSON's"),
        ("1e999", "1e999 is too large"),
        ("9" * 5000, "999999999999999999… (5000 characters) is too large"),
    ],
)
def test_a_number_that_json_has_not_is_named_with_its_field(written, what, tmp_path):
    """As Python's json and pandas write a missing value."""
    scored = json.dumps([HELLO, {**HELLO, "meta": {"scores": [1, "HERE"]}}])
    error = fault(scored.replace('"HERE"', written), tmp_path=tmp_path)
    assert error.what == what
    assert error.where == "run.json, field [1].meta.scores[1]"
    assert "null" in error.fix


def test_it_is_named_in_the_line_that_has_it(tmp_path):
    lines = "\n".join(
        [json.dumps(HELLO), json.dumps({**HELLO, "n": 1}).replace("1}", "NaN}"), "{}"]
    )
    error = fault(lines, "run.jsonl", tmp_path)
    assert error.where == "run.jsonl line 2, field n"


@pytest.mark.parametrize("cut", ["comma", "end", "quote"])
def test_a_document_of_many_lines_names_the_line(cut, tmp_path):
    text = json.dumps([HELLO] * 50, indent=1)
    at = text.index('"role"', len(text) // 2)
    line = text.count("\n", 0, at) + 1
    broken = {
        "comma": text[:at] + ", " + text[at:],
        "end": text[:at],
        "quote": text[:at] + "role" + text[at + 6 :],
    }[cut]
    assert fault(broken, tmp_path=tmp_path).where.startswith(f"run.json line {line}, column ")
