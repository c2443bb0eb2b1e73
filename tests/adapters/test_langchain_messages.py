"""What a context changes in LangChain's messages."""

import pytest

pytest.importorskip("langchain_core")

from langchain_core.messages import (
    AIMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from contextwright import C, Context
from contextwright.adapters.answered_tools import run_of
from contextwright.adapters.langchain.chat_messages import MESSAGES
from contextwright.adapters.message_mapping import MappedRequest
from contextwright.adapters.provider_blocks import block_texts, with_texts


def sent(messages, spec):
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    return request.messages_of(Context(spec, model="gpt-5")(request.body))


def called(tool, artifact):
    arguments = {"to": "a@b.co"} if artifact == 1 else {"path": "/tmp"}
    call = {"name": tool, "args": arguments, "id": "call_0", "type": "tool_call"}
    result = ToolMessage("of a@b.co", tool_call_id="call_0", name=tool, artifact=artifact)
    return [AIMessage("", tool_calls=[call]), result]


def test_a_call_whose_id_comes_again_stays_what_it_was():
    first, second = called("send_mail", 1), called("delete_file", 2)
    messages = [HumanMessage("go"), *first, AIMessage("x"), HumanMessage("on"), *second]
    new = sent(messages, C.redact("email"))
    assert [m.tool_calls[0]["name"] for m in (new[1], new[5])] == ["send_mail", "delete_file"]
    assert [(m.name, m.artifact) for m in (new[2], new[6])] == [
        ("send_mail", 1),
        ("delete_file", 2),
    ]
    assert [m.content for m in (new[2], new[6])] == ["of [REDACTED]"] * 2


def test_a_block_of_a_providers_own_tool_is_redacted():
    page = {"type": "web_search_result", "title": "a@b.co", "encrypted_content": "c2VhbGVk"}
    blocks = [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "a@b.co"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [page]},
        {"type": "text", "text": "this"},
    ]
    _, answer, _ = sent(
        [HumanMessage("start"), AIMessage(blocks), HumanMessage("last")], C.redact("email")
    )
    assert answer.content == [
        {**blocks[0], "input": {"q": "[REDACTED]"}},
        {**blocks[1], "content": [{**page, "title": "[REDACTED]"}]},
        blocks[2],
    ]


def test_texts_of_a_result_stay_apart():
    mark = {"type": "ephemeral"}
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    texts = [{"type": "text", "text": "of a@b.co"}, {"type": "text", "text": "tail"}]
    call, _ = called("look", 1)
    blocks = [texts[0], {**texts[1], "cache_control": mark}, picture]
    result = ToolMessage(blocks, tool_call_id="call_0")
    new = sent([HumanMessage("go"), call, result], C.redact("email"))[-1]
    text = {"type": "text", "text": "of [REDACTED]\ntail", "cache_control": mark}
    assert new.content == [text, picture]


@pytest.mark.parametrize("content", ["of a@b.co", ["of a@b.co", "two"]])
def test_a_system_message_that_is_redacted_stays_what_it_was(content):
    mark = {"cache_control": {"type": "ephemeral"}}
    texts = [content] if isinstance(content, str) else content
    blocks = [{"type": "text", "text": text, **mark} for text in texts]
    message = SystemMessage(blocks)
    assert block_texts(message.content) == texts
    request = MappedRequest(MESSAGES, [HumanMessage("go")], model="gpt-5", system=texts)
    body = Context(C.redact("email"), model="gpt-5")(request.body)
    new = with_texts(message.content, request.system_parts_of(body))
    assert new == [{**blocks[0], "text": "of [REDACTED]"}, *blocks[1:]]
    assert request.system_of(request.body) is None
    joined = with_texts(message.content, ["one", "two", "three"])
    assert joined == "one\n\ntwo\n\nthree"


def test_a_call_that_nobody_answered_has_a_result():
    call = {"name": "look", "args": {}, "id": "c1", "type": "tool_call"}
    messages = [HumanMessage("go"), AIMessage("", tool_calls=[call]), HumanMessage("on")]
    _, answer, result, last = sent(messages, C.default())
    assert (answer, last) == (messages[1], messages[2])
    assert (result.type, result.tool_call_id, result.name) == ("tool", "c1", "look")


def wrong_call(arguments):
    """A call whose arguments are no JSON, and what it was told."""
    call = {"type": "invalid_tool_call", "name": "look", "args": arguments, "id": "c1"}
    native = {"type": "function_call", "name": "look", "arguments": arguments, "call_id": "c1"}
    result = ToolMessage("no JSON: a@b.co", tool_call_id="c1")
    answer = AIMessage([native], invalid_tool_calls=[{**call, "error": None}])
    return [HumanMessage("go"), answer, result, HumanMessage("on")]


