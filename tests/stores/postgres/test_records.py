"""Answers, memories and steps in PostgreSQL: the tests of the SQLite stores, and what is its own."""

import importlib.util
import threading
from pathlib import Path

import psycopg
import pytest

from contextwright.errors import StoreError
from contextwright.spec.task import Answer
from contextwright.stores import memory_rows
from contextwright.stores.postgres import PostgresAnswers, PostgresBoard, PostgresMemory
from contextwright.testing import MemoryStoreSuite

HERE = Path(__file__).parents[1]


def _tests_of(name):
    spec = importlib.util.spec_from_file_location(f"sqlite_{name}", HERE / f"test_{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_MEMORY, _BOARD, _ANSWERS = map(_tests_of, ("memory", "board", "answers"))


@pytest.fixture(params=["process", "server"])
def memory(request, database):
    return PostgresMemory(database, index=request.param)


class TestPostgresMemory(MemoryStoreSuite):
    """The suite that every memory passes."""


@pytest.mark.parametrize(
    "name",
    [
        "test_what_was_written_is_found_by_its_words_best_first",
        "test_the_same_thing_is_kept_once",
        "test_scopes_do_not_see_each_other",
        "test_logs_of_entities_and_decisions",
    ],
)
def test_memories_as_in_a_file(memory, name):
    getattr(_MEMORY, name)(memory)


@pytest.mark.parametrize(
    ("module", "make", "name"),
    [
        (
            _BOARD,
            PostgresBoard,
            "test_a_dead_workers_claim_runs_out_and_its_late_result_is_not_taken",
        ),
        (_ANSWERS, PostgresAnswers, "test_answers_outlive_the_process"),
        (_ANSWERS, PostgresAnswers, "test_the_oldest_go_first"),
        (_MEMORY, PostgresMemory, "test_another_process_is_caught_up_with"),
    ],
)
def test_as_in_a_file(database, tmp_path, monkeypatch, module, make, name):
    for sqlite in ("TaskBoard", "SQLiteAnswers", "SQLiteMemory"):
        if hasattr(module, sqlite):
            monkeypatch.setattr(module, sqlite, lambda path, **options: make(database, **options))
    getattr(module, name)(tmp_path)


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, test in vars(_BOARD).items()
        if name.startswith("test_")
        and test.__code__.co_varnames[: test.__code__.co_argcount] == ("board",)
    ],
)
def test_boards_as_in_a_file(database, name, monkeypatch):
    monkeypatch.setattr(
        _BOARD, "TaskBoard", lambda path, **options: PostgresBoard(database, **options)
    )
    getattr(_BOARD, name)(PostgresBoard(database))


def test_tenants_have_their_own(database):
    acme, other = database.for_tenant("acme"), database.for_tenant("other")
    PostgresAnswers(acme).put("k", Answer(fingerprint="f", kind="summary", value="a", model="m"))
    PostgresMemory(acme).write("The code word is heron")
    PostgresBoard(acme).add(_BOARD.step(1))
    assert PostgresAnswers(other).get("k") is None
    assert PostgresMemory(other).search("code word heron") == []
    assert PostgresBoard(other).claim("w") is None and PostgresBoard(acme).claim("w")


def test_a_row_that_was_changed_past_this_package_is_found(database, memory, postgres_url, schema):
    memory.write("The warehouse is in Hamburg")
    memory.write("The harbour opens at six")
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(f"UPDATE {schema}.memories_rows SET text = 'x' WHERE text LIKE '%Hamburg'")
    again = PostgresMemory(database)
    assert [each.text for each in again.damaged()] == ["x"]
    again.write("Something new")
    assert again.search("warehouse Hamburg x") == []
    assert len(again.listed()) == 2 and len(again.damaged()) == 1


def test_writers_at_once_are_all_seen_by_a_searching_process(database, memory):
    memory.write("begin")

    def write(name):
        for n in range(10):
            PostgresMemory(database).write(f"heron {name} {n}")

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        memory.search("heron", 100)
    assert len(memory.search("heron", 100)) == 40


def test_what_the_server_can_not_hold_is_refused_by_name(memory):
    with pytest.raises(StoreError, match="NUL"):
        memory.write("a\0b")
    assert memory.listed() == []


def test_uses_are_counted(database, memory):
    one = memory.write("The warehouse is in Hamburg")
    for _ in range(3):
        memory.search("warehouse")
    assert [each.uses for each in memory.listed()] == [3]
    answers = PostgresAnswers(database)
    answers.put("k", Answer(fingerprint="f", kind="summary", value="a", model="m"))
    answers.get("k")
    assert [each.uses for each in answers.entries()] == [1]
    assert one.id and memory_rows.KINDS
