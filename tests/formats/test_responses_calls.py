"""Calls of OpenAI Responses that are no function's stand with what answers them, and in the order
in which the body had them."""

import copy
import itertools

import pytest

from contextwright import C, Context, Conversation, compile, read_session
from contextwright.errors import BudgetError

LONG = "\n".join(f"row {n} of what the command printed" for n in range(600))
EXIT = {"type": "exit", "exit_code": 0}
KINDS = {
    "shell_call": (
        {"action": {"commands": ["ls"], "timeout_ms": 1.0}, "status": "completed"},
        {"output": [{"stdout": "a.py", "stderr": "", "outcome": EXIT}], "max_output_length": 9},
    ),
    "apply_patch_call": (
        {"operation": {"type": "delete_file", "path": "a"}, "status": "completed"},
        {"status": "completed", "output": "done"},
    ),
    "computer_call": (
        {"action": {"type": "click", "x": 1, "y": 2}, "pending_safety_checks": [], "id": "cu_1"},
        {"output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,aGk="},
         "acknowledged_safety_checks": []},
    ),
    "custom_tool_call": ({"name": "k", "input": "free"}, {"output": "done"}),
    "kind_of_tomorrow_call": ({"does": [1.0]}, {"output": "done", "z": None}),
}  # fmt: skip
FUNCTION = {"type": "function_call", "call_id": "f1", "name": "f", "arguments": "{}"}
GIVEN = {"type": "function_call_output", "call_id": "f1", "output": "given"}


def said(role, text):
    return {"role": role, "content": text}


def pair(kind, id="c1"):
    call, output = KINDS[kind]
    return (
        {"type": kind, "call_id": id, **copy.deepcopy(call)},
        {"type": f"{kind}_output", "call_id": id, **copy.deepcopy(output)},
    )


def body(*items):
    return {"model": "gpt-5", "input": [said("user", "go"), *items]}


@pytest.mark.parametrize("kind", KINDS)
def test_parallel_calls_of_two_kinds_stay_in_their_order(kind):
    call, output = pair(kind)
    for calls in ([FUNCTION, call], [call, FUNCTION]):
        for outputs in ([GIVEN, output], [output, GIVEN]):
            whole = body(*calls, *outputs, said("assistant", "done"), said("user", "more"))
            assert compile(whole, C.default()).request == whole


@pytest.mark.parametrize("kind", KINDS)
def test_a_call_and_what_answers_it_go_together(kind):
    rounds = [(said("user", f"turn {n}"), *pair(kind, f"c{n}")) for n in range(4)]
    whole = body(*itertools.chain(*rounds), said("assistant", "done"), said("user", "more"))
    specs = [C.window(steps=n) for n in range(1, 7)] + [C.budget(n) for n in (100, 200, 300)]
    for spec in specs:
        sent = compile(whole, spec).request["input"]
        called = [one["call_id"] for one in sent if one.get("type") == kind]
        assert called == [one["call_id"] for one in sent if one.get("type") == f"{kind}_output"]


def test_what_a_shell_printed_is_shortened_in_its_own_form():
    call, output = pair("shell_call")
    output["output"] = [{"stdout": LONG, "stderr": "warned", "outcome": EXIT}]
    turns = [said(role, "x") for _ in range(4) for role in ("assistant", "user")]
    whole = body(call, output, *turns)
    request = compile(whole, C.default() | C.compact()).request
    (chunk,) = request["input"][2]["output"]
    assert chunk.keys() == output["output"][0].keys() and chunk["outcome"] == EXIT
    assert 0 < len(chunk["stdout"]) < len(LONG) // 2 and chunk["stderr"] == ""
    assert [*request["input"][:2], *request["input"][3:]] == [
        *whole["input"][:2], *whole["input"][3:]
    ]  # fmt: skip


def test_a_patch_that_failed_is_a_failure_and_a_screen_stays_as_it_is():
    call, output = pair("apply_patch_call")
    session = read_session(body(call, {**output, "status": "failed"}), format="openai-responses")
    assert [result.status for event in session.log for result in event.results] == ["error"]
    call, output = pair("computer_call")
    turns = [said(role, "x") for _ in range(4) for role in ("assistant", "user")]
    request = compile(body(call, output, *turns), C.default() | C.compact()).request
    assert request["input"][2] == output


