"""A session of any origin can be written in these formats, and says the same when read back."""

import pytest
from hypothesis import given, settings
from tests.formats.rounds import document, messages, sessions

from contextwright import write_session
from contextwright.errors import SizeLimit
from contextwright.formats import (
    adk,
    agent_framework,
    anthropic,
    bedrock,
    claude_code,
    codex,
    gemini,
    langchain,
    llama_index,
    openai_chat,
    pydantic_ai,
    swe_agent,
    vercel_ai,
    vercel_ai_model,
)
from contextwright.formats.provenance import residue
from contextwright.session import Session

FORMATS = [
    adk, agent_framework, bedrock, claude_code, codex, langchain, llama_index, pydantic_ai,
    swe_agent, vercel_ai, vercel_ai_model,
]  # fmt: skip


@pytest.mark.parametrize("module", FORMATS, ids=lambda module: module.NAME)
@given(session=sessions())
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


def test_every_format_remembers_its_records_in_one_way():
    session = Session("s")
    session.user("hello")
    session.assistant("hi")
    for module in (adk, claude_code, codex, langchain, swe_agent, anthropic, gemini, openai_chat):
        lines = module.LINES
        read = module.read(document(module.write(session), lines=lines))
        places = [[r["at"] for r in event.extra[module.NAME]["records"]] for event in read.log]
        assert [len(each) for each in places] == [1, 1] and places == sorted(places)


def test_a_session_that_could_not_be_read_again_is_not_written(tmp_path):
    nested = "deep"
    for _ in range(300):
        nested = {"in": nested}
    session = Session("nested", metadata={"case": nested})
    session.user("Hello.")
    with pytest.raises(SizeLimit, match="nests deeper") as refused:
        write_session(session, "contextwright", tmp_path / "session.jsonl")
    assert "metadata" in refused.value.where
    assert not (tmp_path / "session.jsonl").exists()
