"""`ctx compile`, `explain` and `show` begin with what happened by reason, in 80 columns; what takes its
time shows a bar, on a terminal only."""

import pytest
from click.testing import CliRunner
from tests.inspect.builders import support_session

from contextwright.cli.main import ctx
from contextwright.cli.progress import ProgressBars
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