def test_a_call_whose_arguments_are_no_json_keeps_its_answer():
    messages = wrong_call('{"to": "a@b.co')
    assert sent(messages, C.default()) == messages


def test_a_call_whose_arguments_are_no_json_is_redacted():
    _, answer, result, _ = sent(wrong_call('{"to": "a@b.co'), C.redact("email"))
    assert "a@b.co" not in f"{answer}{result}" and result.tool_call_id == "c1"
    assert [call["args"] for call in answer.invalid_tool_calls] == ["{}"]
    assert answer.content[0]["arguments"] == "{}"


FOUND = {
    "type": "search_result",
    "source": "https://wiki",
    "title": "of a@b.co",
    "content": [{"type": "text", "text": "write to a@b.co"}],
}
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}


def test_what_a_search_found_is_redacted_and_stays_what_it_is():
    call, _ = called("look", 1)
    result = ToolMessage([PICTURE, "see a@b.co", FOUND], tool_call_id="call_0")
    new = sent([HumanMessage("go"), call, result], C.redact("email"))[-1]
    text = {"type": "text", "text": "write to [REDACTED]"}
    found = {**FOUND, "title": "of [REDACTED]", "content": [text]}
    assert new.content == [{"type": "text", "text": "see [REDACTED]"}, found, PICTURE]
    alone = ToolMessage([FOUND], tool_call_id="call_0")
    assert sent([HumanMessage("go"), call, alone], C.redact("email"))[-1].content == [found]
    clean = ToolMessage([{**FOUND, "title": "", "content": []}, PICTURE], tool_call_id="call_0")
    assert sent([HumanMessage("go"), call, clean], C.redact("email"))[-1] is clean


def test_what_a_search_found_counts_and_gives_way():
    found = {**FOUND, "content": [{"type": "text", "text": "word " * 4000}]}
    call, _ = called("look", 1)
    result = ToolMessage([found], tool_call_id="call_0")
    request = MappedRequest(
        MESSAGES, [HumanMessage("go"), call, result, HumanMessage("on")], model="gpt-5"
    )
    context = Context(C.budget(max_tokens=2000), model="gpt-5")
    assert "word " * 2000 not in str(request.messages_of(context(request.body)))
    assert context.manifest.tokens < 2000


def test_conversations_whose_messages_have_the_same_ids_are_two_runs():
    one, other = ([HumanMessage(text, id="1")] for text in ("mine", "yours"))
    assert run_of(one) == run_of([HumanMessage("mine", id="1")]) != run_of(other)
    assert run_of([]) == run_of([HumanMessage("mine")]) == ""
    longer = [HumanMessage("no", id="0"), *one]
    assert run_of(longer) != run_of(one)


def legacy(arguments, content):
    called = {"function_call": {"name": "read", "arguments": arguments}}
    return [
        AIMessage("", additional_kwargs=called),
        FunctionMessage(name="read", content=content),
    ]


def test_calls_of_functions_before_tools_are_calls_and_results():
    """What such a result says is no user's word: it is redacted and shortened like any other."""
    key = "AKIAIOSFODNN7EXAMPLE"
    long = "\n".join(f"{number} a line of text" for number in range(3_000))
    messages = [HumanMessage("go"), *legacy(f'{{"path": "{key}"}}', f"{long} {key}")]
    messages += [*legacy("{}", "two"), AIMessage("ok"), HumanMessage("and?")]
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    context = Context(C.redact(["secrets"]) | C.compaction(1_000), model="gpt-5")
    sent = request.messages_of(context(request.body))
    kinds = [type(each) for each in messages]
    assert [type(each) for each in sent] == kinds and context.manifest.tokens <= 1_000
    assert key not in repr(sent) and len(sent[2].content) < 4_000
    call = {"name": "read", "arguments": '{"path": "[REDACTED]"}'}
    assert sent[1].additional_kwargs == {"function_call": call} and not sent[1].tool_calls
    assert all(one is other for one, other in zip(sent[3:], messages[3:], strict=True))


def test_a_function_that_was_not_answered_has_a_result_of_its_kind():
    messages = [HumanMessage("go"), legacy("{}", "")[0], HumanMessage("and?")]
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    *_, made, last = request.messages_of(Context(C.default(), model="gpt-5")(request.body))
    assert isinstance(made, FunctionMessage) and made.name == "read" and last is messages[-1]


