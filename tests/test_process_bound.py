"""What belongs to its process is neither copied nor pickled, and says what is made instead."""

import copy
import pickle

import pytest

from contextwright import (
    C,
    Context,
    Conversation,
    Conversations,
    Engine,
    SlidingWindow,
    SQLiteMemory,
    SQLiteSessions,
    TaskBoard,
)
from contextwright.errors import CopyError
from contextwright.models import Models
from contextwright.retrieval.index import Index

BOUND = {
    "engine": (lambda _: Engine(model="gpt-5"), "a Session, a spec, a Target"),
    "context": (lambda _: Context(model="gpt-5"), "messages"),
    "conversation": (lambda _: Conversation(), "session"),
    "conversations": (lambda _: Conversations(), "store="),
    "models": (lambda _: Models(), "each worker"),
    "window": (lambda _: SlidingWindow(window_size=400), "recent=window.recent"),
    "index": (lambda folder: Index(path=folder / "i.db"), "same path"),
    "sessions": (lambda folder: SQLiteSessions(folder / "s.db"), "same path"),
    "memory": (lambda folder: SQLiteMemory(folder / "m.db"), "same path"),
    "board": (lambda folder: TaskBoard(folder / "b.db"), "same path"),
}


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickle.dumps])
@pytest.mark.parametrize("name", BOUND)
def test_it_says_what_is_made_in_another_process(name, again, tmp_path):
    make, says = BOUND[name]
    with pytest.raises(CopyError) as caught:
        again(make(tmp_path))
    assert isinstance(caught.value, TypeError)  # as those expect it who try to copy anything
    assert type(make(tmp_path)).__name__ in caught.value.what and says in str(caught.value)


def test_an_engine_and_a_context_say_which_they_are():
    spec = C.compaction(max_tokens=8000)
    assert repr(Engine(spec, "gpt-5")) == "<Engine C.compaction(max_tokens=8000), 'gpt-5'>"
    assert repr(Context(spec, "gpt-5")) == "<Context C.compaction(max_tokens=8000), 'gpt-5'>"
    assert repr(Conversations()).startswith("<contextwright.engine.conversations.Conversations ")
