"""What happens between the steps of a cycle or an erasure: other calls, and a process that dies."""

import pytest

from contextwright.errors import StoreError
from contextwright.models.answer_cache import RecentAnswers
from contextwright.retention import DataSubject, Lethe, RecordSelector, RetentionPolicy
from contextwright.retention.failpoint import HOOKS
from contextwright.retrieval.index import Index

from .conftest import DAY, NOW

OLD = NOW - 100 * DAY
ADA = DataSubject("u-1815", ("Ada Lovelace",))
MONTH = [RetentionPolicy(max_age_days=30)]


class Died(BaseException):
    """Stands for a process that is killed."""


@pytest.fixture
def at():
    """Do something once, when a step is failpoint."""

    def put(step, act):
        def hook(failpoint):
            if failpoint == step:
                HOOKS.clear()
                act()

        HOOKS.append(hook)

    yield put
    HOOKS.clear()


def die():
    raise Died


def started(stores, at, act, *places, **options):
    """Begin something, and die when the journal has it."""
    lethe = Lethe(stores.journal, *places, **options)
    at("committed", die)
    with pytest.raises(Died):
        act(lethe)
    lethe.close()


def test_an_erasure_is_not_done_until_every_store_that_it_is_about_is_there(stores, at):
    stores.memory.write("Ada Lovelace likes tea")
    stores.session(notes={"_notes_a": ["Ada Lovelace"]})
    started(stores, at, lambda lethe: lethe.erase(ADA), stores.sessions, stores.memory)
    with pytest.raises(StoreError, match="'memory', which was not given"):
        Lethe(stores.journal, stores.sessions)
    # in another order
    Lethe(stores.journal, stores.memory, stores.sessions).close()
    assert stores.memory.listed() == []
    stores.close()
    assert b"Lovelace" not in stores.bytes()


@pytest.mark.parametrize("step", ["erased", "scrubbed sessions"])
def test_a_file_that_is_still_to_be_written_anew_has_to_be_there_too(stores, at, step):
    stores.memory.write("Ada Lovelace likes tea")
    lethe = Lethe(stores.journal, stores.sessions, stores.memory)
    at(step, die)
    with pytest.raises(Died):
        lethe.erase(ADA)
    lethe.close()
    with pytest.raises(StoreError, match="'memory', which was not given"):
        Lethe(stores.journal, stores.sessions)
    assert Lethe(stores.journal, stores.memory, stores.sessions).finish() == 0


def test_a_restore_without_its_stores_is_refused_before_it_begins(stores):
    stores.memory.write("old", id="m", time_ms=OLD)
    Lethe(stores.journal, stores.memory, policies=MONTH).apply_retention_policy(now_ms=NOW)
    other = Lethe(stores.journal, stores.sessions)
    with pytest.raises(StoreError, match="'memory', which was not given"):
        other.restore(1)
    assert other.finish() == 0 and other.cycles()[0].state == "forgotten"


def test_a_hold_that_comes_while_an_erasure_is_under_way_comes_after_it(stores, at):
    stores.memory.write("Likes tea", scope="u-1815")
    one, other = Lethe(stores.journal, stores.memory), Lethe(stores.journal, stores.memory)
    left = []

    def hold():
        other.hold(RecordSelector(scopes=("u-1815",)), "case 12")
        left.extend(stores.memory.listed())

    at("committed", hold)
    one.erase(ADA)
    assert left == [], "what a hold was put on is never erased afterwards"


def test_a_purge_in_the_middle_of_a_restore_loses_nothing(stores, at, monkeypatch):
    stores.memory.write("old", id="m", time_ms=OLD)
    one = Lethe(stores.journal, stores.memory, policies=MONTH)
    other = Lethe(stores.journal, stores.memory)
    one.apply_retention_policy(now_ms=NOW)
    finish, calls = other.finish, []

    def just_before():
        """Nothing was under way when it looked; then the restore began."""
        calls.append(1)
        return finish() if len(calls) > 1 else 0

    monkeypatch.setattr(other, "finish", just_before)
    at("committed", lambda: other.purge(NOW + 1))
    assert one.restore(1).back == (("memory", "m"),)
    assert [each.memory.id for each in stores.memory.listed()] == ["m"]


def test_what_was_pinned_before_a_dead_cycle_is_gone_on_with_stays(stores, at):
    stores.memory.write("old", id="m", time_ms=OLD)
    stores.memory.write("older", id="n", time_ms=OLD)
    started(
        stores, at, lambda lethe: lethe.apply_retention_policy(now_ms=NOW), stores.memory,
        policies=MONTH,
    )  # fmt: skip
    stores.memory.pin(["m"])
    lethe = Lethe(stores.journal, stores.memory)
    assert [each.memory.id for each in stores.memory.listed()] == ["m"]
    assert [line.ids for line in lethe.audit()] == [("n",)], "the audit says what went"


def test_what_is_pinned_between_the_plan_and_its_end_stays(stores, at):
    stores.memory.write("old", id="m", time_ms=OLD)
    lethe = Lethe(stores.journal, stores.memory, policies=MONTH)
    at("committed", lambda: stores.memory.pin(["m"]))
    lethe.apply_retention_policy(now_ms=NOW)
    assert [each.memory.id for each in stores.memory.listed()] == ["m"]


def test_what_was_referred_to_before_a_dead_cycle_is_gone_on_with_stays(stores, at):
    for n in range(2):
        stores.artifact(f"report {n}".encode(), f"reports/{n}.md")
    started(
        stores, at, lambda lethe: lethe.apply_retention_policy(now_ms=NOW),
        stores.sessions, stores.artifacts, policies=MONTH,
    )  # fmt: skip
    stores.session(notes={"seen": "artifact://reports/1.md"})
    lethe = Lethe(stores.journal, stores.sessions, stores.artifacts)
    assert [each.name for each in stores.artifacts.names()] == ["reports/1.md"]
    assert stores.artifacts.get("artifact://reports/1.md") == b"report 1"
    gone = [id for line in lethe.audit() for id in line.ids]
    assert "reports/0.md" in gone and "reports/1.md" not in gone
    assert {id for _, id in lethe.restore(1).back} == set(gone)


def test_a_cache_that_died_with_its_process_is_not_asked_for(stores, at):
    stores.memory.write("Ada Lovelace likes tea")
    in_memory = (stores.cache, RecentAnswers(), Index())
    started(stores, at, lambda lethe: lethe.erase(ADA), stores.memory, *in_memory)
    Lethe(stores.journal, stores.memory).close()
    assert stores.memory.listed() == []
