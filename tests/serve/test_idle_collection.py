"""Whole collections are made between calls, where the process is the proxy's own."""

import asyncio
import gc
import weakref

import pytest

from contextwright.serve import idle_collection
from contextwright.serve.idle_collection import (
    PauseCollection,
    collect_between_calls,
    collect_if_idle,
)


@pytest.fixture
def own_process(monkeypatch):
    """Thresholds as they were, and a garbage that is quickly looked through."""
    before = gc.get_threshold()
    monkeypatch.setattr(idle_collection.gc, "freeze", lambda: None)
    collect_between_calls()
    yield
    gc.set_threshold(*before)


class Node:
    pass


def garbage():
    node = Node()
    node.own = node
    return weakref.ref(node)


def test_a_library_does_not_collect_for_its_program():
    before = gc.get_threshold()
    assert not collect_if_idle(0) and gc.get_threshold() == before


def test_a_collection_waits_until_no_call_is_open(own_process, monkeypatch):
    left = garbage()
    assert gc.get_threshold()[2] > 1000 and not collect_if_idle(0)  # none is due
    monkeypatch.setattr(idle_collection.gc, "get_count", lambda: (0, 0, 10))
    assert not collect_if_idle(1) and left() is not None
    assert collect_if_idle(0) and left() is None


def test_it_is_made_at_last_where_calls_never_end(own_process, monkeypatch):
    monkeypatch.setattr(idle_collection.gc, "get_count", lambda: (0, 0, 200))
    assert collect_if_idle(9)


def test_what_was_looked_at_is_set_aside_until_there_is_twice_as_much(own_process, monkeypatch):
    set_aside, looked_at = [100], []
    monkeypatch.setattr(idle_collection.gc, "get_freeze_count", lambda: set_aside[0])
    monkeypatch.setattr(idle_collection.gc, "unfreeze", lambda: looked_at.append(set_aside[0]))
    monkeypatch.setattr(idle_collection.gc, "get_count", lambda: (0, 0, 10))
    monkeypatch.setattr(idle_collection._set_aside, "settled", 100)
    for count in (110, 199, 200, 300, 399, 400):
        set_aside[0] = count
        left = garbage()
        assert collect_if_idle(0) and left() is None
    assert looked_at == [200, 400]


def test_a_call_that_follows_at_once_waits_for_none(own_process, monkeypatch):
    """Only a pause is one: an agent whose tool is quick asks again within milliseconds."""
    made = []
    monkeypatch.setattr(idle_collection, "PAUSE_S", 0.05)
    monkeypatch.setattr(idle_collection, "collect_if_idle", lambda calls: made.append(calls))

    async def calls():
        collection = PauseCollection(lambda: 0)
        for _ in range(3):
            collection.after_call()
        assert made == [1, 1, 1]  # as if one were open: only what is due at last
        await asyncio.sleep(0.3)
        assert made == [1, 1, 1, 0]  # one pause
        collection.after_call()
        collection.close()
        await asyncio.sleep(0.1)
        assert made == [1, 1, 1, 0, 1]

    asyncio.run(calls())
