"""Redaction by field name: values, JSON text, lines."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.errors import SpecError
from contextwright.redaction.named_fields import redact_json_text

GONE = "[REDACTED]"


def redacted(value: object, *fields: str) -> object:
    return json.loads(redact_json_text(json.dumps(value), fields)[0])


def expected(value: object) -> object:
    """The value without `ssn`, worked out on the value itself."""
    if isinstance(value, dict):
        return {k: GONE if k.lower() == "ssn" else expected(v) for k, v in value.items()}
    return list(map(expected, value)) if isinstance(value, list) else value


def test_a_field_is_found_at_any_depth_in_any_case() -> None:
    value = {"User": [{"SSN": 1, "name": "Bo"}], "creditCard": {"no": "4111"}}
    assert redacted(value, "ssn", "credit_card") == {
        "User": [{"SSN": GONE, "name": "Bo"}],
        "creditCard": GONE,
    }


def test_a_dotted_field_is_the_end_of_a_path() -> None:
    value = {"user": {"id": 1}, "id": 2, "all": [{"user": {"id": 3}}]}
    assert redacted(value, "user.id") == {
        "user": {"id": GONE},
        "id": 2,
        "all": [{"user": {"id": GONE}}],
    }


def test_json_inside_of_a_string_is_redacted() -> None:
    value = {"arguments": json.dumps({"ssn": "123-45-6789", "n": 1})}
    assert json.loads(redacted(value, "ssn")["arguments"]) == {"ssn": GONE, "n": 1}


@pytest.mark.parametrize(
    ("text", "result", "count"),
    [
        ('{"ssn": "1", "x": 1.50}', '{"ssn": "[REDACTED]", "x": 1.50}', 1),
        ('{"ssn": {"a": [1, 2]}, "ssn": null}', '{"ssn": "[REDACTED]", "ssn": "[REDACTED]"}', 2),
        ('{"s\\u0073n": "1"}', '{"s\\u0073n": "[REDACTED]"}', 1),
        ('{"a": [{"ssn": "12', '{"a": [{"ssn": "[REDACTED]"', 1),
        ('{"ssn": 1}\n{"ssn": 2}', '{"ssn": "[REDACTED]"}\n{"ssn": "[REDACTED]"}', 2),
        ("name: Bo\nSSN: 123-45-6789 or so\nage: 3", "name: Bo\nSSN: [REDACTED]\nage: 3", 1),
        ("ssn=1&name=Bo", "ssn=[REDACTED]&name=Bo", 1),
        ('log {"ssn": "1", "x": 2', 'log {"ssn": "[REDACTED]", "x": 2', 1),
        ("lessness: 4, assn: 3", "lessness: 4, assn: 3", 0),
        ("nothing here", "nothing here", 0),
    ],
)
def test_text_loses_the_value_and_nothing_else(text: str, result: str, count: int) -> None:
    assert redact_json_text(text, ("ssn",)) == (result, count)


def test_a_field_without_a_name_is_refused() -> None:
    with pytest.raises(SpecError, match="no field"):
        redact_json_text("x", ("user.",))


def test_depth_is_no_way_around() -> None:
    depth = 20_000
    text = "[" * depth + '{"ssn": 1}' + "]" * depth
    assert redact_json_text(text, ("ssn",))[1] == 1


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["ssn", "SSN", "user", "x"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON.filter(lambda value: isinstance(value, (dict, list))))
def test_text_and_value_agree_and_twice_is_once(value: object) -> None:
    text, _ = redact_json_text(json.dumps(value), ("ssn",))
    assert json.loads(text) == expected(value)
    assert redact_json_text(text, ("ssn",)) == (text, 0)


@given(st.text(alphabet="sn:= ,'\"{}[]\\\n1", max_size=40))
def test_any_text_is_read_and_twice_is_once(text: str) -> None:
    once, _ = redact_json_text(text, ("ssn",))
    assert redact_json_text(once, ("ssn",))[0] == once


PROFILE = '{"name":"Ada","credit_card":"4111111111111111","plan":"gold","ssn":123456789}'
REDACTED_PROFILE = '{"name":"Ada","credit_card":"[REDACTED]","plan":"gold","ssn":"[REDACTED]"}'


@pytest.mark.parametrize(
    "around", ["{}", "User profile: {}", "```json\n{}\n```", "one {} and {} two", "[log] {}\n{}\n"]
)
def test_json_stays_json_wherever_it_stands(around: str) -> None:
    text = around.replace("{}", PROFILE)
    redacted, _ = redact_json_text(text, ("ssn", "credit_card"))
    assert redacted == around.replace("{}", REDACTED_PROFILE)
    assert redact_json_text(redacted, ("ssn", "credit_card")) == (redacted, 0)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("x {'ssn': 'it\\'s, 1', 'n': 2}", "x {'ssn': '[REDACTED]', 'n': 2}"),
        ("{'ssn': {'a': 1, 'b': 2}, 'n': 2}", "{'ssn': '[REDACTED]', 'n': 2}"),
        ('{\\"ssn\\": \\"1, 2\\", \\"n\\": 2}', '{\\"ssn\\": \\"[REDACTED]\\", \\"n\\": 2}'),
        ('ssn="1\\"2", n=3', 'ssn="[REDACTED]", n=3'),
        ("ssn:\n  no: 1\n  area: 2\nn: 3", "ssn:[REDACTED]\nn: 3"),
        ("- ssn: |\n    1\n    2\n- n: 3", "- ssn: [REDACTED]\n- n: 3"),
        ("ssn: [1, 2], n: 3", "ssn: [REDACTED], n: 3"),
        ("ssn: [REDACTED] Bob Smith", "ssn: [REDACTED]"),
        ('{"log": "ssn: 123\\nok"}', '{"log": "[1]\\nok"}'.replace("[1]", "ssn: [REDACTED]")),
        ("a [2026-01-01] ssn: 1", "a [2026-01-01] ssn: [REDACTED]"),
        ('{"a": x, "ssn": "1"}', '{"a": x, "ssn": "[REDACTED]"}'),
    ],
)
def test_what_is_no_json_loses_the_value_and_nothing_else(text: str, result: str) -> None:
    assert redact_json_text(text, ("ssn",))[0] == result
    assert redact_json_text(result, ("ssn",)) == (result, 0)


def test_a_dotted_field_is_found_in_json_within_text() -> None:
    text = 'User: {"user":{"ssn":1},"ssn":2}'
    assert redact_json_text(text, ("user.ssn",))[0] == 'User: {"user":{"ssn":"[REDACTED]"},"ssn":2}'


@pytest.mark.parametrize(
    "pump", ["{", '{"a":', "[", "ssn:", "ssn: (", "'ssn': {", "ssn:\n ", "ssn"]
)
def test_no_text_is_slow(pump: str) -> None:
    text = pump * (100_000 // len(pump)) + "!"
    begin = time.process_time()
    redact_json_text(text, ("ssn",))
    assert time.process_time() - begin < 3.0
