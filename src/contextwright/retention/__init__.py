"""Retention: policies, eviction, legal holds, restore, purge, the audit log, and erasing a data
subject (GDPR, the right to erasure)."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.retention.artifact_records import ArtifactRecords
    from contextwright.retention.cycle import ForgettingResult, coordinated_forgetting_cycle
    from contextwright.retention.data_subject import DataSubject
    from contextwright.retention.erasable_store import (
        ErasableStore,
        ErasureCount,
        RecordStoreAdapter,
    )
    from contextwright.retention.journal import AuditEntry
    from contextwright.retention.lethe import Lethe
    from contextwright.retention.plan_forgetting import LegalHold, ProtectedRecord
    from contextwright.retention.reports import (
        Action,
        CycleReport,
        ErasureReport,
        PurgeReport,
        RestoreReport,
    )
    from contextwright.retention.retention_policy import RecordSelector, RetentionPolicy
    from contextwright.retention.session_records import SessionRecords
    from contextwright.retention.session_scrub import scrub_session
    from contextwright.retention.store_registry import erasable
    from contextwright.retention.subject_matcher import SubjectMatcher
    from contextwright.stored_record import RecordStore, StoredRecord, StoreTraits

_HOMES = {
    "Action": "reports",
    "ArtifactRecords": "artifact_records",
    "AuditEntry": "journal",
    "CycleReport": "reports",
    "DataSubject": "data_subject",
    "ErasableStore": "erasable_store",
    "ErasureCount": "erasable_store",
    "ErasureReport": "reports",
    "ForgettingResult": "cycle",
    "LegalHold": "plan_forgetting",
    "Lethe": "lethe",
    "ProtectedRecord": "plan_forgetting",
    "PurgeReport": "reports",
    "RecordSelector": "retention_policy",
    "RecordStore": "contextwright.stored_record",
    "RecordStoreAdapter": "erasable_store",
    "RestoreReport": "reports",
    "RetentionPolicy": "retention_policy",
    "SessionRecords": "session_records",
    "StoreTraits": "contextwright.stored_record",
    "StoredRecord": "contextwright.stored_record",
    "SubjectMatcher": "subject_matcher",
    "coordinated_forgetting_cycle": "cycle",
    "erasable": "store_registry",
    "scrub_session": "session_scrub",
}
"""Imported when they are first named."""

__all__ = [
    "Action",
    "ArtifactRecords",
    "AuditEntry",
    "CycleReport",
    "DataSubject",
    "ErasableStore",
    "ErasureCount",
    "ErasureReport",
    "ForgettingResult",
    "LegalHold",
    "Lethe",
    "ProtectedRecord",
    "PurgeReport",
    "RecordSelector",
    "RecordStore",
    "RecordStoreAdapter",
    "RestoreReport",
    "RetentionPolicy",
    "SessionRecords",
    "StoreTraits",
    "StoredRecord",
    "SubjectMatcher",
    "coordinated_forgetting_cycle",
    "erasable",
    "scrub_session",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