def test_who_speaks_is_redacted_with_what_is_said():
    own = HumanMessage("hi", name="zoe@b.co"), AIMessage("ho", name="al"), HumanMessage("on")
    request = MappedRequest(MESSAGES, own, model="gpt-5")
    first, *others = request.messages_of(Context(C.redact("email"), model="gpt-5")(request.body))
    assert (first.content, first.name) == ("hi", "[REDACTED]") and others == list(own[1:])
    assert own[0].name == "zoe@b.co"


def used_computer(number, *, wrapped):
    """A call of OpenAI's computer, which stands in the answer's content alone, and its picture."""
    call = {
        "type": "computer_call", "id": f"cu_{number}", "call_id": f"cc_{number}",
        "action": {"type": "type", "text": "mail a@b.co"}, "status": "completed",
        "pending_safety_checks": [],
    }  # fmt: skip
    picture = {"type": "input_image", "image_url": "data:image/png;base64,aGk="}
    if wrapped:
        call = {"type": "non_standard", "value": call}
        output = {"type": "computer_call_output", "call_id": f"cc_{number}", "output": picture}
        picture = {"type": "non_standard", "value": output}
    said = {"type": "text", "text": "so", "annotations": []}
    kind = {"type": "computer_call_output"}
    result = ToolMessage([picture], tool_call_id=f"cc_{number}", additional_kwargs=kind)
    return [AIMessage([said, call]), result]


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_picture_of_the_screen_answers_its_call(wrapped):
    """It was taken for a result without a call, and its call was sent without a result."""
    uses = [message for n in range(20) for message in used_computer(n, wrapped=wrapped)]
    messages = [HumanMessage("go"), *uses]
    assert sent(messages, C.default()) == messages
    for spec in (C.budget(5_000), C.compaction(5_000), C.window(steps=3)):
        new = sent(messages, spec)
        assert len(new) < len(messages)
        calls = [m.content[-1] for m in new if isinstance(m, AIMessage) and len(m.content) == 2]
        ids = [(call.get("value") or call)["call_id"] for call in calls]
        assert ids == [m.tool_call_id for m in new if isinstance(m, ToolMessage)] and ids
    (_, first, *_) = sent(messages[:3], C.redact("email"))
    called = first.content[-1].get("value") or first.content[-1]
    assert called["action"] == {"type": "type", "text": "mail [REDACTED]"}
    assert called["call_id"] == "cc_0"


def test_a_custom_tool_is_called_with_a_text_and_answers_with_one():
    """Its call stood in a request twice, and what was shortened of its result was no output."""
    block = {"type": "custom_tool_call", "id": "ct_1", "call_id": "c1", "name": "run"}
    block["input"] = "mail a@b.co"
    call = {"name": "run", "args": {"__arg1": block["input"]}, "id": "c1", "type": "tool_call"}
    output = {"type": "custom_tool_call_output", "output": "row of a@b.co\n" * 400}
    messages = [
        HumanMessage("go"), AIMessage([block], tool_calls=[call]), ToolMessage([output], tool_call_id="c1"),
    ]  # fmt: skip
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    assert str(request.body).count("mail a@b.co") == 1
    assert sent(messages, C.default()) == messages
    _, first, result = sent(messages, C.redact("email"))
    assert first.content[0] == {**block, "input": "mail [REDACTED]"}
    assert first.tool_calls[0]["args"] == {"__arg1": "mail [REDACTED]"}
    assert result.content == [{**output, "output": "row of [REDACTED]\n" * 400}]
    later = [AIMessage("so"), HumanMessage("on"), AIMessage("yes"), HumanMessage("more")]
    *_, shorter = sent([*messages, *later], C.compact(stale_after=1))[:3]
    (now,) = shorter.content
    assert now["type"] == output["type"] and len(now["output"]) < len(output["output"]) / 2


ASKED = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "roll",
         "arguments": '{"to": "a@b.co"}', "server_label": "dice"}  # fmt: skip
ALLOWED = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True,
           "reason": "of a@b.co"}  # fmt: skip
PLAYED = {"type": "mcp_call", "id": "mcp_1", "approval_request_id": "mcpr_1", "name": "roll",
          "arguments": "{}", "server_label": "dice", "output": "4 for a@b.co"}  # fmt: skip


def as_sent(messages, **options):
    """The items that LangChain makes of messages for OpenAI's Responses."""
    base = pytest.importorskip("langchain_openai.chat_models.base")
    return base._construct_responses_api_input(messages, **options)


