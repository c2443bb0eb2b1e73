"""One line in any loop: the same type out, the caller's own objects where nothing changed."""

import asyncio
import copy
import json
from contextlib import suppress

import msgspec
import pytest
from tests.engine.test_conversation import lists, recorded

from contextwright import C, Context, Conversations, Engine, Session, compile, register_model
from contextwright.errors import (
    ContextwrightError,
    ModelError,
    NotInThisFormat,
    SessionError,
    SpecError,
)

MODELS = {
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
}


def long_run(turns=30):
    session = Session("long")
    session.add("system", "Answer in one word.")
    session.user("Look at all files.")
    for n in range(turns):
        session.call("cat", {"path": f"{n}.txt"}, id=f"c{n}")
        session.result(f"c{n}", f"file {n}: " + f"line of {n}, " * 60, name="cat")
    return session


def own(made, messages):
    return [any(one is other for other in messages) for one in made]


@pytest.mark.parametrize("format", MODELS)
def test_what_fits_is_the_callers_own_list_or_body(format):
    messages, source = lists(format, long_run(4))
    context = Context(C.default(), model=MODELS[format], cache=False)
    before = copy.deepcopy(source(messages))
    made = context(source(messages))
    assert made == source(messages) == before
    listed = made if isinstance(made, list) else next(made[k] for k in made if made[k] == messages)
    assert own(listed, messages) == [True] * len(messages)


@pytest.mark.parametrize("format", MODELS)
def test_what_the_spec_leaves_alone_is_the_callers_own_object(format):
    messages, source = lists(format, long_run())
    spec = C.default() | C.compaction(2_000)
    made = Context(spec, model=MODELS[format], cache=False)(source(messages))
    if isinstance(made, dict):
        assert set(made) == set(source(messages))
        made = next(value for key, value in made.items() if source([])[key] == [])
    mine = own(made, messages)
    assert 3 <= sum(mine) <= len(made) < len(messages)
    assert mine[-2:] == [True, True]


def test_a_list_grows_and_its_session_lives():
    messages, _ = lists("openai-chat", long_run())
    context = Context(C.window(n=3), model="gpt-5")
    sessions = []
    for count in range(10, len(messages) + 1):
        context(messages[:count])
        sessions.append(context.session)
    assert len(set(map(id, sessions))) == 1
    assert len(sessions[0].log) == len(messages)


@pytest.mark.parametrize("format", MODELS)
def test_the_packs_are_those_of_the_session(format):
    messages, source = lists(format, long_run(12))
    spec = C.default() | C.compaction(1_500)
    context = Context(spec, model=MODELS[format])
    engine, own_session = Engine(spec, MODELS[format], format=format), None
    for count in range(3, len(messages) + 1):
        last = messages[count - 1]
        if last.get("role") in ("assistant", "model") or last.get("type") == "function_call":
            continue  # nobody calls a model between a call and its result
        body = copy.deepcopy(source(messages[:count]))
        pack = context.compile(body, id="run")
        if own_session is None:
            from contextwright import session_from

            own_session = session_from(body, id="run")
        else:
            whole = session_from(body, id="run")
            if whole.log[: len(own_session.log)] != list(own_session.log):
                return  # an answer that grew item by item is another session
            own_session.extend(whole.log[len(own_session.log) :])
        assert pack.body == engine.compile(own_session).body


def test_other_fields_of_a_body_are_the_callers():
    tools = [{"name": "ls", "input_schema": {"type": "object"}}]
    thinking = {"type": "disabled"}
    body = {
        "model": "claude-sonnet-4-5", "max_tokens": 100, "temperature": 0.3, "thinking": thinking,
        "system": "Answer.", "tools": tools, "messages": [{"role": "user", "content": "Hi"}],
    }  # fmt: skip
    made = Context(C.default(), cache=False)(body)
    assert made == body
    assert list(made) == list(body)
    assert made["tools"] is tools
    assert made["thinking"] is thinking


def test_reminders_stay_where_the_caller_put_them():
    messages, _ = lists("openai-chat")
    context = Context(C.default(), model="gpt-5")
    context(messages[:6])
    reminder = {"role": "user", "content": "<system-reminder>Be short.</system-reminder>"}
    changed = [*messages[:2], reminder, *messages[2:]]
    made = context(changed)
    assert made == changed
    assert made[2] is reminder


