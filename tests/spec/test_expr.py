"""The algebra: precedence as the source document's examples read, laws, refusals."""

import pytest
from hypothesis import given

from contextwright.errors import SpecError
from contextwright.spec import Pipe, Union, from_json, parse_spec, to_json, tree
from contextwright.testing import specs
from contextwright.words import C, parse, words

A, B, D = C.from_state("intent"), C.window(n=5), C.notes(key="observations")


def test_priorities_belong_to_the_term_in_front_of_them():
    read = A | C.priority(tier=1) + B | C.priority(tier=2) + D | C.priority(tier=3)
    assert read == (A | C.priority(1)) + (B | C.priority(2)) + (D | C.priority(3))


def test_a_budget_limits_everything_to_its_left():
    read = A | C.priority(1) + B | C.priority(2) | C.budget(8000)
    assert read == ((A | C.priority(1)) + (B | C.priority(2))) | C.budget(8000)


def test_transforms_behind_an_open_term_apply_to_it_alone():
    read = A | C.priority(1) + B | C.compact() | C.priority(2) + D | C.priority(3)
    assert read == (A | C.priority(1)) + (B | C.compact() | C.priority(2)) + (D | C.priority(3))


def test_the_billing_handler_of_the_document_reads_as_it_is_indented():
    read = (
        C.from_state("intent", "category") | C.priority(tier=1)
        + C.window(n=5) | C.compact() | C.priority(tier=2)
        + C.notes(key="customer_history")
          | C.recent(half_life=3)
          | C.priority(tier=3)
        | C.budget(max_tokens=8000, overflow="truncate_lowest_priority")
    )  # fmt: skip
    assert read == (
        (C.from_state("intent", "category") | C.priority(1))
        + (C.window(n=5) | C.compact() | C.priority(2))
        + (C.notes("customer_history") | C.recent(3) | C.priority(3))
    ) | C.budget(8000, overflow="truncate_lowest_priority")


def test_the_responder_of_the_document_reads_as_it_is_indented():
    read = (
        C.from_state("resolution", "actions_taken") | C.priority(tier=1)
        + C.from_state("user_message") | C.priority(tier=1)
        + C.notes(key="customer_history") | C.window(n=2) | C.priority(tier=3)
        | C.budget(max_tokens=4000)
    )  # fmt: skip
    assert read == (
        (C.from_state("resolution", "actions_taken") | C.priority(1))
        + (C.from_state("user_message") | C.priority(1))
        + (C.notes("customer_history") | C.window(2) | C.priority(3))
    ) | C.budget(4000)


def test_without_a_continuation_a_transform_applies_to_all_terms():
    assert repr((A + B) | C.compact()) == ("(C.from_state('intent') + C.window(n=5)) | C.compact()")


def test_redaction_in_front_of_a_plus_covers_what_stands_to_its_left():
    read = B | C.compact() | C.dedup() | C.redact("email") + A | C.budget(900)
    assert read == ((B | C.compact() | C.dedup() | C.redact("email")) + A) | C.budget(900)


def test_window_or_state_is_taken_plainly():
    read = C.window(n=10) + C.from_state("profile") | C.budget(max_tokens=4000)
    assert read == (C.window(10) + C.from_state("profile")) | C.budget(4000)


@given(specs(), specs(), specs())
def test_union_is_associative(a, b, c):
    a, b, c = (_without_limit(x) for x in (a, b, c))
    assert (a + b) + c == a + (b + c)


@given(specs())
def test_none_is_the_identity_of_union(spec):
    spec = _without_limit(spec)
    assert C.none() + spec == spec + C.none() == spec


@given(specs())
def test_pipe_is_associative_over_transforms(spec):
    spec = _without_limit(spec)
    one, two = C.truncate(9), C.redact("email")
    assert (spec | one) | two == spec | (one | two)


@given(specs())
def test_repr_is_the_code_that_makes_it(spec):
    again = parse(repr(spec))
    assert again == spec
    assert hash(again) == hash(spec)
    assert eval(repr(spec), {"C": C}) == spec


@given(specs())
def test_json_and_back_is_the_same_spec(spec):
    again = from_json(to_json(spec))
    assert again == spec
    assert to_json(again) == to_json(spec)


