"""Each provider's rules find what they are for: a request is broken in one place, and named."""

import copy
import re

import pytest

from contextwright import C, compile
from contextwright.render.providers import provider_named
from contextwright.testing import session_of, target_for

SESSION = session_of(
    "s: brief | u: hi | c: search(x) | c: read(y) | r: one | r: two | a: ok | u: go"
)


def whole(format):
    session = session_of("s: brief | u: hi | c: search(x) | r: one | a: ok | u: go")
    return compile(session, C.default(), target=target_for(format)).request


def broken(format, change):
    request = copy.deepcopy(whole(format))
    change(request)
    return {v.rule for v in provider_named(format).renderer.validate(request, target_for(format))}


CHAT = {
    "U1": lambda r: r["messages"][1].update(content="\ud800"),
    "U2": lambda r: r["messages"][1].update(content=""),
    "U2.sent": lambda r: r.update(messages=[{"role": "system", "content": "Be kind."}]),
    "U3": lambda r: r["messages"].extend(copy.deepcopy(r["messages"][2:4])),
    "U4": lambda r: r["messages"][2]["tool_calls"][0]["function"].update(arguments="[1]"),
    "OC1": lambda r: r["messages"][1].update(role="human"),
    "OC2": lambda r: r["messages"].insert(3, {"role": "user", "content": "in between"}),
    "OC4": lambda r: r["messages"][4].update(content=None),
    "OC6": lambda r: r.update(tools=[]),
    "OC7": lambda r: r["messages"][4].update(
        content=[{"type": "image_url", "image_url": {"url": "data:"}}]
    ),
}
ANTHROPIC = {
    "U1": lambda r: r["messages"][0]["content"][0].update(text="\ud800"),
    "AN1": lambda r: r["messages"].pop(),
    "AN2": lambda r: r["messages"][2]["content"].pop(0),
    "AN4": lambda r: r["messages"][1]["content"][0].update(id="bad id"),
    "AN5": lambda r: r["messages"][1]["content"].append({"type": "text", "text": "after"}),
    "AN6": lambda r: r["messages"][0]["content"][0].update(text=" "),
    "AN8": lambda r: r["messages"][1]["content"].insert(
        0, {"type": "thinking", "thinking": "x", "signature": ""}
    ),
    "AN9": lambda r: r.pop("tools"),
    "AN10": lambda r: r["messages"][0]["content"].extend(
        {"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}} for _ in range(5)
    ),
    "AN12": lambda r: r.update(max_tokens=0),
}
GEMINI = {
    "U1": lambda r: r["contents"][0]["parts"][0].update(text="\ud800"),
    "GE1": lambda r: r["contents"].pop(),
    "GE2": lambda r: r["contents"][2]["parts"].pop(0),
    "GE6": lambda r: (r["contents"].pop(), r["contents"].pop()[0:0] if False else None,
                      r["contents"][1]["parts"][0].pop("thought_signature", None)),
    "GE7": lambda r: r["contents"][0]["parts"].append({}),
    "GE8": lambda r: r["contents"][1]["parts"][0]["function_call"].update(name="9 bad"),
    "U8": lambda r: r["config"].update(tools=[{"function_declarations": []}]),
}  # fmt: skip
RESPONSES = {
    "U1": lambda r: r["input"][0]["content"][0].update(text="\ud800"),
    "U2": lambda r: r["input"][0].update(content=[]),
    "U4": lambda r: r["input"][1].update(arguments="[1]"),
    "OR1": lambda r: r["input"][0]["content"][0].update(type="text"),
    "OR2": lambda r: r["input"].pop(1),
    "OR5": lambda r: r["input"].append(
        {"type": "reasoning", "summary": [], "encrypted_content": "x"}
    ),
    "OR4": lambda r: r["input"].__setitem__(
        slice(1, 1), [{"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}] * 2
    ),
    "OR7": lambda r: (
        r.update(model="gpt-4o"),
        r["input"].insert(1, {"type": "reasoning", "id": "rs_1", "encrypted_content": "x"}),
    ),
    "U8": lambda r: r.update(tools=[{"type": "function", "name": "read"}] * 2),
}
CASES = [
    (format, rule, change)
    for format, rules in (
        ("openai-chat", CHAT), ("anthropic", ANTHROPIC), ("gemini", GEMINI),
        ("openai-responses", RESPONSES),
    )
    for rule, change in rules.items()
]  # fmt: skip


@pytest.mark.parametrize(("format", "rule", "change"), CASES, ids=[f"{f}-{r}" for f, r, _ in CASES])
def test_a_broken_request_names_its_rule(format, rule, change):
    assert provider_named(format).renderer.validate(whole(format), target_for(format)) == []
    assert rule in broken(format, change)


def test_every_rule_has_a_case():
    from contextwright.render import (
        anthropic_rules,
        gemini_rules,
        openai_chat_rules,
        openai_responses_rules,
    )

    assert set(openai_chat_rules.RULES) == set(CHAT)
    assert set(anthropic_rules.RULES) == set(ANTHROPIC)
    assert set(gemini_rules.RULES) == set(GEMINI)
    assert set(openai_responses_rules.RULES) == set(RESPONSES)


def without_ids(request):
    for content in request["contents"]:
        for part in content["parts"]:
            for key in ("function_call", "function_response"):
                part.get(key, {}).pop("id", None)
    return request


def test_gemini_takes_calls_without_ids_by_name_and_order():
    renderer, target = provider_named("gemini").renderer, target_for("gemini")
    request = without_ids(copy.deepcopy(whole("gemini")))
    assert renderer.validate(request, target) == []
    response = request["contents"][2]["parts"][0]["function_response"]
    response["name"] = "another"
    assert {each.rule for each in renderer.validate(request, target)} == {"GE2"}
    del response["name"], response["response"]
    assert {each.rule for each in renderer.validate(request, target)} == {"GE2", "GE8"}


def with_another(value, path, put):
    """A copy with something else at a place; `put` is `...` where it is missing."""
    if not path:
        return put
    copied = copy.copy(value)
    if put is ... and len(path) == 1:
        del copied[path[0]]
    else:
        copied[path[0]] = with_another(value[path[0]], path[1:], put)
    return copied


def places(value):
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (key,)
        if isinstance(item, (dict, list)):
            yield from ((key, *rest) for rest in places(item))


FORMATS = ("openai-chat", "anthropic", "gemini", "openai-responses")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("put", [..., None, "text", 7, [], {}, ["text"], [None], [{"type": "new"}]],
                         ids=repr)  # fmt: skip
def test_a_form_that_no_rule_knows_stops_none(format, put):
    renderer, target, request = provider_named(format).renderer, target_for(format), whole(format)
    for path in places(request):
        found = renderer.validate(with_another(request, path, put), target)
        assert {each.rule for each in found} <= set(renderer.rules), path


@pytest.mark.parametrize("format", FORMATS)
def test_a_content_may_be_a_plain_text(format):
    key, body = {"gemini": ("contents", "parts"), "openai-responses": ("input", "content")}.get(
        format, ("messages", "content")
    )
    request = copy.deepcopy(whole(format))
    for message in request[key]:
        if message.get("role") == "user" and not re.search("result|response", str(message[body])):
            message[body] = "hi"
    if format == "anthropic":
        request["system"] = "brief"
    assert provider_named(format).renderer.validate(request, target_for(format)) == []


def test_responses_take_an_input_that_is_a_text():
    renderer, target = provider_named("openai-responses").renderer, target_for("openai-responses")
    assert renderer.validate({"model": "gpt-5", "input": "hi"}, target) == []


TEXT, ANSWER = {"type": "text", "text": "so"}, {"type": "tool_result", "content": "1"}


@pytest.mark.parametrize(
    ("answers", "what"),
    [
        ("ab", ""),
        ("ba", ""),
        ("ab.", ""),
        ("a.b", "a result behind something else"),
        (".ab", "a result behind something else"),
        ("a", "results for ['a'], calls of ['a', 'b'] before it"),
        ("abc", "results for ['a', 'b', 'c'], calls of ['a', 'b'] before it"),
        (".", "results for [], calls of ['a', 'b'] before it"),
    ],
)
def test_results_begin_the_message_behind_their_calls(answers, what):
    calls = [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in "ab"]
    content = [TEXT if id == "." else {**ANSWER, "tool_use_id": id} for id in answers]
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": [TEXT, *calls]},
        {"role": "user", "content": content},
    ]
    rule = provider_named("anthropic").renderer.rules["AN2"]
    assert list(rule({"messages": messages})) == ([("messages[2]", what)] if what else [])
    assert list(rule({"messages": messages[:2]})) == [
        ("messages", "the calls ['a', 'b'] are not answered")
    ]


def test_openai_responses_takes_an_empty_list_of_tools():
    """OpenAI Agents sends one for an agent that has none."""
    request = {"model": "gpt-5", "input": [{"role": "user", "content": "hi"}], "tools": []}
    target = target_for("openai-responses")
    assert provider_named("openai-responses").renderer.validate(request, target) == []
