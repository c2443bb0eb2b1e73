"""What stores gained so that they can forget, and files of earlier versions."""

import sqlite3
import threading

import pytest

from contextwright.errors import StoreError
from contextwright.retention import DataSubject, Lethe, RetentionPolicy, erasable
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.semantic_cache import SemanticCache
from contextwright.spec.task import Answer
from contextwright.stores import MemoryRecord, ObjectArtifacts, SQLiteAnswers, SQLiteMemory

from .conftest import DAY, NOW

BEFORE_MEMORY = """
CREATE TABLE memories (number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, kind TEXT NOT NULL, entity TEXT NOT NULL,
    text TEXT NOT NULL, time_ms INTEGER, origin BLOB NOT NULL, gone INTEGER NOT NULL DEFAULT 0);
INSERT INTO memories (id, scope, kind, entity, text, time_ms, origin)
    VALUES ('m1', '', 'note', '', 'The harbour opens', 5, '[]');
"""
BEFORE_ANSWERS = """
CREATE TABLE answers (number INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE, series TEXT NOT NULL, body BLOB NOT NULL);
"""


def old_file(path, schema):
    with sqlite3.connect(path) as connection:
        connection.executescript(schema)
    connection.close()
    return path


def test_a_memory_file_of_an_earlier_version_is_read_and_grows(tmp_path):
    path = old_file(tmp_path / "m.db", BEFORE_MEMORY)
    one, other = SQLiteMemory(path), SQLiteMemory(path)
    assert one.search("harbour") and one.listed()[0].written_ms is None
    one.write(MemoryRecord(text="The mill closes", tier=3))
    assert other.search("mill")[0].memory.tier == 3
    assert one.deactivate(["m1"]) == 1 and other.search("harbour") == []


def test_an_answer_file_of_an_earlier_version_is_read_and_grows(tmp_path):
    path = old_file(tmp_path / "a.db", BEFORE_ANSWERS)
    answers = SQLiteAnswers(path, clock=lambda: 7)
    answers.put("k", Answer(fingerprint="f", kind="summary", value="x", model="m"))
    assert answers.get("k") and answers.entries()[0].uses == 1
    assert answers.entries()[0].written_ms == 7


def test_a_memory_that_sleeps_is_not_found_and_not_lost(tmp_path):
    memory, other = SQLiteMemory(tmp_path / "m.db"), SQLiteMemory(tmp_path / "m.db")
    one = memory.write("The harbour opens at six", scope="u1")
    assert other.search("harbour", scope="u1")
    assert memory.deactivate([one.id]) == 1 and memory.deactivate([one.id]) == 0
    for each in (memory, other):
        assert each.search("harbour", scope="u1") == [] and each.list_active() == []
    assert [each.memory for each in memory.listed()] == [one] and not memory.listed()[0].active
    assert memory.activate([one.id, "nobody"]) == 1
    for each in (memory, other):
        assert len(each.search("harbour", scope="u1")) == 1
        assert each.list_active("u1") == [one] and each.list_active("u2") == []


def test_a_memory_is_pinned_and_unpinned(tmp_path):
    memory = SQLiteMemory(tmp_path / "m.db")
    one = memory.write("x")
    assert memory.pin([one.id]) == 1 and memory.listed()[0].memory.pinned
    assert memory.unpin([one.id]) == 1 and memory.unpin([one.id]) == 0
    with pytest.raises(StoreError, match="tiers"):
        try:
            memory.write("y", tier=5)
        except StoreError as error:
            raise StoreError(error.fix, where=error.where, fix="") from error


def test_searching_writes_nothing(tmp_path):
    memory = SQLiteMemory(tmp_path / "m.db")
    memory.write("The harbour opens at six")
    before = (tmp_path / "m.db-wal").stat().st_size
    for _ in range(100):
        memory.search("harbour")
    assert (tmp_path / "m.db-wal").stat().st_size == before
    assert memory.listed()[0].uses == 100


