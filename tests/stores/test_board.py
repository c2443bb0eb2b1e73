"""The Task Board: every step done once, by whoever is alive."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from contextwright import Criterion, Step
from contextwright.errors import StepError, StoreError
from contextwright.stores import FileArtifacts, SQLiteSessions, TaskBoard, collect, refs_of


def step(n, task="t"):
    return Step(
        task_id=task,
        step_id=str(n),
        goal="g",
        do=(f"do {n}",),
        acceptance=(Criterion(text="ok", id="a1"),),
    )


@pytest.fixture
def board(tmp_path):
    return TaskBoard(tmp_path / "board.db")


def test_a_step_goes_from_ready_over_claimed_to_done(board):
    board.add(step(1))
    assert [one.state for one in board.steps()] == ["ready"]
    claim = board.claim("w1")
    assert claim.step == step(1) and claim.attempts == 1
    assert [(one.state, one.worker) for one in board.steps()] == [("claimed", "w1")]
    assert board.claim("w2") is None
    board.complete(claim, {"uri": "artifact://x"})
    listed = board.steps()[0]
    assert (listed.state, listed.worker, listed.result) == ("done", "w1", {"uri": "artifact://x"})


def test_a_step_waits_for_those_before_it(board):
    board.add(step(1))
    board.add(step(2), after=["1"])
    assert [one.state for one in board.steps()] == ["ready", "waiting"]
    claim = board.claim("w")
    assert board.claim("w") is None
    board.complete(claim)
    assert board.claim("w").step.step_id == "2"


def test_what_can_not_be_waited_for_is_refused(board):
    with pytest.raises(StoreError, match="not on the board"):
        board.add(step(2), after=["1"])
    assert board.steps() == []


def test_adding_twice_changes_nothing_and_another_step_of_one_id_is_refused(board):
    board.add(step(1))
    board.add(step(1))
    assert len(board.steps()) == 1
    ends = (Criterion(text="ok", id="a1"),)
    other = Step(task_id="t", step_id="1", goal="other", do=("x",), acceptance=ends)
    with pytest.raises(StoreError, match="another step"):
        board.add(other)
    with pytest.raises(StepError, match="no acceptance"):
        board.add(Step(task_id="t", step_id="9", goal="g", do=("x",), acceptance=()))


def test_a_dead_workers_claim_runs_out_and_its_late_result_is_not_taken(tmp_path):
    now = [0]
    board = TaskBoard(tmp_path / "board.db", lease_s=10, clock=lambda: now[0])
    board.add(step(1))
    dead = board.claim("dead")
    now[0] = 5_000
    board.extend(dead)
    now[0] = 14_999
    assert board.claim("alive") is None
    now[0] = 15_001
    claim = board.claim("alive")
    assert claim.attempts == 2
    with pytest.raises(StoreError, match="ran out"):
        board.complete(dead)
    board.complete(claim)
    with pytest.raises(StoreError, match="ran out, or the step is done"):
        board.complete(claim)


@pytest.mark.parametrize("result", [object(), "half a pair: \ud83d", {1: {2j}}])
def test_what_is_no_json_is_refused_and_the_claim_stays(board, result):
    board.add(step(1))
    claim = board.claim("w")
    with pytest.raises(StoreError, match="no JSON"):
        board.complete(claim, result)
    board.complete(claim, "plain")
    with pytest.raises(StoreError, match="no JSON"):
        board.add(step("\ud83d"))


@pytest.mark.parametrize("lease", [0, -1, float("inf"), float("nan")])
def test_a_lease_that_never_or_always_ends_is_refused(tmp_path, lease):
    with pytest.raises(StoreError, match="lease"):
        TaskBoard(tmp_path / "board.db", lease_s=lease)


def test_an_artifact_that_only_the_board_names_is_not_collected(board, tmp_path):
    """What one worker hands on to the next stands in no session until that one begins."""
    artifacts = FileArtifacts(tmp_path / "artifacts")
    refs = [artifacts.put(f"Text {n}".encode(), name=f"tasks/t/{n}/report.md") for n in range(3)]
    board.add(step(1), step(2))
    board.complete(board.claim("w"), {"evidence": [{"uri": refs[0]}]})
    board.reject("t", "2", f"see {refs[1]}.")
    late = time.time_ns() // 1_000_000 + 400 * 86_400_000
    live = refs_of(SQLiteSessions(tmp_path / "s.db"))
    live |= board.refs()
    done = collect(artifacts, live, now_ms=late)
    assert done.names == ("tasks/t/2/report.md",)
    assert artifacts.get(refs[0]) == b"Text 0" and artifacts.get(refs[1]) == b"Text 1"


def test_one_id_may_stand_by_itself(board):
    board.add(step(1), step(2), step(12))
    board.add(step(3), after="12")
    for _ in range(2):
        board.complete(board.claim("w"))
    assert [one.state for one in board.steps()] == ["done", "done", "ready", "waiting"]


def test_a_released_step_is_ready_at_once(board):
    board.add(step(1), step(2))
    claim = board.claim("w")
    board.release(claim)
    assert board.claim("v").step == step(1)
    with pytest.raises(StoreError):
        board.extend(claim)


def test_a_task_is_worked_on_by_itself(board):
    board.add(step(1, "a"), step(1, "b"))
    assert board.claim("w", task="b").step.task_id == "b"
    assert board.claim("w", task="b") is None
    assert len(board.steps("a")) == 1


def test_the_board_outlives_its_process(tmp_path):
    TaskBoard(tmp_path / "board.db").add(step(1))
    assert TaskBoard(tmp_path / "board.db").claim("w").step == step(1)


def test_a_step_that_takes_its_workers_down_fails_after_so_many_claims(tmp_path):
    now = [0]
    path = tmp_path / "board.db"
    board = TaskBoard(path, lease_s=1, most_attempts=3, clock=lambda: now[0])
    board.add(step(1), step(2))
    board.add(step(3), after=["1"])
    for attempt in range(1, 4):
        claim = board.claim("w", task="t")
        assert (claim.step.step_id, claim.attempts) == ("1", attempt)
        now[0] += 2_000
    assert board.claim("w").step.step_id == "2"
    one, _, three = board.steps()
    assert (one.state, one.attempts) == ("failed", 3)
    assert one.reason == "claimed 3 times and never completed"
    assert three.state == "waiting", "what it needs was not done"
    with pytest.raises(StoreError):
        board.complete(claim)
    board.reopen("t", "1")
    assert board.claim("w").attempts == 1


def test_a_step_that_can_not_be_done_fails_and_a_result_that_is_not_taken_is_rejected(board):
    board.add(step(1), step(2))
    board.add(step(3), after=["2"])
    board.fail(board.claim("w"), "the supplier has no API")
    claim = board.claim("w")
    board.complete(claim, "done")
    board.reject("t", "2", "sources are missing")
    states = [(one.state, one.reason) for one in board.steps()]
    assert states == [
        ("failed", "the supplier has no API"),
        ("rejected", "sources are missing"),
        ("waiting", ""),
    ]
    assert board.claim("w") is None
    for again in (lambda: board.reject("t", "2", "x"), lambda: board.reject("t", "9", "x")):
        with pytest.raises(StoreError, match="no step"):
            again()
    board.reopen("t", "2")
    board.complete(board.claim("w"))
    assert [one.state for one in board.steps()] == ["failed", "done", "ready"]
    with pytest.raises(StoreError, match="failed or rejected"):
        board.reopen("t", "2")
    with pytest.raises(StoreError, match="attempts"):
        TaskBoard(board.path, most_attempts=0)


WORKER = """
import sys, threading, time
from contextwright.stores import TaskBoard
from contextwright.errors import StoreError
path, name, log = sys.argv[1:]
board = TaskBoard(path, lease_s=1.0)
def work(worker):
    while True:
        claim = board.claim(worker)
        if claim is None:
            if all(one.state == "done" for one in board.steps()):
                return
            time.sleep(0.02)
            continue
        time.sleep(0.002)
        try:
            board.complete(claim, worker)
        except StoreError:
            continue
        with open(log, "a") as file:
            file.write(claim.step.step_id + "\\n")
