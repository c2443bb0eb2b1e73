"""What is a person's and does not say so: copies of memories, pieces of sessions, their files."""

import contextlib
import shutil

import pytest

from contextwright.errors import StoreError
from contextwright.retention import DataSubject, Lethe, RecordSelector, RetentionPolicy
from contextwright.retention.failpoint import HOOKS
from contextwright.retrieval.item import Item

from .conftest import DAY, NOW, Stores

ADA = DataSubject("u-1815", ("Ada Lovelace",))


@pytest.fixture
def copies(stores):
    one = stores.memory.write("Likes tea", scope="u-1815", time_ms=NOW - 100 * DAY)
    two = stores.memory.write("Likes coffee", scope="bob", time_ms=NOW)
    stores.index.add([Item(each.id, each.text, kind="memory") for each in (one, two)])
    stores.session("shared", {"knowledge": [{"id": e.id, "text": e.text} for e in (one, two)]})
    return stores


def test_copies_of_a_memory_that_was_forgotten_go_with_it(copies):
    policy = RetentionPolicy(over=RecordSelector(stores=("memory",)), max_age_days=30)
    lethe = Lethe(copies.journal, *copies.all, policies=[policy])
    assert lethe.apply_retention_policy(now_ms=NOW).cycle
    lethe.erase(ADA)
    assert [item.text for item in copies.index.items()] == ["Likes coffee"]
    assert [e["text"] for e in copies.sessions.load("shared").state["knowledge"]] == [
        "Likes coffee"
    ]


def test_a_copy_that_was_forgotten_goes_with_its_memory(copies):
    policy = RetentionPolicy(over=RecordSelector(stores=("index",)), max_items=0)
    lethe = Lethe(copies.journal, *copies.all, policies=[policy])
    cycle = lethe.apply_retention_policy(now_ms=NOW).cycle
    lethe.erase(ADA)
    assert len(lethe.restore(cycle).back) == 1
    assert [item.text for item in copies.index.items()] == ["Likes coffee"]


@pytest.mark.parametrize("place", ["index", "sessions"])
def test_a_hold_on_a_copy_of_a_memory_refuses_the_erasure(copies, place):
    lethe = Lethe(copies.journal, *copies.all)
    lethe.hold(RecordSelector(stores=(place,)), "case 12")
    with pytest.raises(StoreError, match="case 12"):
        lethe.erase(ADA)
    assert len(copies.index.items()) == 2


def test_pieces_and_files_of_a_persons_sessions_go_with_them(stores):
    stores.session("own", metadata={"user_id": "u-1815"})
    stores.session("a b", metadata={"user_id": "u-1815"})
    stores.session("bobs", metadata={"user_id": "bob"})
    stores.session("a-b", metadata={"user_id": "bob"})
    stores.index.add([Item("i1", "Has a cold", thread="own"), Item("i2", "Is well", thread="bobs")])
    for name in ("own", "bobs", "a-b", "owner"):
        stores.artifact(f"a result of {name}".encode(), f"sessions/{name}/mail-e1-0.txt")
    Lethe(stores.journal, *stores.all).erase(ADA)
    assert stores.sessions.ids() == ["bobs", "a-b"]
    assert [item.id for item in stores.index.items()] == ["i2"]
    assert [each.name.split("/")[1] for each in stores.artifacts.names()] == [
        "a-b", "bobs", "owner"
    ]  # fmt: skip
    assert len(stores.artifacts.blobs()) == 3


def test_files_of_a_persons_sessions_are_erased_from_the_journal_too(stores):
    stores.session("own", metadata={"user_id": "u-1815"})
    stores.artifact(b"has a cold", "sessions/own/mail-e1-0.txt")
    policy = RetentionPolicy(over=RecordSelector(stores=("artifacts",)), max_age_days=30)
    lethe = Lethe(stores.journal, *stores.all, policies=[policy])
    assert len(lethe.apply_retention_policy(now_ms=NOW).actions) == 2
    lethe.erase(ADA)
    lethe.close()
    stores.close()
    assert b"has a cold" not in stores.bytes()


class Died(BaseException):
    """Stands for a process that is killed."""


def seen(stores):
    return (
        stores.sessions.ids(),
        [dict(stores.sessions.load(id).state) for id in stores.sessions.ids()],
        [each.name for each in stores.artifacts.names()],
        [each.key for each in stores.artifacts.blobs()],
        [each.memory.id for each in stores.memory.listed()],
        [item.id for item in stores.index.items()],
    )


def test_an_erasure_that_dies_at_any_step_ends_the_same_with_its_stores_in_any_order(tmp_path):
    start = tmp_path / "start"
    start.mkdir()
    stores = Stores(start)
    one = stores.memory.write("Likes tea", scope="u-1815")
    stores.index.add([Item(one.id, one.text, kind="memory"), Item("i", "x", thread="own")])
    stores.session("own", metadata={"user_id": "u-1815"})
    for id in ("Lovelace-1", "lovelace-1", "k"):
        stores.session(id, {"knowledge": [{"id": one.id, "text": one.text}]})
    stores.artifact(b"one result", "sessions/own/a.txt")
    stores.artifact(b"one result", "team/a.txt")
    stores.artifact(b"another one", "sessions/own/b.txt")
    stores.close()
    found = []
    for die_at in range(1, 32):
        folder = tmp_path / f"at{die_at}"
        shutil.copytree(start, folder)
        found.append(erased_after_dying(folder, die_at))
    assert found[0] != found[-1] and "team/a.txt" in found[-1][2]
    assert all(state == found[-1] for state in found[1:])


def erased_after_dying(folder, die_at):
    """What is seen after dying at a step and opening again; dying at none where there are less."""
    stores, steps = Stores(folder), []

    def hook(step):
        steps.append(step)
        if len(steps) == die_at:
            raise Died

    lethe = Lethe(stores.journal, *stores.all)
    HOOKS.append(hook)
    try:
        with contextlib.suppress(Died):
            lethe.erase(DataSubject("u-1815", ("Lovelace",)))
    finally:
        HOOKS.clear()
    lethe.close()
    stores.again()
    Lethe(stores.journal, *reversed(stores.all)).close()
    state = seen(stores)
    stores.close()
    return state