def test_erased_rows_are_gone_in_every_process_and_new_ones_are_seen(tmp_path):
    memory, other = SQLiteMemory(tmp_path / "m.db"), SQLiteMemory(tmp_path / "m.db")
    first = memory.write("one harbour")
    memory.forget([first.id])
    memory.write("two harbours")
    assert len(other.search("harbour")) == 1
    assert memory.erase_records(lambda one: "two" in one.text) == 1
    assert other.search("harbour") == []
    memory.write("three harbours")
    memory.forget([memory.write("four harbours").id])
    assert [found.memory.text for found in other.search("harbour")] == ["three harbours"]


def test_a_restored_item_is_beside_its_neighbours_again(tmp_path):
    for path in (None, tmp_path / "i.db"):
        index = Index(path=path)
        index.add([Item(str(n), f"item number {n}", thread="t") for n in range(5)])
        place = erasable(index)
        taken = place.export(["1", "2", "nobody"])
        place.remove(taken)
        place.remove(taken)
        index.add([Item("2", "another", thread="t")])
        assert place.restore(taken) == ["1"] and place.restore(taken) == ["1"]
        assert [item.id for item in index.items()] == ["0", "1", "3", "4", "2"]
        index.scrub()
        assert index.search("number")[0].item.id in "0134" and index.search("another")
        index.close()


def test_removed_words_are_gone_from_an_index_file(tmp_path):
    index = Index(path=tmp_path / "i.db")
    index.add([Item(str(n), f"swordfish {n} Zimmermann") for n in range(50)])
    index.add([Item("stays", "harbour")])
    index.remove([str(n) for n in range(50)])
    index.scrub()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"swordf" not in held and b"immerm" not in held and b"zimmer" not in held
    assert index.search("harbour") and not index.search("swordfish")


def test_answers_to_questions_come_back_before_newer_ones():
    cache = SemanticCache(keep=3)
    for n in range(3):
        cache.put(f"what is number {n}?", str(n), now_ms=n)
    place = erasable(cache)
    taken = place.export([cache.entries()[0].id])
    place.remove(taken)
    cache.put("what is number 3?", "3", now_ms=3)
    assert place.restore(taken) == [], "there is no room for the oldest"
    assert [each.answer for each in cache.entries()] == ["1", "2", "3"]
    assert cache.get("what is number 2?", now_ms=9) and cache.entries()[-1].uses == 1


def test_object_stores_forget_and_erase(tmp_path):
    pytest.importorskip("obstore")
    artifacts = ObjectArtifacts("memory:///")
    artifacts.put(b"Dear Ada Lovelace", name="letters/1.txt")
    artifacts.put(b"Dear Bob", name="letters/2.txt")
    lethe = Lethe(tmp_path / "l.db", artifacts, policies=[RetentionPolicy(max_age_days=30)])
    later = max(blob.written_ms for blob in artifacts.blobs()) + 31 * DAY
    assert len(lethe.apply_retention_policy(now_ms=later).actions) == 4
    assert artifacts.names() == [] and artifacts.blobs() == []
    lethe.restore(1)
    assert artifacts.get("artifact://letters/1.txt") == b"Dear Ada Lovelace"
    lethe.erase(DataSubject("u-1815", ("Ada Lovelace",)))
    assert [named.name for named in artifacts.names()] == ["letters/2.txt"]


def test_several_threads_forget_and_write_at_once(stores):
    for n in range(60):
        stores.memory.write(f"Old number {n}", time_ms=NOW - 100 * DAY)
    failed = []
    policies = [RetentionPolicy(max_age_days=30)]
    lethes = [Lethe(stores.journal, stores.memory, policies=policies) for _ in range(3)]

    def forget(lethe):
        try:
            for _ in range(5):
                cycle = lethe.apply_retention_policy(now_ms=NOW).cycle
                if cycle:
                    lethe.restore(cycle)
        except StoreError as error:
            failed.append(error)

    def write(name):
        for n in range(20):
            stores.memory.write(f"New {name} {n}", time_ms=NOW)
            stores.memory.search("number")

    threads = [threading.Thread(target=forget, args=(lethe,)) for lethe in lethes]
    threads += [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(stores.memory.listed()) == 100
    assert {cycle.state for cycle in lethes[0].cycles()} == {"restored"}
