"""A part that was touched is made anew in its place; all around it is as it came."""

import json

import pytest

from contextwright import C, compile, read_session
from contextwright.compiler.replay_pack import replay
from contextwright.errors import NotInThisFormat

LONG = "word " * 3000
SECRET = "swordfish"
TOUCHED = {"type": "tool_result", "tool_use_id": "b", "toolset_name": "x", "odd": 1}
RESULTS = [
    {"type": "tool_result", "tool_use_id": "c", "content": "three", "odd": {"b": 1, "a": 2}},
    {**TOUCHED, "content": [{"type": "text", "text": LONG}, {"type": "tool_reference", "n": 1}]},
    {"type": "tool_result", "tool_use_id": "a", "content": [{"text": "one", "type": "text"}]},
    {"type": "text", "text": "and now?"},
    {"type": "document", "source": {"type": "text", "data": "D"}, "title": "T"},
]
TURNS = [{"role": role, "content": text} for role, text in
         (("assistant", "one"), ("user", "x"), ("assistant", "two"), ("user", "y"))]  # fmt: skip


def claude_body(**fields):
    calls = [{"type": "tool_use", "id": id, "name": "f", "input": {}} for id in "abc"]
    messages = [
        {"role": "user", "content": "task"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "", "signature": "s"},
                                          *calls]},
        {"content": RESULTS, "role": "user", "mark": 7},
        *TURNS,
    ]  # fmt: skip
    tools = [{"name": "f", "input_schema": {"type": "object"}}]
    return {
        "model": "claude-opus-4-6",
        "max_tokens": 9,
        "messages": messages,
        "tools": tools,
        **fields,
    }


def test_of_three_results_the_shortened_one_alone_is_made_anew():
    body = claude_body()
    request = compile(body, C.default() | C.compact(), cache=False).request
    touched = request["messages"][2]
    assert list(touched) == ["content", "role", "mark"]
    own = [part for place, part in enumerate(touched["content"]) if place != 1]
    assert json.dumps(own) == json.dumps([r for place, r in enumerate(RESULTS) if place != 1])
    result = touched["content"][1]
    assert {key: result[key] for key in TOUCHED} == TOUCHED
    assert len(result["content"][0]["text"]) < len(LONG) // 2
    assert result["content"][1] == {"type": "tool_reference", "n": 1}
    del request["messages"][2], body["messages"][2]
    assert json.dumps(request) == json.dumps(body)


def test_what_is_dropped_of_a_message_leaves_the_rest_of_it():
    request = compile(claude_body(), C.window(n=3), cache=False).request
    text = json.dumps(request)
    assert "tool_result" not in text and '"and now?"' in text and '"title": "T"' in text


@pytest.mark.parametrize("content", [
    f"the word is {SECRET}",
    [{"type": "text", "text": f"the word is {SECRET}"}],
    [{"type": "text", "text": "x", "note": [SECRET]}, {"type": "later", "said": {"deep": SECRET}}],
])  # fmt: skip
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_redacted_text_comes_back_from_no_field(role, content):
    other = "user" if role == "assistant" else "assistant"
    messages = [{"role": "user", "content": "hi"}, {"role": other, "content": "ok"},
                {"role": role, "content": content, "beside": SECRET}, *TURNS]  # fmt: skip
    body = {"model": "gpt-5", "messages": messages, "user": f"u-{SECRET}"}
    spec = C.default() | C.redact(patterns=[SECRET])
    pack = compile(body, spec)
    assert SECRET not in json.dumps(pack.request)
    assert SECRET not in json.dumps(compile(body, spec | C.compact()).request)


