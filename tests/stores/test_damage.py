"""Rows that are not what was written: found when read, passed over where others are asked for."""

import random
import sqlite3

import pytest

from contextwright import Criterion, Step
from contextwright.errors import ContextwrightError, CorruptData
from contextwright.spec.task import Answer
from contextwright.stores import SQLiteAnswers, SQLiteMemory, TaskBoard


def step(n):
    acceptance = (Criterion(text="ok", id="a1"),)
    return Step(task_id="t", step_id=str(n), goal="g", do=(f"do {n}",), acceptance=acceptance)


def answer(n):
    return Answer(fingerprint=f"f{n}", kind="summary", value=f"v{n}", model="m", series="s")


def edit(path, statement, *values):
    """Change a file as a broken disk or another program would."""
    connection = sqlite3.connect(path)
    changed = connection.execute(statement, values).rowcount
    connection.commit()
    connection.close()
    assert changed


@pytest.mark.parametrize(
    "change",
    ["text = 'The code word is egret'", "scope = 'mallory'", "pinned = 1", "tier = 1", "time_ms = 5",
     "kind = 'odd'", "origin = 7", "active = 0", "written_ms = 'x'", "text = X'ff00'", "hash = NULL"],
)  # fmt: skip
def test_a_damaged_memory_is_never_found_and_is_named(tmp_path, change):
    path = tmp_path / "memory.db"
    memory = SQLiteMemory(path)
    memory.write("The code word is heron", id="one", origin=("artifact://a/b",))
    memory.write("The code word of Bob is crane", id="two")
    edit(path, f"UPDATE memories SET {change} WHERE id = 'one'")
    again = SQLiteMemory(path)
    assert [hit.memory.id for hit in again.search("code word")] == ["two"]
    assert [each.memory.id for each in again.listed()] == ["two"]
    (damaged,) = again.damaged()
    assert damaged.id == "one" and "row 1" in damaged.damage
    assert "1 damaged" in again.degraded
    if "origin" not in change:
        assert "a/b" in {ref.removeprefix("artifact://") for ref in again.refs()}
    with pytest.raises(CorruptData, match="not what was written") as caught:
        again.write("The code word is heron", id="one")
    assert str(path) in caught.value.where
    assert again.forget(["one"]) == 1 and again.damaged() == []


@pytest.mark.parametrize(
    "change", ["body = '{}'", "body = 7", "series = 'other'", "key = 'k3'", "written_ms = 1"]
)
def test_a_damaged_answer_is_asked_again(tmp_path, change):
    path = tmp_path / "answers.db"
    answers = SQLiteAnswers(path)
    answers.put("k1", answer(1))
    answers.put("k2", answer(2))
    edit(path, f"UPDATE answers SET {change} WHERE key = 'k2'")
    assert answers.get("k1") == answer(1)
    assert answers.get("k2") is answers.get("k3") is None
    assert [entry.key for entry in answers.entries()] == ["k1"]
    assert len(answers.damaged()) == 1
    answers.put("k2", answer(3))
    assert answers.get("k2") == answer(3)


@pytest.mark.parametrize(
    "change",
    ["done = 1", "body = '{}'", "attempts = 0", "step = '7'", "until_ms = 0", "until_ms = 1 << 62",
     "result = 'x'", "worker = X'ff'"],
)  # fmt: skip
def test_a_damaged_step_is_given_to_nobody_and_holds_up_those_that_need_it(tmp_path, change):
    path = tmp_path / "board.db"
    board = TaskBoard(path)
    board.add(step(1), step(2))
    board.add(step(3), after=["1"])
    board.claim("w")
    edit(path, f"UPDATE steps SET {change} WHERE step = '1'")
    assert [one.state for one in board.steps()] == ["ready", "waiting"]
    board.complete(board.claim("w"))
    assert board.claim("w") is None
    (damaged,) = board.damaged()
    assert damaged.id in {"t/1", "t/7"}


def test_a_lost_need_is_found(tmp_path):
    path = tmp_path / "board.db"
    board = TaskBoard(path)
    board.add(step(1))
    board.add(step(2), after=["1"])
    edit(path, "UPDATE needs SET after = '7'")
    board.claim("w")
    assert board.claim("w") is None
    assert [record.id for record in board.damaged()] == ["t/2"]


def test_rows_that_are_written_after_the_file_was_written_anew_are_whole(tmp_path):
    memory = SQLiteMemory(tmp_path / "memory.db")
    memory.write("one")
    memory.scrub()
    memory.write("two")
    assert [each.memory.text for each in memory.listed()] == ["one", "two"]


def test_files_of_an_earlier_version_get_hashes(tmp_path):
    path = tmp_path / "all.db"
    TaskBoard(path).add(step(1))
    SQLiteMemory(path).write("The code word is heron")
    SQLiteAnswers(path).put("k", answer(1))
    connection = sqlite3.connect(path)
    for table in ("steps", "memories", "answers"):
        connection.execute(f"ALTER TABLE {table} DROP COLUMN hash")
    for column in ("reason", "after"):
        connection.execute(f"ALTER TABLE steps DROP COLUMN {column}")
    connection.commit()
    connection.close()
    assert SQLiteMemory(path).search("code word")
    assert SQLiteAnswers(path).get("k") == answer(1)
    assert TaskBoard(path).claim("w").step == step(1)


def flipped(data, rng):
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]


@pytest.mark.parametrize("seed", range(30))
def test_a_flipped_bit_is_a_named_error_or_a_gap_never_a_wrong_value(tmp_path, seed):
    rng = random.Random(seed)
    path = tmp_path / "all.db"
    board, memory, answers = TaskBoard(path), SQLiteMemory(path), SQLiteAnswers(path)
    board.add(step(1), step(2))
    board.add(step(3), after=["1"])
    texts = [f"The code word number {n} is heron" for n in range(8)]
    for text in texts:
        memory.write(text)
    answers.put("k1", answer(1))
    for store in (board, memory, answers):
        store.close()
    path.write_bytes(flipped(path.read_bytes(), rng))
    try:
        found = {hit.memory.text for hit in SQLiteMemory(path).search("code word", 10)}
        assert found <= set(texts)
        assert SQLiteAnswers(path).get("k1") in (None, answer(1))
        board = TaskBoard(path)
        assert {one.step.step_id: one.state for one in board.steps()}.items() <= {
            ("1", "ready"), ("2", "ready"), ("3", "waiting")
        }  # fmt: skip
        while (claim := board.claim("w")) is not None:
            assert claim.step in (step(1), step(2))
    except ContextwrightError:
        pass
