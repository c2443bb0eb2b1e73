"""Values that stand across the border of two texts: found where they go on, and no word is lost
where they do not."""

import pytest

from contextwright.redaction.redactor import Redactor
from contextwright.redaction.split_values import without_split

KEY = "ghp_" + "a1B2c3D4e5F6" * 3
GONE = "[REDACTED]"


def redacted(*texts, patterns=("pii", "secrets")):
    redactor = Redactor(patterns=patterns)
    return [redactor.text(text) for text in without_split(redactor, texts)]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["my mail is a@b.co", "two more things"], [f"my mail is {GONE}", "two more things"]),
        (["write to jo", "a@b.co today"], ["write to jo", f"{GONE} today"]),
        (["a@b.co", "c@d.co", "e@f.co"], [GONE, GONE, GONE]),
        (["a@b.co", "", "two"], [GONE, "", "two"]),
    ],
)
def test_what_is_whole_in_one_text_takes_nothing_of_the_next(texts, expected):
    assert redacted(*texts) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["mail someone@exam", "ple.com now"], [f"mail {GONE}", " now"]),
        (["card 4111 1111 ", "1111 1111."], [f"card {GONE}", "."]),
        ([f"key {KEY[:20]}", f"{KEY[20:]} ok"], [f"key {GONE}", " ok"]),
        (["password=hunt3r", "Zq8kk29x ok"], [f"password={GONE}", " ok"]),
        (["at 10.0.0.1", "7 now"], [f"at {GONE}", " now"]),
        (["a@b.co", f"x {KEY[:20]}", KEY[20:]], [GONE, f"x {GONE}", ""]),
    ],
)
def test_what_goes_on_in_the_next_text_is_gone_from_both(texts, expected):
    assert redacted(*texts) == expected


def test_what_is_whole_hides_nothing_that_is_split():
    texts = ["a@b.co", f"two {KEY[:20]}", KEY[20:], "a@b.co", "two"]
    assert redacted(*texts) == [GONE, f"two {GONE}", "", GONE, "two"]
