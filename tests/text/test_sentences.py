"""Where sentences end."""

import pytest

from contextwright.memo.ownership import remembering
from contextwright.spec.memo import Memo
from contextwright.text import sentences as sentences_module
from contextwright.text.sentences import sentences


@pytest.mark.parametrize(
    "text",
    [
        "GLS antwortet bis zum 2. Dezember.",
        "Vom 3. Mai an ruht das Lager.",
        "Am Montag, dem 12. Januar, ist zu.",
    ],
)
def test_no_sentence_ends_behind_a_day_in_german(text):
    assert sentences(f"{text} Danach geht es weiter.") == [text, "Danach geht es weiter."]


def test_a_number_may_end_a_sentence():
    assert sentences("We need 12. Then we go.") == ["We need 12.", "Then we go."]


def test_the_sentences_of_a_message_are_looked_for_once_and_those_of_a_page_are_not_kept(
    monkeypatch,
):
    looked_at = []
    split = sentences_module._split
    monkeypatch.setattr(
        sentences_module, "_split", lambda text: looked_at.append(len(text)) or split(text)
    )
    message, page = "One. Two.", "One. Two. " * 300
    with remembering(Memo()):
        sentences(message).clear()  # the list is whoever's who asks
        assert sentences(message) == ["One.", "Two."]
        assert sentences(page) == sentences(page)
    assert looked_at == [len(message), len(page), len(page)]
