"""Where things land: stable bytes first, what moves last, breakpoints in between."""

import pytest

from contextwright import C, Session, compile
from contextwright.session.event import Tool
from contextwright.testing import FORMATS, session_of, target_for


def packed(session, spec, format):
    return compile(session, spec, target=target_for(format)).request


def support():
    return session_of(
        "s: be brief | u: hi | c: search(x) | r: found | a: ok | u: and now?",
        state={"intent": "billing", "user:city": "Rome"},
    )


SIGN = f' sign="{support().snapshot().sign}"'

SPEC = C.default() + C.from_state("intent", "user:city") + C.template("Answer in Latin.")


def test_lasting_texts_join_the_instruction_and_moving_ones_stand_in_front_of_the_question():
    messages = packed(support(), SPEC, "openai-chat")["messages"]
    assert messages[0]["content"] == (
        'be brief\n\n<context_block source="template">\nAnswer in Latin.\n</context_block>'
    )
    assert messages[1] == {
        "role": "user",
        "content": f'<context_block source="state:user:city"{SIGN}>\nCity: Rome\n</context_block>',
    }
    assert messages[-1] == {
        "role": "user",
        "content": [
            {
                "type": "text",
                "text": f'<context_block source="state:intent"{SIGN}>\nIntent: billing\n'
                "</context_block>",
            },
            {"type": "text", "text": "and now?"},
        ],
    }


def test_in_a_tool_loop_the_moving_text_stands_behind_the_results():
    session = session_of("u: hi | c: search(x) | r: found", state={"intent": "billing"})
    chat = packed(session, C.default() + C.from_state("intent"), "openai-chat")["messages"]
    assert [m["role"] for m in chat] == ["user", "assistant", "tool", "user"]
    claude = packed(session, C.default() + C.from_state("intent"), "anthropic")["messages"]
    assert [part["type"] for part in claude[-1]["content"]] == ["tool_result", "text"]
    gemini = packed(session, C.default() + C.from_state("intent"), "gemini")["contents"]
    assert [min(part) for part in gemini[-1]["parts"]] == ["function_response", "text"]


def test_breakpoints_stand_in_front_of_what_moves():
    request = packed(support(), SPEC, "anthropic")
    assert [("cache_control" in part) for part in request["system"]] == [False, True]
    last = request["messages"][-1]["content"]
    assert all("cache_control" not in part for part in last)
    assert "cache_control" in request["messages"][-2]["content"][-1]


def test_without_a_cache_there_are_no_breakpoints():
    target = target_for("anthropic")
    import msgspec

    target = msgspec.structs.replace(target, cache=False)
    assert "cache_control" not in str(compile(support(), SPEC, target=target).request)


def test_a_long_loop_has_a_second_breakpoint_within_the_look_back():
    session = session_of("s: x | u: go")
    for step in range(30):
        session.call("run", "{}", id=f"s{step}")
        session.result(f"s{step}", "out")
    parts = [p for m in packed(session, C.default(), "anthropic")["messages"] for p in m["content"]]
    marked = [place for place, part in enumerate(parts) if "cache_control" in part]
    assert len(marked) == 2
    assert marked[1] - marked[0] < 20


def test_anthropic_and_gemini_get_a_user_first_and_last():
    session = session_of("u: hi | a: hello | u: more | a: bye")
    spec = C.select(role="assistant")
    assert packed(session, spec, "anthropic")["messages"][0]["role"] == "user"
    assert packed(session, spec, "gemini")["contents"][-1]["role"] == "user"
    assert packed(session, spec, "openai-chat")["messages"][-1]["role"] == "assistant"


def test_tools_of_the_history_are_stubbed_where_none_are_given():
    assert packed(support(), C.default(), "anthropic")["tools"] == [
        {"name": "search", "input_schema": {"type": "object"}}
    ]


@pytest.mark.parametrize("format", FORMATS)
def test_tools_are_sent_with_their_schemas(format):
    session = Session("s", tools=[Tool(name="a b", description="d", parameters={"type": "object"})])
    session.user("hi")
    assert "tool_a_b_" in str(packed(session, C.none(), format))


@pytest.mark.parametrize("names", ["abc", "cab"])
@pytest.mark.parametrize("format", ["openai-chat", "anthropic"])
def test_tools_keep_the_order_they_are_given(format, names):
    session = Session("s", tools=[Tool(name=f"tool_{name}") for name in names])
    session.user("hi")
    text = str(packed(session, C.default(), format)["tools"])
    assert sorted(names, key=lambda name: text.index(f"tool_{name}")) == list(names)


def test_the_text_form_is_the_documents():
    session = session_of(
        "u: I was charged twice | a: I can see it | u: so?", state={"intent": "billing"}
    )
    spec = C.from_state("intent") | C.priority(tier=1) + C.window(n=5) | C.priority(tier=2)
    assert compile(session, spec, target=target_for("text")).text == (
        '<context_block source="window:last_5" priority="2">\n'
        "[Turn 1] User: I was charged twice\n"
        "[Turn 1] Agent: I can see it\n"
        "[Turn 2] User: so?\n"
        "</context_block>\n\n"
        '<context_block source="state:intent" priority="1">\n'
        "Intent: billing\n"
        "</context_block>"
    )


def test_gemini_3_gets_the_documented_stand_in_for_a_lost_signature():
    session = session_of("u: go | c: read(x) | r: text")
    target = target_for("gemini")
    call = compile(session, C.default(), target=target).request["contents"][1]["parts"][0]
    assert call["thought_signature"] == "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="
