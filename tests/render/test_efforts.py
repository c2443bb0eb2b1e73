"""A budget of thinking is an effort at another provider, and an effort a budget."""

import pytest

from contextwright import compile

MESSAGES = [{"role": "user", "content": "hi"}]


def chat(**fields):
    return {"model": "gpt-5", "messages": MESSAGES, **fields}


def claude(**fields):
    return {"model": "claude-opus-4-6", "max_tokens": 20_000, "messages": MESSAGES, **fields}


def gemini(**thinking):
    contents = [{"role": "user", "parts": [{"text": "hi"}]}]
    return {"contents": contents, "generationConfig": {"thinkingConfig": thinking}}


def budget(tokens):
    return {"type": "enabled", "budget_tokens": tokens}


@pytest.mark.parametrize(("body", "model", "field", "value"), [
    (claude(thinking=budget(1024)), "gpt-5", "reasoning_effort", "low"),
    (claude(thinking=budget(8000)), "gpt-5", "reasoning_effort", "medium"),
    (claude(thinking=budget(16000)), "gpt-5", "reasoning_effort", "high"),
    (claude(thinking={"type": "disabled"}), "gpt-5.1", "reasoning_effort", "none"),
    (claude(thinking={"type": "disabled"}), "gpt-5", "reasoning_effort", "minimal"),
    (claude(thinking={"type": "adaptive"}), "gpt-5", "reasoning_effort", None),
    (claude(thinking=budget(9000), output_config={"effort": "low"}), "gpt-5", "reasoning_effort",
     "low"),
    (gemini(thinkingBudget=8192), "gpt-5", "reasoning_effort", "medium"),
    (gemini(thinkingBudget=-1), "gpt-5", "reasoning_effort", None),
    (gemini(thinkingLevel="HIGH"), "claude-opus-4-6", "output_config", {"effort": "high"}),
    (gemini(thinkingBudget=0), "claude-opus-4-6", "thinking", {"type": "disabled"}),
    (chat(reasoning_effort="medium", max_completion_tokens=9000), "claude-sonnet-4-5", "thinking",
     budget(4500)),
    (chat(reasoning_effort="low"), "claude-sonnet-4-5", "thinking", budget(1024)),
])  # fmt: skip
def test_how_much_to_think_is_asked_in_the_others_words(body, model, field, value):
    pack = compile(body, model=model)
    assert pack.request.get(field) == value
    assert not pack.manifest.unrendered


@pytest.mark.parametrize(("model", "thinking"), [
    ("gemini-2.5-flash", {"thinking_budget": 8192}),
    ("gemini-3.1-pro-preview", {"thinking_level": "MEDIUM"}),
])  # fmt: skip
@pytest.mark.parametrize("body", [chat(reasoning_effort="medium"), claude(thinking=budget(5000))])
def test_gemini_has_a_budget_or_a_level(body, model, thinking):
    assert compile(body, model=model).request["config"]["thinking_config"] == thinking


@pytest.mark.parametrize(("body", "model", "lost"), [
    (claude(thinking={**budget(2000), "display": "omitted"}), "gpt-5", ["thinking.display"]),
    (claude(thinking=budget(2000)), "gpt-4.1", ["thinking"]),
    (gemini(thinkingBudget=99, includeThoughts=True), "gpt-5", ["thinking_config.include_thoughts"]),
    (chat(reasoning_effort="high", max_completion_tokens=900), "claude-sonnet-4-5",
     ["reasoning_effort"]),
    (chat(reasoning_effort="none"), "claude-fable-5-1", ["reasoning_effort"]),
    (chat(reasoning_effort="medium", temperature=0.2), "claude-sonnet-4-5", ["temperature"]),
    (chat(stop=5), "claude-sonnet-4-5", ["stop"]),
])  # fmt: skip
def test_what_can_not_be_asked_is_named(body, model, lost):
    pack = compile(body, model=model)
    assert [one.reason.split("'")[1] for one in pack.manifest.unrendered] == lost
