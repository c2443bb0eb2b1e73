"""A session of any origin can be written in these formats, and says the same when read back."""

import pytest
from hypothesis import given, settings
from tests.formats.rounds import document, messages, sessions

from contextwright.formats import adk, claude_code, codex, langchain, swe_agent
from contextwright.formats.provenance import residue

FORMATS = [adk, claude_code, codex, langchain, swe_agent]


@pytest.mark.parametrize("module", FORMATS, ids=lambda module: module.NAME)
@given(session=sessions())
@settings(max_examples=40, deadline=None)
def test_what_is_written_says_the_same_when_it_is_read(module, session):
    written = module.write(session)
    again = module.read(document(written, lines=module.LINES)) if written else session
    assert messages(again) == messages(session)
    assert residue(module.write(again), written) == {} or not written


@pytest.mark.parametrize("module", FORMATS, ids=lambda module: module.NAME)
@given(session=sessions())
@settings(max_examples=20, deadline=None)
def test_a_session_that_goes_on_after_import_is_written_to_its_end(module, session):
    session.user("begin", id="begin")
    again = module.read(document(module.write(session), lines=module.LINES))
    again.user("one more", id="new-1")
    again.assistant("and an answer", id="new-2")
    third = module.read(document(module.write(again), lines=module.LINES))
    assert messages(third) == messages(again)
    assert messages(third)[-2:] == [("user", ["one more"]), ("assistant", ["and an answer"])]
