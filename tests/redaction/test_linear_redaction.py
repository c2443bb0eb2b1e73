"""A text of twice the size costs twice the steps, whatever it is made of."""

import json

import pytest
from tests.work_counts import function_calls

from contextwright.redaction import find, settle
from contextwright.redaction.operators import Operator, Vault
from contextwright.redaction.redactor import Redactor

PATTERNS = ("pii", "secrets")
FIELDS = ("ssn", "password")
UNITS = [
    ":", "=", "/", '"', "\\", "{", "[", "(", "-", ".", "@", "%", "0", "a", "a:", "1-", "1 ",
    "deadbeef", "TWFuIGlz", "key=", "token=", "a@", "eyJ", "sk-", "%41", "\\u0041", "&#65;",
    "bob@example.com ", "password=hunter2X9zz ", "ssn: 5 password: abc ", 'ssn: "', "ssn: (a ",
    '{"ssn": ', '{"ssn": "x"} and ', "Y29udGFjdCBib2JAZXhhbXBsZS5jb20gbm93 ", "\\\\bob@a.com ",
    "[REDACTED] ", "AP0", "://api.zoom.us/", "://hook/" + "a1" * 40, "eyJhbGciOiJub25lIn0.", "sk-proj-", "-----BEGIN PRIVATE KEY-----\n", "Cookie: a=b; sid=a8Xk29sLq0pZ;\n",
    "AKIA", "Bearer ", "token_", "secret ", "client_secret=", "api_key=", "key=a1b2c3d4&", "192.168.1.1 ", "(415) 555-0132 ",
    "4111 1111 1111 1111 ", "4111111111111111\n", "1234 5678 9012 3456 ", "550e8400-e29b-41d4-a716-446655440000\n",
    '{"name_17": "v17", "total": 17.5}, ', "%c3%a9", "Y29udGFjdCBtZSBub3cgYW5kIHRoZW4=\n", "\u0661 ",
    "密码", "密码 ", "密码：", "密码是", "パスワードは", "비밀번호는 ", "пароль ", "mot de passe : ", "clave ", "pin ", "生日1", "电话1", "你好", "“", "«",
    "user;pwd;role\n", "пароль;b\n1;Xk9mPq2v\n",
]  # fmt: skip


def steps_of(redactor, text):
    return function_calls(lambda: redactor.text(text))


@pytest.mark.parametrize("unit", UNITS)
def test_twice_the_text_takes_twice_the_steps(unit):
    redactor = Redactor(patterns=PATTERNS, fields=FIELDS)
    small, large = unit * (6_000 // len(unit)), unit * (12_000 // len(unit))
    redactor.text(large)  # expressions are compiled once
    assert steps_of(redactor, large) <= 2.4 * steps_of(redactor, small) + 50


@pytest.mark.parametrize("unit", UNITS)
def test_a_sign_takes_few_steps(unit):
    redactor = Redactor(patterns=PATTERNS)
    text = unit * (12_000 // len(unit))
    redactor.text(text)
    assert steps_of(redactor, text) <= 5.5 * len(text)


@pytest.mark.parametrize("unit", ["1 ", "(1", "1-", "\u0661 "])
def test_digits_that_are_no_number_are_passed_over(unit):
    redactor = Redactor(patterns=PATTERNS)
    redactor.text(unit)
    assert steps_of(redactor, unit * 6_000) <= 2 * 6_000


@pytest.mark.parametrize("unit", ["token=", "sk-", "client_secret=", "key1="])
def test_what_was_refused_is_not_judged_again_where_the_same_stands_around_it(monkeypatch, unit):
    judged = []
    accepted = find._accepted
    monkeypatch.setattr(
        find, "_accepted", lambda pattern, match: judged.append(1) or accepted(pattern, match)
    )
    Redactor(patterns=PATTERNS).text(unit * (10_000 // len(unit)))
    assert len(judged) <= 1_000


@pytest.mark.parametrize("name", ["replace", "hash", "mask", "pseudonymize"])
def test_twice_the_text_takes_twice_the_steps_of_any_operator(name):
    redactor = Redactor(
        patterns=PATTERNS, fields=FIELDS, operator=Operator(name, vault=Vault(b"k" * 32))
    )
    text = json.dumps({"ssn": "x", "m": 'bob@example.com\n"said" 123-45-6789 '})
    redactor.text(text)
    small = steps_of(redactor, "\n".join([text] * 40))
    assert steps_of(redactor, "\n".join([text] * 80)) <= 2.4 * small


def test_a_long_string_of_json_is_read_around_its_spans(monkeypatch):
    looked = []
    escape_over = settle._escape_over

    class Counted(str):
        def __getitem__(self, place):
            looked.append(place)
            return super().__getitem__(place)

    monkeypatch.setattr(
        settle,
        "_escape_over",
        lambda text, place, start: escape_over(Counted(text), place, start),
    )
    text = json.dumps({"a": 'bob@example.com said "no"\n' * 100})
    assert "bob" not in Redactor(patterns=PATTERNS).text(text)
    assert len(looked) <= 2 * 100 * 2 * settle._LONGEST_ESCAPE


@pytest.mark.parametrize(
    "piece", ["\\", "\\\\", "\\n", "\\u0041", "\\u00", "a", "\\\\u0041", '\\"']
)
def test_an_escape_is_found_as_by_reading_from_the_beginning(piece):
    text = f'"{piece * 4}x{piece * 3}"'
    for place in range(1, len(text)):
        spans = [match.span() for match in settle._ESCAPE.finditer(text, 1)]
        wanted = next(((s, e) for s, e in spans if s < place < e), None)
        assert settle._escape_over(text, place, 0) == wanted
