"""The coordinated cycle of cooling-and-forgetting.md: window, stores, memories, in this order."""

import asyncio

import pytest

from contextwright import SalienceScorer, SlidingWindow
from contextwright.retention import (
    Lethe,
    RecordSelector,
    RetentionPolicy,
    coordinated_forgetting_cycle,
    erasable,
)
from contextwright.stores import MemoryRecord

from .conftest import DAY, NOW


class Scorer:
    """Scores what is said to be dull low."""

    def score(self, content):
        return 0.1 if "dull" in content else 0.9


class Window:
    """A window that pruning empties by a tenth."""

    def __init__(self, pressure, scorer=None):
        self.pressure, self.salience_scorer, self.calls = pressure, scorer, 0

    def prune(self):
        self.calls += 1
        self.pressure -= 0.1
        return ["a", "b"]


def run(*given, **options):
    return asyncio.run(coordinated_forgetting_cycle(*given, **options))


@pytest.fixture
def lethe(stores):
    stores.memory.write("An old one", id="old", time_ms=NOW - 100 * DAY)
    stores.memory.write("A dull one", id="dull", time_ms=NOW)
    stores.memory.write("A bright one", id="bright", time_ms=NOW)
    return Lethe(stores.journal, stores.memory, policies=[RetentionPolicy(max_age_days=30)])


def test_above_the_threshold_all_three_forget_and_every_action_is_listed(stores, lethe):
    done = run(Window(0.9, Scorer()), lethe, stores.memory, now_ms=NOW)
    assert (done.initial_pressure, done.final_pressure) == (0.9, pytest.approx(0.8))
    assert done.actions == (
        ("window_prune", 2),
        ("lethe_cycle", 1),
        ("lethe_forget", ("memory", "old")),
        ("memory_deactivate", "dull"),
    )
    assert [each.id for each in stores.memory.list_active()] == ["bright"]
    assert lethe.audit()[-1].what == "deactivated" and lethe.audit()[-1].ids == ("dull",)


@pytest.mark.parametrize("pressure", [0.1, 0.8])
def test_at_or_below_the_threshold_nothing_happens(stores, lethe, pressure):
    window = Window(pressure, Scorer())
    assert run(window, lethe, stores.memory, now_ms=NOW).actions == ()
    assert window.calls == 0 and len(stores.memory.list_active()) == 3 and lethe.audit() == []


def test_what_is_protected_does_not_sleep(stores, lethe):
    stores.memory.pin(["dull"])
    stores.memory.write(MemoryRecord(text="dull and critical", id="t1", tier=1, time_ms=NOW))
    stores.memory.write("dull and held", id="h", scope="u1", time_ms=NOW)
    lethe.hold(RecordSelector(scopes=("u1",)), "case 12")
    done = run(Window(1.0, Scorer()), lethe, stores.memory, now_ms=NOW)
    assert "memory_deactivate" not in dict(done.actions)


def test_without_a_scorer_no_memory_sleeps(stores, lethe):
    done = run(Window(0.9), lethe, stores.memory, now_ms=NOW)
    assert [name for name, _ in done.actions] == ["window_prune", "lethe_cycle", "lethe_forget"]


def test_a_second_cycle_finds_nothing_more_to_forget(stores, lethe):
    run(Window(0.9, Scorer()), lethe, stores.memory, now_ms=NOW)
    again = run(Window(0.9, Scorer()), lethe, stores.memory, now_ms=NOW)
    assert again.actions == (("window_prune", 2), ("lethe_cycle", 0))


def test_what_has_to_be_awaited_is_awaited():
    class There:
        id = "m1"

        def __str__(self):
            return "dull"

    class Elsewhere:
        async def apply_retention_policy(self):
            return None

        async def list_active(self):
            return [There()]

        async def deactivate(self, id):
            self.asleep = id

    other = Elsewhere()
    done = run(sliding_window=Window(0.9, Scorer()), lethe=other, m_gent=other, threshold=0.8)
    assert done.actions == (
        ("window_prune", 2), ("lethe_cycle", True), ("memory_deactivate", "m1")
    )  # fmt: skip
    assert other.asleep == "m1"


def test_the_real_window_scorer_and_memory_forget_together(stores):
    window = SlidingWindow(window_size=200, sink_size=4, recent_size=50)
    window.add(f"step {n} of the run produced nothing of note" for n in range(60))
    stores.memory.write("old", id="old", time_ms=NOW - 100 * DAY)
    stores.memory.write("---", id="rule", time_ms=NOW)
    stores.memory.write("--- pinned", id="pinned", time_ms=NOW)
    stores.memory.pin(["pinned"])
    stores.memory.write("# You asked: pay INV-77 to Acme", id="bright", time_ms=NOW)
    first = window.attention_sinks
    with_policy = Lethe(stores.journal, stores.memory, policies=[RetentionPolicy(max_age_days=30)])
    done = run(window, with_policy, stores.memory, now_ms=NOW)
    assert done.initial_pressure > 0.8 and done.final_pressure == window.pressure
    assert done.final_pressure < done.initial_pressure and window.attention_sinks == first
    pruned, *rest = done.actions
    assert pruned[0] == "window_prune" and pruned[1] > 0
    assert rest == [
        ("lethe_cycle", 1),
        ("lethe_forget", ("memory", "old")),
        ("memory_deactivate", "rule"),
    ]
    assert stores.memory.search("invoice INV-77 Acme") and not stores.memory.search("old")
    with_policy.restore(1)
    assert stores.memory.search("old")


def test_a_policy_of_salience_follows_the_real_scorer(stores):
    scorer = SalienceScorer(known_entities=["Acme"])
    stores.memory.write("---", id="rule", time_ms=NOW)
    stores.memory.write("Acme pays", id="acme", time_ms=NOW)
    policy = RetentionPolicy(min_salience=0.3)
    lethe = Lethe(stores.journal, stores.memory, policies=[policy], salience=scorer)
    done = lethe.apply_retention_policy(now_ms=NOW)
    assert [(each.id, each.why) for each in done.actions] == [("rule", "salience below 0.3")]
    assert lethe.apply_retention_policy(now_ms=NOW).cycle == 0


def test_a_hold_on_memories_of_another_name_keeps_them_awake(stores):
    team = Lethe(stores.journal, erasable(stores.memory, name="team memory"))
    stores.memory.write("A dull one", id="dull", time_ms=NOW)
    stores.memory.write("Another dull one", id="other", time_ms=NOW)
    team.hold(RecordSelector(stores=("team memory",), ids="dull"), "case 12")
    done = run(Window(0.9, Scorer()), team, stores.memory, now_ms=NOW)
    assert done.actions[-1] == ("memory_deactivate", "other")
    assert team.audit()[-1].store == "team memory"
