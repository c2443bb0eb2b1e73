"""What a redaction makes of what a model thought, in a framework's own messages."""

import pytest

from contextwright import C, Context
from contextwright.adapters.message_mapping import MappedRequest

pytest.importorskip("pydantic_ai")

from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    UserPromptPart,
)

from contextwright.adapters.pydantic_ai.prompt_messages import MESSAGES

THOUGHT = "write to zoe@b.co"


def sent(*parts, model="gpt-5"):
    """The answer of these parts, as it goes back."""
    question, more = (ModelRequest(parts=[UserPromptPart(content=text)]) for text in ("go", "on"))
    request = MappedRequest(
        MESSAGES, [question, ModelResponse(parts=list(parts)), more], model=model
    )
    context = Context(C.redact("email"), model=model)
    return request.messages_of(context(request.body))[1].parts


def test_what_was_thought_is_redacted_where_it_is_a_text():
    thought, said = sent(ThinkingPart(content=THOUGHT), TextPart(content="ok"))
    assert thought == ThinkingPart(content="write to [REDACTED]")
    assert said == TextPart(content="ok")


def test_what_was_thought_is_as_it_was_where_nothing_is_hit():
    thought = ThinkingPart(content="write to Zoe", signature="c2ln", provider_name="anthropic")
    assert sent(thought, TextPart(content="ok"))[0] is thought


def test_the_seal_and_the_id_of_openai_s_reasoning_stay_beside_its_summary():
    """What it produced is refused without it, and nothing is signed but what is sealed."""
    thought = ThinkingPart(content=THOUGHT, id="rs_1", signature="c2VhbGVk", provider_name="openai")
    call = ToolCallPart(tool_name="read", args={}, tool_call_id="c1", id="fc_1")
    new, same = sent(thought, call)
    assert (new.content, new.id, new.signature) == ("write to [REDACTED]", "rs_1", "c2VhbGVk")
    assert same is call


def test_what_is_signed_goes_where_it_would_be_changed():
    thought = ThinkingPart(content=THOUGHT, signature="c2ln", provider_name="anthropic")
    assert sent(thought, TextPart(content="ok"), model="claude-opus-4-5") == [TextPart("ok")]
    assert sent(thought, model="claude-opus-4-5") == [TextPart("(no text)")]


def test_no_request_counts_what_stands_beside_its_messages():
    def tokens(*parts):
        answer = ModelResponse(parts=[*parts, TextPart(content="ok")])
        question = ModelRequest(parts=[UserPromptPart(content="go")])
        request = MappedRequest(MESSAGES, [question, answer, question], model="gpt-5")
        context = Context(C.redact("email"), model="gpt-5")
        context(request.body)
        return context.manifest.tokens

    assert tokens(ThinkingPart(content=THOUGHT)) == tokens()
