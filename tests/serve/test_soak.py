"""`benchmarks.proxy_soak`, quickly: a proxy of its own process with faults of every kind, killed once."""

import sys

import pytest
from benchmarks.proxy_soak import soaked


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is POSIX's")
def test_no_answer_is_lost_and_no_conversation_mixed():
    found = soaked(calls=60, at_once=20, kills=1)
    assert sum(found.calls.values()) == 60 and found.kills == 1
    assert found.lost == [] and found.mixed == []
    assert found.left_open == 0
