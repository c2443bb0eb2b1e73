"""What a model reads back: bounded, whole in the end, and never in circles."""

import asyncio
import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contextwright import C, Engine, FileArtifacts, ReadBack, Session, compile
from contextwright.errors import SessionError
from contextwright.session.event import Tool

ROWS = "\n".join(f"row {n}: value {n * 7}" for n in range(2_000))
SPEC = C.default() | C.compact() | C.budget(max_tokens=3_000)


def asked(text=ROWS, name="read", **options):
    session = Session("s", **options)
    session.user("read it")
    session.call(name, '{"path": "a.txt"}', id="c0")
    session.result("c0", text)
    session.assistant("I have read it.")
    session.user("what is in row 1234?")
    return session


def reader(session, spec=SPEC, **options):
    pack = compile(session, spec, model="gpt-5", read_back=True)
    return ReadBack(session, pack, **options)


def steps(session, engine, *calls):
    """An agent that makes these calls, one a step; what it was given."""
    tools, given = engine.tools(session), []
    for n, arguments in enumerate(calls):
        engine.compile(session)
        text = tools.call("expand", arguments)
        session.call("expand", json.dumps(arguments), id=f"x{n}")
        session.result(f"x{n}", text)
        given.append(text)
    return given


def read_all(session, engine, ref):
    """All of a text, page by page, as the last lines say how to go on."""
    whole, arguments = "", {"ref": ref}
    for _ in range(400):
        (text,) = steps(session, engine, arguments)
        page, _, foot = text.rpartition("\n[")
        whole += page
        if "next: " not in foot:
            return whole
        arguments = eval(re.sub(r"^.*next: \w+\((.*)\)\]$", r"dict(\1)", foot))
    raise AssertionError("it never ends")


@pytest.mark.parametrize(
    "text",
    [ROWS, "x" * 30_000, json.dumps([{"n": n} for n in range(2_000)]), "a\r\n\n" * 3_000 + " "],
    ids=["lines", "one line", "JSON", "blank lines"],
)
def test_every_byte_is_reached_page_by_page(text):
    session, engine = asked(text), Engine(SPEC, model="gpt-5", read_back=True)
    assert read_all(session, engine, "event://e1#0") == text
    assert engine.compile(session).tokens <= 3_000


def test_a_page_is_a_quarter_of_the_budget_at_most():
    session = asked()
    engine = Engine(SPEC, model="gpt-5", read_back=True)
    (text,) = steps(session, engine, {"ref": "event://e1#0"})
    assert 500 < engine.target.counter.count(text) <= 750
    assert text.endswith(
        '[page 1 of 36 of 2000 lines; next: expand(ref="event://e1#0", page=2)]'
    ) or re.search(r"\[page 1 of \d+ of 2000 lines; next: expand\(.*, page=2\)\]$", text)


def test_lines_and_matches_are_read_alone():
    session = asked()
    lines = reader(session).call("expand", {"ref": "event://e1#0", "lines": "1235-1236"})
    assert (
        lines == "row 1234: value 8638\nrow 1235: value 8645\n[lines 1235-1236 of 2000: all of it]"
    )
    matches = reader(session).call("expand", {"ref": "event://e1#0", "grep": r"^row 1234\b"})
    assert matches == "1235: row 1234: value 8638\n[1 matching line in 2000 lines: all of it]"
    none = reader(session).call("expand", '{"ref": "event://e1#0", "grep": "nothing like it"}')
    assert none == "\n[0 matching lines in 2000 lines: all of it]"


