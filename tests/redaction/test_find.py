"""What is passed over unseen would not have been taken: each short way against the long one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.redaction import find, scan
from contextwright.redaction.checks import card, entropy, luhn, varies
from contextwright.redaction.edges import opening, opens
from contextwright.redaction.find import _accepted
from contextwright.redaction.haystack import Haystack
from contextwright.redaction.patterns import catalogue, compiled, compiled_search
from contextwright.redaction.phone_numbers import starts
from contextwright.redaction.scan import compile_patterns

EVERYTHING = compile_patterns(("pii", "secrets", "url"))
PIECES = st.sampled_from(
    [
        *("1", "0", "42", "415", "0171", "555-0132", "4111 1111 1111 1111", "123456789", " ", "-"),
        *("+", "(", ")", ".", "\\n", "\\", "x", "phone ", "tel: ", "call", "office", "off\u0131ce"),
        *("mob\u0130le", " fax", "DE89 3704 ", "password", "token", "=", "secret", "a8Xk29sLq0pZ"),
        *(
            "sk-",
            "'",
            '"',
            "{",
            ",",
            "\n",
            "key",
            "datadog",
            "bob@example.com",
            "10.0.0.1",
            "\u0661",
        ),
        *("-----BEGIN PRIVATE KEY-----", "%41", "Y29udGFjdCBib2JAZXhhbXBsZS5jb20gbm93", "xxxxx"),
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text("0123456789 -.()+", max_size=12)), max_size=16)


@given(TEXTS.map("".join))
def test_a_phone_number_that_is_taken_begins_where_it_is_looked_for(text):
    [phone] = catalogue()["phone"]
    matches = (compiled(phone).match(text, place) for place in range(len(text)))
    taken = {match.start() for match in matches if match and _accepted(phone, match)}
    assert taken <= set(starts(Haystack(text)))


@given(TEXTS.map("".join), st.sampled_from(["", "-.", "."]))
def test_an_opening_is_where_a_match_may_begin(text, glue):
    expression = re.compile(opening("[0-9a-z]", glue))
    wanted = [
        at for at, sign in enumerate(text) if re.match("[0-9a-z]", sign) and opens(text, at, glue)
    ]
    assert [match.start() for match in expression.finditer(text)] == wanted


@given(TEXTS.map("".join))
def test_a_search_finds_what_one_try_a_place_finds(text):
    for pattern in EVERYTHING._built_in:
        if pattern.literals or pattern.anchor or pattern.starts:
            continue
        done, wanted = 0, []
        for place in range(len(text)):
            match = compiled(pattern).match(text, place) if place >= done else None
            if match and (span := _accepted(pattern, match)):
                wanted.append(span)
                done = span[1]
        assert list(find.find(pattern, Haystack(text))) == wanted
        assert compiled_search(pattern).groups == compiled(pattern).groups


@given(TEXTS.map("".join), st.integers(1, 60))
def test_what_is_refused_unseen_would_be_refused(text, times):
    text = (text * times)[:3_000]
    found = EVERYTHING.spans(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(find, "LONG", 10**9)
        patch.setattr(scan, "SHORT", 0)
        assert EVERYTHING.spans(text) == found


@given(st.text("abc12=", min_size=1, max_size=60), st.sampled_from([2.5, 2.8, 3.0]))
def test_what_varies_has_so_much_entropy(value, bits):
    assert varies(value, bits) == (entropy(value) >= bits)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("4111 1111 1111 1111 1234", "4111 1111 1111 1111"),
        ("4111-1111-1111-1111 1", "4111-1111-1111-1111"),
        ("41111111111111111111", None),
        ("5018 0000 0009 99", "5018 0000 0009"),
        ("378282246310005", "378282246310005"),
        ("2720 9999 9999 9996", "2720 9999 9999 9996"),
        ("2721 0000 0000 0004", None),
        ("1234 5678 9012 3452", None),
    ],
)
def test_a_card_is_the_longest_run_of_whole_groups(text, number):
    match = re.match(r"[1-6](?:[ -]?[0-9]){11,18}", text)
    span = card(match)
    assert (text[slice(*span)] if span else None) == number
    assert number is None or luhn(re.sub("[ -]", "", number))
