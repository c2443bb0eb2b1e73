"""A pytest plugin that writes tests/slow_tests.txt: what `make test` leaves to `make test-all`.

PYTHONPATH=scripts pytest -q -n 2 -p slow_tests tests
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

LIST = Path(__file__).parents[1] / "tests" / "slow_tests.txt"
SECONDS, STAYS = 0.5, 3.0
"""From which on a test is slow, and up to which the quickest arguments of one stay: what is left to
others is one in twenty-five, and two thirds of the time."""
KEPT = ("34-calls", "in_four_clicks", "hash_seeds_agree", "demo_shows", "readme", "test_house")
"""Parts of names of what is played at every change, however long it takes."""
_taken: Counter[str] = Counter()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up setup, call and teardown."""
    _taken[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the list, once."""
    if hasattr(session.config, "workerinput"):
        return
    write(_taken)


def write(taken: Mapping[str, float]) -> None:
    """Write the list of the tests that took too long."""
    quickest = dict[str, str]()
    for name in sorted(taken, key=taken.__getitem__, reverse=True):
        quickest[name.partition("[")[0]] = name
    slow = sorted(
        name
        for name, seconds in taken.items()
        if seconds >= (STAYS if quickest[name.partition("[")[0]] == name else SECONDS)
        and not any(part in name for part in KEPT)
    )
    LIST.write_text("\n".join(slow) + "\n")
