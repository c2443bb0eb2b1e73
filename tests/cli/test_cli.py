"""The `ctx` command as a user types it, in its own process where that matters."""

import json
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from contextwright import Session
from contextwright.cli.main import ctx
from contextwright.errors import ContextwrightError
from contextwright.formats import read_session, write_session
from contextwright.testing import session_of


@pytest.fixture
def session_file(tmp_path):
    session = session_of(
        "s: be brief | u: hi | c: search(bikes) | r: " + "found a bike in Kiel " * 200
        + " | a: here | u: and now?",
        state={"intent": "buy"},
    )  # fmt: skip
    path = tmp_path / "session.json"
    write_session(session, "openai-chat", path)
    return path


def run(*arguments, code=0):
    result = CliRunner().invoke(ctx, [str(a) for a in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        assert isinstance(result.exception, ContextwrightError), result.exception
        assert code == result.exception.exit_code, result.exception
        return str(result.exception)
    assert result.exit_code == code, result.output
    return result.output


def test_compile_shows_tokens_and_what_was_shortened(session_file):
    shown = run("compile", session_file, "--spec", "C.default() | C.compact()", "--budget", "900")
    assert "of 900" in shown
    assert "compacted" in shown
    assert "event://e2" in shown


def test_compile_replay_and_diff_work_on_pack_files(session_file, tmp_path):
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    run("compile", session_file, "--spec", "C.default() | C.compact()", "--out", one)
    run("compile", session_file, "--out", other)
    assert "the same" in run("replay", one, session_file)
    assert "compacted" in run("diff", one, other)
    rows = json.loads(
        run("diff", session_file, "--spec", "C.none()", "--spec", "C.default()", "--json")
    )
    assert rows["tokens_after"] > rows["tokens_before"]


def test_replay_names_what_was_edited_in_a_pack(session_file, tmp_path):
    pack = tmp_path / "pack.json"
    run("compile", session_file, "--spec", "C.window(n=1) | C.budget(900)", "--out", pack)
    whole = json.loads(pack.read_bytes())
    edits = {
        "request": lambda file: file.update(request={"messages": [{"content": "FORGED"}]}),
        "layer_tokens": lambda file: file["manifest"].update(layer_tokens={}),
        "changes": lambda file: file["manifest"].update(changes=[{}]),
        "kept[0].tokens": lambda file: file["manifest"]["kept"][0].update(tokens=1),
        "kept[0].source": lambda file: file["manifest"]["kept"][0].update(source="x"),
    }
    for named, edit in edits.items():
        file = json.loads(json.dumps(whole))
        edit(file)
        pack.write_text(json.dumps(file))
        code = 4 if named == "changes" else 9
        assert named in run("replay", pack, session_file, code=code)
    pack.write_text('{"request": {"messages": []},' + json.dumps(whole)[1:])
    assert "'request' stands twice" in run("replay", pack, session_file, code=4)


def test_replay_of_another_session_names_what_differs(session_file, tmp_path):
    pack = tmp_path / "pack.json"
    run("compile", session_file, "--out", pack)
    forged = tmp_path / "forged.json"
    forged.write_text(session_file.read_text().replace("Kiel", "Rome"))
    assert "session_digest" in run("replay", pack, forged, code=9)


def test_expand_gives_the_whole(session_file):
    assert run("expand", "event://e2#0", session_file).count("Kiel") == 200
    assert "nothing is found" in run("expand", "event://e99", session_file, code=7)


def test_expand_shows_messages_as_show_does_and_as_json_where_asked(session_file):
    session = read_session(session_file)
    ids = [event.id for event in session.log]
    call = next(at for at, event in enumerate(session.log) if event.calls)
    for ref, first in ((f"event://{ids[call]}", call), (f"event://{ids[0]}#..{ids[-1]}", 0)):
        shown = run("expand", ref, session_file)
        told = [line.rpartition(" · ")[2] for line in shown.splitlines() if line.startswith("── ")]
        assert told[0] == ids[first] and set(told) <= set(ids)
        assert "── assistant calls " in shown and "── tool " in shown and "turn 1" in shown
        events = json.loads(run("expand", ref, session_file, "--json"))
        assert [event["id"] for event in events] == list(dict.fromkeys(told))
    backwards = f"event://{ids[-1]}#..{ids[0]}"
    assert "nothing is found" in run("expand", backwards, session_file, code=7)


def test_explain_shows_the_tree_the_steps_and_the_blocks(session_file):
    shown = run("explain", session_file, "--spec", "C.default() | C.compact() | C.dedup()")
    assert "  | C.compact()" in shown
    assert "running_turn" in shown or "history" in shown
    assert "C.dedup()" in shown


def test_explain_shows_scores_where_there_are_any(session_file):
    assert "score" not in run("explain", session_file, "--spec", "C.default()")
    shown = run("explain", session_file, "--spec", "C.salient()")
    assert "score" in shown and re.search(r"\s0\.\d\d\s", shown)


def test_salience_fits_a_terminal_of_80_columns(session_file, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("salience", session_file).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= 80
    assert "assistant" in "".join(lines)
    listed = run("salience", session_file, "--top", "2")
    assert len(listed.splitlines()) == len(lines) - 2 and "2 of 4; --top 0 lists all" in listed


@pytest.mark.parametrize("target", ["anthropic", "gemini", "openai-responses", "contextwright"])
def test_convert_goes_there_and_back(session_file, tmp_path, target):
    out = tmp_path / f"out-{target}.{'jsonl' if target == 'contextwright' else 'json'}"
    run("convert", session_file, "--to", target, "--out", out)
    assert "tokens" in run("compile", out, "--model", "gpt-5")


def test_json_output_is_json(session_file):
    pack = json.loads(run("compile", session_file, "--json"))
    assert pack["request"]["messages"][0]["role"] == "system"
    assert json.loads(run("explain", session_file, "--json"))["kept"]


def test_specs_come_from_python_and_json_files(session_file, tmp_path):
    python = tmp_path / "agent.py"
    python.write_text("from contextwright import C\nsupport = C.window(n=1) | C.budget(500)\n")
    assert "of 500" in run("compile", session_file, "--spec", f"{python}:support")
    from contextwright import C
    from contextwright.spec import to_json

    file = tmp_path / "spec.json"
    file.write_bytes(to_json(C.window(n=1) | C.budget(600)))
    assert "of 600" in run("compile", session_file, "--spec", file)


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--spec", "C.windo()"], 3, "did you mean window"),
        (["--spec", "open('/etc/passwd')"], 3, "words of C"),
        (["--model", "gpt-55"], 5, "did you mean gpt-5"),
        (["--budget", "3"], 6, "3 may be"),
        (["--spec", "C.window() | C.budget(9)", "--budget", "9"], 3, "two limits"),
        (["--row", "7"], 4, "no row 7"),
        (["--spec", "missing.py:x"], 3, "no such file"),
    ],
)
def test_what_is_wrong_is_said_with_its_exit_code(session_file, arguments, code, says):
    assert says in run("compile", session_file, *arguments, code=code)


def test_a_missing_file_is_named(tmp_path):
    assert "nowhere.json" in run("compile", tmp_path / "nowhere.json", code=4)


def test_errors_reach_the_shell_as_text_code_and_json(tmp_path):
    command = [
        sys.executable,
        "-m",
        "contextwright.cli",
        "compile",
        str(tmp_path / "none.json"),
        "--json",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert json.loads(done.stdout)["error"] == "SessionError"
    assert done.stderr.startswith("error: ")


def test_control_characters_of_content_do_not_reach_the_terminal(tmp_path):
    path = tmp_path / "s.json"
    write_session(session_of("u: hi"), "openai-chat", path)
    text = json.loads(path.read_text())
    text.append({"id": "\x1b[31mred\x07[bold]", "role": "user", "content": "x"})
    path.write_text(json.dumps(text))
    shown = run("explain", path)
    assert "\x1b[31m" not in shown
    assert "\x07" not in shown


def test_salience_says_why_for_every_exchange(session_file):
    shown = run("salience", session_file, "--entity", "Kiel")
    assert "Kiel" in shown and "found a" in shown
    rows = json.loads(run("salience", session_file, "--json"))
    assert [row["id"] for row in rows] == ["e1", "e2", "e4", "e5"]
    for row in rows:
        factors = row["salience"]["factors"]
        total = sum(factor["weight"] * factor["value"] for factor in factors)
        assert row["salience"]["score"] == pytest.approx(total)


def test_the_demo_shows_three_specs_and_a_recovery():
    shown = run("demo")
    assert "192 messages" in shown
    assert max(len(line.rstrip()) for line in shown.splitlines()) <= 80
    assert "prefix a cache reads again" in shown
    assert "gives it whole" in shown


def test_help_names_every_command():
    shown = run("--help")
    for command in ("compile", "explain", "replay", "diff", "expand", "convert", "demo"):
        assert command in shown
        assert run(command, "--help")


@pytest.fixture
def long_turn(tmp_path):
    session = Session("agent-run")
    session.user("do it")
    for n in range(12):
        session.call("search", '{"q": "x"}', id=f"c{n}")
        session.result(f"c{n}", "found " * 60)
    session.call("search", '{"q": "y"}', id="open")
    path = tmp_path / "turn.json"
    write_session(session, "contextwright", path)
    return path


def test_explain_says_when_a_word_changed_nothing(long_turn):
    spec = "C.window(n=5) | C.truncate(10) | C.redact(['email']) | C.budget(max_tokens=9000)"
    shown = run("explain", long_turn, "--spec", spec)
    rows = {line.split()[1]: line for line in shown.splitlines() if line.startswith("│ C.")}
    assert "changed nothing" in rows["C.window(n=5)"]
    assert "changed nothing" in rows["C.redact(patterns=['email'])"]
    assert "changed nothing" in rows["C.budget(max_tokens=9000)"]
    assert "changed nothing" not in rows["C.truncate(max_tokens=10)"]
    assert "the session has 1 turn and 14 steps: C.window(steps=...)" in " ".join(shown.split())
    assert max(map(len, shown.splitlines())) <= 80
    assert "C.window(n=5) changed" not in run("explain", long_turn, "--spec", "C.window(steps=5)")


def test_explain_lists_what_the_engine_put_in(long_turn, session_file):
    shown = run("explain", long_turn)
    assert "put in by the engine" in shown
    (row,) = [line for line in shown.splitlines() if "pending_result" in line]
    assert "[no result yet]" in row and " 1 " in row
    assert "put in by the engine" not in run("explain", session_file)


def test_check_takes_several_sessions(long_turn, session_file):
    shown = run("check", "C.window(n=5)", "--session", long_turn, "--session", session_file)
    assert "changed nothing in the session 'agent-run'" in " ".join(shown.split())


def test_files_and_artifacts_that_a_spec_expands_are_read_where_they_are_allowed(
    session_file, tmp_path
):
    from contextwright import FileArtifacts

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "terms.txt").write_text("The terms in full.")
    ref = FileArtifacts(tmp_path / "kept").put(b"The plan in full.", name="plan.md")
    spec = f"C.default() + C.expand('file://terms.txt', {ref!r})"
    given = ("--spec", spec, "--model", "gpt-5", "--root", tmp_path / "docs")
    given = (*given, "--artifacts", tmp_path / "kept")
    pack = tmp_path / "pack.json"
    for command in (("compile", "--json"), ("show", "--whole")):
        shown = run(command[0], session_file, *given, *command[1:])
        assert "The terms in full." in shown
        assert "The plan in full." in shown
    assert "is not expanded" not in run("explain", session_file, *given)
    run("compile", session_file, *given, "--out", pack)
    without = run("explain", session_file, "--spec", spec, "--model", "gpt-5", code=7)
    assert "file refs are off" in without
    assert "--root FOLDER" in without
    assert "the same" in run("replay", pack, session_file, *given[4:])
    assert "The terms" in run("expand", "file://terms.txt", session_file, *given[4:])
    assert "--root FOLDER" in run("replay", pack, session_file, code=7)