def _without_limit(spec):
    """A spec that may stand in a union: its own limit, if any, taken off."""
    steps = spec.steps if isinstance(spec, Pipe) else ()
    return spec.head if any(step.kind.value == "terminal" for step in steps) else spec


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("C.compact() | C.window()", ("window", "compact", "select")),
        ("C.window() | C.compact() | C.select()", ("select", "compact")),
        ("C.window() | C.truncate(9) | C.from_state('a')", ("from_state", "truncate")),
        ("C.budget(5) | C.window()", ("budget", "window", "last")),
        ("C.window() | C.budget(5) | C.compact()", ("budget", "compact")),
        ("C.window() | C.fit(5) | C.budget(5)", ("fit", "budget")),
        ("C.capture('x') | C.compact()", ("capture", "compact", "writer")),
        ("C.window() | C.capture('x')", ("capture", "writer")),
        ("(C.window() | C.budget(5)) + C.notes()", ("budget", "last")),
        ("C.budget(5) + C.notes()", ("budget", "last")),
        ("(C.window() | C.budget(5)).or_else(C.notes())", ("budget", "last")),
        ("C.window().or_else(C.notes() | C.fit(5))", ("fit", "last")),
    ],
)
def test_what_means_nothing_is_refused_by_name(text, names):
    with pytest.raises(SpecError) as caught:
        parse(text)
    said = str(caught.value)
    assert all(name in said for name in names)
    assert caught.value.where
    assert caught.value.fix


@pytest.mark.parametrize("after", [C.priority(2), C.redact("email"), C.validate("freshness")])
def test_priority_redact_and_validate_may_follow_a_limit(after):
    assert (B | C.budget(9) | after).steps[-1] == after


def test_selectors_in_a_row_filter():
    assert (
        repr(C.select("researcher") | C.window(n=1))
        == "C.select(author='researcher') | C.window(n=1)"
    )


def test_a_source_behind_a_pipe_is_a_fallback():
    assert A.or_else(D) == A | D


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "C.window.__globals__",
        "C.window().__class__",
        "().__class__.__bases__[0]",
        "(lambda: C.window())()",
        "[C.window() for x in (1,)]",
        "C.window(n=__import__('os').getpid())",
        "C.window(**{'n': 1})",
        "D.window()",
        "C.none() if True else C.window()",
        "x := C.window()",
        "",
        "C.window(" * 500,
        "C.windo()",
        "C.window(m=3)",
        "C.window(n='many', x=1)",
    ],
)
def test_nothing_but_words_operators_and_literals_is_read(text):
    with pytest.raises(SpecError) as caught:
        parse_spec(text, words())
    assert caught.value.where is not None


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b'{"atom": "windo"}', b'{"atom": "window", "m": 3}', b'{"pipe": []}',
     b'{"atom": "window", "n": "x"}', b'{"pipe": [{"atom": "window"}, {"atom": "notes"}]}',
     b'{"atom": ["window"]}', b'{"union": 3}', b"\xff", b'{"atom": "priority", "tier": 9}'],
)  # fmt: skip
def test_a_spec_file_that_means_nothing_names_its_place(data):
    with pytest.raises(SpecError) as caught:
        from_json(data)
    assert caught.value.where


def test_a_spec_file_nested_too_deep_is_refused():
    with pytest.raises(SpecError, match="deep"):
        from_json(b'{"union": [' * 200 + b'{"atom": "none"}' + b"]}" * 200)


def test_specs_are_values():
    assert C.window(n=3) == C.window(n=3)
    assert len({C.compact(), C.compact(), C.compact("stale")}) == 2
    with pytest.raises(AttributeError):
        C.window(n=3).n = 4


def test_the_tree_shows_what_stands_under_what():
    shown = tree(A | C.priority(1) + B | C.budget(9))
    assert shown.splitlines() == [
        "union",
        "  C.from_state('intent')",
        "    | C.priority(tier=1)",
        "  C.window(n=5)",
        "  | C.budget(max_tokens=9)",
    ]


def test_an_open_union_equals_its_parenthesised_form():
    whole = A | C.priority(1) + B
    assert isinstance(whole, Union)
    assert whole.open
    assert whole == (A | C.priority(1)) + B


@pytest.mark.parametrize("second", [C.budget(2000), C.compaction(2000), C.fit(2000)])
def test_of_two_limits_the_fix_is_one_of_them(second):
    """Turned round they would be two as well."""
    with pytest.raises(SpecError, match="comes last") as refused:
        C.default() | C.budget(3000) | second
    assert refused.value.fix.endswith(f"... | {second!r}")
    for spec in refused.value.fix.removeprefix("one of them: ").split(", or "):
        assert parse(spec.replace("...", "C.default()"))
