"""What is asked of a Lethe by mistake is refused before anything is done."""

import pytest

import contextwright
from contextwright.errors import StoreError
from contextwright.retention import DataSubject, Lethe, RecordSelector, RetentionPolicy

from .conftest import NOW


def test_one_text_is_one_name_and_not_its_letters(stores):
    assert RecordSelector(scopes="u-1815", stores="memory") == RecordSelector(
        scopes=("u-1815",), stores=("memory",)
    )
    assert DataSubject("u-1815", names="Ada Lovelace") == DataSubject(
        "u-1815", names=("Ada Lovelace",)
    )
    stores.session("s1")
    stores.session("1")
    report = Lethe(stores.journal, stores.sessions).erase(DataSubject("u-1815"), sessions="s1")
    assert report.stores["sessions"].removed == 1
    assert list(stores.sessions.ids()) == ["1"]


def test_a_hold_on_one_scope_does_not_hold_another_whose_name_is_in_it(stores):
    stores.memory.write("old", id="m", scope="u-1", time_ms=1)
    lethe = Lethe(stores.journal, stores.memory, policies=[RetentionPolicy(max_age_days=30)])
    lethe.hold(RecordSelector(scopes="u-1815"), "case 12")
    assert len(lethe.apply_retention_policy(now_ms=NOW).actions) == 1


def test_a_line_of_the_audit_reads_as_one(stores):
    lethe = Lethe(stores.journal, stores.memory)
    lethe.hold(RecordSelector(scopes="u-1815"), "case 12", now_ms=0, who="legal")
    assert [str(line) for line in lethe.audit()] == [
        "1  1970-01-01 00:00:00+00:00  held  by legal: hold 1: case 12"
    ]


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda s, lethe: lethe.hold("u-1815", "case 12"), "RecordSelector"),
        (
            lambda s, lethe: lethe.hold(contextwright.Target, "case 12"),
            r"contextwright\.retention\.RecordSelector",
        ),
        (lambda s, lethe: lethe.hold(RecordSelector(stores=("memories",)), "case 12"), "memory"),
        (lambda s, lethe: lethe.hold(RecordSelector(), 5), "reason"),
        (lambda s, lethe: lethe.purge("today"), "milliseconds"),
        (lambda s, lethe: lethe.apply_retention_policy(now_ms="today"), "milliseconds"),
        (lambda s, lethe: lethe.erase("u-1815"), "DataSubject"),
        (lambda s, lethe: Lethe(s.sessions, s.memory), "Lethe\\('lethe.db'"),
        (
            lambda s, lethe: Lethe(
                s.folder / "other.db",
                s.memory,
                policies=[RetentionPolicy(over=RecordSelector(stores=("notes",)), max_age_days=1)],
            ),
            "stores here are: memory",
        ),
        (
            lambda s, lethe: Lethe(
                s.folder / "other.db",
                s.memory,
                policies=[RetentionPolicy(over="memory", max_age_days=1)],
            ),
            "RecordSelector",
        ),
    ],
)
def test_what_would_mean_nothing_is_refused_and_nothing_is_done(stores, ask, says):
    lethe = Lethe(stores.journal, stores.memory)
    with pytest.raises(StoreError) as caught:
        ask(stores, lethe)
    assert caught.match(says)
    assert lethe.holds() == [] and lethe.audit() == []


def test_one_policy_is_one(stores):
    lethe = Lethe(stores.journal, stores.memory, policies=RetentionPolicy(max_age_days=30))
    assert lethe.policies == (RetentionPolicy(max_age_days=30),)
