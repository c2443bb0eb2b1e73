"""The kits over what is built in: every renderer, the JSON formats, memories."""

import pytest

from contextwright.formats import anthropic, claude_code, codex, gemini, langchain, openai_chat
from contextwright.render.providers import provider_named
from contextwright.stores import SQLiteMemory
from contextwright.testing import FormatSuite, MemoryStoreSuite, RendererSuite, target_for


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
