"""How other systems break sessions, each as a test: none of it may happen here."""

import json

import pytest
from tests.parameters import few

from contextwright import C, Session, compile, target
from contextwright.errors import BudgetError
from contextwright.session.event import Image, Text, Thinking, ToolCall, ToolResult
from contextwright.testing import FORMATS, assert_valid, session_of, target_for

formats = pytest.mark.parametrize("format", FORMATS)


def packs(session, spec, format="openai-chat", **options):
    pack = compile(session, spec, target=target_for(format), **options)
    assert_valid(pack, target_for(format))
    return pack


@formats
@pytest.mark.parametrize("limit", range(200, 900, 50))
def test_a_parallel_batch_is_never_split(format, limit):
    session = session_of("u: start")
    for turn in range(5):
        calls = [ToolCall(id=f"c{turn}{n}", name="read", arguments="{}") for n in range(4)]
        session.assistant(*calls)
        for call in reversed(calls):
            session.result(call.id, f"file {call.id} " * 12)
    session.user("and now?")
    pack = packs(session, C.default() | C.budget(limit), format)
    body = pack.body.decode()
    for turn in range(5):
        present = [f'"c{turn}{n}"' in body for n in range(4)]
        assert all(present) or not any(present)


@formats
def test_a_result_that_comes_after_other_messages_stands_at_its_call(format):
    session = session_of("u: go")
    session.call("slow", "{}", id="late")
    session.user("are you there?")
    session.assistant("yes")
    session.result("late", "the late result")
    session.user("good")
    pack = packs(session, C.default(), format)
    body = pack.body.decode()
    assert body.index("the late result") < body.index("are you there?")


@formats
def test_an_open_call_at_the_cut_gets_a_result_that_says_so(format):
    session = session_of("u: go")
    session.call("deploy", '{"env": "prod"}', id="open")
    pack = packs(session, C.default(), format)
    assert "[no result yet]" in pack.body.decode()


@formats
def test_a_dead_call_does_not_stop_what_lies_behind_it(format):
    session = session_of("u: go")
    session.call("deploy", "{}", id="dead")
    for turn in range(6):
        session.user(f"turn {turn}")
        session.call("read", "{}", id=f"r{turn}")
        session.result(f"r{turn}", "long output " * 300)
        session.assistant("ok")
    session.user("now?")
    pack = packs(session, C.default() | C.compact(), format)
    assert "[no result: the call was interrupted]" in pack.body.decode()
    assert sum(change.action == "compacted" for change in pack.manifest.changes) == 6


def test_compacting_twice_is_compacting_once():
    session = session_of("u: go | c: search(x) | r: " + "found it " * 400 + " | a: ok | u: next")
    once = packs(session, C.default() | C.compact())
    twice = packs(session, C.default() | C.compact() | C.compact())
    assert once.body == twice.body


@formats
def test_an_autonomous_loop_under_one_user_message_keeps_its_task_and_newest_steps(format):
    session = session_of("s: be brief | u: fix the bug in parser.py")
    for step in range(60):
        session.call("run", json.dumps({"cmd": f"pytest -k test_{step}"}), id=f"s{step}")
        session.result(f"s{step}", f"step {step} " + "output line " * 200)
    pack = packs(session, C.default() | C.budget(8000), format)
    body = pack.body.decode()
    assert "fix the bug in parser.py" in body
    assert "test_59" in body
    assert pack.tokens > 4000


@pytest.mark.slow
@formats
@pytest.mark.parametrize("strategy", ["cascade", "strict"])
def test_one_message_larger_than_the_window_is_cut_with_a_ref(format, strategy):
    session = session_of("u: read it")
    session.call("cat", '{"path": "big.log"}', id="big")
    session.result("big", "one very long line " * 50_000)
    pack = packs(session, C.default() | C.fit(4000, strategy=strategy), format)
    assert "event://e1#0" in pack.body.decode()
    assert pack.tokens <= 4000


def test_the_newest_user_message_as_the_offender_is_named():
    session = session_of("u: hi | a: hello")
    session.user("a whole book " * 5000)
    with pytest.raises(BudgetError, match=r"e2 \(running_turn\)"):
        packs(session, C.none() | C.budget(2000))


@pytest.mark.parametrize(
    "text",
    few(["漢字かな交じり文" * 4000, "QUJDREVGR0g=" * 4000, "a=1;b=2;" * 6000, "👩‍👩‍👧‍👦" * 2000]),
    ids=["cjk", "base64", "minified", "emoji"],
)
@formats
def test_text_that_estimates_get_wrong_stays_within_budget(format, text):
    session = session_of("u: go | c: read(x)")
    session.result("call1", text)
    pack = packs(session, C.default() | C.budget(1500), format)
    assert pack.tokens <= 1500