def test_fewer_tokens_are_given_where_fewer_are_wanted():
    session = asked()
    engine = Engine(SPEC, model="gpt-5", read_back=True)
    (text,) = steps(session, engine, {"ref": "event://e1#0", "max_tokens": 200})
    assert engine.target.counter.count(text) <= 200
    assert "max_tokens=200, page=2)]" in text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"ref": "event://e99"}, "nothing is found behind this ref"),
        ({"ref": "e99"}, "nothing is found behind this ref"),
        ({"ref": "the first"}, "this is not a ref"),
        ({"ref": "artifact://other/secret.txt"}, "Refs of this conversation: event://e1"),
        ({"ref": "file:///etc/passwd"}, "file refs are off"),
        ({"ref": "event://e1#0", "page": 99}, "there are pages 1-"),
        ({"ref": "event://e1#0", "page": "two"}, "page is a whole number"),
        ({"ref": "event://e1#0", "lines": "last"}, "such as '1-20'"),
        ({"ref": "event://e1#0", "grep": "("}, "no regular expression"),
        ({"ref": "event://e1#0", "grep": "(?=x)"}, "look-ahead"),
        ({}, "give ref as text"),
        ({"ref": 7}, "give ref as text"),
        (None, "give ref as text"),
        ("[1]", "no JSON object"),
        ("{", "no JSON object"),
    ],
)
def test_what_a_model_got_wrong_is_said_to_it(arguments, said):
    text = reader(asked()).call("expand", arguments)
    assert text.startswith("Not read: ")
    assert said in text


def test_an_expression_that_would_take_for_ever_does_not(monkeypatch):
    arguments = {"ref": "event://e1#0", "grep": "(a+)+$"}
    session = asked("a" * 5_000 + "!")
    assert "0 matching lines" in reader(session).call("expand", arguments)
    monkeypatch.setitem(sys.modules, "re2", None)
    from contextwright.redaction.user_patterns import compile_user_pattern

    compile_user_pattern.cache_clear()
    monkeypatch.setattr("contextwright.engine.safe_find.TIMEOUT", 0.05)
    assert "Not read: this expression takes too long" in reader(session).call("expand", arguments)
    known = {"ref": "event://e1#0", "grep": "!"}
    assert "character" in reader(session).call("expand", known)


def test_what_was_read_stays_in_its_turn_and_then_points_at_the_original():
    session, engine = asked(), Engine(C.default() | C.compact(), model="gpt-5", read_back=True)
    (text,) = steps(session, engine, {"ref": "event://e1#0", "lines": "1-90"})
    for spec in (C.compact(), C.truncate(20), C.compress_results(min_tokens=9, max_tokens=9)):
        session.call("look", "{}", id=f"l{len(session)}")
        session.result(f"l{len(session) - 1}", "no")
        running = compile(session, C.default() | spec, model="gpt-5", read_back=True)
        assert json.dumps(text)[1:-1] in running.body.decode(), repr(spec)
    session.assistant("It is 8638.")
    session.user("thanks, and now?")
    sent = engine.compile(session).request["messages"]
    (short,) = [m["content"] for m in sent if m.get("tool_call_id") == "x0"]
    assert len(short) < len(text)
    assert re.search(r"\[full output: event://e1#0, \d+ tokens\]$", short)


def test_what_was_read_back_is_stored_no_second_time(tmp_path):
    session = asked()
    engine = Engine(
        C.default() + C.offload(min_tokens=100) | C.compact() | C.budget(3_000),
        "gpt-5",
        read_back=True,
        artifacts=FileArtifacts(tmp_path),
    )
    engine.compile(session)
    engine.record(session)
    assert len(session.state["evidence"]) == 1
    steps(session, engine, {"ref": "event://e1#0"})
    session.assistant("done")
    engine.record(session)
    (proof,) = session.state["evidence"]
    (text,) = steps(session, engine, {"ref": proof["uri"], "lines": "1"})
    assert text.startswith("row 0: value 0\n")


def test_several_calls_of_one_step_share_the_room():
    session = asked()
    tools = reader(session)
    session.user("all of it, at once")
    given = [tools.call("expand", {"ref": "event://e1#0", "page": n}) for n in range(1, 12)]
    count = Engine(SPEC, model="gpt-5").target.counter.count
    assert sum(map(count, given)) < 3_000
    assert given[0].startswith("row 0")
    assert given[-1].startswith("Not read: ")


