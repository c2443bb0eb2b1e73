"""Where sentences end."""

import pytest

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
