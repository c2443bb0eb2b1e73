"""Sweeps: exactly one row for every call under every spec, whatever dies meanwhile."""

import gzip
import json
import os
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from contextwright import C
from contextwright.errors import SessionError, SpecError, StoreError
from contextwright.formats import write_session
from contextwright.inspect.call_moments import call_moments
from contextwright.stores import SQLiteSessions
from contextwright.sweep import SweepJob, SweepSpec, compile_table, session_tables, sweep
from contextwright.testing import session_of

LONG = "The supplier confirmed order A-17 at 49 euros. " * 30


def conversation(number, turns=4):
    session = session_of("s: be brief", id=f"s{number}")
    for turn in range(turns):
        session.user(f"What about order A-{number}{turn}? {LONG}")
        session.call("lookup", {"order": f"A-{number}{turn}"}, id=f"c{turn}")
        session.result(f"c{turn}", f"order A-{number}{turn} ships with P-{number}{turn}7. {LONG}")
        session.assistant(f"It ships with P-{number}{turn}7.")
        again = {"parcel": f"P-{number}{turn}7", "order": f"A-{number}1"}
        session.call("track", again, id=f"d{turn}")
        session.result(f"d{turn}", "on its way")
        session.assistant("It is on its way.")
    return session


JOB = SweepJob(
    (SweepSpec.of(C.default()), SweepSpec.of(C.compaction(1500)), SweepSpec.of(C.window(n=1)))
)


@pytest.fixture
def folder(tmp_path):
    """Sessions in three kinds of files."""
    home = tmp_path / "sessions"
    home.mkdir()
    for number in range(2):
        write_session(conversation(number), path=home / f"a{number}.json")
    lines = [json.dumps({"id": f"c{n}", "messages": MESSAGES}) for n in range(3)]
    with gzip.open(home / "b.jsonl.gz", "wt") as file:
        file.write("\n".join(lines) + "\n")
    store = SQLiteSessions(home / "c.db")
    for number in (7, 8):
        store.save(conversation(number))
    store.close()
    return home


MESSAGES = [
    {"role": "user", "content": "hello"},
    {"role": "assistant", "content": "hi"},
    {"role": "user", "content": "and?"},
    {"role": "assistant", "content": "so"},
]


def rows(path):
    """The rows, without what is of the machine."""
    return pq.read_table(path).drop_columns(["seconds"]).to_pylist()


def test_every_call_of_every_session_has_a_row_under_every_spec(folder, tmp_path):
    out = tmp_path / "r.parquet"
    done = sweep([folder], JOB, out, workers=1, size=2)
    found = rows(out)
    keys = [(r["source"], r["row"], r["spec"], r["call"]) for r in found]
    assert len(set(keys)) == len(keys)
    calls = 4 * len(call_moments(conversation(0))) + 3 * 2
    assert len(found) == 3 * calls and [one.calls for one in done] == [calls] * 3
    assert [one.sessions for one in done] == [7, 7, 7]
    assert {r["session"] for r in found} == {"s0", "s1", "c0", "c1", "c2", "s7", "s8"}
    assert not any(r["error"] or r["violations"] for r in found)
    assert not list(tmp_path.glob("*.parts")) and not list(tmp_path.glob(".*"))


def test_the_figures_are_those_of_the_requests(tmp_path):
    session = conversation(3)
    write_session(session, path=tmp_path / "s.json")
    whole, short, newest = sweep([tmp_path / "s.json"], JOB, tmp_path / "r.parquet", workers=1)
    assert whole.tokens == whole.whole_tokens and whole.cost == whole.whole_cost > 0
    assert whole.in_sight == whole.values == whole.evidence > 0
    assert newest.tokens < short.tokens < whole.tokens and short.whole_tokens == whole.tokens
    assert newest.evidence < newest.values  # order A-31 of the second turn, in the fourth
    assert newest.in_sight <= newest.evidence and short.in_sight <= short.evidence <= short.values
    by_call = [r for r in rows(tmp_path / "r.parquet") if r["spec"] == repr(C.default())]
    assert [r["position"] for r in by_call] == [m.position for m in call_moments(session)]
    assert by_call[1]["prefix"] and not by_call[0]["prefix"]


def test_what_can_not_be_read_is_a_row_with_its_error(tmp_path):
    (tmp_path / "bad.jsonl").write_text(
        '{"messages": [{"role": "user", "content": "hi"}]}\nnonsense\n'
    )
    job = SweepJob((SweepSpec.of(C.default() | C.budget(1)), SweepSpec.of(C.default())))
    done = sweep([tmp_path / "bad.jsonl"], job, tmp_path / "r.parquet", workers=1)
    found = rows(tmp_path / "r.parquet")
    assert [(r["row"], r["call"], bool(r["error"])) for r in found] == [
        (0, 1, True), (0, 1, False), (1, 0, True),
    ]  # fmt: skip
    assert [one.errors for one in done] == [2, 1]