def test_calls_from_many_threads_share_it_as_well():
    session = asked()
    tools = reader(session)
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda n: tools.call("expand", {"ref": "event://e1#0"}), range(16)))
    count = Engine(SPEC, model="gpt-5").target.counter.count
    assert sum(map(count, given)) < 3_000 + 16 * 30


@settings(max_examples=25)
@given(
    st.integers(1_200, 6_000),
    st.lists(st.sampled_from(["page", "lines", "grep", "search"]), min_size=1, max_size=8),
    st.integers(0, 3),
)
def test_what_is_given_always_fits_whole_in_the_next_request(limit, calls, others):
    session = asked()
    engine = Engine(C.default() | C.compact() | C.budget(limit), model="gpt-5", read_back=True)
    tools = engine.tools(session)
    for n, kind in enumerate(calls):
        pack = engine.compile(session)
        name = "search" if kind == "search" else "expand"
        more = {"page": {"page": n + 1}, "lines": {"lines": f"{n * 50}-"}, "grep": {"grep": "7"}}
        arguments = {"query": "row value"} if kind == "search" else {"ref": "event://e1#0"}
        arguments = {**arguments, **more.get(kind, {})}
        text = tools.call(name, arguments)
        session.call(name, json.dumps(arguments), id=f"x{n}")
        session.result(f"x{n}", text)
        pack = engine.compile(session)
        assert pack.tokens <= limit
        assert json.dumps(text, ensure_ascii=False) in pack.body.decode()
        for other in range(others):
            session.call("look", "{}", id=f"l{n}-{other}")
            session.result(f"l{n}-{other}", "a little " * 10)


def test_nothing_is_read_where_there_is_no_room():
    session = asked()
    pack = compile(session, C.default() | C.budget(3_000), model="gpt-5", read_back=True)
    session.user("an essay " * 3_000)
    text = ReadBack(session, pack).call("expand", {"ref": "event://e1#0"})
    assert text.startswith("Not read: 0 tokens are left")


def test_a_search_finds_what_is_out_of_sight_and_gives_its_lines():
    session = asked()
    found = reader(session).call("search", {"query": "8638"})
    first, _, foot = found.split("\n")[0], "", found.rpartition("\n")[2]
    match = re.match(r"event://e1#0 lines (\d+)-(\d+) \(read\): row 1234: value 8638", first)
    assert match and int(match[1]) <= 1235 <= int(match[2])
    assert re.fullmatch(r"\[\d+ of \d+ passages; expand\(ref, lines\) reads on\]", foot)
    assert "no word" not in found
    nothing = reader(session).call("search", {"query": "zebra"})
    assert nothing == "Nothing out of sight shares a word with this query."


def test_a_search_looks_not_at_what_is_in_sight():
    session = asked("short and in sight")
    assert "Nothing" in reader(session).call("search", {"query": "sight"})
    windowed = C.window(n=1) | C.budget(3_000)
    assert "event://e1#0" in reader(session, windowed).call("search", {"query": "sight"})


def test_a_search_in_an_older_snapshot_finds_nothing_newer():
    session = asked()
    earlier = session.snapshot()
    session.user("the harbour master is Petersen")
    session.assistant("noted")
    session.user("and?")
    pack = compile(session, C.window(n=1), model="gpt-5", read_back=True)
    assert "Petersen" in ReadBack(session, pack).call("search", {"query": "harbour"})
    assert "Nothing" in ReadBack(earlier, pack).call("search", {"query": "harbour"})


def test_a_search_finds_notes_and_artifacts(tmp_path):
    session = asked("short")
    store = FileArtifacts(tmp_path)
    ref = store.put(b"The tariff of Bremen is 17.", name="tasks/t/tariff.txt")
    session.update({"_notes_plan": "ask the harbour master", "evidence": [{"uri": ref}]})
    tools = reader(session, artifacts=store)
    assert ref in tools.call("search", {"query": "tariff Bremen"})
    assert "state://_notes_plan (notes): ask" in tools.call("search", {"query": "harbour"})


