"""What sentences are held against: a text in small letters, its words, and patterns by what is in
all that they find."""

import re
import string
from itertools import product
from re import _compiler, _parser
from re import _constants as op

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text import conditions, corrections, directive_wordings, end_sentences, remarks
from contextwright.text.request_ends import _LASTS, _TASK
from contextwright.text.wordings import (
    _COMMAND,
    _START,
    Phrasing,
    Wordings,
    _alternatives,
    any_of,
    small_letters,
    small_text,
)

PIECES = (
    "you ", "must", "Don\u2019t ", "don't forget", "need to ", "be ", "no ", "No changes to ", "go with ",
    "closed until ", "noon", "not ", "- ", "please ", ", then ", "approval", "always ", "should",
    "I ", "let's ", "\u017fhould ", "o\ufb03ce ", "\u212aeep ", "\u00e9must ", "_must", "leave it alone", "2 pm",
    "?", ". ", "\n", "wait", "there must be ", "we'll ", "has to ", "in place", "is now ", "x",
)  # fmt: skip
WORDINGS = (
    directive_wordings.RULES,
    directive_wordings.DECISIONS,
    conditions._CONDITIONS,
    corrections._CHANGES,
    remarks._NEWS,
    end_sentences._PHRASES,
    end_sentences._CALLED_OFF,
    end_sentences._BEGUN,
)
PHRASINGS = (
    directive_wordings.NO_RULE,
    conditions._PERSON,
    end_sentences._UNLESS,
    end_sentences._NOT_YET,
    end_sentences._STILL,
    _LASTS,
    _TASK,
    *(one for wordings in WORDINGS for one in wordings._patterns),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
SIGNS = f" 1-'x.:,;`\"${string.ascii_lowercase}"


def spellings(tree):
    """Texts that a parsed pattern may find: with each choice, and with what need not be there once
    and not at all."""
    return map("".join, product(*(_spelled(*one) for one in tree)))


def _spelled(kind, value):
    if kind is op.LITERAL:
        return [chr(value)]
    if kind is op.ANY:
        return [" "]
    if kind is op.BRANCH:
        return [text for tree in value[1] for text in spellings(tree)]
    if kind is op.SUBPATTERN:
        return [*spellings(value[3])]
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
        least, most, tree = value
        counts = {least, min(most, max(least, 1))}
        return [text * count for count in counts for text in spellings(tree)]
    if kind is op.IN:
        one = _parser.SubPattern(_parser.State(), [(kind, value)])
        return [sign for sign in SIGNS if _compiler.compile(one).match(sign)][:2]
    return [""]  # where it begins, and what stands around it


def found_texts(pattern):
    """Texts that a pattern finds, with all that it has a choice between."""
    # what a sentence begins with is of many forms, and of no group's words
    pattern = pattern.replace("START", "^").replace("COMMAND", "^")
    find = re.compile(pattern).search
    return [
        one
        for text in spellings(_parser.parse(pattern))
        if find(one := text) or find(one := f"x {text}")
    ]


@given(st.text() | st.text(st.characters(max_codepoint=127)))
def test_words_are_the_runs_of_small_letters(text):
    small = small_text(text)
    assert small.words == set(re.findall("[a-z]+", small.text))
    assert small.text == text.casefold().replace("\u2019", "'") == small_letters(text)
    among = frozenset({"a", "must", *list(small.words)[:1]})
    assert small_text(text, among).words == small.words & among


def test_an_apostrophe_parts_words():
    small = small_text("Don\u2019t use: C3PO, ok?")
    assert small.text == "don't use: c3po, ok?"
    assert small.words == {"don", "t", "use", "c", "po", "ok"}


@given(TEXTS)
def test_a_phrasing_finds_the_same_in_small_letters(text):
    for phrasing in PHRASINGS:
        known = any_of(phrasing._lines).search(text) is not None
        assert phrasing.is_in(text) == known
        assert phrasing.is_in(text, small_letters(text)) == known


@given(TEXTS)
def test_what_begins_a_word_is_found_as_if_it_was_looked_for_everywhere(text):
    for phrasing in PHRASINGS:
        lines = "|".join(phrasing._lines).replace("START", _START).replace("COMMAND", _COMMAND)
        plain = re.compile(lines.replace("'", "['\u2019]"), re.IGNORECASE)
        spans = [hit.span() for hit in plain.finditer(text)]
        assert [hit.span() for hit in any_of(phrasing._lines).finditer(text)] == spans


@given(TEXTS)
def test_what_is_taken_out_is_the_same_in_small_letters(text):
    small = small_letters(text)
    if small.isascii() and len(small) == len(text):
        rest = directive_wordings.NO_RULE.for_text(is_small=True).sub("", small)
        whole = directive_wordings.NO_RULE.for_text(is_small=False).sub("", text)
        assert rest == small_letters(whole)


def test_a_choice_within_a_group_or_a_class_is_none_of_the_whole_pattern():
    phrasing = Phrasing((r"\ba(?:b|c)\b|[|(]x|d\|e", r"\bf|g"))
    assert phrasing._small.pattern == r"\b(?:a(?:b|c)\b)|[|(]x|d\|e|\b(?:f)|g"
    together = Phrasing((r"\bone|\btwo", r"\bthree|^four"))
    assert together._small.pattern == r"\b(?:one|two|three)|^four"


@given(TEXTS, TEXTS)
def test_what_may_be_in_a_part_may_be_in_the_whole(one, other):
    whole = small_text(f"{one}\n{other}")
    for wordings in WORDINGS:
        near = wordings.near(whole)
        for part in (one, other):
            small = small_text(part)
            assert wordings.is_in_part(part, small.text, near) == wordings.is_in(part, small)


@pytest.mark.parametrize("wordings", WORDINGS)
def test_a_text_without_the_words_has_no_wording(wordings):
    assert wordings.near(small_text("xyzzy qwert")) == ()
    assert isinstance(wordings, Wordings)


@pytest.mark.parametrize("wordings", WORDINGS)
def test_what_a_pattern_finds_has_a_phrase_of_its_group(wordings):
    passed_over = {}
    for one in wordings._patterns:
        for pattern in _alternatives("|".join(one._lines)):
            for text in found_texts(pattern):
                if not wordings.is_in(text, small_text(text)):
                    passed_over.setdefault(pattern, text)
    assert passed_over == {}


def test_a_class_with_an_apostrophe_has_the_curly_one_as_well():
    own = any_of((r"\bno [\w`'-]+ in\b|don't",))
    assert all(map(own.search, ("no x'y-z in", "no x\u2019y in", "don\u2019t", "No x in")))
    for rule in ("No emojis in caf\u00e9 please", "Write it plainly, and not na\u00efve"):
        assert directive_wordings.RULES.is_in(rule, small_text(rule))
