"""A picture costs what its provider bills for it, wherever it stands: what a screen showed to a
model that uses a computer, what a program drew, what nobody here knows."""

import pytest
from tests.pictures import png

from contextwright import C, Context
from contextwright.render.opaque import opaque_tokens

DATA = png(1024, 768)
URL = f"data:image/png;base64,{DATA}"


def called(kind: str, output: object) -> list[dict[str, object]]:
    call = {"type": f"{kind}_call", "id": "i", "call_id": "c", "pending_safety_checks": []}
    return [call, {"type": f"{kind}_call_output", "call_id": "c", "output": output}]


ITEMS = {
    "a screenshot": called("computer", {"type": "computer_screenshot", "image_url": URL}),
    "its address": called("computer", {"type": "computer_screenshot", "image_url": "https://a/b"}),
    "a custom tool's": called("custom_tool", [{"type": "input_image", "image_url": URL}]),
    "an unknown tool's": called("hologram", {"seen": URL}),
    "what was drawn": [{"type": "image_generation_call", "id": "i", "result": DATA}],
    "a program's": [
        {"type": "code_interpreter_call", "id": "i", "outputs": [{"type": "image", "url": URL}]}
    ],
}


@pytest.mark.parametrize("kind", ITEMS)
def test_a_picture_in_an_item_costs_what_a_picture_costs(kind):
    context = Context(C.compaction(8_000), model="gpt-5")
    body = {"model": "gpt-5", "input": [{"role": "user", "content": "look"}, *ITEMS[kind]]}
    assert context(body)["input"][1:] == ITEMS[kind]
    assert 700 < context.manifest.tokens < 2_400


def test_an_agent_that_uses_a_computer_goes_on():
    context = Context(C.compaction(8_000), model="gpt-5")
    body = {"model": "gpt-5", "input": [{"role": "user", "content": "look"}]}
    for place in range(20):
        output = {"type": "computer_screenshot", "image_url": URL}
        call, result = called("computer", output)
        body["input"] += [{**call, "call_id": f"c{place}"}, {**result, "call_id": f"c{place}"}]
        sent = context(body)["input"]
        calls = [one["call_id"] for one in sent if one.get("type") == "computer_call"]
        outputs = [one["call_id"] for one in sent if one.get("type") == "computer_call_output"]
        assert calls == outputs and calls[-1] == f"c{place}"
        assert context.manifest.tokens <= 8_000


@pytest.mark.parametrize("provider", ["openai", "anthropic", "google"])
def test_what_is_sealed_and_no_picture_costs_its_length(provider):
    sealed = "A" * 3_000
    assert opaque_tokens({"encrypted_content": sealed}, len, provider) >= 1_000
    assert opaque_tokens({"url": "https://a/b"}, len, provider) < 100
    assert opaque_tokens({"type": "seen", "data": DATA}, len, provider) < 2_500
