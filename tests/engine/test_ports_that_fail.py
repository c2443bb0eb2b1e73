"""Whatever code of the user's raises, the turn goes on and the manifest says what failed."""

import math

import pytest

from contextwright import C, Engine, Session
from contextwright.models import Models, ScriptedLLM
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Item
from contextwright.retrieval.semantic_cache import SemanticCache
from contextwright.stores import SQLiteMemory


class APIError(Exception):
    """As openai, httpx and grpc have it: no subclass of anything but Exception."""


ERRORS = [
    APIError("503"),
    KeyError("x"),
    TypeError("no"),
    AssertionError(),
    StopIteration(),
    OSError("n"),
]
ERROR = pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
ITEMS = [Item("a", "the refund of order A17 is late"), Item("b", "an order of green tea")]


def session_of_talk(**state):
    session = Session(state=state)
    for n in range(6):
        session.user(f"question {n} about the refund of order A{n}")
        session.assistant(f"answer {n}: the refund of order A{n} is on its way")
    session.user("Is the refund of A17 late?")
    return session


def raises(error):
    def fail(*arguments, **named):
        raise error

    return fail


class Port:
    """A port of any kind that fails at every call."""

    id = "port"

    def __init__(self, error):
        self.embed = self.vectors = self.search = self.answer = raises(error)
        self.answer_now = self.latest = self.complete = raises(error)

    degraded = ""


class NamelessPort(Port):
    @property
    def id(self):
        raise APIError("no name")


@ERROR
def test_an_embedder_of_an_index(error):
    pytest.importorskip("numpy")
    index = Index(Port(error))
    index.add(ITEMS)
    assert [hit.item.id for hit in index.search("refund")] == ["a"]
    assert type(error).__name__ in index.degraded


@pytest.mark.parametrize(
    "vectors",
    [None, 7, [], [[1.0]], [[1.0, 0.0], [1.0]], [[math.nan, 1.0]] * 2, [None, None], "ab"],
)
def test_vectors_that_are_none(vectors):
    pytest.importorskip("numpy")

    class Odd:
        id = "odd"

        def vectors(self, texts):
            return vectors

    index = Index(Odd())
    index.add(ITEMS)
    assert [hit.item.id for hit in index.search("refund")] == ["a"]
    assert index.degraded.startswith("the embedder failed (")
    cache = SemanticCache(Odd())
    cache.put("who is late?", "A17", now_ms=1)
    assert cache.get("who is late?", now_ms=2) is not None


@ERROR
def test_an_embedder_of_a_cache(error):
    cache = SemanticCache(Port(error))
    cache.put("who is late?", "A17", now_ms=1)
    assert cache.get("who is late?", now_ms=2) is not None
    assert type(error).__name__ in cache.degraded


@ERROR
def test_a_reranker(error):
    index = Index(rerank=raises(error))
    index.add(ITEMS)
    assert [hit.item.id for hit in index.search("refund")] == ["a"]
    assert type(error).__name__ in index.degraded


@pytest.mark.parametrize("scores", [None, [None, None], [math.nan, 1], [math.inf, 1], ["a", "b"]])
def test_scores_that_are_none(scores):
    index = Index(rerank=lambda query, texts: scores)
    index.add(ITEMS)
    assert {hit.item.id for hit in index.search("order")} == {"a", "b"}
    assert index.degraded


@ERROR
def test_an_expansion(error):
    index = Index(expand=raises(error))
    index.add(ITEMS)
    assert [hit.item.id for hit in index.search("refund")] == ["a"]


@ERROR
def test_a_retriever_and_a_memory(error):
    index = Index()
    index.add(ITEMS)
    engine = Engine(C.window(n=2) + C.memory(), "gpt-5", retrievers=[Port(error), index])
    pack = engine.compile(session_of_talk())
    assert "order A17 is late" in pack.body.decode()
    failed = f"retrieval: Port failed ({type(error).__name__}"
    assert any(note.startswith(failed) for note in pack.manifest.notes)
    pack = Engine(C.window(n=2) + C.memory(), "gpt-5", memory=Port(error)).compile(
        session_of_talk()
    )
    assert any(note.startswith(failed) for note in pack.manifest.notes)


@ERROR
def test_an_embedder_of_a_memory(error, tmp_path):
    pytest.importorskip("numpy")
    memory = SQLiteMemory(tmp_path / "memory.db", embedder=Port(error))
    memory.write("The refund of A17 was promised", scope="u")
    engine = Engine(C.window(n=2) + C.memory(), "gpt-5", memory=memory, scope="u")
    assert "was promised" in engine.compile(session_of_talk()).body.decode()


@ERROR
def test_a_clock(error):
    pack = Engine(C.window(n=2), "gpt-5", clock=raises(error)).compile(session_of_talk())
    assert any(note.startswith("the clock failed (") for note in pack.manifest.notes)


def test_a_compile_reads_the_clock_once():
    reads = list[int]()
    engine = Engine(C.window(n=2), "gpt-5", clock=lambda: reads.append(1) or len(reads))
    assert engine.compile(session_of_talk()).manifest.now_ms == len(reads) == 1


@pytest.mark.parametrize("now", ["noon", None, 1.5, True])
def test_a_clock_that_gives_no_time(now):
    pack = Engine(C.window(n=2), "gpt-5", clock=lambda: now).compile(session_of_talk())
    assert any("expected milliseconds" in note for note in pack.manifest.notes)


@ERROR
@pytest.mark.parametrize("port", [Port, NamelessPort])
@pytest.mark.parametrize("scorer", ["llm", "embedding"])
def test_an_embedder_and_a_model(error, port, scorer):
    spec = C.select(role="assistant") | C.relevant(query="refund", top_k=2, scorer=scorer)
    for models in (
        Models(embedder=port(error)),
        Models(port(error)),
        Models(ScriptedLLM("{"), port(error)),
    ):
        pack = Engine(spec, "gpt-5", models=models).compile(session_of_talk())
        assert any(note.startswith("relevance by lexical: ") for note in pack.manifest.notes)


@ERROR
def test_a_runner_of_the_users(error):
    spec = C.window(n=1) + C.summarize(scope="before_window", max_tokens=40)
    pack = Engine(spec, "gpt-5", models=Port(error)).compile(session_of_talk())
    assert any(
        note.startswith("summary by extractive: the models failed") for note in pack.manifest.notes
    )


@ERROR
def test_a_store_of_artifacts(error):
    class Artifacts:
        read_text = put = raises(error)

    spec = C.window(n=2) + C.evidence("artifact://notes.md")
    pack = Engine(spec, "gpt-5", artifacts=Artifacts()).compile(session_of_talk())
    failed = f"artifact://notes.md is not expanded: {type(error).__name__}"
    assert any(note.startswith(failed) for note in pack.manifest.notes)


@ERROR
def test_a_counter(error):
    class Counting:
        id = "mine"
        count = staticmethod(raises(error))

    pack = Engine(C.window(n=2) | C.budget(500), "gpt-5", counter=Counting()).compile(
        session_of_talk()
    )
    assert 0 < pack.tokens <= 500
    assert any(note.startswith("the counter failed (") for note in pack.manifest.notes)


@pytest.mark.parametrize("tokens", [None, -3, 1.5, "7"])
def test_a_counter_that_gives_no_number(tokens):
    class Counting:
        id = "mine"

        def count(self, text):
            return tokens

    pack = Engine(C.window(n=2), "gpt-5", counter=Counting()).compile(session_of_talk())
    assert any(note.startswith("the counter failed (") for note in pack.manifest.notes)
