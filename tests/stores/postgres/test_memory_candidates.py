"""Full text search and pgvector: what the server finds, and what it may not."""

from uuid import uuid4

import psycopg
import pytest

from contextwright.errors import StoreError
from contextwright.stores.postgres import (
    PostgresDatabase,
    PostgresMemory,
    memory_candidates,
    migrations,
)

PGVECTOR = "apt-get install postgresql-17-pgvector (of the server's version)"


class Topics:
    """An embedder of three topics, which counts what it is asked."""

    id = "topics"
    WORDS = (("ship", "boat", "vessel"), ("money", "invoice", "payment"), ("tea", "coffee"))

    def __init__(self):
        self.asked = []

    def vectors(self, texts):
        self.asked += texts
        for text in texts:
            counts = [float(any(w in text.lower() for w in group)) for group in self.WORDS]
            length = sum(counts) ** 0.5 or 1.0
            yield [each / length for each in counts]


def embedder():
    topics = Topics()
    topics.vectors = lambda texts, made=topics.vectors: list(made(texts))
    return topics


@pytest.fixture
def memory(database):
    return PostgresMemory(database, index="server")


@pytest.fixture(scope="module")
def vector_url(postgres_url):
    """A database of these tests' own that has the extension."""
    name = f"ctx_{uuid4().hex[:12]}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        try:
            connection.execute(f"CREATE DATABASE {name}")
        except psycopg.errors.InsufficientPrivilege:
            pytest.skip("the role of the tests may make no databases")
        parts = psycopg.conninfo.conninfo_to_dict(postgres_url)
        url = psycopg.conninfo.make_conninfo(**{**parts, "dbname": name})
        try:
            with psycopg.connect(url, autocommit=True) as own:
                own.execute("CREATE SCHEMA extensions")
                own.execute("CREATE EXTENSION vector SCHEMA extensions")
            yield url
        except psycopg.Error as error:
            pytest.skip(f"no pgvector ({str(error).splitlines()[0]}): {PGVECTOR}")
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def texts(hits):
    return [hit.memory.text for hit in hits]


def test_words_are_found_as_a_process_finds_them(database, memory):
    said = (
        "The warehouse is in Hamburg",
        "Les écoles ouvrent à huit heures",
        "倉庫は横浜にあります",
        "Die Lagerhalle liegt am Hafen; it's O'Brien's \\ 'quoted'",
        "organising the invoices took a day",
    )
    for text in said:
        memory.write(text)
    own = PostgresMemory(database)
    for query in (
        "warehouse",
        "ecole",
        "横浜",
        "O'Brien",
        "quoted\\",
        "organization invoice",
        "&|!:*()",
    ):
        assert texts(memory.search(query)) == texts(own.search(query)), query
    assert texts(memory.search("横浜")) == [said[2]]


def test_the_server_chooses_and_no_process_holds_all(memory, monkeypatch):
    monkeypatch.setattr(memory_candidates, "POOL", 5)
    monkeypatch.setattr(memory_candidates, "BATCH", 7)
    for n in range(40):
        memory.write(f"heron {n} flies")
    memory.write("the heron called Berta flies to Kiel", kind="fact")
    assert texts(memory.search("heron Berta Kiel", 1)) == ["the heron called Berta flies to Kiel"]
    assert not memory._known and not memory._indexes
    assert len(memory.search("heron", 8, kinds=["note"])) == 8
    assert texts(memory.search("heron", 8, kinds=["fact"])) == [
        "the heron called Berta flies to Kiel"
    ]


def test_what_is_forgotten_leaves_no_words(database, memory):
    one = memory.write("The password is swordfish")
    memory.write("nothing else")
    assert memory.search("swordfish")
    memory.deactivate(one.id)
    assert memory.search("swordfish") == []
    memory.activate(one.id)
    assert memory.search("swordfish")
    memory.forget([one.id])
    assert memory.search("swordfish") == []
    rows = database.rows("SELECT words FROM memories WHERE words IS NOT NULL")
    assert "swordf" not in str(rows) and len(rows) == 1
    memory.erase_records(lambda record: True)
    assert database.rows("SELECT number FROM memories") == []