def reminded(messages, text, *, within):
    """The messages with a reminder put into the second one, or behind it."""
    changed = copy.deepcopy(messages)
    if within:
        changed[1]["content"] += text
    elif text:
        changed.insert(2, {"role": "user", "content": text})
    return changed


@pytest.mark.parametrize("within", [True, False])
def test_room_is_kept_for_reminders_that_are_put_in_later(within):
    info = register_model("narrow-1", window=8_000, provider="openai", max_output=1_000)
    messages, _ = lists("openai-chat", long_run(40))
    context = Context(model=info.name, reserved_output=1_000)
    text = f"<system-reminder>{'Be short, then. ' * 400}</system-reminder>"
    for count in range(4, len(messages) + 1, 2):
        call = context.call(reminded(messages[:count], text if count > 4 else "", within=within))
        whole = compile(call.messages, C.default(), model="gpt-5").tokens
        assert whole <= 7_000
        assert count < 12 or text in json.dumps(call.messages)
    assert call.pack.manifest.reserved_system >= 1_600


@pytest.mark.parametrize("within", [True, False])
@pytest.mark.parametrize("spec", [C.budget(3_000), C.compaction(3_000), C.fit(3_000)])
def test_a_limit_that_is_named_counts_reminders_that_are_put_in_later(spec, within):
    messages, _ = lists("openai-chat", long_run(40))
    context = Context(C.default() | spec, model="gpt-5")
    text = f"<system-reminder>{'Be short, then. ' * 200}</system-reminder>"
    for count in range(4, len(messages) + 1, 2):
        call = context.call(reminded(messages[:count], text if count > 4 else "", within=within))
        assert compile(call.messages, C.default(), model="gpt-5").tokens <= 3_000
    assert call.pack.manifest.reserved_system >= 800


def test_the_callers_cache_breakpoints_go_where_the_caller_has_them():
    mark = {"cache_control": {"type": "ephemeral"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Hi", **mark}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes?"}]},
        {"role": "user", "content": [{"type": "text", "text": "Go"}]},
    ]
    context = Context(C.default(), model="claude-sonnet-4-5", format="anthropic")
    assert context(messages[:1]) == messages[:1]
    moved = copy.deepcopy(messages)
    del moved[0]["content"][0]["cache_control"]
    moved[2]["content"][0] |= mark
    assert context(moved) == moved


def test_a_list_has_no_place_for_system_text_of_a_provider_that_has_it_apart():
    messages = [{"role": "user", "content": "Hi"}]
    spec = C.template("Be brief.") + C.default()
    with pytest.raises(NotInThisFormat, match="give the body"):
        Context(spec, model="claude-sonnet-4-5", format="anthropic")(messages)
    body = Context(spec, model="claude-sonnet-4-5")({"system": "Answer.", "messages": messages})
    assert "Be brief." in json.dumps(body["system"])


def test_conversations_of_one_context_are_told_apart():
    context = Context(C.window(n=2), model="gpt-5")
    one, other = ([{"role": "user", "content": text}] for text in ("Hi", "Ho"))
    assert context(one)[0] is one[0]
    first = context.session
    assert context(other)[0] is other[0]
    assert context.session is not first
    context(one, id="a")
    assert context.session.id == "a"


def test_conversations_that_are_empty_are_used():
    known = Conversations()
    context = Context(C.default(), model="gpt-5", conversations=known)
    context([{"role": "user", "content": "Hi"}])
    assert context.conversations is known
    assert len(known) == 1


def test_an_await_gives_the_same():
    messages, _ = lists("openai-chat")
    context = Context(C.default(), model="gpt-5")
    assert asyncio.run(context.acall(messages)) == messages


def test_the_pack_of_the_last_call_is_there():
    messages, _ = lists("openai-chat")
    context = Context(C.default(), model="gpt-5")
    with pytest.raises(SpecError, match=r"context\(messages\) first"):
        _ = context.pack
    context(messages)
    expected = compile(context.session, C.default(), model="gpt-5")
    assert context.pack.body == expected.body
    assert context.manifest.checksum == context.pack.manifest.checksum


