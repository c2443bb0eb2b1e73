"""Whatever is given as an option of a word: an error that names it, or a spec that is the same
behind JSON, compiles and is replayed."""

import inspect

import pytest

from contextwright import C, Session, compile
from contextwright.compiler.replay_pack import replay
from contextwright.errors import ContextwrightError, RefError, SpecError
from contextwright.spec import Kind, from_json, to_json
from contextwright.spec.expr import Atom, is_bare
from contextwright.words import words

NAN, INF = float("nan"), float("inf")
VALUES = (NAN, INF, -INF, 1e308, 2**53, 10**400, 10**5000, -1, 0, "\ud800", "x", 5, 1.5, True, None,
          [NAN], ["\ud800"], ["x"], {"a": 1}, {"\ud800": "str"}, b"x", object(), [[1]])  # fmt: skip
NEEDED = {
    "max_tokens": 500, "target_tokens": 500, "max_age": 3, "key": "case", "text": "hello",
    "schema": {"a": "str"}, "condition": "urgent", "spec": C.default(), "name": "task",
    "tier": 2, "checks": "freshness",
}  # fmt: skip


def signature(word):
    return inspect.signature(words()[word]).parameters.values()


def call(word, name, value):
    """A word with a value for one option, and what fits for those that it must have."""
    arguments, options = [], {}
    for option in signature(word):
        if option.kind is option.VAR_POSITIONAL:
            arguments = [value] if option.name == name else []
        elif option.kind is option.VAR_KEYWORD:
            options.update({"model": value} if option.name == name else {})
        elif option.name == name:
            options[name] = value
        elif option.default is option.empty:
            options[option.name] = {"phase": "user"}.get(word) or NEEDED[option.name]
    return words()[word](*arguments, **options)


def standing(expr):
    """A spec that a word is part of."""
    if is_bare(expr):
        return C.default() | expr
    return C.default() + expr if isinstance(expr, Atom) and expr.kind is Kind.WRITER else expr


@pytest.fixture(scope="module")
def session():
    session = Session("s", state={"case": "48213"})
    for n in range(4):
        session.user(f"where is order 4821{n}?")
        session.assistant(f"order 4821{n} is in Kiel")
    session.user("and now?")
    return session


@pytest.mark.parametrize(
    ("word", "name"),
    [(word, option.name) for word in words() for option in signature(word)],
)
def test_a_value_is_refused_by_name_or_goes_through_json_and_a_compile(word, name, session):
    for value in VALUES:
        try:
            spec = standing(call(word, name, value))
        except (SpecError, RefError) as error:
            assert error.what and error.where and error.fix, (word, name)
            str(error).encode("utf-8", "backslashreplace")
            continue
        assert from_json(to_json(spec)) == spec, repr(spec)
        try:
            pack = compile(session, spec, model="gpt-5")
        except ContextwrightError:
            continue
        assert replay(pack.manifest, session).body == pack.body, repr(spec)


def test_numbers_and_texts_of_a_spec_file_have_the_same_limits():
    for data, place in (
        ('{"atom": "recent", "half_life": 1e308}', "/half_life"),
        ('{"pipe": [{"atom": "default"}, {"atom": "cap", "max_tokens": 9007199254740993}]}',
         "/pipe/1/max_tokens"),
    ):  # fmt: skip
        with pytest.raises(SpecError) as caught:
            from_json(data)
        assert place in caught.value.where and "finite number" in caught.value.what


def test_an_error_names_word_option_and_what_to_give():
    with pytest.raises(SpecError) as caught:
        C.salient(half_life=NAN)
    assert "C.salient" in caught.value.what and "half_life" in caught.value.what
    with pytest.raises(SpecError) as caught:
        C.template("\ud800")
    assert "UTF-8" in caught.value.what and "text" in caught.value.what
    with pytest.raises(SpecError, match="whole number as n"):
        C.rolling("x")