def test_a_list_of_texts_does_not_bring_back_what_was_shortened():
    calls = [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    result = {"role": "tool", "tool_call_id": "a", "content": [{"text": LONG, "type": "text"}]}
    messages = [{"role": "user", "content": "q"}, {"role": "assistant", "tool_calls": calls}, result,
                *TURNS]  # fmt: skip
    body = {"model": "gpt-5", "messages": messages}
    request = compile(body, C.default() | C.compact()).request
    assert len(json.dumps(request)) < len(LONG) // 2
    assert request["messages"][1] == messages[1]
    assert list(request["messages"][2]) == ["role", "tool_call_id", "content"]


def test_breakpoints_of_ours_stand_beside_the_callers_and_are_four_in_all():
    mark = {"type": "ephemeral", "ttl": "1h"}
    system = [{"type": "text", "text": text, "cache_control": mark} for text in "ab"]
    body = claude_body(system=system)
    assert compile(body).request == body
    marked = compile(body, cache=True).request
    assert marked["system"] == system
    assert json.dumps(marked).count("cache_control") == 3
    full = claude_body(system=[{**part, "text": str(n)} for n, part in enumerate(system * 2)])
    assert compile(full, cache=True).request == full


def test_what_the_call_says_wins_over_the_body():
    request = compile(claude_body(), model="claude-opus-4-5", reserved_output=123).request
    assert request == {**claude_body(), "model": "claude-opus-4-5", "max_tokens": 123}


def test_a_record_without_a_model_gives_no_request_its_fields():
    record = {"id": "row", "messages": [{"role": "user", "content": "hi"}], "reward": 1, "seed": 3}
    request = compile(record, model="gpt-5").request
    assert request == {"model": "gpt-5", "messages": record["messages"], "seed": 3}


def test_a_compaction_item_and_a_result_of_a_call_that_the_provider_has_stay():
    item = {"type": "compaction", "id": "cmp", "encrypted_content": "E"}
    turns = [{"role": "user", "content": LONG}, {"role": "assistant", "content": LONG}]
    body = {"model": "gpt-5", "input": [item, *turns, {"role": "user", "content": "go"}]}
    assert item in compile(body, C.window(n=1) | C.budget(max_tokens=500)).request["input"]
    outputs = [{"type": "function_call_output", "call_id": id, "output": id} for id in "pq"]
    chained = {"model": "gpt-5", "input": outputs, "previous_response_id": "resp_1"}
    assert compile(chained, C.window(n=1) | C.budget(max_tokens=500)).request == chained


def test_a_pack_of_a_body_replays():
    session = read_session(claude_body())
    pack = compile(session, C.default() | C.compact())
    assert replay(pack, session).body == pack.body


def test_a_body_that_was_built_elsewhere_gets_the_packs_context():
    pack = compile(claude_body(system="S"))
    elsewhere = {"stream": True, "model": "m", "messages": [], "thinking": {"type": "adaptive"}}
    made = pack.apply(elsewhere)
    assert list(made)[:4] == list(elsewhere) and made["model"] == "m"
    assert made["messages"] == claude_body()["messages"] and made["system"] == "S"
    with pytest.raises(NotInThisFormat):
        pack.apply({"input": []})


@pytest.mark.parametrize("elsewhere", [
    {"model": "m", "contents": [], "config": {"temperature": 1.0, "system_instruction": "old"}},
    {"generationConfig": {"temperature": 1.0}, "contents": [], "systemInstruction": {"parts": []}},
])  # fmt: skip
@pytest.mark.parametrize("of_sdk", [True, False])
def test_a_gemini_body_that_was_built_elsewhere_gets_the_packs_context(elsewhere, of_sdk):
    contents = [{"role": "user", "parts": [{"text": "hi", "odd": 1}]}]
    tools = [{"functionDeclarations": [{"name": "f", "parameters": {"type": "object"}}]}]
    said = {"parts": [{"text": "S"}]}
    config = {"system_instruction": "S", "tools": tools}
    body = ({"model": "gemini-2.5-pro", "contents": contents, "config": config} if of_sdk else
            {"contents": contents, "systemInstruction": said, "tools": tools})  # fmt: skip
    before = json.dumps(elsewhere)
    made = compile(body, model="gemini-2.5-pro").apply(elsewhere)
    assert json.dumps(elsewhere) == before and made["contents"] == contents
    place = made.get("config", made)
    assert place["tools"] == tools
    assert place.get("system_instruction", place.get("systemInstruction")) in ("S", said)
    assert "1.0" in json.dumps(made) and "old" not in json.dumps(made)
    with pytest.raises(NotInThisFormat):
        compile(body, model="gemini-2.5-pro").apply({"messages": []})


CHAT = {
    "model": "gpt-5", "messages": [{"role": "user", "content": "hi"}], "stop": "END", "user": "ada",
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "tool_choice": {"type": "function", "function": {"name": "f"}}, "parallel_tool_calls": False,
    "reasoning_effort": "low", "max_completion_tokens": 77, "logit_bias": {"1": 2},
}  # fmt: skip


@pytest.mark.parametrize(("model", "fields", "lost"), [
    ("claude-opus-4-6", {
        "max_tokens": 77, "stop_sequences": ["END"], "metadata": {"user_id": "ada"},
        "tool_choice": {"type": "tool", "name": "f", "disable_parallel_tool_use": True},
        "output_config": {"effort": "low"},
    }, {"logit_bias"}),
    ("gemini-2.5-pro", {"config": {
        "max_output_tokens": 77, "stop_sequences": ["END"], "tool_config": {
            "function_calling_config": {"mode": "ANY", "allowed_function_names": ["f"]}},
        "thinking_config": {"thinking_budget": 1024},
    }}, {"logit_bias", "user", "parallel_tool_calls"}),
])  # fmt: skip
def test_another_provider_is_asked_in_its_own_words(model, fields, lost):
    pack = compile(CHAT, model=model)
    for key, value in fields.items():
        own = pack.request[key]
        assert own == value if key != "config" else value.items() <= own.items()
    names = {
        one.reason.split("'")[1] for one in pack.manifest.unrendered if one.part == "parameter"
    }
    assert names == lost


@pytest.mark.parametrize("spec", [
    C.window(n=1), C.default() | C.budget(max_tokens=2500), C.default() | C.compaction(2500),
    C.default() | C.fit(2500),
])  # fmt: skip
def test_of_compactions_the_newest_stays_and_those_that_it_stands_for_may_go(spec):
    def item(name, **fields):
        return {"type": "compaction", "id": name, **fields}

    turns = [{"role": "user", "content": LONG}, {"role": "assistant", "content": LONG}]
    old, new = item("old", encrypted_content="E" * 4000), item("new", encrypted_content="F")
    failed = item("failed", encrypted_content=None)
    end = {"role": "user", "content": "go"}
    items = [{"role": "user", "content": "task"}, old, *turns, new, *turns, failed, *turns, end]
    sent = compile({"model": "gpt-5", "input": items}, spec).request["input"]
    assert new in sent and old not in sent
    first = compile({"model": "gpt-5", "input": [*items[:4], end]}, spec).request["input"]
    assert old in first
