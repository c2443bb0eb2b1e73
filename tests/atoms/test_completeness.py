"""`C.validate(["completeness"])` as the document writes it: the keys are those that the spec reads."""

import pytest

from contextwright import C, Session, compile
from contextwright.errors import SpecError
from contextwright.testing import target_for

DOCUMENT = C.window(n=10) + C.from_state("requirements") | C.validate(
    checks=["contradictions", "completeness"]
)


def sent(spec, **state):
    session = Session("s", state=state)
    session.user("hi")
    return compile(session, spec, target=target_for("openai-chat")).body.decode()


@pytest.mark.parametrize(("state", "warns"), [
    ({}, True), ({"requirements": ""}, True), ({"requirements": []}, True),
    ({"requirements": 0}, False), ({"requirements": "two pages"}, False),
])  # fmt: skip
def test_a_key_that_the_spec_reads_must_hold_something(state, warns):
    assert ("'requirements' is missing or empty" in sent(DOCUMENT, **state)) is warns


def test_it_raises_where_it_is_told_to():
    spec = C.from_state("requirements") | C.validate(["completeness"], on_failure="raise")
    with pytest.raises(SpecError, match="requirements"):
        sent(spec)
    assert "two pages" in sent(spec, requirements="two pages")


def test_notes_may_be_empty_and_keys_of_ones_own_take_their_place():
    checked = C.validate(["completeness"])
    assert "missing or empty" not in sent(C.notes("case") + C.window(n=1) | checked)
    own = C.from_state("requirements") | C.validate(["completeness"], keys=["budget"])
    assert "'budget' is missing" in sent(own) and "'requirements'" not in sent(own)
