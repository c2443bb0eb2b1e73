"""Whether a text could hold an error is told as its expression tells it, with less to look at."""

from unittest.mock import Mock

from hypothesis import given
from hypothesis import strategies as st

from contextwright.text import log_lines
from contextwright.text.content_router import shorten
from contextwright.text.log_lines import has_error

WORDS = [
    "error", "Errors", "ERR!", "err", "xError", "IOException", "failed", "failure 3", "failing",
    "timed out", "timed", "fatal", "denied", "error55", "_error", "İerror", "ſevere", "panıc",
    "no errors", "Traceback", " ", "\n", "-", "é", "7",
]  # fmt: skip


@given(st.lists(st.sampled_from(WORDS), max_size=6).map("".join) | st.text(max_size=30))
def test_a_text_has_an_error_where_the_expression_finds_one(text: str) -> None:
    assert has_error(text) == (log_lines._ERROR.search(text) is not None)


def test_a_text_without_a_word_of_errors_is_not_searched(monkeypatch) -> None:
    monkeypatch.setattr(log_lines, "_ERROR", Mock(**{"search.side_effect": AssertionError}))
    assert not has_error("12 rows, all of them well\n" * 9)


def test_what_is_drawn_goes_before_what_is_said():
    drawn = "\n".join("#..~..##.~" * 3 for _ in range(9))
    text = f"-- Forge --   Score: 40\n{drawn}\nA dark room.\nIt hisses: wrong order.\nExits: up."
    short = shorten(text, 30, lambda text: len(text) // 4).text
    assert "wrong order" in short
    assert "A dark room." in short