def test_thinking_bound_to_a_removed_prefix_is_not_sent():
    session = session_of("u: go")
    for step in range(12):
        session.assistant(
            Thinking(text=f"thought {step}", signature=f"sig{step}", provider="anthropic"),
            ToolCall(id=f"t{step}", name="read", arguments="{}"),
        )
        session.result(f"t{step}", "words " * 150)
    binds = target("claude-fable-5-1")
    whole = compile(session, C.default(), target=binds)
    assert whole.body.decode().count('"signature"') == 12
    cut = compile(session, C.default() | C.budget(1800), target=binds)
    assert '"signature"' not in cut.body.decode()
    kept = compile(session, C.default() | C.budget(1800), target=target("claude-opus-5"))
    assert '"signature"' in kept.body.decode()


def test_thinking_of_another_provider_is_named_as_not_sent():
    session = session_of("u: go")
    session.assistant(Thinking(text="hm", signature="s", provider="anthropic"), Text(text="yes"))
    session.user("ok")
    pack = packs(session, C.default(), "gemini")
    assert [part.part for part in pack.manifest.unrendered] == ["thinking"]
    assert "hm" not in pack.body.decode()


def test_history_edited_after_a_pack_is_found_by_replay():
    from contextwright.compiler import replay
    from contextwright.errors import ReplayError

    session = session_of("u: my limit is 100 | a: noted | u: go")
    pack = packs(session, C.default())
    forged = session_of("u: my limit is 900 | a: noted | u: go")
    with pytest.raises(ReplayError, match="log") as caught:
        replay(pack.manifest, forged)
    assert "session_digest" in caught.value.where


def test_equal_and_backward_times_do_not_reorder():
    session = Session()
    for place, time in enumerate((5, 5, 1, 9_999_999_999_999, 0)):
        session.user(f"message {place}", time_ms=time)
    body = packs(session, C.default()).body.decode()
    assert [body.index(f"message {n}") for n in range(5)] == sorted(
        body.index(f"message {n}") for n in range(5)
    )


def test_the_task_survives_while_the_newest_turn_does():
    session = session_of("s: policy: never delete files | u: tidy up my downloads")
    for step in range(30):
        session.user(f"go on {step}")
        session.assistant("working " * 80)
    session.user("finish")
    body = packs(session, C.window(1) | C.budget(900)).body.decode()
    assert "never delete files" in body
    assert "finish" in body


def test_a_summary_larger_than_its_source_never_appears():
    session = session_of("u: go | c: ls(x) | r: a.py | a: ok | u: next")
    pack = packs(session, C.default() | C.compact(min_tokens=1, max_tokens=500))
    assert pack.manifest.changes == ()


def test_a_ref_shown_to_the_model_always_resolves_and_reading_it_does_not_loop():
    from contextwright.stores import Refs

    session = session_of("u: go | c: read(x) | r: " + "line of text " * 900 + " | a: ok | u: again")
    pack = packs(session, C.default() | C.compact())
    ref = pack.body.decode().partition("[full output: ")[2].partition(",")[0]
    whole = Refs(session.snapshot()).read(ref)
    assert whole == session.log[2].results[0].text
    session.call("expand", json.dumps({"ref": ref}), id="expand")
    session.result("expand", whole)
    body = packs(session, C.default() | C.compact()).body.decode()
    assert whole[:200] in body  # read back in the running turn: not compacted again


def test_an_image_counts_and_is_not_prose():
    session = Session()
    session.user(Text(text="look"), Image(data="aGk=", width=1024, height=768))
    assert packs(session, C.default()).tokens > 700


def test_a_doubled_result_is_sent_once_the_last_one_counts():
    session = session_of("u: go")
    session.call("job", "{}", id="j")
    session.result("j", "started")
    session.result("j", "finished")
    body = packs(session, C.default()).body.decode()
    assert "finished" in body
    assert "started" not in body
    assert session.snapshot().exchanges()[1].mark == "duplicate"


def test_an_orphaned_result_is_left_out_and_named():
    session = session_of("u: go")
    session.add("tool", ToolResult(call_id="nobody", content=(Text(text="ghost"),)))
    session.assistant("hm")
    session.user("ok")
    pack = packs(session, C.default())
    assert "ghost" not in pack.body.decode()
    assert [(c.id, c.step) for c in pack.manifest.changes] == [("e1", "orphans")]


def test_tool_lists_and_key_order_do_not_move_the_prefix():
    from contextwright.session.event import Tool

    schema = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "string"}}}
    turned = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "type": "object"}
    bodies = []
    for given in (schema, turned):
        session = Session(tools=[Tool(name="f", parameters=given)])
        session.user("hi")
        bodies.append(packs(session, C.default()).body)
    assert bodies[0] == bodies[1]


def test_the_prefix_stays_byte_identical_from_turn_to_turn_but_for_declared_steps():
    session = session_of("s: be brief | u: go")
    spec = C.default() | C.compact()
    before = None
    for turn in range(8):
        session.call("read", json.dumps({"n": turn}), id=f"r{turn}")
        session.result(f"r{turn}", f"result {turn} " * 120)
        session.assistant(f"done {turn}")
        session.user(f"next {turn}")
        messages = packs(session, spec).request["messages"]
        if before is not None:
            newest = 5  # the turn that just ended is compacted once, then stays
            assert messages[: len(before) - newest] == before[: len(before) - newest]
        before = messages


