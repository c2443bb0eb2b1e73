"""Engines: the rows of one process to the byte, whoever made them and whoever died meanwhile."""

import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sweep.test_run_sweep import JOB, conversation

from contextwright.errors import MissingExtra, SpecError, StoreError
from contextwright.stores import SQLiteSessions
from contextwright.sweep import compile_table, session_tables, sweep
from contextwright.sweep.sweep_engines import PartCompiler, _by_waves, parts_by

ENGINES = [
    pytest.param(
        engine,
        marks=pytest.mark.skipif(
            find_spec(engine) is None, reason=f"pip install 'contextwright[sweep-{engine}]'"
        ),
    )
    for engine in ("ray", "daft")
]
KILLS = 10


def table_bytes(path):
    """The result as Arrow's bytes, without what is of the machine."""
    table = pq.read_table(path).drop_columns(["seconds"]).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module")
def sessions(tmp_path_factory):
    """Fourteen sessions in a store."""
    path = tmp_path_factory.mktemp("sessions") / "all.db"
    store = SQLiteSessions(path)
    for number in range(14):
        store.save(conversation(number, turns=2))
    store.close()
    return path


@pytest.fixture(scope="module")
def expected(sessions, tmp_path_factory):
    """What one process makes of them."""
    path = tmp_path_factory.mktemp("one") / "one.parquet"
    sweep([sessions], JOB, path, workers=1, size=1)
    return table_bytes(path)


def test_a_part_is_the_same_as_bytes(sessions):
    table = next(session_tables([sessions], size=2))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    batch = pa.table({"number": [7], "sessions": [sink.getvalue().to_pybytes()]})
    made = PartCompiler(JOB)(batch)
    calls = pa.ipc.open_stream(made.column("calls")[0].as_py()).read_all()
    plain = compile_table(table, JOB)
    assert made.column("number").to_pylist() == [7]
    assert calls.drop_columns(["seconds"]) == plain.drop_columns(["seconds"])


def test_what_an_engine_loses_is_told(sessions, tmp_path, monkeypatch):
    def half(table, workers):
        whole = PartCompiler(JOB)(table)
        rows = zip(whole["number"].to_pylist(), whole["calls"].to_pylist(), strict=True)
        yield from list(rows)[::-2]

    monkeypatch.setattr(
        "contextwright.sweep.run_sweep.parts_by",
        lambda engine: lambda parts, job, workers: _by_waves(parts, workers, half),
    )
    with pytest.raises(StoreError, match="lost 7 parts"):
        sweep([sessions], JOB, tmp_path / "r.parquet", workers=1, size=1)
    monkeypatch.undo()
    known = []
    sweep([sessions], JOB, tmp_path / "r.parquet", workers=1, size=1,
          progress=lambda done, before: known.append(before))  # fmt: skip
    assert known[-1] == 7


def test_an_engine_that_gives_up_is_told_and_its_parts_stay(sessions, tmp_path, monkeypatch):
    def broken(table, workers):
        yield from zip(*PartCompiler(JOB)(table.slice(0, 1)).to_pydict().values(), strict=True)
        raise RuntimeError("the cluster\nis gone")

    monkeypatch.setattr(
        "contextwright.sweep.run_sweep.parts_by",
        lambda engine: lambda parts, job, workers: _by_waves(parts, workers, broken),
    )
    with pytest.raises(StoreError, match="gave up: RuntimeError: is gone"):
        sweep([sessions], JOB, tmp_path / "r.parquet", workers=1, size=1)
    assert len(list((tmp_path / "r.parquet.parts").glob("*.parquet"))) == 1


def test_an_unknown_engine_is_refused_and_a_missing_one_says_its_extra(sessions, tmp_path):
    with pytest.raises(SpecError, match="no engine is named 'spark'"):
        sweep([sessions], JOB, tmp_path / "r.parquet", engine="spark")
    for engine in ("ray", "daft"):
        if find_spec(engine) is None:
            with pytest.raises(MissingExtra, match=f"sweep-{engine}"):
                sweep([sessions], JOB, tmp_path / "r.parquet", engine=engine)
    assert parts_by("ray://host:10001") and parts_by("local")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a cluster of Ray's, begun in another folder and by a process of its own."""
    pytest.importorskip("grpc", reason="pip install 'contextwright[sweep-ray]'")
    home, ports = tmp_path_factory.mktemp("cluster"), []
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as bound:
            ports.append(bound.getsockname()[1])
    # a path below pytest's is too long for its sockets
    with tempfile.TemporaryDirectory(prefix="ray") as short:
        command = [str(Path(sys.executable).with_name("ray"))]
        started = ["start", "--head", f"--port={ports[0]}", f"--ray-client-server-port={ports[1]}",
                   "--num-cpus=2", "--node-ip-address=127.0.0.1", "--include-dashboard=false",
                   f"--temp-dir={short}", "--block"]  # fmt: skip
        process = subprocess.Popen(
            [*command, *started], cwd=home, env=CLUSTER, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        wait_for(lambda: _listens(ports[1]), 120)
        yield f"ray://127.0.0.1:{ports[1]}"
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def _listens(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def wait_for(holds, seconds):
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="pip install 'contextwright[sweep-ray]'")
def test_a_cluster_by_its_address(cluster, sessions, expected, tmp_path):
    """What the driver reads and writes is only where the driver is: a path that no node has."""
    out = tmp_path / "r.parquet"
    shown = driver(tmp_path, sessions.name, out, cluster, cwd=sessions.parent).communicate()[0]
    assert shown.splitlines()[-1] == "done 14 0"
    # the source is as it was given, and told so in the rows
    assert without_source(out) == without_source_of(expected)
    older = "import contextwright; contextwright.__version__ = '0.0.1'\n"
    told = driver(tmp_path, sessions, tmp_path / "o.parquet", cluster, before=older).communicate()
    assert "the nodes of the cluster have contextwright" in told[1]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="pip install 'contextwright[sweep-ray]'")
