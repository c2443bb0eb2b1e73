"""Edits of a spec's text."""

import pytest

from contextwright.inspect.spec_edits import as_it_reads, words_left_out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C.default() | C.compact() | C.compaction(9)", ["C.compact()", "C.compaction(9)"]),
        (" (C.user() + C.notes('é'))\n| C.compact()", ["C.notes('é')", "C.compact()"]),
        ("C.default() | (C.priority(1) + C.notes('x'))", ["C.notes('x')"]),
        ("C.default()", []),
        ("C.default(", []),
    ],
)
def test_every_word_behind_another_can_be_left_out(text, words):
    edits = words_left_out(text)
    assert [edit.what for edit in edits] == words
    for edit in edits:
        left = edit.of(text)
        assert edit.what not in left and len(left) < len(text)
        compile(left.strip().replace("\n", " "), "spec", "eval")


def test_a_pipe_is_put_around_the_term_that_it_reads_as():
    where = "C.a() + C.b() | C.t()"
    start, stop, put = as_it_reads("C.a() + C.b() | C.t() | C.u()", where)
    assert ("C.a() + C.b() | C.t() | C.u()"[start:stop], put) == (
        "C.b() | C.t()",
        "(C.b() | C.t())",
    )
    assert as_it_reads("C.a()", where) is None
