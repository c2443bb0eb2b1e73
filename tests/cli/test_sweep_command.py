"""`ctx sweep` on a file of sessions."""

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

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
