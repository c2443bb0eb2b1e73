"""What a shortened text says of where its whole is."""

from contextwright.text.output_notes import cut_note, full_output_note, without_notes


def test_a_text_loses_the_notes_of_its_own_whole_alone():
    own, other = "event://e1", "event://e10"
    text = f"head\n{cut_note(own)}\n{cut_note(other)}\ntail\n{full_output_note(own, 9)}"
    assert without_notes(text, own) == f"head\n\n{cut_note(other)}\ntail\n"
    assert without_notes(text, "") == text
