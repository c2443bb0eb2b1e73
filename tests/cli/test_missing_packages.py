"""On a machine without an optional package a command that needs it says which extra brings it."""

import subprocess
import sys

import pytest

from contextwright import write_session
from contextwright.testing import session_of

RUN = """
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
from contextwright.cli.main import main
main(sys.argv[2:])
"""


@pytest.mark.parametrize(
    ("without", "extra", "typed"),
    [
        ("obstore", "s3", ("sweep", "s3://traffic/one.jsonl", "-o", "rows.parquet")),
        ("obstore", "s3", ("sweep", "s3://traffic", "-o", "rows.parquet")),
        ("obstore", "s3", ("sweep", "s.json", "-o", "s3://results/rows.parquet")),
        ("numpy", "tune", ("check", "--against", "tuned.json")),
        ("numpy,pyarrow", "tune", ("check", "--against", "tuned.json")),
        ("optuna", "tune", ("tune", "s.json", "--budget", "8k", "-o", "tuned.json")),
        ("pyarrow", "sweep", ("sweep", "s.json", "-o", "rows.parquet")),
        ("matplotlib", "tune", ("sweep", "s.json", "-o", "rows.parquet", "--plot", "p.svg")),
        ("psycopg", "postgres", ("sweep", "postgresql://db/app", "-o", "rows.parquet")),
        ("uvicorn", "serve", ("serve", "--upstream", "https://api.openai.com")),
        ("aiohttp", "serve", ("wrap", "claude")),
        ("mcp", "mcp", ("mcp", "s.json")),
        ("pydantic_ai", "llm", ("compile", "s.json", "--llm", "openai:gpt-5-mini")),
    ],
)
def test_the_extra_is_named_before_any_work(without, extra, typed, tmp_path):
    write_session(session_of("u: hi | a: hello | u: and now?"), path=tmp_path / "s.json")
    before = sorted(one.name for one in tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", RUN, without, *typed], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 11, done.stderr
    assert f"fix: pip install 'contextwright[{extra}]'" in done.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == before
