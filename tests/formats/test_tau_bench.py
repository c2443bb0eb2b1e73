"""tau-bench results: a session each, with what was measured beside."""

import pytest
from tests.formats.rounds import assert_comes_back, document, rows

from contextwright.errors import MalformedRecord, SessionError
from contextwright.formats import tau_bench
from contextwright.session import Session


def results():
    return [
        {
            "task_id": row["task_id"],
            "reward": row["reward"],
            "info": {"task": {"user_id": "u"}},
            "traj": row["messages"],
            "trial": row["trial"],
        }
        for row in rows("tau_bench_airline")
    ]


def test_every_real_result_is_a_session_and_comes_back():
    found = results()
    assert tau_bench.sniff(document(found))
    sessions = tau_bench.read_all(document(found))
    assert [len(s) for s in sessions] == [len(result["traj"]) for result in found]
    assert len({s.id for s in sessions}) == len(found) == 100
    assert [tau_bench.write(s)[0] for s in sessions] == found


def test_one_result_is_read_alone_or_in_a_list():
    one = results()[0]
    assert assert_comes_back(tau_bench, [one]).id == "task-0-trial-0"
    assert tau_bench.read(document(one)).metadata["tau-bench"]["reward"] == 0.0


def test_several_results_are_refused_where_one_is_wanted():
    one = {"task_id": 1, "traj": []}
    with pytest.raises(SessionError, match="2 results") as caught:
        tau_bench.read(document([one, one]))
    assert "read_all" in (caught.value.fix or "")


def test_a_session_of_another_origin_can_not_become_a_result():
    with pytest.raises(SessionError, match="read-only"):
        tau_bench.write(Session())


def test_a_broken_result_is_named():
    with pytest.raises(MalformedRecord) as caught:
        tau_bench.read_all(document([{"task_id": 1, "traj": []}, {"task_id": 2, "traj": 3}]))
    assert caught.value.where == "file line 1, result 1, field traj"
