"""What every place owes: whole records, removing and putting back as often as one likes."""

import pytest

from contextwright.models.answer_cache import RecentAnswers
from contextwright.retention import DataSubject, erasable
from contextwright.retention.subject_matcher import SubjectMatcher
from contextwright.retrieval.item import Item
from contextwright.retrieval.semantic_cache import SemanticCache
from contextwright.spec.task import Answer

from .conftest import NOW

NAMES = ("sessions", "memory", "answers", "recent", "cache", "artifacts", "index")
MATCHER = SubjectMatcher(DataSubject("u-1815", ("Ada Lovelace",)))
TEXTS = ["Ada Lovelace likes tea", "Bob likes coffee", "Nobody likes chalk"]


@pytest.fixture(params=NAMES)
def place(request, stores):
    store = getattr(stores, request.param, None)
    if request.param == "sessions":
        stores.session(notes={
            "_notes_a": [TEXTS[0], {"text": TEXTS[1]}, TEXTS[0]], "_facts_b/c": {"x": TEXTS[2], "y": 1},
            "_notes_one": "a text", "working_memory": ["j", {"text": "k"}]})  # fmt: skip
    elif request.param in ("answers", "recent"):
        store = store or RecentAnswers()
        for n, text in enumerate(TEXTS):
            store.put(f"k{n}", Answer(fingerprint="f", kind="summary", value=text, model="m"))
    elif request.param == "cache":
        store = SemanticCache()
        for n, text in enumerate(TEXTS):
            store.put(f"{text}, number {n}?", "yes", now_ms=NOW)
    elif request.param == "artifacts":
        for n, text in enumerate(TEXTS):
            stores.artifact(text.encode(), f"reports/{n}.md")
            stores.artifact(text.encode(), f"copies/{n}.md")
    elif request.param == "index":
        stores.index.add(Item(f"i{n}", text, thread="t") for n, text in enumerate(TEXTS))
    else:
        for text in TEXTS:
            stores.memory.write(text)
    return erasable(store)


def shown(place):
    """The rows, less the times at which files were written."""
    return {(row.id, row.text, row.kind, row.scope, row.part_of) for row in place.records()}


def test_what_is_taken_out_and_put_back_is_as_it_was(place):
    before, order = shown(place), [row.id for row in place.records()]
    ids = [row.id for row in place.records() if not row.container]
    records = place.export([*ids, "nobody"])
    assert {record.id for record in records} == set(ids) and shown(place) == before
    for _ in range(2):
        place.remove(records)
        assert {row.id for row in place.records()} == {
            row.id for row in place.records() if row.container
        }
    for _ in range(2):
        assert sorted(place.restore(records)) == sorted(ids)
        assert shown(place) == before
    if place.traits.name != "sessions":
        assert [row.id for row in place.records()] == order
    place.scrub()
    assert shown(place) == before


def test_what_was_changed_since_it_was_taken_stays(place, stores):
    first = next(row for row in place.records() if not row.container and not row.refcounted)
    taken = place.export([first.id])
    if place.traits.name == "artifacts":
        stores.artifacts.put(b"another", name=first.id)
    elif place.traits.name == "index":
        stores.index.add([Item(first.id, "another")])
    elif place.traits.name == "answers":
        stores.answers.put(
            first.id, Answer(fingerprint="f", kind="summary", value="new", model="m")
        )
    elif place.traits.name == "memory":
        stores.memory.forget([first.id])
        stores.memory.write("another", id=first.id)
    else:
        return  # a note's and a question's id are of their content
    place.remove(taken)
    assert first.id in {row.id for row in place.records()}
    assert place.restore(taken) == []


def test_an_erasure_touches_what_it_said_and_nothing_twice(place):
    said = {row.id for row in place.affected(MATCHER)}
    before = {row.id for row in place.records()}
    assert said
    first, second = place.erase(MATCHER), place.erase(MATCHER)
    assert first.removed + first.rewritten > 0 and (second.removed, second.rewritten) == (0, 0)
    assert place.affected(MATCHER) == []
    assert before - {row.id for row in place.records()} <= said
    assert not any(MATCHER.names(row.text) or MATCHER.names(row.id) for row in place.records())