def stored(*blocks, version):
    """An answer of these blocks as LangChain stores it."""
    compat = pytest.importorskip("langchain_openai.chat_models._compat")
    answer = AIMessage([dict(block) for block in blocks], id="resp_1")
    return compat._convert_to_v03_ai_message(answer) if version == "v0" else answer


VERSIONS = pytest.mark.parametrize("version", ["v0", "responses/v1"])


def approval(version):
    return [
        HumanMessage("roll"),
        stored(ASKED, version=version),
        HumanMessage([ALLOWED]),
        stored(PLAYED, {"type": "text", "text": "so", "id": "msg_1"}, version=version),
    ]


@VERSIONS
def test_an_approval_goes_with_what_it_answers(version):
    rounds = [HumanMessage("word " * 30), AIMessage("word " * 30)] * 5
    messages = [*approval(version), *rounds, HumanMessage("last")]
    assert sent(messages, C.default()) == messages
    specs = [C.window(n=n) for n in range(1, 8)] + [C.budget(n) for n in range(200, 700, 50)]
    lost = 0
    for spec in specs:
        kinds = [item.get("type", "") for item in as_sent(sent(messages, spec))]
        kinds = [kind for kind in kinds if kind.startswith("mcp_approval")]
        assert kinds in ([], [ASKED["type"], ALLOWED["type"]])
        lost += not kinds
    assert 0 < lost < len(specs)


@VERSIONS
def test_what_an_approval_says_is_redacted(version):
    items = as_sent(sent([*approval(version), HumanMessage("on")], C.redact("email")))
    assert "a@b.co" not in str(items) and str(items).count("[REDACTED]") == 3
    asked, allowed = (item for item in items if str(item.get("type")).startswith("mcp_approval"))
    assert asked == {**ASKED, "arguments": '{"to": "[REDACTED]"}'}
    assert allowed == {**ALLOWED, "reason": "of [REDACTED]"}


@VERSIONS
def test_an_approval_that_nobody_gave_is_refused(version):
    messages = [*approval(version)[:2], HumanMessage("something else")]
    items = as_sent(sent(messages, C.default()))
    (answer,) = [item for item in items if item.get("type") == "mcp_approval_response"]
    assert answer["approval_request_id"] == "mcpr_1" and answer["approve"] is False


def patched(number, version):
    """A call of OpenAI's `apply_patch`, and its answer."""
    diff = {"type": "update_file", "path": "a.py", "diff": "@@ mail a@b.co\n" * 20}
    ids = {"call_id": f"call_{number}"}
    called = {"type": "apply_patch_call", "id": f"apc_{number}", **ids, "operation": diff}
    output = {"type": "apply_patch_call_output", **ids, "output": "done for a@b.co " * 30}
    answer = {**output, "status": "completed"}
    return [stored({**called, "status": "completed"}, version=version), HumanMessage([answer])]


def searched(number, version):
    """A search for tools that the caller runs, and the tools."""
    ids = {"call_id": f"call_{number}", "execution": "client", "status": "completed"}
    called = {"type": "tool_search_call", "id": f"ts_{number}", **ids, "arguments": {"q": "a@b.co"}}
    tool = {"type": "function", "name": f"t{number}", "description": "of a@b.co", "parameters": {}}
    return [
        stored(called, version=version),
        HumanMessage([{"type": "tool_search_output", **ids, "tools": [tool]}]),
    ]


@VERSIONS
@pytest.mark.parametrize("lone", [patched, searched])
def test_a_call_of_openai_s_that_stands_alone_goes_with_its_answer(lone, version):
    uses = [message for number in range(12) for message in lone(number, version)]
    messages = [HumanMessage("go"), *uses]
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    assert [wire["role"] for wire in request.body["messages"]].count("user") == 1
    assert sent(messages, C.default()) == messages
    for spec in (C.budget(1_200), C.window(steps=3), C.compaction(1_500)):
        items = [item for item in as_sent(sent(messages, spec)) if "call_id" in item]
        outputs = [item["call_id"] for item in items if "output" in item["type"]]
        calls = [item["call_id"] for item in items if "output" not in item["type"]]
        # what a search found is what the model may call from there on
        assert calls == outputs and (len(calls) == 12 if lone is searched else 0 < len(calls) < 12)


@VERSIONS
@pytest.mark.parametrize("lone", [patched, searched])
def test_what_a_call_that_stands_alone_says_is_redacted(lone, version):
    items = as_sent(sent([HumanMessage("go"), *lone(1, version)], C.redact("email")))
    plain = as_sent([HumanMessage("go"), *lone(1, version)])
    assert "a@b.co" not in str(items)
    assert str(items) == str(plain).replace("a@b.co", "[REDACTED]")


