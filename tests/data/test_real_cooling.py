"""Real sessions as the input of wrapped agents: under the threshold, whole, the user's words kept."""

import pytest
from tests.parameters import few

from contextwright import C, compile, read_session
from contextwright.adapters.wrap import Cooled
from contextwright.adapters.wrap.foreign_messages import conversation_of
from contextwright.session.event import Text
from contextwright.testing import FORMATS, target_for

KEYS = {
    "openai-chat": "messages",
    "openai-responses": "input",
    "anthropic": "messages",
    "gemini": "contents",
}
THRESHOLDS = (1_000, 4_096, 16_000)
FILES = (
    "bfcl_memory", "intercode_sql", "pi_coding", "se_agent", "swe_agent", "tau_bench_airline",
    "toolbench", "tooltalk", "webdancer",
)  # fmt: skip


@pytest.mark.parametrize("name", few(FILES))
def test_real_conversations_are_cooled(name, read_rows):
    rows = [row for row in read_rows(name, limit=3) if row.get("messages")]
    assert rows
    for place, row in enumerate(rows):
        format = FORMATS[place % 4]
        target = target_for(format, 1_000_000)
        messages = compile(read_session(row), C.default(), target=target).request[KEYS[format]]
        for threshold in THRESHOLDS:
            check(messages, threshold)


def check(messages, threshold):
    cooled = Cooled(lambda messages: messages, threshold)
    made = cooled(messages)
    report = cooled.last
    assert report.tokens_after <= threshold or report.why
    if report.why:
        assert "by themselves" in report.why
    events, left = conversation_of(messages).events, conversation_of(made).events
    assert held_texts(events) == held_texts(left)
    calls = sorted(call.id for event in left for call in event.calls)
    assert calls == sorted(result.call_id for event in left for result in event.results)


def held_texts(events):
    parts = [part for event in events if event.role in {"user", "system"} for part in event.parts]
    return [part.text for part in parts if isinstance(part, Text)]
