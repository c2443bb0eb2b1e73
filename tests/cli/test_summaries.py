"""`ctx compile`, `explain` and `show` begin with what happened by reason, in 80 columns; what takes its
time shows a bar, on a terminal only."""

import json
import re

import pytest
from click.testing import CliRunner
from rich.cells import cell_len
from tests.inspect.builders import support_session

from contextwright import Session
from contextwright.cli.main import ctx
from contextwright.cli.progress import ProgressBars
from contextwright.cli.tables import inert
from contextwright.formats import write_session

SPEC = "C.window(n=4) | C.compact(min_tokens=40) | C.budget(3000)"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "orders.jsonl"
    write_session(support_session(9), "contextwright", path)
    return str(path)


def run(*arguments):
    done = CliRunner().invoke(ctx, list(arguments), catch_exceptions=False, env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("command", ["compile", "explain"])
def test_a_summary_by_reason_comes_first_and_fits(path, command):
    lines = run(command, path, "--spec", SPEC, "--model", "gpt-5").splitlines()
    first = " ".join(lines[:4])
    assert "compacted" in first and "not selected" in first
    assert max(len(line.rstrip()) for line in lines) <= 80


@pytest.mark.parametrize("command", ["compile", "explain"])
def test_a_list_has_as_many_rows_as_are_asked_for_and_names_blocks(path, command):
    options = (command, path, "--spec", SPEC, "--model", "gpt-5", "--top")
    outputs = {top: run(*options, top) for top in ("1", "2", "0")}
    assert len({len(output.splitlines()) for output in outputs.values()}) == 3
    assert "--top 0 lists all" in outputs["1"] and "--top 0 lists all" not in outputs["0"]
    assert "find_order" in outputs["0"] and "AX-47" in outputs["0"]


def test_show_says_first_what_is_in_the_request(path):
    lines = run("show", path, "--spec", SPEC, "--model", "gpt-5").splitlines()
    assert lines[0].startswith("gpt-5 · openai-chat: ") and "of 3,000 tokens" in lines[0]
    assert any("compacted" in line for line in lines[1:5])


def test_every_long_command_tells_how_far_it_is(path, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(ProgressBars, "show", lambda _, name, done, total: seen.append(name))
    run("inspect", path, "--model", "gpt-5", "--point", "2k", "-o", str(tmp_path / "page.html"))
    assert {"compiling", "budgets"} <= set(seen)
    seen.clear()
    run("try", path, "--budget", "3000", "-o", str(tmp_path / "page.html"))
    assert {"reading", "sessions", "calls", "page"} <= set(seen)


LONG_NAME = "mcp__" + "very_long_tool_name_" * 6
ODD = {
    "one message": ("hi", None, None),
    "wide": ("注文番号はどこですか？🚲" * 30, "検索_ツール", "結果はここにあります。🚲" * 300),
    "a long name": ("go", LONG_NAME, "found " * 800),
    "hostile": ("a\u202eb\x00 </script><b>" * 40, "t\u202ex\u200b", "\x1b[2Jx\u202e" * 600),
    "a megabyte": ("look", "read", "x y " * 250_000),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("command", ["compile", "explain"])
def test_tables_fit_80_columns_whatever_is_in_a_session(name, command, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    asked, tool, result = ODD[name]
    messages = [{"role": "user", "content": asked}]
    for number in range(6 if tool else 0):
        function = {"name": tool, "arguments": json.dumps({"q": asked})}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        messages += [
            {"role": "assistant", "content": None, "tool_calls": calls},
            {"role": "tool", "tool_call_id": f"c{number}", "content": result},
        ]
        if name == "a megabyte":
            break
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(messages))
    output = run(command, str(path), "--spec", SPEC, "--model", "gpt-5", "--top", "4")
    lines = output.splitlines()
    assert not [line for line in lines if cell_len(line) > 80]
    assert all(char.isprintable() for line in lines for char in line)
    if tool:
        assert re.match(r"\d+ (results?|messages?|texts?|exchanges?) \w+, ", lines[0])


@pytest.mark.parametrize(
    "words", ["订单状态：已发货。客户要求退款" * 5, "配達 🙏 " * 20, "plain words " * 9]
)
def test_scores_can_be_read_whatever_language_a_session_is_in(tmp_path, words):
    session = Session("s")
    for turn in range(4):
        session.user(f"{turn} {words}")
        session.assistant(words)
    path = str(tmp_path / "s.jsonl")
    write_session(session, "contextwright", path)
    lines = run("salience", path).splitlines()
    assert all(name in lines[2] for name in ("score", "recency", "entity", "user", "form"))
    assert max(cell_len(line.rstrip()) for line in lines) <= 80


@pytest.mark.parametrize(
    ("text", "shown"),
    [("包装破损", "包装破损"), ("包装破损了", "包装破…"), ("abcdefghi", "abcdefg…")],
)
def test_a_cell_is_cut_by_the_columns_that_it_takes(text, shown):
    assert inert(text, 8).plain == shown
