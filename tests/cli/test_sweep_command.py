"""`ctx sweep` on a file of sessions."""

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from tests.cli.commands import ended

from contextwright.cli.main import ctx


@pytest.fixture
def path(tmp_path):
    messages = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    line = json.dumps({"messages": messages * 3})
    file = tmp_path / "s.jsonl"
    file.write_text(f"{line}\n{line}\n")
    return file


def test_every_spec_at_every_budget(path, tmp_path):
    out = tmp_path / "r.parquet"
    arguments = ["sweep", str(path), "--spec", "C.default()", "--spec", "C.compaction(900)",
                 "--budget", "1k", "--budget", "2000", "-o", str(out), "--workers", "1"]  # fmt: skip
    shown = CliRunner().invoke(ctx, arguments, catch_exceptions=False)
    assert shown.exit_code == 0 and "in sight" in shown.output and str(out) in shown.output
    specs = set(pq.read_table(out).column("spec").to_pylist())
    assert len(specs) == 3 and len(pq.read_table(out)) == 3 * 2 * 3
    listed = CliRunner().invoke(ctx, [*arguments, "--json"], catch_exceptions=False).output
    assert [one["calls"] for one in json.loads(listed)] == [6, 6, 6]


def test_without_pyarrow_it_says_how_to_get_it(path, tmp_path):
    code = f"""
import sys
sys.modules.update(dict.fromkeys(("pyarrow", "pyarrow.parquet")))
sys.argv = ["ctx", "sweep", {str(path)!r}, "--spec", "C.default()", "-o", {str(tmp_path / "r")!r}]
from contextwright.cli.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode and "pip install 'contextwright[sweep]'" in done.stderr
    assert "Traceback" not in done.stderr


def swept(capsys, *arguments):
    return ended(capsys, "sweep", *arguments, "--workers", "1")


def test_its_tables_fit_80_columns_and_no_figure_is_cut(path, tmp_path, capsys):
    code, shown, _ = swept(capsys, path, "-o", tmp_path / "r", "--budget", "1k", "--budget", "2k")
    assert code == 0 and "…" not in shown
    tables = shown.partition("1  C.default()")[0]
    assert max(map(len, tables.splitlines())) <= 80
    for name in ("calls", "errors", "cached", "cost", "in sight", "evidence", "violations"):
        assert name in tables, name


def test_what_could_not_be_compiled_is_said(path, tmp_path, capsys):
    (tmp_path / "bad.json").write_text("")
    (tmp_path / "torn.json").write_text("nonsense")
    code, _, error = swept(capsys, path, tmp_path / "bad.json", tmp_path / "torn.json",
                           "-o", tmp_path / "r.parquet")  # fmt: skip
    assert code == 0
    assert "bad.json" in error and "empty" in error and "1 more" in error


def test_where_nothing_could_be_compiled_it_is_an_error(tmp_path, capsys):
    (tmp_path / "bad.json").write_text("")
    out = tmp_path / "r.parquet"
    code, shown, error = swept(capsys, tmp_path / "bad.json", "-o", out, "--json")
    assert code == 4 and "no call" in error and "bad.json" in error
    assert out.exists() and json.loads(shown)["error"] == "SessionError"


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("--model", "nobody"), 5, "unknown model 'nobody'"),
        (("--plot", "x.foo"), 10, "svg"),
        (("--plot", "no/such/x.svg"), 4, "can not be written"),
    ],
)
def test_what_is_wrong_is_told_before_a_session_is_read(
    path, tmp_path, monkeypatch, capsys, options, code, says
):
    monkeypatch.chdir(tmp_path)
    ended_with, _, error = swept(capsys, path, "-o", "r.parquet", *options)
    assert ended_with == code and says in error
    assert not (tmp_path / "r.parquet").exists()
