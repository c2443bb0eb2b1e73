"""A store that this package does not know: its records are evicted, restored, held and erased."""

import pytest

from contextwright.errors import StoreError
from contextwright.retention import (
    DataSubject,
    Lethe,
    RecordSelector,
    RecordStore,
    RetentionPolicy,
    StoredRecord,
    StoreTraits,
    erasable,
)
from contextwright.retrieval.item import Item

from .conftest import DAY, NOW

ADA = DataSubject("u-1815", ("Ada Lovelace",))


class OwnMemory:
    """A `MemoryStore` of an application: a dictionary."""

    traits = StoreTraits(name="own", unreached="the tapes in the cellar", is_memory=True)
    path = ""

    def __init__(self, **memories):
        self.memories = memories

    def search(self, query, k=5, *, scope="", kinds=()):
        return []

    def records(self):
        return [
            StoredRecord(id=id, text=text, time_ms=NOW - 100 * DAY, body=text.encode())
            for id, text in self.memories.items()
        ]

    def remove_records(self, ids):
        return sum(self.memories.pop(id, None) is not None for id in list(ids))

    def restore_records(self, records):
        for record in records:
            self.memories.setdefault(record.id, record.body.decode())
        return [r.id for r in records if self.memories[r.id] == r.body.decode()]

    def erase_records(self, matches):
        return self.remove_records([record.id for record in self.records() if matches(record)])

    def scrub(self):
        self.scrubbed = True


@pytest.fixture
def own():
    return OwnMemory(m1="Ada Lovelace likes tea", m2="Bob likes coffee")


def test_a_policy_evicts_from_a_store_of_ones_own_and_a_restore_brings_it_back(stores, own):
    assert isinstance(own, RecordStore)
    before = dict(own.memories)
    lethe = Lethe(stores.journal, own, policies=[RetentionPolicy(max_age_days=30)])
    cycle = lethe.apply_retention_policy(now_ms=NOW).cycle
    assert own.memories == {}
    own.memories["m2"] = "another"
    assert lethe.restore(cycle).left == (("own", "m2"),)
    assert own.memories == before | {"m2": "another"}


def test_a_person_is_erased_from_a_store_of_ones_own_and_copies_of_its_records_go_too(stores, own):
    own.memories["m3"] = "Ada Lovelace drinks"
    stores.index.add([Item("m3", "a copy that names nobody"), Item("m4", "another")])
    report = Lethe(stores.journal, own, stores.index).erase(ADA)
    assert own.memories == {"m2": "Bob likes coffee"} and own.scrubbed
    assert report.stores["own"].removed == 2 and own.traits.unreached in report.unreached
    assert [item.id for item in stores.index.items()] == ["m4"]


def test_a_legal_hold_and_a_name_of_ones_own_count_there_too(stores, own):
    lethe = Lethe(stores.journal, erasable(own, name="team"))
    lethe.hold(RecordSelector(stores=("team",)), "case 12")
    with pytest.raises(StoreError, match="legal hold 1"):
        lethe.erase(ADA)
    assert len(own.memories) == 2


def test_what_changed_between_a_crash_and_its_end_stays(stores, own):
    place = erasable(own)
    exported = place.export(["m1", "m2"])
    own.memories["m1"] = "changed"
    place.remove(exported)
    assert own.memories == {"m1": "changed"}


def test_what_offers_none_of_the_protocols_is_refused(stores):
    with pytest.raises(StoreError, match="expected a store of records, .* got dict"):
        Lethe(stores.journal, {})
