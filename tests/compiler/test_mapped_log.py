"""What words make of the log is made as far back as it takes to tell, and hardly further."""

from types import SimpleNamespace

import pytest

from contextwright.compiler import mapped_log
from contextwright.compiler.mapped_log import PAGE, MappedPrefix


class Log:
    """One to which no result came late."""

    def late_joins(self, since: int = 0) -> tuple[int, ...]:
        return ()


@pytest.fixture
def made(monkeypatch) -> list[int]:
    """Places of the exchanges that were made."""
    places: list[int] = []

    def noted(exchanges, inputs, source):
        places.extend(exchanges)
        return exchanges

    monkeypatch.setattr(mapped_log, "mapped", noted)
    return places


@pytest.mark.parametrize("needed", [1, 63, 65, 129, 260, 700, 1_500])
def test_a_look_back_makes_hardly_more_than_it_takes(needed, made):
    snapshot = SimpleNamespace(
        log=Log(), preamble=0, exchanges=lambda *span: list(range(*span)), first_within=None
    )
    protection = SimpleNamespace(exchanges=frozenset())
    inputs = SimpleNamespace(
        snapshot=snapshot, protection=protection, mapping=(), settled=2_000, cost=lambda _: 10
    )
    assert MappedPrefix("log").exceeds(10 * needed - 1, 2_000, inputs) == 2_000 - needed
    assert needed <= len(made) == len({*made}) <= max(needed + PAGE, 1.25 * needed + 1)