def test_what_the_last_call_shortened_is_read_by_the_tools_of_the_context():
    context = Context(C.window(n=1) | C.compact(), model="gpt-5", read_back=True)
    with pytest.raises(SpecError, match=r"context\(messages\) first"):
        context.tools()
    whole = "".join(f"line {n} of the report\n" for n in range(900))
    call = {"name": "read", "arguments": "{}"}
    messages = [
        {"role": "user", "content": "What does the report say?"},
        {"role": "assistant", "tool_calls": [{"id": "a", "type": "function", "function": call}]},
        {"role": "tool", "tool_call_id": "a", "content": whole},
        {"role": "assistant", "content": "It has lines."},
        {"role": "user", "content": "Which is the last?"},
    ]
    sent = context(messages)
    tools = context.tools()
    assert {tool["function"]["name"] for tool in tools.schemas("openai-chat")} == set(tools.names)
    assert whole not in str(sent)
    read = tools.call("expand", {"ref": "event://e2", "grep": "line 899"})
    assert "line 899 of the report" in read


def test_another_process_goes_on_where_one_sent_its_request():
    """A refusal, and what the model reads back, may come to a worker that did not send, or that
    forgot the conversation meanwhile: it raised, and the turn ended."""
    messages, _ = lists("openai-chat", long_run(12))
    refusal = Exception("prompt is too long: 4500 tokens > 3000 maximum")

    def context(**limits):
        return Context(C.default(), "gpt-5", conversations=Conversations(**limits), read_back=True)

    one, other, forgetful = context(), context(), context(max_bytes=1)
    for each in (one, forgetful):
        each(messages)
    forgetful([{"role": "user", "content": "Something else."}])
    smaller = one.recover(messages, refusal)
    assert len(smaller) < len(messages)
    assert other.recover(messages, refusal) == forgetful.recover(messages, refusal) == smaller
    assert "line of 0" in context().tools(messages).call("expand", {"ref": "event://e2#0"})


def objects_of(format, data):
    if format == "langchain":
        return pytest.importorskip("langchain_core.messages").messages_from_dict(data)
    module = pytest.importorskip("pydantic_ai.messages")
    return module.ModelMessagesTypeAdapter.validate_python(data)


@pytest.mark.parametrize("as_objects", [True, False])
@pytest.mark.parametrize("format", ["langchain", "pydantic-ai"])
def test_messages_of_frameworks_come_back_as_theirs(format, as_objects):
    messages, _ = lists(format, long_run())
    if as_objects:
        messages = objects_of(format, messages)
    assert all(
        one is own
        for one, own in zip(Context(C.default(), model="gpt-5")(messages), messages, strict=True)
    )
    context = Context(C.default() | C.compaction(2_000), model="gpt-5")
    made = context(messages)
    mine = own(made, messages)
    assert 3 <= sum(mine) < len(mine) < len(messages)
    assert mine[-2:] == [True, True]
    kinds = {dict} if not as_objects else {type(one) for one in messages}
    assert {type(one) for one in made} <= kinds
    assert len(made) == len(context(list(messages)))


def test_messages_of_several_formats_can_not_be_written_back():
    messages = [{"role": "user", "parts": [{"text": "Hello there"}]}, ("ai", "Yes?")]
    with pytest.raises(NotInThisFormat, match="can not be written back"):
        Context(C.default(), model="gpt-5")(messages)
    converse = [{"role": "user", "content": [{"text": "Hello"}]}]
    with pytest.raises(NotInThisFormat, match="messages of 'bedrock' can not be written back"):
        Context(C.default(), model="claude-sonnet-4-5")(converse)


def test_a_context_without_a_model_needs_a_body_that_names_one():
    with pytest.raises(ModelError, match="neither the context nor the body"):
        Context(C.default())([{"role": "user", "content": "Hi"}])


@pytest.mark.parametrize("mistake", [{"sessions": object()}, {"temperature": 1}])
def test_options_that_are_none_are_refused_at_once(mistake):
    with pytest.raises(SpecError):
        Context(C.default(), model="gpt-5", **mistake)


