"""What is live is nothing for the garbage collector to walk: its pauses do not grow with sessions."""

import gc

import pytest

from contextwright import C, Session, compile
from contextwright.testing import target_for

TARGET = target_for("openai-chat")


def talk(turns):
    session = Session()
    for n in range(turns):
        session.user(f"question {n}")
        session.call("look", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"row {n}")
        session.assistant(f"answer {n}")
    return session


def walked():
    """How many objects the collector walks that hold others: from 3.14 on it walks every dict."""
    return sum(type(o) is not dict or any(map(gc.is_tracked, o.values())) for o in gc.get_objects())


def tracked(turns):
    """Objects that the collector walks for a session of so many turns and its compile."""
    gc.collect()
    before = walked()
    session = talk(turns)
    pack = compile(session, C.default() | C.budget(max_tokens=2_000), target=TARGET)
    gc.collect()
    assert pack.body
    return walked() - before, session


@pytest.mark.slow
def test_a_collection_walks_no_events_and_no_blocks():
    tracked(3)  # what is imported on first use
    few, _session = tracked(50)
    many, _session = tracked(500)
    # 1,800 events more, in as many parts, blocks and messages; lists and tables grow in place
    assert many - few < 450


def test_parts_events_exchanges_and_blocks_are_not_tracked():
    session = talk(2)
    exchange = session.snapshot().exchanges()[1]
    for value in (session.log[1], session.log[1].parts[0], session.log[2].parts[0], exchange):
        assert not gc.is_tracked(value)
