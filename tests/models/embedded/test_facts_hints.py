"""Every text that may be a fact is asked whether it is one."""

import pytest

from contextwright.models.embedded.facts import facts
from contextwright.models.embedded.statements import Statement


@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        ("user", "It cost $ 5 in the end"), ("user", "I AM moving there"), ("user", "room A17, 12"),
        ("user", "We\u2019re late because of it"), ("assistant", "Your REFUNDED flight is gone"),
        ("assistant", "The root cause is known"), ("get_order", "It is Cancelled by caf\u00e9 staff"),
    ],
)  # fmt: skip
def test_it_is_found_whatever_its_letters(speaker, text):
    assert facts([Statement(speaker, text, 0)], "")


@pytest.mark.parametrize(
    ("speaker", "text"), [("assistant", "Hello there again"), ("user", "room A17 then")]
)
def test_nothing_else_is(speaker, text):
    assert not facts([Statement(speaker, text, 0)], "")
