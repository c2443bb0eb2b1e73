"""A search: what it finds is measured on what it never saw, and it goes on where it was."""

import json
import shutil
import signal
import subprocess
import sys

import pytest
from tests.sweep.test_run_sweep import conversation

from contextwright import C
from contextwright.cli.main import main
from contextwright.errors import SessionError, SpecError, StoreError
from contextwright.formats import write_session
from contextwright.tune import TuneJob, floor_checks, read_tuned, study, tune
from contextwright.tune.pareto_plot import write_pareto_plot
from contextwright.tune.run_tuning import verdict
from contextwright.tune.session_sums import Interval, SessionSums, differences, figures, intervals

SPACE = C.window(steps=12) | C.compact() | C.budget(1)
JOB = TuneJob.of([SPACE], 1500)


@pytest.fixture(autouse=True, scope="module")
def small_batches():
    """Batches of three, so that few trials are several of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "BATCH", 3)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Six short sessions, and one of them again."""
    home = tmp_path_factory.mktemp("sessions")
    for number in range(6):
        write_session(conversation(number, turns=3), path=home / f"{number}.json")
    shutil.copy(home / "3.json", home / "again.json")
    return home


@pytest.fixture(scope="module")
def done(folder, tmp_path_factory):
    """A search at a stretch."""
    return tune([folder], JOB, tmp_path_factory.mktemp("whole"), trials=6, workers=1)


def test_half_is_searched_on_and_half_is_measured_on(done):
    tuned = done.tuned
    assert tuned.trials == 6 and sum(tuned.sessions) == 7
    seen, untouched = tuned.sessions
    assert min(seen, untouched) >= 3 and len(tuned.untouched) == untouched
    assert {"calls", "values", "cost", "prefix"} == set(tuned.floors)
    assert tuned.beats == (tuned.spec != tuned.against)
    assert done.points and set(done.front) <= {one.number for one in done.points}
    assert all(low <= figure <= high for low, figure, high in tuned.measured["tried"].values())


def test_more_trials_go_on_and_find_what_one_search_finds(folder, done, tmp_path):
    with pytest.raises(SpecError, match="nothing was tried"):
        tune([folder], JOB, tmp_path, trials=3, minutes=0, workers=1)
    tune([folder], JOB, tmp_path, trials=3, workers=1)
    assert tune([folder], JOB, tmp_path, trials=6, workers=1) == done


_DRIVER = """
import sys
from contextwright import C
from contextwright.tune import TuneJob, study, tune
study.BATCH = 3
job = TuneJob.of([C.window(steps=12) | C.compact() | C.budget(1)], 1500)
tune([sys.argv[1]], job, sys.argv[2], trials=6, workers=1, progress=lambda s: print(s, flush=True))
"""


def test_a_killed_search_goes_on_where_it_was(folder, done, tmp_path):
    script = tmp_path / "driver.py"
    script.write_text(_DRIVER)
    command = [sys.executable, str(script), str(folder), str(tmp_path / "killed")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline().startswith("3 trials")
    while not (tmp_path / "killed" / "rows.parquet.parts").exists() and process.poll() is None:
        pass  # in the middle of the second batch
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert tune([folder], JOB, tmp_path / "killed", trials=6, workers=1) == done


def test_a_folder_is_of_one_search(folder, tmp_path):
    study.StudyFolder(tmp_path / "study", JOB, [str(folder)]).split([folder])
    with pytest.raises(StoreError, match="another search"):
        tune([folder], TuneJob.of([SPACE], 1600), tmp_path / "study", trials=1, workers=1)


def test_what_is_no_search_is_refused(folder, tmp_path):
    for wrong in ({"objectives": ["calls", "speed"]}, {"objectives": []}, {"model": "none-such"}):
        with pytest.raises(SpecError):
            TuneJob.of([SPACE], 1500, **wrong)
    with pytest.raises(SpecError):
        TuneJob.of([SPACE], 0)
    with pytest.raises(SpecError, match="1 sessions"):
        tune([folder / "1.json"], JOB, tmp_path / "study", trials=1, workers=1)


def test_what_was_found_is_held_and_what_is_worse_is_not(folder, tmp_path, capsys):
    out, plot = tmp_path / "tuned.json", tmp_path / "front.svg"
    command = ["tune", str(folder), "--space", repr(SPACE), "--budget", "1500", "--trials", "3",
               "--workers", "1", "-o", str(out), "--plot", str(plot)]  # fmt: skip
    with pytest.raises(SystemExit, match="0"):
        main(command)
    shown = capsys.readouterr().out
    tuned = read_tuned(out)
    assert tuned.spec in shown and plot.read_text().lstrip().startswith("<?xml")
    assert all(one.is_held for one in floor_checks(tuned))
    with pytest.raises(SystemExit, match="0"):
        main(["check", "--against", str(out)])
    with pytest.raises(SystemExit, match="3"):
        main(["check", "C.window(n=1) | C.budget(1500)", "--against", str(out), "--json"])
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert {one["objective"]: one["held"] for one in last}["calls"] is False
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved)
    assert all(one.is_held for one in floor_checks(tuned, sources=[moved]))
    for file in moved.iterdir():
        file.unlink() if file.name != "1.json" else None
    with pytest.raises(SessionError, match="are not there"):
        floor_checks(tuned, sources=[moved])
    with pytest.raises(SpecError, match="no file of a tuned spec"):
        read_tuned(moved / "1.json")


def test_the_same_search_draws_the_same_picture(done, tmp_path):
    for name in ("a.svg", "b.svg"):
        write_pareto_plot(done, tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    with pytest.raises(StoreError):
        write_pareto_plot(done, tmp_path / "a.nonsense")


def sums(*pairs):
    return [
        SessionSums("s", at, needing=10, whole=whole, values=10, in_sight=whole, cost=cost, whole_cost=100)
        for at, (whole, cost) in enumerate(pairs)
    ]  # fmt: skip


def test_figures_are_shares_of_sums_and_intervals_hold_them():
    base, better = sums((8, 90), (9, 80), (7, 85)), sums((9, 50), (10, 40), (7, 45))
    assert figures(base)["calls"] == pytest.approx(0.8)
    assert figures(better)["cost"] == pytest.approx(0.45) and figures(base)["prefix"] == 1.0
    for low, figure, high in intervals(base).values():
        assert low <= figure <= high
    apart = differences(better, base)
    assert apart["cost"].high < 0 and apart["calls"].figure == pytest.approx(2 / 30, abs=1e-6)
    assert differences(base, base)["cost"] == Interval(0, 0, 0)


@pytest.mark.parametrize(
    ("calls", "cost", "beats"),
    [
        ((0.0, 0.0, 0.0), (-0.2, -0.1, -0.05), True),
        ((0.01, 0.02, 0.03), (-0.1, -0.01, 0.1), True),
        ((-0.02, -0.01, 0.0), (-0.2, -0.1, -0.05), False),
        ((-0.01, 0.01, 0.02), (-0.2, -0.1, 0.05), False),
    ],
)
def test_a_verdict_is_sure_of_one_and_loses_none(calls, cost, beats):
    assert verdict({"calls": Interval(*calls), "cost": Interval(*cost)})[0] is beats
