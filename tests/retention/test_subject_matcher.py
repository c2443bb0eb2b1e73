"""Finding a person in texts and bytes, and nobody else."""

import base64
import json
import zlib
from unicodedata import normalize
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.errors import StoreError
from contextwright.retention import DataSubject
from contextwright.retention.subject_matcher import SubjectMatcher

ADA = DataSubject("u-1815", ("Ada Lovelace", "José", "ada@example.org", "李明", "Straße"))
MATCHER = SubjectMatcher(ADA)


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("I am Ada Lovelace.", "I am [erased]."),
        ("ADA LOVELACE's hat", "[erased]'s hat"),
        ("Ada\n  Lovelace", "[erased]"),
        ("Ada\u00a0Lovelace", "[erased]"),
        ("A\u200bda Love\u00adlace", "[erased]"),
        ("Adam Lovelace, Ada Lovelaces", "Adam Lovelace, Ada Lovelaces"),
        (normalize("NFD", "von José, bitte"), "von [erased], bitte"),
        ("JOSÉ", "[erased]"),
        ("Jose and Joséphine", "Jose and Joséphine"),
        ("STRASSE, strasse", "[erased], [erased]"),
        ("说李明好", "说[erased]好"),
        ("mail Ada@Example.org!", "mail [erased]!"),
        ("see u-1815_notes, u-18155", "see [erased]_notes, u-18155"),
        ("_notes_u-1815", "_notes_[erased]"),
        (r"a\nAda Lovelace and \u0041da Lovelace", r"a\n[erased] and [erased]"),
        (r"Jos\u00e9, Jos\\u00e9, Jose\u0301", "[erased], [erased], [erased]"),
        ("x?q=Ada%20Lovelace&r=Jos%C3%A9&s=Ada+Lovelace", "x?q=[erased]&r=[erased]&s=[erased]"),
        ("<p>Jos&eacute; or Jos&#233;</p>", "<p>[erased] or [erased]</p>"),
        ('{"a": "Jos\\u00e9 \\"x\\"", "b": 1.50}', '{"a": "[erased] \\"x\\"", "b": 1.50}'),
    ],
)
def test_a_person_is_found_in_every_form_and_nobody_else(text, without):
    assert MATCHER.text(text) == without
    assert MATCHER.names(text) == (text != without)
    assert MATCHER.text(without) == without, "erasing again changes nothing"


def test_json_stays_json_whatever_is_in_it():
    matcher = SubjectMatcher(DataSubject("12345", ("Bob",)))
    inner = json.dumps({"id": 12345, "Bob": "Bob's"})
    text = json.dumps({"user": 12345, "n": 123456, "inner": inner, "list": ["Bob", None]})
    found = json.loads(matcher.text(text))
    assert found["user"] == "[erased]" and found["n"] == 123456
    assert json.loads(found["inner"]) == {"id": "[erased]", "[erased]": "[erased]'s"}
    assert matcher.value({"Bob": 12345, "bob": True}) == {
        "[erased]": "[erased]",
        "[erased] 2": True,
    }


def test_an_escape_is_no_letter_of_a_name():
    matcher = SubjectMatcher(DataSubject("u-1815", ("Nils",)))
    for said in ("a\nils", "a\\nils", "C:\\users\\nils"):
        text = json.dumps({"a": said})
        assert json.loads(matcher.text(text)) == {"a": matcher.text(said)}
    assert matcher.text("C:\\users\\nils") == "C:\\users\\[erased]"


@pytest.mark.parametrize("before", range(6))
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_looked_into(before, encode):
    token = encode(("é?>" * before + " José Ada Lovelace ÿÿ").encode()).decode()
    for text in (token, f"data:text/plain;base64,{token}", f'{{"data":"{token}"}}'):
        without = MATCHER.text(text)
        assert not MATCHER.names(without) and token not in without
    said = MATCHER.text(token)
    assert "[erased] [erased]" in base64.b64decode(said).decode()


def test_bytes_are_read_as_the_texts_that_they_may_be():
    for encoding in ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1"):
        assert MATCHER.data("Grüße an José und alle anderen Gäste".encode(encoding)), encoding
        assert not MATCHER.data("Grüße an Jose und alle anderen Gäste".encode(encoding)), encoding
    noise = bytes(range(256)) * 4
    assert MATCHER.data(noise + b"ADA LOVELACE" + noise)
    assert not MATCHER.data(noise)
    assert not MATCHER.data(zlib.compress(b"Ada Lovelace")), "as the how-to says"


def test_a_whole_text_goes_where_that_was_asked():
    matcher = SubjectMatcher(ADA, whole=True)
    assert matcher.text("I am Ada Lovelace, of London") == "[erased]"
    assert json.loads(matcher.text('{"a": "is Ada Lovelace", "b": "x"}')) == {
        "a": "[erased]", "b": "x"
    }  # fmt: skip


def test_a_short_id_is_an_owner_and_no_word():
    matcher = SubjectMatcher(DataSubject("7", ("Bob",)))
    assert matcher.owns("7") and not matcher.owns("77") and matcher.text("7 days") == "7 days"
    assert matcher.owns("team of bob") and not matcher.owns("")


def test_what_would_be_found_everywhere_is_refused():
    for id, names in (("", ()), ("u", ("a",)), (" ", ("Bob",)), ("u-1", ("erased",))):
        with pytest.raises(StoreError, match="two characters"):
            DataSubject(id, names)


_NAMES = st.text(
    st.characters(categories=("Lu", "Ll", "Lo"), max_codepoint=0x2FFF), min_size=3, max_size=9
)
_FORMS = (
    str,
    str.upper,
    lambda text: normalize("NFD", text),
    lambda text: normalize("NFKC", text),
    quote,
    quote_plus,
    json.dumps,
    lambda text: json.dumps(json.dumps(text)),
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: base64.b64encode(f"from: {text}.".encode()).decode(),
)


@given(_NAMES, _NAMES, st.sampled_from(_FORMS), st.text(max_size=10))
def test_whatever_a_name_is_it_is_found_and_gone(first, last, form, around):
    name = f"{first} {last}"
    matcher = SubjectMatcher(DataSubject("u-1815", (name,)))
    text = f"{around} {form(f'<{name}>')} {around}"
    if form is str.upper and normalize("NFKD", name.upper().casefold()) != normalize(
        "NFKD", name.casefold()
    ):
        return  # letters that have no way back from upper case
    assert matcher.names(text)
    without = matcher.text(text)
    assert not matcher.names(without) and matcher.text(without) == without


@given(st.text())
def test_who_is_not_named_is_not_touched(text):
    matcher = SubjectMatcher(DataSubject("\u10ff-person", ("\u10fe somebody else \u10fd",)))
    assert matcher.text(text) == text and matcher.text(f'{{"a": {json.dumps(text)}}}')


@pytest.mark.slow
def test_no_text_takes_long():
    """Texts that are long where a careless pattern goes back and forth; no clock, but a timeout
    of the whole run would tell."""
    for text in (
        "\\" * 300_000 + "x", "\\u00" * 100_000, "%C3" * 100_000, "&" * 300_000, '"' * 300_000,
        "A" * 300_000, "Ada " * 100_000, "Ada" + " " * 300_000, "e\u0301" * 100_000,
        base64.b64encode(b"Ada " * 100_000).decode(),
    ):  # fmt: skip
        assert not MATCHER.names(text) and MATCHER.text(text) == text
    long = "é " * 600_000 + "Ada Lovelace"
    assert MATCHER.names(long) and MATCHER.text(long).endswith("[erased]")