def test_a_cluster_that_is_not_there_is_told(sessions, tmp_path):
    pytest.importorskip("grpc", reason="pip install 'contextwright[sweep-ray]'")
    told = driver(tmp_path, sessions, tmp_path / "r.parquet", "ray://127.0.0.1:1").communicate()[1]
    assert "Ray's cluster does not take us" in told and "ray://127.0.0.1:1" in told


def without_source(path):
    return pq.read_table(path).drop_columns(["seconds", "source"])


def without_source_of(data):
    return pa.ipc.open_stream(data).read_all().drop_columns(["source"])


# Ray starts its workers with niceness 15: on a machine that does other work they get nothing
CLUSTER = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0",
           "RAY_AUTH_MODE": "disabled"}  # fmt: skip
_DRIVER = """
import sys
from contextwright import C
from contextwright.sweep import SweepJob, SweepSpec, sweep
JOB = SweepJob(tuple(SweepSpec.of(s) for s in (C.default(), C.compaction(1500), C.window(n=1))))
if __name__ == "__main__":
    sweep([sys.argv[1]], JOB, sys.argv[2], workers=2, size=1, engine=sys.argv[3],
          progress=lambda done, known: print("done", done, known, flush=True))
"""


def driver(folder, sessions, out, engine, before="", **options):
    script = folder / "driver.py"
    script.write_text(before + _DRIVER)
    command = [sys.executable, str(script), str(sessions), str(out), engine]
    errors = subprocess.PIPE if "://" in engine else None
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=errors, text=True, env=CLUSTER, **options
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_the_rows_of_an_engine_are_those_of_one_process(engine, sessions, expected, tmp_path):
    out = tmp_path / "r.parquet"
    shown = driver(tmp_path, sessions, out, engine).communicate(timeout=300)[0].splitlines()
    assert shown[-1] == "done 14 0"
    assert table_bytes(out) == expected


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_killed_driver_goes_on_and_the_rows_are_those_of_one_process(
    engine, sessions, expected, tmp_path
):
    out = tmp_path / "r.parquet"
    process = driver(tmp_path, sessions, out, engine)
    for line in process.stdout:
        if line.startswith("done 3 "):
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not out.exists()
    shown = driver(tmp_path, sessions, out, engine).communicate(timeout=300)[0].splitlines()
    assert int(shown[-1].split()[-1]) >= 3
    assert table_bytes(out) == expected


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["local", *ENGINES[:1]])
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="workers are found in /proc")
def test_workers_that_are_killed_take_no_row_with_them(engine, sessions, expected, tmp_path):
    """One worker at random behind each part that is done, ten times or as often as there are."""
    out, dice = tmp_path / "r.parquet", random.Random(11)
    process, kills = driver(tmp_path, sessions, out, engine), 0
    for line in process.stdout:
        workers = _workers(process.pid, engine)
        if line.startswith("done") and workers and kills < KILLS:
            try:
                os.kill(dice.choice(workers), signal.SIGKILL)
                kills += 1
            except ProcessLookupError:
                pass  # it ended by itself
    assert process.wait(timeout=300) == 0
    assert kills == KILLS or engine != "local" and kills >= 3
    assert table_bytes(out) == expected


def _workers(driver, engine):
    """The processes that compile, below a driver: a pool's, or Ray's actors."""
    mark = b"spawn_main" if engine == "local" else b"ray::"
    return [pid for pid in _below(driver) if mark in _command(pid) and b"PartCompiler" in _command(pid)
            or engine == "local" and mark in _command(pid)]  # fmt: skip


def _below(pid):
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return
    for child in map(int, children):
        yield child
        yield from _below(child)


def _command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