@VERSIONS
def test_a_call_that_stands_alone_and_nobody_answered_is_refused_in_its_form(version):
    for lone in (patched, searched):
        messages = [HumanMessage("go"), lone(1, version)[0], HumanMessage("something else")]
        _, called, answer, _ = as_sent(sent(messages, C.default()))
        assert answer["call_id"] == called["call_id"]
        assert answer["type"] in ("apply_patch_call_output", "tool_search_output")
        assert answer.get("tools") == [] or answer["status"] == "failed"


def test_a_search_that_the_provider_runs_is_no_call_of_the_caller_s():
    ids = {"call_id": None, "execution": "server", "status": "completed"}
    blocks = [{"type": "tool_search_call", "arguments": {}, **ids}]
    blocks += [{"type": "tool_search_output", "tools": [], **ids}, {"type": "text", "text": "so"}]
    messages = [HumanMessage("go"), AIMessage(blocks), HumanMessage("on")]
    request = MappedRequest(MESSAGES, messages, model="gpt-5")
    assert [w["role"] for w in request.body["messages"]] == ["user", "assistant", "user"]
    assert sent(messages, C.default()) == messages


def test_what_stands_beside_an_answer_is_shown_as_its_blocks_are():
    """`output_version="v0"`: a computer's call was dropped with its result, or sent without it."""
    thought = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "a@b.co"}],
    }
    uses = []
    for number in range(20):
        answer, result = used_computer(number, wrapped=False)
        uses += [stored(thought, *answer.content, version="v0"), result]
    assert all("tool_outputs" in answer.additional_kwargs for answer in uses[::2])
    messages = [HumanMessage("go"), *uses]
    assert sent(messages, C.default()) == messages
    for spec in (C.budget(5_000), C.compaction(5_000), C.window(steps=3)):
        items = as_sent(sent(messages, spec))
        calls = [item["call_id"] for item in items if item.get("type") == "computer_call"]
        outputs = [item["call_id"] for item in items if item.get("type") == "computer_call_output"]
        assert 0 < len(calls) < 20 and calls == outputs
    items = as_sent(sent(messages[:3], C.redact("email")))
    assert "a@b.co" not in str(items) and str(items).count("[REDACTED]") == 2
    [kept] = [item for item in items if item.get("type") == "reasoning"]
    assert kept["id"] == "rs_1"


def of_agents():
    """What a supervisor and two agents do, as LangGraph names them."""

    def used(agent, tool, id):
        call = {"name": tool, "args": {"of": "a@b.co"}, "id": id, "type": "tool_call"}
        result = ToolMessage("ten flats " * 40, tool_call_id=id, name=tool)
        return [AIMessage("", name=agent, tool_calls=[call]), result]

    return [
        HumanMessage("find flats"),
        *used("supervisor", "transfer_to_researcher", "h1"),
        *used("researcher", "search", "s1"),
        AIMessage("I found ten flats", name="researcher"),
        *used("supervisor", "transfer_to_writer", "h2"),
        *used("writer", "draft", "d1"),
        AIMessage("here is the text", name="writer"),
        HumanMessage("shorter please", name="dana"),
    ]


def test_an_agent_s_trace_in_short_is_that_agent_s():
    new = sent(of_agents(), C.isolate())
    assert [m.name for m in new if isinstance(m, AIMessage)] == [
        "supervisor", "researcher", "researcher", "supervisor", "writer", "writer",
    ]  # fmt: skip
    assert new[-1].name == "dana" and not any(isinstance(m, ToolMessage) for m in new)


@pytest.mark.parametrize("spec", [C.default(), C.isolate(), C.decay(full=1, fold=1)], ids=repr)
def test_the_name_of_an_agent_is_redacted_in_what_is_made_of_it(spec):
    messages = [
        m if isinstance(m, ToolMessage) else m.model_copy(update={"name": f"{m.name}-a@b.co"})
        for m in of_agents()
    ]
    new = sent(messages, spec | C.redact("email"))
    assert "a@b.co" not in str(new)
    assert {m.name for m in new if isinstance(m, AIMessage)} == {"[REDACTED]"}


def test_what_one_agent_did_is_chosen_by_its_name():
    messages = of_agents()
    one = sent(messages, C.select(author="researcher") + C.window(n=1))
    assert [m.name for m in one if isinstance(m, AIMessage)] == ["researcher", "researcher"]
    others = sent(messages, C.exclude_agents("researcher"))
    assert {m.name for m in others if isinstance(m, AIMessage)} == {"supervisor", "writer"}
