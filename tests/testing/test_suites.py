"""The kits over what is built in: every renderer, the JSON formats, memories."""

import json

import pytest

from contextwright import C, Session, compile
from contextwright.formats import anthropic, claude_code, codex, gemini, langchain, openai_chat
from contextwright.render.providers import provider_named
from contextwright.stores import SQLiteMemory
from contextwright.testing import (
    FormatSuite,
    MemoryStoreSuite,
    RendererSuite,
    check_pack,
    target_for,
)


class TestOpenAIChat(RendererSuite):
    renderer, target = provider_named("openai-chat").renderer, target_for("openai-chat")


class TestOpenAIResponses(RendererSuite):
    renderer, target = provider_named("openai-responses").renderer, target_for("openai-responses")


class TestAnthropic(RendererSuite):
    renderer, target = provider_named("anthropic").renderer, target_for("anthropic")


class TestGemini(RendererSuite):
    renderer, target = provider_named("gemini").renderer, target_for("gemini")


class TestText(RendererSuite):
    renderer, target = provider_named("text").renderer, target_for("text")
    frame = r"<context_block [^>]*>|</context_block>|\[Turn \d+\]|\w+: |\[[^\]]*\]|\w+ used \w+ with|\w+ (?:gave|failed with)"


class TestOpenAIChatLog(FormatSuite):
    format = openai_chat


class TestAnthropicLog(FormatSuite):
    format = anthropic


class TestGeminiLog(FormatSuite):
    format = gemini


class TestCodexLog(FormatSuite):
    format = codex


class TestClaudeCodeLog(FormatSuite):
    format = claude_code


class TestLangChainLog(FormatSuite):
    format = langchain


class TestSQLiteMemory(MemoryStoreSuite):
    @pytest.fixture
    def memory(self, tmp_path):
        store = SQLiteMemory(tmp_path / "memory.db")
        yield store
        store.close()


def test_a_rule_is_asked_of_a_session_as_it_is_now():
    """What stands twice by now proves nothing of which of the two was sent."""
    session, spec = Session("one"), C.default() | C.cap(600)
    session.user("Read both, and the first again.")
    for number, word in enumerate(("first", "second", "first")):
        session.call("read", {"n": number}, id=f"c{number}")
        session.result(f"c{number}", f"{word} " * 500)
        check_pack(session, spec, "openai-chat", ["dropped-is-not-sent"])
    assert compile(session, spec, target=target_for("openai-chat")).manifest.changes


def test_the_newest_result_may_come_without_blanks_behind_a_note():
    """rules.md#live-edge: it is the same value, and the receipt says so."""
    rows = json.dumps([{"name": f"row {n}", "n": n} for n in range(40)])
    session = Session("one")
    session.user("Look it up.")
    for number in range(3):
        session.call("open", {"n": number}, id=f"c{number}")
        session.result(f"c{number}", " ".join(f"word{n}" for n in range(900)))
    session.call("search", {"q": "rows"}, id="rows")
    session.result("rows", rows)
    pack = compile(session, C.compaction(4000), target=target_for("openai-chat"))
    assert any(change.reason == "JSON without its blanks" for change in pack.manifest.changes)
    check_pack(session, C.compaction(4000), "openai-chat", ["live-edge-stays"])


def test_what_a_spec_redacts_need_not_be_sent_as_it_was():
    session = Session("one")
    session.user("Call them.")
    session.call("find", {"what": "temples"}, id="c1")
    session.result("c1", '[{"name": "Akshardham", "phone_number": "+1 415 555 0100"}]')
    spec = C.default() | C.redact("pii", operator="mask")
    check_pack(session, spec, "openai-chat", ["live-edge-stays"])


def test_a_rule_goes_by_the_branch_that_the_state_chooses():
    session = Session("one")
    session.user("Plan the trip to Lisbon, and write to bob@example.com about it.")
    session.assistant("It is planned.")
    session.user("And the way back?")
    session.update({"intent": "travel"})
    narrow = C.when("intent", C.from_state("intent"), otherwise=C.default())
    redacted = C.when("intent", C.default() | C.redact(["email"]), otherwise=C.default())
    for spec in (narrow, redacted, redacted | C.budget(500), narrow | C.budget(500)):
        check_pack(session, spec, "openai-chat")
