"""What failed, which later call makes it good, and how to say that it is settled."""

import json
import time

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Session, compile, read_session, write_session
from contextwright.errors import SessionError
from contextwright.session.call_kind import call_kinds
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.session.failure import is_failure, text_fails
from contextwright.stores import SQLiteSessions
from contextwright.testing import target_for
from contextwright.testing.session_strategies import sessions

PYTEST = """============================= test session starts ==============================
collected 3 items
tests/test_x.py ..F                                                      [100%]
=========================== short test summary info ============================
FAILED tests/test_x.py::test_c - assert 1 == 2
========================= 1 failed, 2 passed in 0.12s =========================="""
PASSED = "tests/test_x.py ...   [100%]\n============ 3 passed, 0 failed in 0.12s ============"
TRACE = 'Running\nTraceback (most recent call last):\n  File "a.py", line 3\nValueError: no'


@pytest.mark.parametrize(
    "text",
    [
        "Error: user not found", "error: could not compile `x`", "ERROR 1045 (28000): denied",
        "ValueError: bad literal", "requests.exceptions.HTTPError: 404 Client Error",
        "Error executing tool book: no seats", "Failed to fetch the page", "MCP error -32602: no",
        "FAILED tests/x.py", "FAILED tests/x.py::test_a - assert 1 == 2", PYTEST, "2 failed, 3 passed",
        "bash: foo: command not found", "/bin/sh: 1: foo: not found", "zsh: command not found: foo",
        "Permission denied", "cat: a.txt: No such file or directory", "rm: x: Permission denied",
        "panic: runtime error: index out of range\n\ngoroutine 1 [running]:\nmain.main()\nexit status 2",
        TRACE, "thread 'main' panicked at src/main.rs:2:5:\nno\nnote: run with `RUST_BACKTRACE=1`",
        "Exit code: 1\nnothing to do", "[Process exited with code 127]", "ok\nexit status 1",
        '{"success": false}', '{"ok":false,"error":"x"}', '{"error": {"code": 3}}',
        '{"isError": true, "content": []}', '{"output": "x", "metadata": {"exit_code": 2}}',
        '{"status": "error", "message": "no"}', '{"status": 404, "message": "Not Found"}',
        '{"errors": [{"message": "no field x"}], "data": null}', '{"error": "cut off, "re',
        "HTTP 500 Internal Server Error", "HTTP/1.1 403 Forbidden", "404 Not Found",
        "make: *** [test] Error 2", "npm ERR! missing script: test", "--- FAIL: TestA (0.00s)\nFAIL",
        "test result: FAILED. 3 passed; 1 failed", "Ran 3 tests in 0.1s\n\nFAILED (failures=1)",
    ],
)  # fmt: skip
def test_a_failure_is_told_by_its_shape(text):
    assert text_fails(text)


@pytest.mark.parametrize(
    "text",
    [
        "", "ok", "Error-free run: all good", "Exception handling guide: chapter 1",
        "Errors: 0", "Error rates fell by 3 %", "No errors found.", PASSED, "Error: 0",
        "Failed logins by country: DE 3, FR 2", "exit code: 0", "Process exited with code 0\nok",
        '{"error": null, "rows": [1]}', '{"success": true, "error": ""}', '{"errors": []}',
        '{"order": "W1", "status": "failed"}', '[{"error": "old"}]', '{"error_rate": 0.2}',
        "3 passed in 0.1s", "404 people came", "The word panic: where it comes from",
        '{"status": 200, "message": "ok"}', "def f():\n    raise ValueError('no')\n",
        "Traceback formats\n\nA page about `Traceback (most recent call last)`: how to read one.",
    ],
)  # fmt: skip
def test_what_only_talks_about_failures_is_none(text):
    assert not text_fails(text)


def test_the_flag_of_a_provider_decides():
    fine = (Text(text="all good"),)
    assert is_failure(ToolResult(call_id="c", content=fine, status="error"))
    assert not is_failure(ToolResult(call_id="c", content=fine))
    assert not is_failure(ToolResult(call_id="c", status="pending"))


@pytest.mark.parametrize(
    ("name", "arguments", "text", "failed"),
    [
        ("read_file", {"path": "ci.log"}, PYTEST, False),
        ("bash", {"command": "cat ci.log | tail -50"}, TRACE, False),
        ("bash", {"command": "python app.py"}, TRACE, True),
        ("web_search", {"query": "pytest"}, "Error: how to mend it\nA page\nAnother page", False),
        ("read_file", {"path": "a.txt"}, "Error: no such file", True),
        ("bash", {"command": "cat a.txt"}, "cat: a.txt: No such file or directory", True),
        ("fetch_page", {"url": "u"}, "404 Not Found", True),
        ("run_tests", {}, PYTEST, True),
    ],
)
def test_what_is_read_may_be_about_failures(name, arguments, text, failed):
    call = ToolCall(id="c", name=name, arguments=json.dumps(arguments))
    assert is_failure(ToolResult(call_id="c", content=(Text(text=text),)), call) is failed