def test_assistant_text_is_never_shaped_like_a_call():
    session = session_of(
        "u: go | c: search(cats) | r: " + "cat facts " * 300 + " | a: ok | u: next"
    )
    text = compile(session, C.default() | C.compact(), model="gpt-5", format="text").text
    assert "search(" not in text


@formats
def test_pinned_messages_are_in_every_request(format):
    session = session_of("u: hi")
    session.user("never touch the production database", pinned=True)
    for turn in range(9):
        session.assistant("ok " * 40)
        session.user(f"turn {turn}")
    for spec in (C.none(), C.window(1), C.window(2) | C.fresh(1) | C.budget(400)):
        assert "production database" in packs(session, spec, format).body.decode()


def test_reasoning_that_is_left_behind_is_named_with_the_reason():
    session = session_of("u: go")
    for step in range(8):
        thought = Thinking(text=f"thought {step}", signature=f"sig{step}", provider="anthropic")
        session.assistant(thought, ToolCall(id=f"t{step}", name="read", arguments="{}"))
        session.result(f"t{step}", "words " * 150)
    binds = target("claude-fable-5-1")
    cut = compile(session, C.default() | C.budget(1200), target=binds)
    assert '"signature"' not in cut.body.decode()
    reasons = {part.reason for part in cut.manifest.unrendered}
    assert reasons <= {
        "reasoning does not go with a message that was changed",
        "reasoning is bound to a prefix that is gone",
    }
    assert reasons


@formats
def test_files_and_unknown_parts_of_results_are_never_lost_in_silence(format):
    from contextwright.session.event import File, Opaque

    session = session_of("u: go")
    session.call("read", "{}", id="r")
    content = (
        Text(text="see"),
        File(name="a.csv"),
        Image(file_id="f1"),
        Opaque(format="x", kind="y"),
    )
    session.add("tool", ToolResult(call_id="r", content=content))
    pack = packs(session, C.default(), format)
    assert "[file: a.csv]" in pack.body.decode()
    assert "[image: image/png]" in pack.body.decode()
    assert [part.part for part in pack.manifest.unrendered] == ["opaque"]


def test_a_server_side_chain_is_continued_only_where_the_callers_own_body_does():
    from contextwright import read_session

    given = {"model": "gpt-5", "previous_response_id": "resp_1", "store": True, "input": [
        {"type": "message", "role": "user", "content": "hi"},
    ]}  # fmt: skip
    assert packs(read_session(given), C.default(), "openai-responses").request == given
    body = packs(session_of("u: hi"), C.default(), "openai-responses").request
    assert "previous_response_id" not in body
    assert body["store"] is False


def test_history_imported_with_a_summary_is_sent_as_it_stands():
    from contextwright import read_session

    session = read_session(
        [
            {"role": "user", "content": "Summary of earlier work: limits are 100 EUR."},
            {"role": "assistant", "content": "understood"},
            {"role": "user", "content": "go on"},
        ]
    )
    assert "100 EUR" in packs(session, C.default() | C.compact()).body.decode()


@formats
def test_parallel_calls_of_one_id_are_told_apart_with_their_results(format):
    session = session_of("u: go")
    session.assistant(*(ToolCall(id="", name="read", arguments=f'{{"n": {n}}}') for n in range(3)))
    session.result("", "first")
    session.result("", "second")
    body = packs(session, C.default(), format).body.decode()
    for shown in ("first", "second", "[no result: the call was interrupted]"):
        assert shown in body or (shown.startswith("[no result") and "[no result yet]" in body)
    assert body.index("first") < body.index("second")


def test_calls_and_results_in_the_wrong_message_are_refused_at_the_border():
    from contextwright.errors import SessionError

    with pytest.raises(SessionError, match="result in a message of role 'user'"):
        Session().user(ToolResult(call_id="x"))
    with pytest.raises(SessionError, match="call in a message of role 'user'"):
        Session().user(ToolCall(id="x", name="f"))


@formats
def test_renamed_tools_are_called_back_by_their_own_names(format):
    from contextwright.session.event import Tool

    session = Session(tools=[Tool(name="größe messen"), Tool(name="plain")])
    session.user("hi")
    pack = packs(session, C.default(), format)
    (sent,) = pack.manifest.renamed_tools
    assert pack.tool_name(sent) == "größe messen"
    assert pack.tool_name("plain") == "plain"


def test_two_tools_of_one_name_are_the_users_error():
    from contextwright.errors import SessionError
    from contextwright.session.event import Tool

    session = Session(tools=[Tool(name="f"), Tool(name="f", description="\ud83d")])
    session.user("hi")
    with pytest.raises(SessionError, match="two tools"):
        packs(session, C.default())
    session.tools = session.tools[1:]
    packs(session, C.default())


@formats
def test_misplaced_calls_and_results_of_a_file_are_named_and_not_sent(format):
    from contextwright.session.event import Event

    session = session_of("u: go")
    parts = (Text(text="look"), ToolCall(id="x", name="f"), ToolResult(call_id="x"))
    session.append(Event(id="odd", role="user", parts=parts))
    pack = packs(session, C.default(), format)
    assert [(p.event_id, p.part) for p in pack.manifest.unrendered] == [("odd", "opaque")] * 2
