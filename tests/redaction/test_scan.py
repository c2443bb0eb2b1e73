"""Scanners: what they find, what they leave, and that they cannot be made slow."""

import base64
import json
import re
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.parameters import few

from contextwright.errors import PatternError, SpecError
from contextwright.redaction.patterns import catalogue, compiled
from contextwright.redaction.scan import Scanner, compile_patterns

EVERYTHING = compile_patterns(("pii", "secrets", "url"))

FOUND = [
    ("email", "write to bob@example.com.", "bob@example.com"),
    ("email", "josé@exämple.de", "josé@exämple.de"),
    ("phone", "ring (415) 555-0132 x12 now", "(415) 555-0132 x12"),
    ("phone", "phone: 5551234567", "5551234567"),
    ("phone", "+44 20 7123 4567", "+44 20 7123 4567"),
    ("ssn", "123-45-6789", "123-45-6789"),
    ("ssn", "ssn 123456789", "123456789"),
    ("credit_card", "4012-8888-8888-1881", "4012-8888-8888-1881"),
    ("credit_card", "\\n4111111111111111\\n", "4111111111111111"),
    ("iban", "to GB29 NWBK 6016 1331 9268 19 X", "GB29 NWBK 6016 1331 9268 19"),
    ("iban", "DE89-3704-0044-0532-0130-00,", "DE89-3704-0044-0532-0130-00"),
    ("iban", "iban de89370400440532013000", "de89370400440532013000"),
    ("ip", "at 10.0.0.1, and", "10.0.0.1"),
    ("ip", "[2001:db8::1]:80", "2001:db8::1"),
    ("mac_address", "aa:bb:cc:00:11:22", "aa:bb:cc:00:11:22"),
    ("us_itin", "911-53-1234", "911-53-1234"),
    ("date_of_birth", '"dob": "1990-04-05"', "1990-04-05"),
    ("password", "PASSWORD='hunter22'", "hunter22"),
    ("password", '{\\"password\\": \\"hunter22\\"}', "hunter22"),
    ("url_password", "postgres://app:s3cr3t@db/x", "s3cr3t"),
    ("url_password", "curl -s -uapp:s3cr3t h.io", "s3cr3t"),
    ("auth_header", "bearer\t9f8a7b6c5d4e3f2a1b0c", "9f8a7b6c5d4e3f2a1b0c"),
    ("assigned_secret", "CLIENT_SECRET=9f8a7b6c5d4e3f2a1b", "9f8a7b6c5d4e3f2a1b"),
]
LEFT = [
    ("email", "foo@localhost, a@b"),
    ("phone", "2026-03-02 10:22, 12345678901, 1700000000"),
    ("ssn", "000-12-3456 666-12-3456 123-00-4567 123456789 2123-45-67890"),
    ("credit_card", "4012-8888-8888-1882 1748503543012"),
    ("iban", "GB29 NWBK 6016 1331 9268 18"),
    ("pii", "CY17 0020 0128 0000 0012 0052 7601, NL91 1BNA 0417 1643 00"),
    ("ip", "v1.2.3.4 256.1.1.1 1.2.3.4.5 12:34:56 std::vector a::b"),
    ("password", "password: ${PASSWORD} and the password is required"),
    ("assigned_secret", "token_count = 1234567890, secret: <your-secret-here1>"),
    ("secrets", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
]


@pytest.mark.parametrize(("name", "text", "value"), FOUND)
def test_what_is_found(name: str, text: str, value: str) -> None:
    spans = compile_patterns((name,)).spans(text)
    assert [(text[start:end], found) for start, end, found in spans] == [(value, name)]


@pytest.mark.parametrize(("name", "text"), LEFT)
def test_what_is_left(name: str, text: str) -> None:
    assert compile_patterns((name,)).spans(text) == ()


def test_a_token_ends_as_a_placeholder() -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    assert compile_patterns(("secrets",)).redact(f"use {token}!")[0] == "use [REDACTED]!"


@pytest.mark.parametrize(
    "text",
    ["4111\u200b1111\u200b1111\u200b1111", "".join(chr(0xFF10 + int(d)) for d in "4" + "1" * 15)],
)
def test_a_disguised_card_is_found_whole(text: str) -> None:
    spans = compile_patterns(("credit_card",)).spans(f"card {text} end")
    assert [(start, end) for start, end, _ in spans] == [(5, 5 + len(text))]


def test_a_zero_width_space_between_two_values_hides_neither() -> None:
    text, _ = compile_patterns(("ip",)).redact("1.2.3.4\u200b5.6.7.8")
    assert not re.search("[0-9]", text)


def test_overlapping_spans_become_one_with_the_name_of_the_longest() -> None:
    spans = compile_patterns(("email", r"bob@example\.com/[a-z]+")).spans("bob@example.com/x y")
    assert [(s.start, s.end, s.name) for s in spans] == [(0, 17, r"bob@example\.com/[a-z]+")]


def test_a_user_expression_runs_on_re2() -> None:
    assert compile_patterns((r"\b\d{3}-\d{2}-\d{4}\b",)).redact("is 000-12-3456")[0] == (
        "is [REDACTED]"
    )


@pytest.mark.parametrize("word", ["emial", "Email", "phone_number", "credit-card", "secret"])
def test_a_misspelled_name_is_no_expression(word: str) -> None:
    with pytest.raises(SpecError, match="no pattern is called") as caught:
        compile_patterns((word,))
    assert caught.value.fix


@pytest.mark.parametrize(
    ("pattern", "lacks"),
    [
        (r"(?=a)b", "look-ahead"),
        (r"(?<=a)b", "look-behind"),
        (r"(a)\1", "this escape"),
        (r"a{2000}", "above 1000"),
        (r"\pL{1000}", "this large"),
        ("a" * 3000, "at most 2000"),
        ("(a", "missing"),
        ("\ud800+", "no regular expression"),
    ],
)
def test_what_re2_refuses_says_why_and_what_to_write(pattern: str, lacks: str) -> None:
    with pytest.raises(PatternError, match=lacks) as caught:
        compile_patterns((pattern,))
    assert caught.value.fix


@pytest.mark.parametrize("patterns", [(), ("",)])
def test_nothing_is_no_pattern(patterns: tuple[str, ...]) -> None:
    with pytest.raises(SpecError):
        compile_patterns(patterns)


def test_every_built_in_is_in_the_language_of_re2() -> None:
    re2 = pytest.importorskip("re2")
    for patterns in catalogue().values():
        for pattern in patterns:
            assert re2.compile(pattern.regex)
            assert compiled(pattern).groups <= 1


PIECES = st.sampled_from(
    [*(text for _, text, _ in FOUND), *(text for _, text in LEFT), "[REDACTED]"]
)
NOISE = st.text(alphabet="aZ09 @.-+()/:=\"'\\\n\u200b\uff11\ud800é[]", max_size=12)
TEXTS = st.lists(st.one_of(PIECES, NOISE), max_size=6).map("".join)
SCANNERS = st.sampled_from(
    [EVERYTHING, *(compile_patterns((p,)) for p in (r"\b[a-z]", r"^.", r"\]?[A-Z]+", r"\s*\d"))]
)


@given(TEXTS, SCANNERS)
def test_redacting_twice_is_redacting_once(text: str, scanner: Scanner) -> None:
    once, spans = scanner.redact(text)
    assert scanner.redact(once) == (once, ())
    ends = [0, *(span.end for span in spans)]
    assert all(end <= span.start < span.end for end, span in zip(ends, spans, strict=False))


@given(st.sampled_from(FOUND), st.integers(0, 5000))
def test_no_place_in_a_long_text_hides_a_value(case: tuple[str, str, str], before: int) -> None:
    name, text, value = case
    padding = ("word " * 1000)[:before] + "\n"
    redacted, _ = compile_patterns((name,)).redact(padding + text + "\nword" * 50)
    assert value not in redacted


PUMPS = ["0 ", "a@", "a@a.", "i1@", ":a", "=a1", "ey", "-ey", "1.", "+1", "A1", "://:", "sk-", "(0"]
PUMPS += [
    "-----BEGIN PRIVATE KEY-----",
    "password=",
    "GB29 ",
    "\u200b1",
    "born ",
    " -u a:",
    "\\n1-",
    *(":", "ab:cd:", "a::b ", "@a.b", "%41", "&#65;", "\\u0041", "QUFB", "pw: ", "1 ", ":A"),
]


@pytest.mark.parametrize("pump", few(PUMPS, 8))
def test_no_input_is_slow_for_the_built_ins(pump: str) -> None:
    text = pump * (100_000 // len(pump))
    begin = time.process_time()
    EVERYTHING.redact(text)
    assert time.process_time() - begin < 6.0


SECRET = "bob.smith@example.com"
HEX = "".join(f"\\u{ord(sign):04x}" for sign in SECRET)
ENCODED = [
    SECRET.replace("@", "\\u0040"),
    HEX,
    f'{{"a": "{HEX}"}}',
    json.dumps(json.dumps({"a": HEX})),
    quote(SECRET, safe=""),
    quote(quote(SECRET, safe=""), safe=""),
    SECRET.replace("@", "&#64;"),
    SECRET.replace("@", "&commat;"),
    SECRET.replace("@", "\\u0026#64;"),
    SECRET.replace("@", "&#64"),
    SECRET.replace("@", "\\x40"),
    SECRET.replace("@", "\\u{40}"),
    SECRET.replace("@", "\\U00000040"),
    "".join(f"\\x{ord(sign):02x}" for sign in SECRET),
    base64.b64encode(f"mail {SECRET} now".encode()).decode(),
    base64.urlsafe_b64encode(json.dumps({"mail": SECRET}).encode()).decode().rstrip("="),
    base64.encodebytes(f"{'x ' * 80}{SECRET}".encode()).decode(),
    base64.b64encode(SECRET.encode("utf-16-le")).decode(),
]


@pytest.mark.parametrize("text", ENCODED)
def test_a_text_is_decoded_before_it_is_searched(text: str) -> None:
    redacted, spans = EVERYTHING.redact(f"see {text} there")
    assert len(spans) == 1
    assert redacted.startswith("see ") and redacted.endswith(" there")
    assert not {"bob", "Ym9i", "0062"} & set(re.findall("bob|Ym9i|0062", redacted))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ('{"phone": 4155550132, "n": 1}', '{"phone": "[REDACTED]", "n": 1}'),
        ('[{"a":"x bob@example.com"},2]', '[{"a":"x [REDACTED]"},2]'),
        ('go {"a":"bob\\u0040example.com"} on', 'go {"a":"[REDACTED]"} on'),
        ('{"https:\\/\\/a:s3cr3t@b.de\\/":1}', '{"https:\\/\\/a:[REDACTED]\\/":1}'),
        ('{"card": 4111111111111111}', '{"card": "[REDACTED]"}'),
    ],
)
def test_json_stays_json(text: str, result: str) -> None:
    assert compile_patterns(("pii", "secrets")).redact(text)[0] == result


JSON = st.recursive(
    st.none() | st.integers(10**9, 10**16) | st.booleans() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(JSON.filter(lambda value: isinstance(value, (dict, list))), SCANNERS, st.booleans())
def test_any_json_stays_json(value: object, scanner: Scanner, ascii_only: bool) -> None:
    once, _ = scanner.redact(json.dumps(value, ensure_ascii=ascii_only))
    if scanner is EVERYTHING:
        json.loads(once)
    assert scanner.redact(once) == (once, ())
