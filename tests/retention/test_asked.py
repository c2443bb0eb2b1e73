"""What is asked of a Lethe by mistake is refused before anything is done."""

import pytest

import contextwright
from contextwright.errors import StoreError
from contextwright.retention import Lethe, Person, Retention, Target

from .conftest import NOW


def test_one_text_is_one_name_and_not_its_letters(stores):
    assert Target(scopes="u-1815", places="memory") == Target(
        scopes=("u-1815",), places=("memory",)
    )
    assert Person("u-1815", names="Ada Lovelace") == Person("u-1815", names=("Ada Lovelace",))
    stores.session("s1")
    stores.session("1")
    report = Lethe(stores.journal, stores.sessions).erase(Person("u-1815"), sessions="s1")
    assert report.places["sessions"].removed == 1
    assert list(stores.sessions.ids()) == ["1"]


def test_a_hold_on_one_scope_does_not_hold_another_whose_name_is_in_it(stores):
    stores.memory.write("old", id="m", scope="u-1", time_ms=1)
    lethe = Lethe(stores.journal, stores.memory, policies=[Retention(max_age_days=30)])
    lethe.hold(Target(scopes="u-1815"), "case 12")
    assert len(lethe.apply_retention_policy(now_ms=NOW).actions) == 1


def test_a_line_of_the_audit_reads_as_one(stores):
    lethe = Lethe(stores.journal, stores.memory)
    lethe.hold(Target(scopes="u-1815"), "case 12", now_ms=0, who="legal")
    assert [str(line) for line in lethe.audit()] == [
        "1  1970-01-01 00:00:00+00:00  held  by legal: hold 1: case 12"
    ]


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        (lambda s, lethe: lethe.hold("u-1815", "case 12"), "Target"),
        (
            lambda s, lethe: lethe.hold(contextwright.Target, "case 12"),
            r"contextwright\.retention\.Target",
        ),
        (lambda s, lethe: lethe.hold(Target(places=("memories",)), "case 12"), "memory"),
        (lambda s, lethe: lethe.hold(Target(), 5), "reason"),
        (lambda s, lethe: lethe.purge("today"), "milliseconds"),
        (lambda s, lethe: lethe.apply_retention_policy(now_ms="today"), "milliseconds"),
        (lambda s, lethe: lethe.erase("u-1815"), "Person"),
        (lambda s, lethe: Lethe(s.sessions, s.memory), "Lethe\\('lethe.db'"),
        (
            lambda s, lethe: Lethe(
                s.folder / "other.db",
                s.memory,
                policies=[Retention(over=Target(places=("notes",)), max_age_days=1)],
            ),
            "places here are: memory",
        ),
        (
            lambda s, lethe: Lethe(
                s.folder / "other.db",
                s.memory,
                policies=[Retention(over="memory", max_age_days=1)],
            ),
            "Target",
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
    lethe = Lethe(stores.journal, stores.memory, policies=Retention(max_age_days=30))
    assert lethe.policies == (Retention(max_age_days=30),)
