"""Forgetting: retention policies, legal holds, restore, purge, and erasing a person."""

from contextwright.retention.artifact_names import Stored
from contextwright.retention.cached_answers import KeptAnswers, Questions, RecentlyAnswered
from contextwright.retention.cycle import ForgettingResult, coordinated_forgetting_cycle
from contextwright.retention.data_subject import Person
from contextwright.retention.erasure import Erased
from contextwright.retention.index_items import Items
from contextwright.retention.lethe import Lethe
from contextwright.retention.memories import Memories
from contextwright.retention.place import Place, Record, Row, Touched
from contextwright.retention.policies import Retention, Target
from contextwright.retention.reports import Action, Forgetting, Purged, Restored
from contextwright.retention.row_plan import Hold, Kept
from contextwright.retention.scrub_session import erased
from contextwright.retention.session_notes import Sessions

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
