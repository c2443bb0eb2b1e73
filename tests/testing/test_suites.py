"""The kits over what is built in: every renderer, the JSON formats, memories."""

import pytest

from contextwright.formats import anthropic as anthropic_format
from contextwright.formats import claude_code, codex, langchain, openai_chat
from contextwright.render.renderers import renderer_for
from contextwright.stores import SQLiteMemory
from contextwright.testing import FormatSuite, MemoryStoreSuite, RendererSuite, target_for


class TestOpenAIChat(RendererSuite):
    renderer, target = renderer_for("openai-chat"), target_for("openai-chat")


class TestOpenAIResponses(RendererSuite):
    renderer, target = renderer_for("openai-responses"), target_for("openai-responses")


class TestAnthropic(RendererSuite):
    renderer, target = renderer_for("anthropic"), target_for("anthropic")


class TestGemini(RendererSuite):
    renderer, target = renderer_for("gemini"), target_for("gemini")


class TestText(RendererSuite):
    renderer, target = renderer_for("text"), target_for("text")
    frame = r"<context_block [^>]*>|</context_block>|\[Turn \d+\] [\w ]+:|\[[^\]]*\]|\w+ used \w+ with|\w+ (?:gave|failed with)"


class TestOpenAIChatLog(FormatSuite):
    format = openai_chat


class TestAnthropicLog(FormatSuite):
    format = anthropic_format


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