def test_a_changed_row_is_not_found_and_told(memory, postgres_url, schema):
    memory.write("The warehouse is in Hamburg")
    assert memory.search("warehouse")
    with psycopg.connect(postgres_url, autocommit=True) as other:
        other.execute(f"UPDATE {schema}.memories_rows SET text = 'warehouse x'")
    assert memory.search("warehouse") == [] and "1 damaged" in memory.degraded


def test_memories_of_an_earlier_version_are_found(open_database, monkeypatch):
    known = migrations.MIGRATIONS
    with monkeypatch.context() as patch:
        patch.setattr(migrations, "MIGRATIONS", known[:4])
        old = PostgresMemory(open_database())
        old.write("The warehouse is in Hamburg")
    memory = PostgresMemory(open_database(), index="server")
    old.write("The warehouse has moved to Kiel")  # the process of the version before goes on
    assert len(memory.search("warehouse")) == 2
    old.forget([memory.search("Hamburg")[0].memory.id])
    assert texts(memory.search("warehouse")) == ["The warehouse has moved to Kiel"]


def test_an_unknown_index_is_refused(database):
    with pytest.raises(StoreError, match="no index is named 'disk'"):
        PostgresMemory(database, index="disk")


def test_without_pgvector_vectors_order_what_words_find(database, monkeypatch):
    monkeypatch.setattr(memory_candidates, "_EXTENSION", "SELECT '' FROM memories WHERE false")
    topics = embedder()
    memory = PostgresMemory(database, index="server", embedder=topics)
    memory.write("the invoice for tea")
    memory.write("the ship arrives")
    assert texts(memory.search("the vessel and tea"))[0] == "the invoice for tea"
    assert memory.search("boat") == [] and "no pgvector" in memory.degraded


@pytest.fixture
def near(vector_url):
    opened = []

    def memory(topics, tenant="default", **options):
        opened.append(PostgresDatabase(vector_url, tenant=tenant))
        return PostgresMemory(opened[-1], index="server", embedder=topics, **options)

    yield memory
    with psycopg.connect(vector_url, autocommit=True) as connection:
        connection.execute("DROP SCHEMA contextwright CASCADE")
    for each in opened:
        each.close()


def test_pgvector_finds_what_has_no_word_of_the_question(near):
    topics = embedder()
    memory = near(topics)
    memory.write("the ship arrives at noon")
    memory.write("payment is late", kind="fact")
    memory.write("we drink coffee")
    assert texts(memory.search("which boat"))[0] == "the ship arrives at noon"
    assert memory.search("which boat", kinds=["fact"]) == [] or texts(
        memory.search("which boat", kinds=["fact"])
    ) == ["payment is late"]
    assert memory.degraded == ""
    asked = len(topics.asked)
    other = embedder()
    again = near(other)
    assert texts(again.search("vessel"))[0] == "the ship arrives at noon"
    assert other.asked == ["vessel"] and len(topics.asked) == asked  # embedded once, for all
    assert near(embedder(), tenant="other").search("boat") == []
    ship = memory.search("boat")[0].memory
    assert memory.search("boat", scope="u2") == []
    memory.forget([ship.id])
    assert "the ship arrives at noon" not in texts(again.search("boat"))
    rows = memory._database.rows("SELECT count(*) FROM memory_vectors")
    assert rows == [(2,)]


def test_a_failing_embedder_is_told_and_words_go_on(near):
    topics = embedder()
    memory = near(topics)
    memory.write("the ship arrives")

    def broken(texts):
        raise RuntimeError("out of quota")

    working, topics.vectors = topics.vectors, broken
    assert texts(memory.search("ship")) == ["the ship arrives"]
    assert "out of quota" in memory.degraded
    topics.vectors = working
    assert texts(memory.search("boat")) == ["the ship arrives"] and memory.degraded == ""
    wide = embedder()
    wide.id, wide.vectors = "wide", lambda texts: [[1.0, 0.0, 0.0, 0.0] for _ in texts]
    assert texts(near(wide).search("anything")) == ["the ship arrives"]
