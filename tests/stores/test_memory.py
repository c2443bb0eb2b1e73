"""Long-term memory: written on purpose, kept once, found, forgotten."""

from random import Random

import pytest

from contextwright.errors import StoreError
from contextwright.stores import MemoryRecord, SQLiteMemory, SQLiteSessions
from contextwright.stores.database import Database

DAY = 86_400_000


@pytest.fixture
def memory(tmp_path):
    return SQLiteMemory(tmp_path / "memory.db")


def texts(found):
    return [one.memory.text for one in found]


def test_what_was_written_is_found_by_its_words_best_first(memory):
    memory.write("The user prefers concise answers about invoices")
    memory.write("The warehouse is in Hamburg")
    memory.write("Invoices are paid within ten days", time_ms=5)
    found = memory.search("how are invoices paid?", 2)
    assert texts(found)[0] == "Invoices are paid within ten days"
    assert found[0].score == 1.0 and found[0].to_state()["time_ms"] == 5
    assert "warehouse" not in str(texts(found))


def test_the_same_thing_is_kept_once(memory):
    one = memory.write("The warehouse is in Hamburg", scope="u1")
    assert memory.write("The warehouse is in Hamburg", scope="u1") == one
    assert len(memory.search("warehouse Hamburg", scope="u1")) == 1
    with pytest.raises(StoreError, match="another memory"):
        memory.write("something else", id=one.id)


def test_scopes_do_not_see_each_other(memory):
    memory.write("The code word is heron", scope="alice")
    assert memory.search("code word", scope="bob") == []
    assert memory.search("code word") == []
    assert texts(memory.search("code word", scope="alice")) == ["The code word is heron"]


def test_logs_of_entities_and_decisions(memory):
    memory.write("We take the offer of Meyer", kind="decision")
    memory.write("Meyer is in Kiel", kind="entity", entity="Meyer")
    memory.write("Meyer moved to Husum", kind="entity", entity="Meyer")
    memory.write("The offer of Schulz is off", kind="decision")
    assert [one.text for one in memory.decisions()] == [
        "We take the offer of Meyer",
        "The offer of Schulz is off",
    ]
    assert memory.entities()["Meyer"].text == "Meyer moved to Husum"
    assert [one.memory.kind for one in memory.search("Meyer", kinds=["decision"])] == ["decision"]


def test_what_is_forgotten_is_not_found_and_not_in_the_file(tmp_path):
    memory = SQLiteMemory(tmp_path / "memory.db")
    one = memory.write("The password is swordfish-77")
    assert memory.search("swordfish password")
    assert memory.forget([one.id, "nobody"]) == 1
    assert memory.search("swordfish password") == []
    memory.close()
    assert b"swordfish" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    again = SQLiteMemory(tmp_path / "memory.db")
    assert again.write("The password is swordfish-77") == one
    assert again.search("swordfish password")


def test_another_process_is_caught_up_with(tmp_path):
    one, other = SQLiteMemory(tmp_path / "m.db"), SQLiteMemory(tmp_path / "m.db")
    first = one.write("The harbour opens at six")
    assert texts(other.search("harbour")) == ["The harbour opens at six"]
    one.forget([first.id])
    one.write("The harbour opens at seven")
    assert texts(other.search("harbour")) == ["The harbour opens at seven"]


def test_what_another_process_forgot_is_gone_whatever_came_between(tmp_path):
    one, other = SQLiteMemory(tmp_path / "m.db"), SQLiteMemory(tmp_path / "m.db")
    first, second = one.write("The harbour opens at six"), one.write("The harbour is deep")
    one.forget([first.id])
    assert texts(other.search("harbour")) == ["The harbour is deep"]
    one.write("The harbour opens at six")
    one.forget([second.id])
    assert texts(other.search("harbour")) == ["The harbour opens at six"]


def test_an_id_that_moves_to_another_scope_leaves_the_first(tmp_path):
    one, other = SQLiteMemory(tmp_path / "m.db"), SQLiteMemory(tmp_path / "m.db")
    one.write("The code word is heron", id="word", scope="alice")
    assert other.search("code word", scope="alice")
    with pytest.raises(StoreError, match="another memory"):
        one.write("The code word is heron", id="word", scope="bob")
    one.forget("word")
    one.write("The code word is egret", id="word", scope="bob")
    assert other.search("code word", scope="alice") == []
    assert texts(other.search("code word", scope="bob")) == ["The code word is egret"]


