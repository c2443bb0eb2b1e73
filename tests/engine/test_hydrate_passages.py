"""Retrievers fill the state key of `C.within` before the turn."""

from contextwright import C, Engine, Session
from contextwright.compiler.replay_pack import replay
from contextwright.retrieval.index import Index
from contextwright.retrieval.item import Hit, Item

SPEC = C.within(300) + C.default()


def talk():
    index = Index()
    index.add(
        Item(str(n), f"{who}: {said}", "turn", who, "t")
        for n, (who, said) in enumerate(
            [("Ann", "Where did you see the heron?"), ("Bob", "By the old mill."),
             *(("Ann", f"We talked about cars, {n}.") for n in range(60))]
        )
    )  # fmt: skip
    return index


def session_of(*said):
    session = Session()
    for text in said:
        session.user(text)
        session.assistant("So it is.")
    session.user("Where was the heron?")
    return session


def test_a_question_brings_its_answer():
    pack = Engine(SPEC, "gpt-5", retrievers=[talk()]).compile(session_of())
    body = pack.body.decode()
    assert body.index("see the heron") < body.index("By the old mill")


def test_what_was_found_before_goes_and_the_applications_own_stays():
    session = session_of()
    session.revise(lambda state: {"passages": [{"id": "x", "text": "The mill is closed."}]})
    engine = Engine(SPEC, "gpt-5", retrievers=[talk()])
    first = engine.compile(session).body.decode()
    assert "The mill is closed." in first
    session.assistant("By the mill.")
    session.user("And xylophones?")
    second = engine.compile(session).body.decode()
    assert "The mill is closed." in second
    assert len(session.state["passages"]) <= 62


class Wire:
    """A retriever that can only be asked."""

    degraded = ""

    def __init__(self, *texts):
        self.texts = texts

    def add(self, items):
        pass

    def remove(self, ids):
        pass

    def search(self, query, k=10, *, kinds=()):
        return [Hit(Item(t, t), 1_000_000 // (n + 1)) for n, t in enumerate(self.texts)]


class Broken(Wire):
    def search(self, query, k=10, *, kinds=()):
        raise OSError("no route")


def test_several_retrievers_take_turns_and_one_that_fails_ends_nothing():
    best, other = Wire("a " * 60 + "1", "a " * 60 + "2"), Wire("b " * 60 + "1", "b " * 60 + "2")
    engine = Engine(C.within(170) + C.default(), "gpt-5", retrievers=[best, Broken(), other])
    pack = engine.compile(session_of())
    assert b"a 1" in pack.body
    assert b"b 1" in pack.body
    assert b"a 2" not in pack.body
    assert any("Broken failed (OSError" in note for note in pack.manifest.notes)


def test_a_spec_without_the_word_searches_nothing():
    session = session_of()
    Engine(C.default(), "gpt-5", retrievers=[Broken()]).compile(session)
    assert "passages" not in session.state


def test_it_is_made_again_without_the_retrievers():
    session = session_of("What is a heron?")
    pack = Engine(SPEC, "gpt-5", retrievers=[talk()]).compile(session)
    assert replay(pack.manifest, session).body == pack.body