threads = [threading.Thread(target=work, args=(f"{name}-{n}",)) for n in range(8)]
print("up", flush=True)
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_two_hundred_steps_sixteen_workers_two_processes_and_a_kill(tmp_path):
    path = tmp_path / "board.db"
    board = TaskBoard(path)
    board.add(*(step(n) for n in range(200)))
    logs = [tmp_path / f"{name}.log" for name in ("one", "two", "three")]

    def start(name, log):
        return subprocess.Popen(
            [sys.executable, "-c", WORKER, str(path), name, str(log)],
            stdout=subprocess.PIPE,
            env={**os.environ},
        )

    one, two = start("one", logs[0]), start("two", logs[1])
    until = time.monotonic() + 30
    while sum(each.state == "done" for each in board.steps()) < 40 and time.monotonic() < until:
        time.sleep(0.05)
    two.send_signal(signal.SIGKILL)
    two.wait()
    three = start("three", logs[2])
    assert one.wait(60) == 0 and three.wait(60) == 0
    listed = board.steps()
    assert [each.state for each in listed] == ["done"] * 200
    done = [line for log in logs if log.exists() for line in log.read_text().split()]
    assert len(done) == len(set(done)), "no step was completed twice"
    assert len(done) >= 200 - 8, "a killed worker may die between completing and writing its log"


def test_threads_share_one_board(board):
    board.add(*(step(n) for n in range(40)))
    got, lock = [], threading.Lock()

    def work(name):
        while (claim := board.claim(name)) is not None:
            with lock:
                got.append(claim.step.step_id)
            board.complete(claim)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got, key=int) == [str(n) for n in range(40)]


def test_a_worker_may_have_any_name_that_is_a_text(board):
    board.add(step(1))
    claim = board.claim("w\ud800")
    board.complete(claim)
    assert board.steps()[0].worker == "w?"