def test_forgetting_reaches_every_process_in_any_order(tmp_path):
    stores = [SQLiteMemory(tmp_path / "m.db") for _ in range(3)]
    random, alive = Random(7), set()
    for n in range(120):
        text = f"The harbour has pier {random.randrange(9)}"
        store = random.choice(stores)
        if random.random() < 0.5:
            store.write(text, id=text)
            alive.add(text)
        else:
            store.forget([text])
            alive.discard(text)
        if n % 3 == 0:
            assert set(texts(random.choice(stores).search("harbour", 20))) == alive


def test_age_lowers_a_score(tmp_path):
    memory = SQLiteMemory(tmp_path / "m.db", half_life_days=7)
    memory.write("The tariff of the harbour is 7", time_ms=0)
    memory.write("The tariff of the harbour is 9", time_ms=60 * DAY)
    assert texts(memory.search("tariff of the harbour", now_ms=60 * DAY))[0].endswith("9")


def test_memories_and_sessions_share_a_file(tmp_path):
    from contextwright import Session

    sessions, memory = SQLiteSessions(tmp_path / "all.db"), SQLiteMemory(tmp_path / "all.db")
    session = Session("s")
    session.user("hi")
    sessions.save(session)
    memory.write("The user said hi")
    assert sessions.ids() == ["s"] and memory.search("said hi")


@pytest.mark.parametrize(
    "bad",
    [
        MemoryRecord(text=" "),
        MemoryRecord(text="x", kind="rumour"),
        MemoryRecord(text="half a pair: \ud83d"),
        MemoryRecord(text="x", time_ms=2**70),
        MemoryRecord(text="x", time_ms=1.5),
        MemoryRecord(text=5),
    ],
)
def test_what_can_not_be_kept_is_refused(memory, bad):
    with pytest.raises(StoreError, match="known kind"):
        memory.write(bad)


def test_without_an_embedder_it_says_so(memory):
    assert memory.degraded == "no embedder: lexical only"


def test_a_file_that_is_no_database_is_named(tmp_path):
    (tmp_path / "x.db").write_text("not a database " * 99)
    with pytest.raises(StoreError, match="SQLite") as error:
        SQLiteMemory(tmp_path / "x.db")
    assert "x.db" in error.value.where


def test_a_transaction_that_can_not_be_committed_leaves_the_file_usable(tmp_path):
    schema = (
        "PRAGMA foreign_keys = ON; CREATE TABLE a (id INTEGER PRIMARY KEY);"
        "CREATE TABLE b (a INTEGER REFERENCES a DEFERRABLE INITIALLY DEFERRED);"
    )
    database = Database(tmp_path / "x.db", schema, fix="try again")
    with pytest.raises(StoreError, match="FOREIGN KEY"), database.writing() as connection:
        connection.execute("INSERT INTO b VALUES (9)")
    with database.writing() as connection:
        connection.execute("INSERT INTO a VALUES (1)")


def test_a_single_memory_is_found_by_words_and_by_meaning(tmp_path):
    class Boats:
        def vectors(self, texts):
            return [
                [1.0, 0.0] if "ship" in text or "boat" in text else [0.6, 0.8] for text in texts
            ]

    memory = SQLiteMemory(tmp_path / "m.db", embedder=Boats())
    memory.write("the ship arrives")
    assert texts(memory.search("ship")) == texts(memory.search("boat")) == ["the ship arrives"]
    memory.write("the ship leaves")
    assert sorted(texts(memory.search("ship"))) == ["the ship arrives", "the ship leaves"]


def test_a_record_says_all_of_itself(tmp_path):
    memory = SQLiteMemory(tmp_path / "m.db")
    record = memory.write("the harbour opens at six", kind="fact")
    with pytest.raises(StoreError, match="kind is given beside a record"):
        memory.write(record, kind="decision")
    assert [hit.memory for hit in memory.search("harbour", kinds="fact")] == [record]


def test_no_two_memories_have_one_id():
    memory = SQLiteMemory(":memory:")
    same_lines = [
        {"text": "c", "entity": "a\nb"},
        {"text": "b\nc", "entity": "a"},
        {"text": "c", "entity": "b", "scope": "u\nnote\na"},
        {"text": "note\nb\nc", "entity": "a", "scope": "u"},
        {"text": "c", "entity": "", "scope": "u\nnote\na\nb"},
        {"text": "c", "entity": "\n", "scope": "u"},
        {"text": "\nc", "entity": "", "scope": "u"},
    ]
    assert len({memory.write(MemoryRecord(**each)).id for each in same_lines}) == len(same_lines)
    # as they always were
    assert memory.write(MemoryRecord(text="tea", scope="u1")).id == "mem_e09ca8aebb6a"