def test_a_long_text_is_judged_in_no_time():
    for text in (
        "Error " * 400_000,
        "a: b: " * 400_000,
        "\n".join(["x: y"] * 300_000),
        "{" * 10**6,
    ):
        start = time.perf_counter()
        text_fails(text)
        assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize(
    ("name", "arguments", "kinds"),
    [
        ("bash", {"command": "cd repo && PYTHONPATH=. pytest -q tests | tail -5"}, ("bash pytest",)),
        ("bash", {"command": "python -m pytest tests/a.py"}, ("bash pytest",)),
        ("bash", {"command": "uv run pytest"}, ("bash pytest",)),
        ("bash", {"command": ["bash", "-lc", "make build && timeout 60 make test"]},
         ("bash make build", "bash make test")),
        ("shell", {"cmd": "git commit -m 'x'"}, ("shell git commit",)),
        ("bash", {"command": "npm run build"}, ("bash npm build",)),
        ("bash", {"command": "python scripts/go.py --fast"}, ("bash scripts/go.py",)),
        ("edit_file", {"path": "a.py", "new": "x"}, ("edit_file a.py",)),
        ("str_replace_editor", {"command": "str_replace", "path": "a.py"},
         ("str_replace_editor str_replace a.py",)),
        ("str_replace_editor", {"command": "view", "path": "a.py"}, ("str_replace_editor view",)),
        ("read_file", {"path": "a.py"}, ("read_file",)),
        ("get_user", {"id": "u1"}, ("get_user",)),
        ("get_user", "no json", ("get_user",)),
    ],
)  # fmt: skip
def test_calls_are_of_one_kind_by_program_file_or_tool(name, arguments, kinds):
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    assert call_kinds(ToolCall(id="c", name=name, arguments=text)) == kinds


def ran(session, command, text, tool="bash"):
    id = f"c{len(session)}"
    session.call(tool, json.dumps({"command": command}), id=id)
    session.result(id, text)
    return id


def failed():
    session = Session("s")
    session.user("mend the tests")
    ran(session, "pytest -q", PYTEST)
    return session


def test_a_failure_is_resolved_by_a_success_of_its_own_kind():
    session = failed()
    ran(session, "ls", "a.py")
    assert session.snapshot().open_failures == {1}
    ran(session, "cd repo && python -m pytest", PASSED)
    assert not session.snapshot().open_failures


def test_the_newest_run_of_a_kind_stands_for_those_before_and_other_kinds_stay():
    session = failed()
    ran(session, "foo", "bash: foo: command not found")
    ran(session, "pytest -q tests", PYTEST)
    assert session.snapshot().open_failures == {2, 3}


def test_an_open_failure_stays_under_a_window_and_a_superseded_one_is_shortened():
    session = failed()
    ran(session, "pytest", f"{'x ' * 900}\n{PYTEST}".replace("test_c", "test_d"))
    for n in range(8):
        session.assistant(f"hm {n}")
        session.user(f"and {n}?")
    target = target_for("openai-chat")
    spec = C.window(3) | C.compact() | C.budget(8_000)
    sent = compile(session, spec, target=target).body.decode()
    assert "FAILED tests/test_x.py::test_d" in sent
    assert "test_c" not in sent
    whole = compile(session, C.compact(), target=target).body.decode()
    assert "x " * 900 in whole


def test_a_failure_can_be_said_to_be_settled():
    session = failed()
    before = session.snapshot()
    (first,) = session.resolve(why="the test was wrong, ann@home.org says")
    assert first == "e1"
    assert not session.snapshot().open_failures
    assert before.open_failures == {1}  # what was is as it was
    session.user("what now?")
    session.assistant("let us see")
    session.user("go on")
    sent = compile(session, C.failures() | C.redact(["email"]), target=target_for("openai-chat"))
    assert "settled: the test was wrong" in sent.body.decode()
    assert "ann@home.org" not in sent.body.decode()
    ran(session, "pytest", PYTEST)
    assert len(session.snapshot().open_failures) == 1  # it failed again


def test_a_failure_is_settled_by_the_id_of_its_call_or_event():
    for of in ("c1", "e1", "e2"):
        session = failed()
        assert session.resolve(of) == ("e1",)
        assert not session.snapshot().open_failures
        assert session.resolve(of) == ("e1",)
    assert Session("s").resolve() == ()


@pytest.mark.parametrize(("id", "what"), [("e0", "did not fail"), ("e99", "no event or call")])
def test_what_did_not_fail_can_not_be_settled(id, what):
    with pytest.raises(SessionError, match=what) as caught:
        failed().resolve(id)
    assert "'e1'" in str(caught.value)


def test_what_was_settled_is_so_in_files_and_stores(tmp_path):
    session = failed()
    session.resolve("e1", why="known")
    again = read_session(write_session(session))
    assert not again.snapshot().open_failures
    store = SQLiteSessions(tmp_path / "s.db")
    store.save(session)
    assert not store.load("s").snapshot().open_failures
    store.close()


def test_the_conversation_keeps_what_was_said_beside_calls():
    session = Session("s")
    session.user("q")
    session.assistant("It is 42. Let me save it.", ToolCall(id="a", name="save", arguments="{}"))
    session.result("a", "ok")
    session.assistant("thanks")
    session.user("more")
    pack = compile(session, C.view("conversation"), target=target_for("openai-chat"))
    texts = [message["content"] for message in json.loads(pack.body)["messages"]]
    assert texts == ["q", "It is 42. Let me save it.", "thanks", "more"]


@given(sessions(max_turns=9), st.integers(1, 4), st.data())
def test_the_newest_that_failed_are_those_that_a_look_at_all_finds(session, count, data):
    position = data.draw(st.integers(0, len(session.log)))
    snapshot = msgspec.structs.replace(session.snapshot(), position=position)
    stop = data.draw(st.integers(0, snapshot.exchange_count))
    every = [one for one in snapshot.exchanges(snapshot.preamble, stop) if one.failed]
    found = snapshot.newest_failed(count, snapshot.preamble, stop)
    assert [one.index for one in found] == [one.index for one in every[-count:]]
