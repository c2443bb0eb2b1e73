"""The compiler for LLM context.

    from contextwright import C, compile, read_session

    session = read_session("session.json")
    pack = compile(session, C.compaction(8000), model="gpt-5")
    client.chat.completions.create(**pack.request)

Names are imported when they are first used, so that `import contextwright` costs next to
nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextwright.adapters.wrap import Cooled, with_context_management
    from contextwright.adapters.wrapped_client import wrap
    from contextwright.compiler import Compiler, ContextBudget, Manifest, Pack, replay
    from contextwright.engine.acceptance import check_acceptance, record_acceptance
    from contextwright.engine.compile_many import Compiled, compile_many
    from contextwright.engine.context import Context
    from contextwright.engine.conversation import Conversation
    from contextwright.engine.conversations import Conversations
    from contextwright.engine.default_spec import default_spec
    from contextwright.engine.engine import Engine
    from contextwright.engine.events import Deny, Replace
    from contextwright.engine.one_call import compile
    from contextwright.engine.premise_guard import (
        acheck_premise,
        apremise_guard,
        check_premise,
        premise_guard,
    )
    from contextwright.engine.pressure import SummaryConstraint, pressure
    from contextwright.engine.read_back import ReadBack
    from contextwright.engine.record import record
    from contextwright.engine.session_budget import SessionBudget
    from contextwright.engine.sliding_window import SlidingWindow
    from contextwright.engine.store_manifest import store_manifest
    from contextwright.engine.working_notes import add_working_note, checkpoint
    from contextwright.errors import (
        BudgetError,
        ContextOverflowError,
        ContextwrightError,
        PremiseError,
        SessionBudgetError,
        SpecError,
    )
    from contextwright.formats import losses_of, read_session, read_sessions, write_session
    from contextwright.formats.objects import session_from
    from contextwright.memo.memory_budget import memory
    from contextwright.premises.findings import PremiseResult
    from contextwright.recipes.pack_builder import PackBuilder
    from contextwright.redaction.operators import Vault
    from contextwright.render.target import Target, target
    from contextwright.retention import (
        DataSubject,
        ForgettingResult,
        Lethe,
        RetentionPolicy,
        coordinated_forgetting_cycle,
    )
    from contextwright.retrieval.salience import SalienceScorer
    from contextwright.session import Event, Session, Snapshot
    from contextwright.stores import FileArtifacts, Refs, SQLiteMemory, SQLiteSessions, TaskBoard
    from contextwright.tasks.plan_step import Constraints, Criterion, Step, assign
    from contextwright.tokens.context_overflow import overflow_of
    from contextwright.tokens.models import register_model
    from contextwright.tokens.usage import usage_of
    from contextwright.words import C, S, parse

__version__ = "0.1.0"

_HOMES = {
    "BudgetError": "contextwright.errors",
    "C": "contextwright.words",
    "Compiled": "contextwright.engine.compile_many",
    "Compiler": "contextwright.compiler",
    "Constraints": "contextwright.tasks.plan_step",
    "Context": "contextwright.engine.context",
    "ContextBudget": "contextwright.compiler",
    "ContextOverflowError": "contextwright.errors",
    "ContextwrightError": "contextwright.errors",
    "Conversation": "contextwright.engine.conversation",
    "Conversations": "contextwright.engine.conversations",
    "Cooled": "contextwright.adapters.wrap",
    "Criterion": "contextwright.tasks.plan_step",
    "DataSubject": "contextwright.retention",
    "Deny": "contextwright.engine.events",
    "Engine": "contextwright.engine.engine",
    "Event": "contextwright.session",
    "FileArtifacts": "contextwright.stores",
    "ForgettingResult": "contextwright.retention",
    "Lethe": "contextwright.retention",
    "Manifest": "contextwright.compiler",
    "Pack": "contextwright.compiler",
    "PackBuilder": "contextwright.recipes.pack_builder",
    "PremiseError": "contextwright.errors",
    "PremiseResult": "contextwright.premises.findings",
    "ReadBack": "contextwright.engine.read_back",
    "Refs": "contextwright.stores",
    "Replace": "contextwright.engine.events",
    "RetentionPolicy": "contextwright.retention",
    "S": "contextwright.words",
    "SQLiteMemory": "contextwright.stores",
    "SQLiteSessions": "contextwright.stores",
    "SalienceScorer": "contextwright.retrieval.salience",
    "Session": "contextwright.session",
    "SessionBudget": "contextwright.engine.session_budget",
    "SessionBudgetError": "contextwright.errors",
    "SlidingWindow": "contextwright.engine.sliding_window",
    "Snapshot": "contextwright.session",
    "SpecError": "contextwright.errors",
    "Step": "contextwright.tasks.plan_step",
    "SummaryConstraint": "contextwright.engine.pressure",
    "Target": "contextwright.render.target",
    "TaskBoard": "contextwright.stores",
    "Vault": "contextwright.redaction.operators",
    "acheck_premise": "contextwright.engine.premise_guard",
    "add_working_note": "contextwright.engine.working_notes",
    "apremise_guard": "contextwright.engine.premise_guard",
    "assign": "contextwright.tasks.plan_step",
    "check_acceptance": "contextwright.engine.acceptance",
    "check_premise": "contextwright.engine.premise_guard",
    "checkpoint": "contextwright.engine.working_notes",
    "compile": "contextwright.engine.one_call",
    "compile_many": "contextwright.engine.compile_many",
    "coordinated_forgetting_cycle": "contextwright.retention",
    "default_spec": "contextwright.engine.default_spec",
    "losses_of": "contextwright.formats",
    "memory": "contextwright.memo.memory_budget",
    "overflow_of": "contextwright.tokens.context_overflow",
    "parse": "contextwright.words",
    "premise_guard": "contextwright.engine.premise_guard",
    "pressure": "contextwright.engine.pressure",
    "read_session": "contextwright.formats",
    "read_sessions": "contextwright.formats",
    "record": "contextwright.engine.record",
    "record_acceptance": "contextwright.engine.acceptance",
    "register_model": "contextwright.tokens.models",
    "replay": "contextwright.compiler",
    "session_from": "contextwright.formats.objects",
    "store_manifest": "contextwright.engine.store_manifest",
    "target": "contextwright.render.target",
    "usage_of": "contextwright.tokens.usage",
    "with_context_management": "contextwright.adapters.wrap",
    "wrap": "contextwright.adapters.wrapped_client",
    "write_session": "contextwright.formats",
}

__all__ = [
    "BudgetError",
    "C",
    "Compiled",
    "Compiler",
    "Constraints",
    "Context",
    "ContextBudget",
    "ContextOverflowError",
    "ContextwrightError",
    "Conversation",
    "Conversations",
    "Cooled",
    "Criterion",
    "DataSubject",
    "Deny",
    "Engine",
    "Event",
    "FileArtifacts",
    "ForgettingResult",
    "Lethe",
    "Manifest",
    "Pack",
    "PackBuilder",
    "PremiseError",
    "PremiseResult",
    "ReadBack",
    "Refs",
    "Replace",
    "RetentionPolicy",
    "S",
    "SQLiteMemory",
    "SQLiteSessions",
    "SalienceScorer",
    "Session",
    "SessionBudget",
    "SessionBudgetError",
    "SlidingWindow",
    "Snapshot",
    "SpecError",
    "Step",
    "SummaryConstraint",
    "Target",
    "TaskBoard",
    "Vault",
    "acheck_premise",
    "add_working_note",
    "apremise_guard",
    "assign",
    "check_acceptance",
    "check_premise",
    "checkpoint",
    "compile",
    "compile_many",
    "coordinated_forgetting_cycle",
    "default_spec",
    "losses_of",
    "memory",
    "overflow_of",
    "parse",
    "premise_guard",
    "pressure",
    "read_session",
    "read_sessions",
    "record",
    "record_acceptance",
    "register_model",
    "replay",
    "session_from",
    "store_manifest",
    "target",
    "usage_of",
    "with_context_management",
    "wrap",
    "write_session",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
