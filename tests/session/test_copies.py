"""Sessions, snapshots and packs as other processes and copies have them."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from contextwright import C, compile
from contextwright.session.session import Session

SPEC = C.compaction(2000)


def pickled(value):
    return pickle.loads(pickle.dumps(value))


WAYS = pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled])


class Named(Session):
    """A session of an application's, with a field of its own."""

    label: object = None


def example(kind=Session):
    session = kind("one", state={"user:name": "Ann"}, metadata={"team": {"of": ["blue"]}})
    for turn in range(40):
        session.user(f"question {turn}")
        session.call("read", {"n": turn}, id=f"c{turn}")
        session.result(f"c{turn}", f"page {turn} " * 60, error=turn == 20)
        session.update({"turn": turn})
        session.assistant(f"answer {turn}")
    session.call("write", {}, id="open")
    session.rewind(turn=35)
    session.call("write", {}, id="open again")
    return session


@WAYS
def test_a_copy_compiles_to_the_same_bytes(again):
    session = example()
    pack, other = (
        compile(session, SPEC, model="gpt-5"),
        compile(again(session), SPEC, model="gpt-5"),
    )
    assert other.body == pack.body and other.manifest == pack.manifest
    assert again(session).snapshot().state == session.state
    assert [one.log[:] for one in again(session).lineages] == [
        one.log[:] for one in session.lineages
    ]


@WAYS
def test_neither_sees_what_is_said_to_the_other(again):
    session = example()
    other = again(session)
    before, changes = len(session), len(session.changes)
    other.user("only there")
    other.update({"turn": -1})
    other.metadata["own"] = True
    assert (len(session), len(session.changes)) == (before, changes)
    assert session.state["turn"] == 34 and "own" not in session.metadata
    assert other.state["turn"] == -1 and other.log[before].id == f"e{before}"
    assert other.snapshot_at(before, changes).state == session.state


@pytest.mark.parametrize("again", [copy.deepcopy, pickled])
def test_what_stands_deep_in_metadata_is_the_copys_own(again):
    session = example(Named)
    session.label = ["mine"]
    other = again(session)
    other.metadata["team"]["of"].append("red")
    other.label.append("theirs")
    assert session.metadata["team"] == {"of": ["blue"]} and session.label == ["mine"]
    assert type(other) is Named


@WAYS
def test_a_snapshot_stays_at_its_position(again):
    session = example()
    snapshot = session.snapshot()
    pack = compile(snapshot, SPEC, model="gpt-5")
    session.user("later")
    assert compile(again(snapshot), SPEC, model="gpt-5").body == pack.body


@WAYS
def test_a_pack_is_a_value(again):
    pack = compile(example(), SPEC, model="gpt-5")
    assert again(pack) == pack and again(pack.manifest) == pack.manifest
    assert again(pack).request == pack.request


def test_a_state_of_many_changes_is_pickled():
    session = Session("many")
    for number in range(5000):
        session.update({f"key{number % 9}": number})
    assert pickled(session).state == session.state
    assert pickled(session.state).version == 5000
    assert copy.deepcopy(session.state) == session.state


def body_of(session):
    return compile(session, SPEC, model="gpt-5").body


def test_a_pool_of_processes_takes_sessions():
    sessions = [example(), example()]
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert list(pool.map(body_of, sessions)) == list(map(body_of, sessions))
