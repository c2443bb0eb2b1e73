"""The block of the page on sweeps is run."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from contextwright.formats import write_session
from contextwright.sweep import session_tables
from contextwright.sweep.sweep_table import CALLS
from contextwright.testing import session_of

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "sweep.md"


def test_the_block_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "traffic").mkdir()
    write_session(
        session_of("u: hi | a: hello | u: and? | a: so"), path=tmp_path / "traffic" / "s.json"
    )
    names = {}
    exec(re.search(r"```python sweep\n(.*?)```", PAGE.read_text(), re.DOTALL)[1], names)
    assert "C.default()" in capsys.readouterr().out and names["calls"].num_rows == 4


def test_the_function_for_spark_takes_batches_as_spark_gives_them(tmp_path):
    page = PAGE.with_name("sweep-on-a-cluster.md").read_text()
    names = {}
    exec(re.search(r"```python spark\n(.*?)```", page, re.DOTALL)[1], names)
    for name in ("a", "b", "c"):
        write_session(session_of("u: hi | a: hello"), path=tmp_path / f"{name}.json")
    batches = [b for t in session_tables([tmp_path], size=2) for b in t.to_batches()]
    made = list(names["calls"](iter(batches)))
    assert sum(batch.num_rows for batch in made) == 3 and made[0].schema == CALLS


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="pip install 'contextwright[sweep-ray]'")
def test_the_block_for_ray_runs(tmp_path, monkeypatch):
    import ray

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    (tmp_path / "traffic").mkdir()
    write_session(session_of("u: hi | a: hello"), path=tmp_path / "traffic" / "s.json")
    ray.init(num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    try:
        page = PAGE.with_name("sweep-on-a-cluster.md").read_text()
        exec(re.search(r"```python ray\n(.*?)```", page, re.DOTALL)[1], {})
        assert list((tmp_path / "results").glob("*.parquet"))
    finally:
        ray.shutdown()