def test_a_search_keeps_to_its_tokens():
    session = asked()
    count = Engine(SPEC, model="gpt-5").target.counter.count
    for most in (60, 200, 500):
        text = reader(session).call("search", {"query": "row value", "max_tokens": most})
        assert count(text) <= most


def test_what_is_redacted_can_neither_be_read_nor_searched():
    session = asked("mail ada@example.com today\n" * 300)
    spec = C.default() | C.redact(["email"]) | C.compact() | C.budget(3_000)
    tools = reader(session, spec)
    assert "ada@" not in tools.call("expand", {"ref": "event://e1#0"})
    assert "0 matching" in tools.call("expand", {"ref": "event://e1#0", "grep": "ada@example"})
    assert "ada@" not in tools.call("search", {"query": "ada@example.com mail"})


def test_another_session_is_out_of_reach(tmp_path):
    store = FileArtifacts(tmp_path)
    ref = store.put(b"theirs", name="sessions/theirs/a.txt")
    text = reader(asked(), artifacts=store).call("expand", {"ref": ref})
    assert text.startswith("Not read: this session neither stored this artifact")


def test_a_store_that_fails_ends_no_step():
    class Broken(FileArtifacts):
        def read_text(self, uri):
            raise OSError("disk")

    session = asked()
    session.update({"evidence": [{"uri": "artifact://a.txt"}]})
    tools = reader(session, artifacts=Broken("."))
    assert (
        tools.call("expand", {"ref": "artifact://a.txt"}) == "Not read: OSError. Go on without it."
    )


def test_the_tools_have_names_that_the_agent_does_not_use():
    own = Tool(name="search", parameters={"type": "object"})
    session = asked(tools=[own])
    engine = Engine(SPEC, model="gpt-5", read_back=True)
    tools = engine.tools(session)
    assert tools.names == ("expand", "search_context")
    assert not tools.handles("search")
    sent = engine.compile(session).request["tools"]
    assert [tool["function"]["name"] for tool in sent] == ["search", "expand", "search_context"]
    with pytest.raises(SessionError, match="no tool 'search'"):
        tools.call("search", {"query": "x"})


def test_schemas_are_those_of_the_request():
    session = asked()
    for model in ("gpt-5", "claude-opus-5"):
        engine = Engine(SPEC, model=model, read_back=True)
        sent = engine.compile(session).request["tools"]
        for tool in sent:
            tool.pop("cache_control", None)
        assert engine.tools(session).schemas() == sent


def test_an_event_loop_runs_while_something_is_read():
    session = asked()
    tools = reader(session)
    text = asyncio.run(tools.acall("expand", {"ref": "event://e1#0", "lines": "1"}))
    assert text == "row 0: value 0\n[lines 1-1 of 2000: all of it]"


def test_before_the_first_compile_there_are_schemas_and_nothing_to_read():
    session = asked()
    tools = Engine(SPEC, model="claude-opus-5").tools(session)
    assert [schema["name"] for schema in tools.schemas()] == ["expand", "search"]
    with pytest.raises(SessionError, match="seen nothing"):
        tools.call("expand", {"ref": "event://e0"})


def test_names_follow_the_tools_of_the_call():
    session, engine = asked(), Engine(SPEC, model="gpt-5", read_back=True)
    tools = engine.tools(session)
    assert tools.names == ("expand", "search")
    own = Tool(name="search", parameters={"type": "object"})
    pack = engine.compile(session, tools=(own,))
    assert tools.names == ("expand", "search_context")
    assert pack.manifest.tools.sent == ("search", "expand", "search_context")


def test_what_is_no_pack_is_refused():
    with pytest.raises(SessionError, match="expected a session and its pack"):
        ReadBack(asked(), None)


def test_the_two_tools_take_less_than_two_hundred_tokens_of_a_request():
    session = Session("s")
    session.user("hi")
    bare, with_tools = (
        compile(session, model="gpt-5", read_back=on).tokens for on in (False, True)
    )
    assert 100 < with_tools - bare < 200
