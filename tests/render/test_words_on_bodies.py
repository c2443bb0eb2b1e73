"""Whatever word touches a provider's body: what the provider's own types take comes out, and what
the word left alone is as it came, byte for byte."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from pydantic import TypeAdapter
from tests.rules.samples import SAMPLES

from contextwright import C, compile, read_session
from contextwright.errors import BudgetError, SpecError, StepError

ROWS = "".join(f"row {n} has the value {n * 37 % 791}\n" for n in range(250))
FILE = "".join(f"line {n} of the file that is read twice\n" for n in range(120))
NAMED = "write to ada@example.org\n" + ROWS
RESULTS = (ROWS, FILE, "short", NAMED, FILE, ROWS)
ARGUMENTS = '{"path": "a.py", "text": "' + "x = 1; " * 200 + '"}'
QUICK = ("isolate", "fresh", "tools", "cool", "compact", "compress_results", "dedup", "decay",
         "truncate", "redact", "compaction", "window", "sliding", "clock_last")  # fmt: skip
EDITS = [C.isolate(), C.default() | C.compact(), C.window(n=2), C.default() | C.truncate(60),
         C.default() | C.redact("email"), C.default() | C.dedup(), C.default() | C.fit(3000),
         C.default() | C.compaction(3000), C.default() | C.compress_results(900), C.cool(900),
         C.default() | C.fresh(1, stale_action="warn")]  # fmt: skip
ODD = {"type": "part_of_tomorrow", "z": {"b": 1.0, "a": None}}
SAID = {"content", "output", "text", "parts", "response", "arguments", "input", "args", "stdout",
        "function", "functionCall", "functionResponse", "tool_calls"}  # fmt: skip
"""Keys under which a word may change what is said."""


def chat() -> Any:
    """Calls beside nothing, a text, parts; two at once."""
    contents = [None, "I look.", [{"type": "text", "text": "Look"}], None, "", None]
    messages: list[Any] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Mend it. " * 40}]},
    ]
    for n, result in enumerate(RESULTS):
        ids = [f"c{n}", f"d{n}"][: 1 + n % 2]
        function = {"name": "read", "arguments": ARGUMENTS if n == 1 else '{"path": "a.py"}'}
        calls = [{"id": id, "type": "function", "function": function} for id in ids]
        said = {"role": "assistant", "content": contents[n], "tool_calls": calls}
        messages.append(said if n != 5 else {k: v for k, v in said.items() if k != "content"})
        messages += [{"role": "tool", "tool_call_id": id, "content": result} for id in ids]
        if n in (2, 4):
            messages += [{"role": "assistant", "content": "Done. " * 60},
                         {"role": "user", "content": "And the next?"}]  # fmt: skip
    function = {"name": "read", "parameters": {"type": "object"}}
    return {"model": "gpt-4.1", "messages": messages, "seed": 7,
            "tools": [{"type": "function", "function": function}]}  # fmt: skip


def responses() -> Any:
    """Reasoning, words and calls of several kinds, which answers have in one."""
    items: list[Any] = [{"role": "developer", "content": "Be brief."},
                        {"role": "user", "content": [{"type": "input_text", "text": "Mend it."}]}]  # fmt: skip
    for n, result in enumerate(RESULTS):
        items.append(
            {"type": "reasoning", "id": f"rs_{n}", "summary": [], "encrypted_content": "E"}
        )
        if n % 2:
            said = [{"type": "output_text", "text": "I look.", "annotations": []}]
            items.append({"type": "message", "id": f"msg_{n}", "status": "completed",
                          "role": "assistant", "content": said})  # fmt: skip
        if n == 3:
            action = {"commands": ["ls"], "timeout_ms": 1, "max_output_length": 2}
            chunk = {"stdout": result, "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
            items += [{"type": "shell_call", "call_id": "s", "action": action},
                      {"type": "shell_call_output", "call_id": "s", "output": [chunk]}]  # fmt: skip
            continue
        ids = [f"c{n}", f"d{n}"][: 1 + n % 2]
        arguments = ARGUMENTS if n == 1 else "{}"
        items += [{"type": "function_call", "call_id": id, "name": "read", "arguments": arguments}
                  for id in ids]  # fmt: skip
        items += [{"type": "function_call_output", "call_id": id, "output": result} for id in ids]
        if n in (2, 4):
            said = [{"type": "output_text", "text": "Done. " * 60, "annotations": []}]
            items += [{"type": "message", "id": f"a_{n}", "status": "completed",
                       "role": "assistant", "content": said},
                      {"role": "user", "content": "And the next?"}]  # fmt: skip
    tool = {"type": "function", "name": "read", "parameters": {"type": "object"}, "strict": None}
    return {"model": "gpt-5", "input": items, "store": False, "tools": [tool]}


def claude() -> Any:
    """Thinking, words and calls; results as texts and as blocks, words behind them."""
    messages: list[Any] = [{"role": "user", "content": "Mend it. " * 40}]
    for n, result in enumerate(RESULTS):
        ids = [f"c{n}", f"d{n}"][: 1 + n % 2]
        said = [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}] if n % 3 == 0 else []
        said += [{"type": "text", "text": "I look."}] if n % 2 else []
        content = {"path": "a.py", "text": "x = 1; " * 200} if n == 1 else {}
        calls = [{"type": "tool_use", "id": id, "name": "read", "input": content} for id in ids]
        inside: Any = result if n % 2 else [{"type": "text", "text": result}]
        told = [{"type": "tool_result", "tool_use_id": id, "content": inside} for id in ids]
        told += [{"type": "text", "text": "<system-reminder>x</system-reminder>"}] if n == 3 else []
        messages += [{"role": "assistant", "content": [*said, *calls]},
                     {"role": "user", "content": told}]  # fmt: skip
        if n in (2, 4):
            messages += [{"role": "assistant", "content": "Done. " * 60},
                         {"role": "user", "content": "And the next?"}]  # fmt: skip
    tools = [{"name": "read", "input_schema": {"type": "object"}}]
    return {"model": "claude-opus-4-5", "max_tokens": 99, "system": "Be brief.",
            "messages": messages, "tools": tools}  # fmt: skip


def gemini() -> Any:
    """Calls with signatures and without ids, results as data; words beside them."""
    contents: list[Any] = [{"role": "user", "parts": [{"text": "Mend it. " * 40}]}]
    for n, result in enumerate(RESULTS):
        calls = [{"functionCall": {"name": "read", "args": {"n": k}}} for k in range(1 + n % 2)]
        calls[0]["thoughtSignature"] = "c2ln"
        said = [{"text": "I look."}] if n % 2 else []
        response = {"name": "read", "response": {"output": result} if n % 2 else {"a": result}}
        told = [{"functionResponse": response} for _ in calls]
        contents += [{"role": "model", "parts": [*said, *calls]}, {"role": "user", "parts": told}]
        if n in (2, 4):
            contents += [{"role": "model", "parts": [{"text": "Done. " * 60}]},
                         {"role": "user", "parts": [{"text": "And the next?"}]}]  # fmt: skip
    declared = [{"functionDeclarations": [{"name": "read", "parameters": {"type": "OBJECT"}}]}]
    return {"model": "gemini-2.5-pro", "contents": contents, "tools": declared,
            "systemInstruction": {"parts": [{"text": "Be brief."}]}}  # fmt: skip


MADE = {"openai-chat": chat, "openai-responses": responses, "anthropic": claude, "gemini": gemini}
LISTS = {"openai-chat": "messages", "openai-responses": "input", "anthropic": "messages",
         "gemini": "contents"}  # fmt: skip
CONTEXT = {"messages", "input", "contents", "system", "instructions", "systemInstruction", "tools"}


@pytest.fixture(scope="module")
def takes():
    """What a message of each provider must pass."""
    from anthropic.types import MessageParam
    from google.genai.types import Content
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.responses import ResponseInputItemParam

    kinds = {"openai-chat": ChatCompletionMessageParam, "openai-responses": ResponseInputItemParam,
             "anthropic": MessageParam, "gemini": Content}  # fmt: skip
    return {format: TypeAdapter(kind).validate_python for format, kind in kinds.items()}


def compiled(body, spec, format):
    """The request, and whether the spec can be met at all."""
    session = read_session(json.dumps(body).encode(), format=format)
    try:
        return compile(session, spec, cache=False).request
    except (BudgetError, StepError, SpecError) as error:
        assert "nothing to send" not in str(error)
        return None


@pytest.mark.parametrize("words", ["quick", pytest.param("all", marks=pytest.mark.slow)])
@pytest.mark.parametrize("format", MADE)
def test_what_a_word_makes_is_what_the_providers_types_take(format, words, takes):
    body = MADE[format]()
    came = {json.dumps(one) for one in body[LISTS[format]]}
    names = QUICK if words == "quick" else SAMPLES
    specs, changed = [spec for name in names for spec in SAMPLES[name]], 0
    for spec in specs:
        request = compiled(body, spec, format)
        if request is None:
            continue
        rest = {key: item for key, item in request.items() if key not in CONTEXT}
        assert rest == {key: item for key, item in body.items() if key not in CONTEXT}, spec
        for message in request[LISTS[format]]:
            takes[format](message)
            changed += json.dumps(message) not in came
    assert changed > len(specs)


def marked(value: Any, random: Random) -> Any:
    """The value with a field that nobody knows in some objects, and parts that nobody knows."""
    if isinstance(value, list):
        out = [marked(one, random) for one in value]
        if any(isinstance(one, dict) and one.get("type", "").endswith("text") for one in value):
            out.insert(random.randrange(len(out) + 1), {**ODD, "x_mark": random.getrandbits(60)})
        return out
    if not isinstance(value, dict):
        return value
    made = {key: marked(item, random) if key in SAID else item for key, item in value.items()}
    items = [*made.items(), ("x_mark", random.getrandbits(60))]
    if random.random() < 0.3:
        random.shuffle(items)
    return dict(items) if random.random() < 0.6 else made


def objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, dict | list):
            yield from objects(one)


@pytest.mark.parametrize("spec", EDITS, ids=repr)
@pytest.mark.parametrize("format", MADE)
def test_what_a_word_leaves_alone_is_as_it_came(format, spec):
    plain = MADE[format]()
    for seed in range(3):
        listed = [marked(one, Random(f"{seed} {n}")) for n, one in enumerate(plain[LISTS[format]])]
        body = {**plain, LISTS[format]: listed}
        request = compiled(body, spec, format)
        assert request is not None
        came = {one["x_mark"]: one for one in objects(listed) if "x_mark" in one}
        sent = [one for one in objects(request[LISTS[format]]) if "x_mark" in one]
        assert len(sent) >= len(request[LISTS[format]]) // 4
        for one in sent:
            own = came[one["x_mark"]]
            if "z" in own:
                assert json.dumps(one) == json.dumps(own)
            kept = {key: item for key, item in one.items() if key not in SAID}
            assert kept.items() <= own.items() and set(own) - set(one) <= SAID
            assert list(one) == [key for key in own if key in one]


def test_isolated_calls_of_a_chat_without_words_are_a_text():
    request = compile(chat(), C.isolate()).request
    lines = [one for one in request["messages"] if str(one.get("content")).startswith("[Turn")]
    assert lines and all(one.keys() == {"role", "content"} for one in lines)


def test_isolated_calls_of_responses_are_a_message_and_no_part_of_one():
    items = compile(responses(), C.isolate()).request["input"]
    assert not [item for item in items if item.get("type") in ("input_text", "output_text")]
    assert any("[Turn" in json.dumps(item) for item in items)
