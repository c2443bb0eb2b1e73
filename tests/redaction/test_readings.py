"""Base64 is found where it stands, however its runs are looked for."""

from unittest.mock import Mock

from hypothesis import given
from hypothesis import strategies as st

from contextwright.redaction import readings
from contextwright.redaction.readings import base64_texts, is_read_as_is

PIECES = st.sampled_from(
    ["Ym9iQGV4YW1wbGUuY29t", "get_user_details_of", "a" * 15, "s" * 16, "s" * 64, "\n", "=", "==",
     " ", "-", "/x/", "TXkgbWFpbCBpcyBib2JAZXhhbXBsZS5jb20gbm93"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=7).map("".join))
def test_long_runs_of_ascii_are_those_of_any_text(text: str) -> None:
    every = list(base64_texts(f"{text} é"))  # which is tried place by place
    assert list(base64_texts(text)) == every


def test_a_text_without_a_long_run_is_not_searched(monkeypatch) -> None:
    searched: list[str] = []
    monkeypatch.setattr(readings, "_RUN", Mock(search=searched.append))
    assert list(base64_texts("order A-17 of the shop, 12 rows")) == []
    assert searched == []


@given(st.lists(PIECES | st.sampled_from(["\\", "%", "&", "é"]), max_size=7).map("".join))
def test_a_text_is_read_as_is_without_a_sign_of_any_encoding(text: str) -> None:
    has_signs = any(sign in text for sign in "\\%&é")
    assert is_read_as_is(text) == (not has_signs and list(base64_texts(text)) == [])
