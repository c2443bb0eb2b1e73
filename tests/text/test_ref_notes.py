"""What a shortened text says of where its whole is."""

from collections.abc import Callable
from functools import partial

import pytest

from contextwright.text.ref_notes import (
    argument_note,
    cut_note,
    full_output_note,
    line_tail,
    media_tail,
    message_note,
    outside_note,
    range_tail,
    without_notes,
    without_refs,
)

FORMS: tuple[Callable[[str], str], ...] = (
    partial(full_output_note, tokens=9),
    cut_note,
    message_note,
    partial(argument_note, tokens=9),
    line_tail,
    range_tail,
    lambda ref: f"{media_tail(ref)}]",
)


def test_a_text_loses_the_notes_of_its_own_whole_alone():
    own, other = "event://e1", "event://e10"
    text = f"head\n{cut_note(own)}\n{cut_note(other)}\ntail\n{full_output_note(own, 9)}"
    assert without_notes(text, own) == f"head\n\n{cut_note(other)}\ntail\n"
    assert without_notes(text, "") == text


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ref", ["event://e1", "event://e1#0", "event://e1#..e9"])
def test_every_form_can_be_told_without_its_ref(form: Callable[[str], str], ref: str):
    text = f"head{form(ref)}\ntail"
    assert ref in text
    hidden = without_refs(text, ref.__eq__)
    assert "event://" not in hidden and hidden.startswith("head") and hidden.endswith("\ntail")
    assert without_refs(text, "event://e2".__eq__) == text  # somebody's words
    assert without_refs(hidden, lambda _: True) == hidden


LEFT_OUT: tuple[Callable[[str], str], ...] = (
    lambda ref: "… [101 characters left out]",
    lambda ref: "[… 12 lines left out]",
    lambda ref: "[… 3 rows]",
    lambda ref: "[image/png, 300 bytes as base64, sha256 ab12 … left out]",
)


@pytest.mark.parametrize("form", [*FORMS, *LEFT_OUT])
def test_a_place_in_a_note_is_moved_out_of_it(form: Callable[[str], str]):
    """Half of a ref leads nowhere, and half of a note says nothing."""
    note = form("event://e1#..e14")
    text = f"head of it{note}\nand its tail"
    start = text.index(note)
    stop = start + len(note.removesuffix("]") if form is FORMS[-1] else note)
    for at in range(start + 1, stop):
        assert (outside_note(text, at), outside_note(text, at, forward=True)) == (start, stop)
    for at in (0, 3, start, stop, len(text)):
        assert outside_note(text, at) == outside_note(text, at, forward=True) == at


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ref", ["event://e1", "artifact://0a"])
def test_a_text_is_looked_through_for_notes_wherever_one_may_stand(form, ref):
    text = f"head {form(ref)}"
    asked: list[str] = []
    without_refs(text, lambda one: asked.append(one) or True)
    has_note = ref.startswith("event:") or form in FORMS[:4]  # tails are of events alone
    assert asked == ([ref] if has_note else [])
