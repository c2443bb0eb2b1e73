"""Forgetting: retention policies, legal holds, restore, purge, and erasing a person."""

from contextwright.stores.lethe.caches import KeptAnswers, Questions, RecentlyAnswered
from contextwright.stores.lethe.cycle import ForgettingResult, coordinated_forgetting_cycle
from contextwright.stores.lethe.erased import erased
from contextwright.stores.lethe.erasing import Erased
from contextwright.stores.lethe.files import Stored
from contextwright.stores.lethe.items import Items
from contextwright.stores.lethe.lethe import Lethe
from contextwright.stores.lethe.memories import Memories
from contextwright.stores.lethe.notes import Sessions
from contextwright.stores.lethe.person import Person
from contextwright.stores.lethe.place import Place, Record, Row, Touched
from contextwright.stores.lethe.plan import Hold, Kept
from contextwright.stores.lethe.reports import Action, Forgetting, Purged, Restored
from contextwright.stores.lethe.retention import Retention, Target

__all__ = [
    "Action",
    "Erased",
    "Forgetting",
    "ForgettingResult",
    "Hold",
    "Items",
    "Kept",
    "KeptAnswers",
    "Lethe",
    "Memories",
    "Person",
    "Place",
    "Purged",
    "Questions",
    "RecentlyAnswered",
    "Record",
    "Restored",
    "Retention",
    "Row",
    "Sessions",
    "Stored",
    "Target",
    "Touched",
    "coordinated_forgetting_cycle",
    "erased",
]