@pytest.mark.parametrize("kind", KINDS)
def test_a_conversation_reads_them_one_by_one_as_a_whole(kind):
    call, output = pair(kind)
    items = [said("user", "go"), FUNCTION, call, output, GIVEN, said("assistant", "done")]
    conversation = Conversation()
    for stop in (1, 5, 6):
        grown = conversation.update({"model": "gpt-5", "input": items[:stop]})
    whole = read_session({"model": "gpt-5", "input": items})
    assert [e.parts for e in grown.log] == [e.parts for e in whole.log]


def test_a_provider_may_run_two_tools_of_one_kind():
    searches = [{"type": "file_search", "vector_store_ids": [id]} for id in "ab"]
    whole = {"model": "gpt-5", "input": "hi", "tools": searches}
    assert compile(whole, C.default()).request == whole


ASKED = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "roll", "arguments": '{"d":6}',
         "server_label": "dice"}  # fmt: skip
ALLOWED = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True,
           "reason": "why not", "z": [1.0]}  # fmt: skip
ROLLED = {"type": "mcp_call", "id": "mcp_1", "approval_request_id": "mcpr_1", "name": "roll",
          "arguments": "{}", "server_label": "dice", "output": "4"}  # fmt: skip


def test_an_approval_goes_with_what_it_answers():
    turns = [said(role, "word " * 30) for _ in range(5) for role in ("assistant", "user")]
    whole = body(ASKED, ALLOWED, ROLLED, *turns)
    assert compile(whole, C.default()).request == whole
    specs = [C.window(n=n) for n in range(1, 8)] + [C.window(steps=n) for n in range(1, 8)]
    specs += [C.budget(n) for n in range(200, 600, 40)] + [C.default() | C.truncate(2), C.cool(20)]
    lost = 0
    for spec in specs:
        sent = compile(whole, spec).request["input"]
        assert [one for one in sent if one in (ASKED, ALLOWED)] in ([], [ASKED, ALLOWED])
        kinds = [one["type"] for one in sent if one.get("type", "").startswith("mcp_approval")]
        assert len(kinds) in (0, 2)
        lost += not kinds
    assert 0 < lost < len(specs)


def test_an_approval_that_waits_and_one_whose_request_the_provider_has_stay_as_they_came():
    chained = {"model": "gpt-5", "previous_response_id": "resp_1", "input": [ALLOWED]}
    for whole in (body(ASKED), chained):
        assert compile(whole, C.default()).request == whole
        assert Context(C.default())(whole) == whole


@pytest.mark.parametrize("stops", [(1, 2, 3, 4), (2, 3), (1, 3), (2, 4)])
@pytest.mark.parametrize("items", [(ASKED, ALLOWED, ROLLED), (*pair("shell_call"), ROLLED)])
def test_what_is_answered_later_is_read_as_if_it_always_was(items, stops):
    conversation, whole = Conversation(), body(*items)
    for stop in stops:
        grown = conversation.update({**whole, "input": whole["input"][:stop]})
    alone = read_session({**whole, "input": whole["input"][: stops[-1]]})
    assert [event.parts for event in grown.log] == [event.parts for event in alone.log]


PROGRAM = {"type": "program", "id": "prog_1", "call_id": "p1", "code": "f()", "fingerprint": "fp"}
BY_PROGRAM = {"type": "program", "caller_id": "p1"}
ENDED = {
    "type": "program_output",
    "id": "po_1",
    "call_id": "p1",
    "result": "r",
    "status": "completed",
}
REASONED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "E" * 90}


def by_program(id, kind="function_call", named=True):
    """A call that the program makes, and what it is given; the output may leave its caller out."""
    call = {"type": kind, "call_id": id, "name": "f", "arguments": "{}", "caller": BY_PROGRAM}
    if kind != "function_call":
        call = {**pair(kind, id)[0], "caller": BY_PROGRAM}
    output = {"type": f"{kind}_output", "call_id": id, "output": LONG}
    return call, {**output, "caller": BY_PROGRAM} if named else output