def test_what_is_no_sweep_is_refused(tmp_path):
    with pytest.raises(SessionError, match="no such file"):
        sweep([tmp_path / "nothing"], JOB, tmp_path / "r.parquet", workers=1)
    with pytest.raises(SessionError, match="no file of sessions"):
        sweep([tmp_path], JOB, tmp_path / "r.parquet", workers=1)
    same = SweepSpec.of(C.default())
    for job, workers in ((SweepJob((same, same)), 1), (SweepJob(()), 1), (JOB, 0)):
        with pytest.raises(SpecError):
            sweep([tmp_path], job, tmp_path / "r.parquet", workers=workers)


def test_a_damaged_file_is_named_and_what_is_done_stays(folder, tmp_path):
    whole = tmp_path / "whole.parquet"
    pq.write_table(pa.concat_tables(session_tables([folder])), whole)
    lines = gzip.compress(b'{"messages": [{"role": "user", "content": "hello"}]}\n' * 90)
    damaged = {
        "cut.parquet": whole.read_bytes()[:-200],
        "empty.parquet": b"",
        "other.parquet": b"{}",
        "cut.jsonl.gz": lines[: len(lines) - 12],
        "plain.jsonl.gz": b"{}",
    }
    for name, data in damaged.items():
        (tmp_path / name).write_bytes(data)
    pq.write_table(pa.table({"body": [1]}), tmp_path / "numbers.parquet")
    for name in (*damaged, "numbers.parquet"):
        out = tmp_path / f"{name}.out"
        with pytest.raises(SessionError, match=rf"can not be read.*[\s\S]*{name}"):
            sweep([folder / "a0.json", tmp_path / name], JOB, out, workers=1, size=1)
        assert len(list(out.with_name(f"{out.name}.parts").glob("*.parquet"))) >= 1


def test_what_is_no_file_is_not_replaced(folder, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", folder):
        with pytest.raises(StoreError, match="no file"):
            sweep([folder], JOB, place, workers=1)
    assert (tmp_path / "pipe").is_fifo()
    for options in ({"workers": 1.5}, {"workers": 1, "size": 0}):
        with pytest.raises(SpecError):
            sweep([folder], JOB, tmp_path / "r.parquet", **options)
    for share in (0, -1, 1.5):
        with pytest.raises(SpecError, match="share"):
            sweep([folder], SweepJob(JOB.specs, share=share), tmp_path / "r.parquet", workers=1)


def test_parquet_goes_in_as_it_comes_from_a_table(folder, tmp_path):
    tables = list(session_tables([folder], size=3))
    assert [table.num_rows for table in tables] == [3, 3, 1]
    pq.write_table(pa.concat_tables(tables), tmp_path / "in.parquet")
    sweep([tmp_path / "in.parquet"], JOB, tmp_path / "again.parquet", workers=1)
    made = pa.concat_tables([compile_table(table, JOB) for table in tables])
    assert rows(tmp_path / "again.parquet") == made.drop_columns(["seconds"]).to_pylist()


_DRIVER = """
import sys
from tests_job import JOB
from contextwright.sweep import sweep
if __name__ == "__main__":
    sweep([sys.argv[1]], JOB, sys.argv[2], workers=int(sys.argv[3]), size=1,
          progress=lambda done, known: print(done, known, flush=True))
"""


@pytest.fixture
def driver(folder, tmp_path):
    """Starts a sweep in a process of its own."""
    home = tmp_path / "code"
    home.mkdir()
    (home / "tests_job.py").write_text(
        "from contextwright import C\n"
        "from contextwright.sweep import SweepJob, SweepSpec\n"
        f"JOB = SweepJob(tuple(SweepSpec.of(s) for s in ({', '.join(s.name for s in JOB.specs)})))\n"
    )
    (home / "driver.py").write_text(_DRIVER)
    return lambda out, workers: subprocess.Popen(
        [sys.executable, str(home / "driver.py"), str(folder), str(out), str(workers)],
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_killed_driver_goes_on_where_it_was(folder, driver, tmp_path):
    out = tmp_path / "r.parquet"
    process = driver(out, 1)
    for line in process.stdout:
        if line.startswith("3 "):
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not out.exists()
    (tmp_path / "r.parquet.parts" / ".half.parquet.1.tmp").write_bytes(b"half a part")
    shown = driver(out, 1).communicate(timeout=120)[0].split("\n")
    assert any(line.endswith((" 3", " 4")) for line in shown)
    sweep([folder], JOB, tmp_path / "whole.parquet", workers=1)
    assert rows(out) == rows(tmp_path / "whole.parquet")


def test_a_result_in_the_folder_of_the_sessions_is_none_of_them(folder, tmp_path):
    result = folder / "rows.parquet"
    sweep([folder], JOB, result, workers=1)
    first = pq.read_table(result).drop_columns("seconds")
    sweep([folder], JOB, result, workers=1)
    assert pq.read_table(result).drop_columns("seconds").equals(first)
    with pytest.raises(SessionError, match="no column 'body'"):  # what is named is meant
        sweep([result], JOB, tmp_path / "others.parquet", workers=1)


def test_a_sweep_is_not_written_over_its_sessions(folder):
    path = folder / "a0.json"
    before = path.read_bytes()
    with pytest.raises(SessionError, match="it is read, and would be written over"):
        sweep([path], JOB, path, workers=1)
    assert path.read_bytes() == before and not path.with_name("a0.json.parts").exists()