def test_what_is_no_list_is_refused():
    with pytest.raises(SessionError, match="a list of messages or a body"):
        Context(C.default(), model="gpt-5")("hello")


def test_the_callers_messages_are_not_touched():
    messages, source = lists("anthropic", recorded())
    before = msgspec.json.encode(source(messages))
    Context(C.default() | C.compaction(500), model="claude-sonnet-4-5")(source(messages))
    assert msgspec.json.encode(source(messages)) == before


@pytest.mark.parametrize(
    "broken",
    [
        {"role": "user", "content": [{"type": ["a"], "text": "x"}]},
        {"role": "user", "content": [{"type": {"a": 1}}]},
        {"role": "tool", "tool_call_id": [1], "content": [{"type": "text", "text": 5}]},
        {"role": "assistant", "tool_calls": [{"id": [1]}], "content": None},
        {"role": ["x"], "content": "x"},
        {"role": "user", "type": ["message"], "content": "x"},
        {"role": "user", "content": [[1]]},
        5,
    ],
)
def test_a_broken_message_is_named_and_the_conversation_goes_on_without_it(broken):
    context = Context(model="gpt-5")
    first = {"role": "user", "content": "hi"}
    with suppress(ContextwrightError):
        context([first, broken])
    assert context([first]) == [first]


def test_a_key_of_geminis_config_that_holds_nothing_stays():
    config = {"temperature": None, "system_instruction": "Be brief.", "stop_sequences": []}
    contents = [{"role": "user", "parts": [{"text": "hi"}]}]
    context = Context(C.default() + C.template("Be kind."), model="gemini-2.5-pro")
    sent = context({"contents": contents, "config": config})["config"]
    assert "Be kind." in str(sent.pop("system_instruction"))
    assert sent == {"temperature": None, "stop_sequences": []}


def test_results_whose_calls_the_provider_has_are_sent_in_short_where_they_must_be():
    """As those whose calls stand beside them."""
    lines = ["\n".join(f"line {n} of {one}, all is well" for n in range(90)) for one in range(3)]
    outputs = [
        {"type": "function_call_output", "call_id": f"c{n}", "output": text}
        for n, text in enumerate(lines)
    ]
    body = {"model": "gpt-5", "previous_response_id": "resp_1", "input": outputs}
    context = Context(C.default() | C.budget(1500))
    made = context(body)
    assert [one["call_id"] for one in made["input"]] == ["c0", "c1", "c2"]
    assert context.pack.tokens <= 1500 and all(one["output"] for one in made["input"])


def test_no_messages_are_nothing_to_send():
    with pytest.raises(SpecError, match="there is nothing to send"):
        Context(C.default(), model="gpt-5")([])


@pytest.mark.parametrize("model", ["gpt-5", "claude-sonnet-4-5"])
def test_a_body_without_a_tool_in_scope_has_none(model):
    """The request that was counted had none, and the body kept all of them."""
    tool = {"name": "mail", "description": "Mail.", "parameters": {"type": "object"}}
    tools = [{"type": "function", "function": tool}]
    if model != "gpt-5":
        tools = [{"name": "mail", "input_schema": {"type": "object"}}]
    body = {"model": model, "messages": [{"role": "user", "content": "hi"}], "tools": tools}
    assert "tools" not in Context(C.default() + C.tools("read"))(body)
    assert Context(C.default() + C.tools("mail"))(body) == body


def test_an_empty_instruction_stays():
    body = {"model": "gpt-5", "instructions": "", "input": "hi"}
    assert Context(C.default())(body) == body


def test_half_a_character_ends_no_turn():
    """A session reads it as U+FFFD; a list of messages ended in a bare `UnicodeEncodeError`."""
    half = "a name \ud83d"
    messages = [{"role": "system", "content": half}, {"role": "user", "content": half}]
    context = Context(C.default() | C.budget(400), model="gpt-5")
    assert context(messages) == messages  # the caller's own objects
    assert "a name \ufffd" in context.pack.body.decode()
    messages += [{"role": "assistant", "content": half * 200}, {"role": "user", "content": "more"}]
    assert context(messages)[-1] == messages[-1] and context.pack.tokens <= 400
    assert context.session.log[1].text == "a name \ufffd"
