"""Laws of what a cycle takes, over any rows, policies and holds."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from contextwright.retention.plan_forgetting import Inventory, LegalHold, plan_forgetting
from contextwright.retention.retention_policy import RecordSelector, RetentionPolicy
from contextwright.stored_record import StoredRecord

from .conftest import DAY, NOW

IDS = [f"r{n}" for n in range(12)]
PLACES = ("memory", "artifacts")
refs = st.lists(st.sampled_from(IDS), max_size=3).map(tuple)
times = st.one_of(st.none(), st.integers(0, 60).map(lambda days: NOW - days * DAY))


@st.composite
def rows(draw):
    found = {place: [] for place in PLACES}
    for id in draw(st.lists(st.sampled_from(IDS), unique=True)):
        row = StoredRecord(
            id=id,
            text=draw(st.sampled_from(["dull", "bright", ""])),
            scope=draw(st.sampled_from(["a", "b"])),
            time_ms=draw(times),
            used_ms=draw(times),
            tier=draw(st.integers(0, 4)),
            pinned=draw(st.integers(0, 4)) == 0,
            refcounted=draw(st.integers(0, 3)) == 0,
            ref_paths=draw(st.sampled_from([(), (id,)])),
            refs=draw(refs),
        )
        found[draw(st.sampled_from(PLACES))].append(row)
    return found


targets = st.builds(
    RecordSelector,
    stores=st.sampled_from([(), ("memory",)]),
    ids=st.sampled_from(["*", "r[0-5]"]),
    scopes=st.sampled_from([(), ("a",)]),
)
policies = st.builds(
    RetentionPolicy,
    over=targets,
    max_age_days=st.sampled_from([None, 5, 30]),
    unused_days=st.sampled_from([None, 20]),
    min_salience=st.sampled_from([None, 0.5]),
    max_items=st.sampled_from([3, 0, 8]),
    tier=st.sampled_from([2, 3]),
)
holds = st.lists(targets.filter(lambda target: target != RecordSelector()), max_size=1).map(
    lambda given: [LegalHold(n, target, "case", 0) for n, target in enumerate(given)]
)


def planned(listed, policy, hold, roots):
    score = lambda text: 0.1 if text == "dull" else 0.9  # noqa: E731
    return plan_forgetting(Inventory(listed, hold, roots, NOW), policy, score=score)


@given(rows(), st.lists(policies, max_size=3), holds, refs)
def test_nothing_that_is_protected_goes_and_twice_is_once(listed, policy, hold, roots):
    done = planned(listed, policy, hold, roots)
    gone = {(place, row.id) for place, row, _ in done.evicted}
    left = {p: [r for r in listed[p] if (p, r.id) not in gone] for p in listed}
    referred = {*roots, *(ref for place in left for row in left[place] for ref in row.refs)}
    for place, row, why in done.evicted:
        assert why and not row.pinned and not (row.tier == 1 and not row.refcounted)
        assert not any(each.target.covers(place, row) for each in hold)
        assert not referred.intersection(row.ref_paths), "what stays refers to nothing that went"
    assert planned(left, policy, hold, roots).evicted == ()
    shuffled = {place: listed[place][::-1] for place in listed}
    assert {(p, r.id) for p, r, _ in planned(shuffled, policy, hold, roots).evicted} == gone


@given(st.one_of(policies, targets))
def test_policies_are_values(value):
    again = msgspec.json.decode(msgspec.json.encode(value), type=type(value))
    assert again == value and hash(again) == hash(value)