PROGRAMS = {
    "no call": (PROGRAM, ENDED),
    "one call": (REASONED, PROGRAM, *by_program("i1"), ENDED),
    "two answers": (PROGRAM, *by_program("i1"), *by_program("i2", named=False), ENDED),
    "parallel": (PROGRAM, by_program("i1")[0], by_program("i2")[0],
                 by_program("i2")[1], by_program("i1")[1], ENDED),
    "shell": (PROGRAM, *by_program("i1", "shell_call", named=False), ENDED),
    "two programs": (PROGRAM, *by_program("i1"), ENDED,
                     *({**PROGRAM, "call_id": "p2", "id": "prog_2"},
                       {**ENDED, "call_id": "p2", "id": "po_2"})),
    "others within": (PROGRAM, FUNCTION, by_program("i1")[0], GIVEN, by_program("i1")[1], ENDED),
}  # fmt: skip
SHORTENERS = [
    *(C.window(n=n) for n in range(1, 10)), *(C.window(steps=n) for n in range(1, 10)),
    *(C.budget(n) for n in range(300, 5_000, 300)), *(C.fit(n) for n in range(300, 5_000, 300)),
    *(C.compaction(n) for n in range(300, 5_000, 600)), C.default() | C.truncate(2), C.cool(20),
    C.default() | C.compact(), C.default() | C.dedup(), C.isolate(), C.decay(),
]  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_its_calls_and_its_output_are_whole_or_absent(name):
    items = PROGRAMS[name]
    own = [one for one in items if one not in (REASONED, FUNCTION, GIVEN)]
    turns = [said(role, "word " * 30) for _ in range(5) for role in ("assistant", "user")]
    whole = body(*items, *turns)
    assert compile(whole, C.default()).request == whole
    kept = 0
    for spec in SHORTENERS:
        try:
            sent = compile(whole, spec).request["input"]
        except BudgetError:
            assert name == "others within"  # a program that others stand in always stays
            continue
        found = [one for one in sent if one in own]
        ids = {each["call_id"] for each in own}
        assert found in ([], own) or (name == "two programs" and found in (own[:4], own[4:]))
        assert len(found) == sum(one.get("call_id") in ids for one in sent)
        kept += bool(found)
    assert kept > 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_still_runs_leaves_as_it_came_and_is_read_as_it_goes_on(name):
    items = PROGRAMS[name]
    conversation = Conversation()
    for stop in range(1, len(items) + 1):
        if FUNCTION in items[:stop] and GIVEN not in items[:stop]:
            continue  # a call of the caller's own waits for its result
        whole = body(*items[:stop])
        assert compile(whole, C.default()).request == whole
        assert Context(C.default())(whole) == whole
        listed = compile(whole["input"], C.default(), model="gpt-5", format="openai-responses")
        if stop == len(items):
            assert listed.request["input"] == whole["input"]
        grown = conversation.update(whole)
    alone = read_session(body(*items))
    assert [event.parts for event in grown.log] == [event.parts for event in alone.log]


def test_what_runs_at_the_provider_goes_with_the_reasoning_that_led_to_it():
    items = []
    for n in range(4):
        thought = [{**REASONED, "id": f"rs_{n}{m}"} for m in range(2)]
        searched = [{"type": "web_search_call", "id": f"ws_{n}{m}", "status": "completed",
                     "action": {"type": "search", "query": "q"}} for m in range(2)]  # fmt: skip
        asked = said("user", "go " * 20)
        items += [asked, thought[0], searched[0], thought[1], searched[1]]
        items.append(said("assistant", "word " * 40))
    whole = body(*items, said("user", "more"))
    for spec in SHORTENERS:
        try:
            sent = compile(whole, spec).request["input"]
        except BudgetError:
            continue
        kinds = [one.get("type", "message") for one in sent]
        for before, kind in zip(["message", *kinds], kinds, strict=False):
            assert (before == "reasoning") == (kind == "web_search_call")


def test_tools_that_were_found_stay_callable():
    call = {"type": "tool_search_call", "call_id": "t1", "execution": "client", "arguments": {}}
    found = {"type": "tool_search_output", "call_id": "t1", "execution": "client", "tools": []}
    turns = [said(role, "word " * 30) for _ in range(5) for role in ("assistant", "user")]
    whole = body(call, found, *turns)
    for spec in SHORTENERS:
        sent = compile(whole, spec).request["input"]
        assert [one for one in sent if "tool_search" in one.get("type", "")] == [call, found]
