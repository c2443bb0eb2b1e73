"""Retention: policies, eviction, legal holds, restore, purge, the audit log, and erasing a data
subject (GDPR, the right to erasure)."""

from contextwright.retention.artifact_records import ArtifactRecords
from contextwright.retention.cycle import ForgettingResult, coordinated_forgetting_cycle
from contextwright.retention.data_subject import DataSubject
from contextwright.retention.erasable_store import ErasableStore, ErasureCount, RecordStoreAdapter
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
from contextwright.retention.scrub_session import scrub_session
from contextwright.retention.session_records import SessionRecords
from contextwright.retention.store_registry import erasable
from contextwright.retention.subject_matcher import SubjectMatcher
from contextwright.stored_record import RecordStore, StoredRecord, StoreTraits

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
