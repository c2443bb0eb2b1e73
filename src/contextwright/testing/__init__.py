"""For your own tests: sessions, specs, and suites for words, renderers, stores, formats and traces.

    from contextwright.testing import WordSuite, assert_valid, session_of

    assert_valid(compile(session_of("u: hi | a: hello | u: and now?"), spec, model="gpt-5"))

The suites need pytest, `sessions()` and `specs()` hypothesis: the extra `test`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from contextwright.errors import MissingExtra

if TYPE_CHECKING:
    from contextwright.compiler.trace import enforce_protection
    from contextwright.testing.builders import (
        FORMATS,
        assert_drop_order,
        assert_valid,
        session_of,
        target_for,
    )
    from contextwright.testing.format_suite import FormatSuite
    from contextwright.testing.renderer_suite import RendererSuite
    from contextwright.testing.rules import RULES
    from contextwright.testing.session_strategies import sessions
    from contextwright.testing.spec_strategies import specs
    from contextwright.testing.store_suite import (
        ArtifactStoreSuite,
        MemoryStoreSuite,
        SessionStoreSuite,
    )
    from contextwright.testing.trace_suite import TracedCall, TraceSuite
    from contextwright.testing.violation import RuleViolation
    from contextwright.testing.word_suite import (
        WORD_RULES,
        WordSuite,
        check_pack,
        check_rule,
        paired,
        standing,
    )

_MODULES = {
    "builders": ("FORMATS", "assert_drop_order", "assert_valid", "session_of", "target_for"),
    "format_suite": ("FormatSuite",),
    "renderer_suite": ("RendererSuite",),
    "rules": ("RULES",),
    "session_strategies": ("sessions",),
    "spec_strategies": ("specs",),
    "store_suite": ("ArtifactStoreSuite", "MemoryStoreSuite", "SessionStoreSuite"),
    "trace_suite": ("TraceSuite", "TracedCall"),
    "violation": ("RuleViolation",),
    "word_suite": ("WORD_RULES", "WordSuite", "check_pack", "check_rule", "paired", "standing"),
}
_HOMES = {name: f"{__name__}.{module}" for module, names in _MODULES.items() for name in names}
_HOMES["enforce_protection"] = "contextwright.compiler.trace"

__all__ = [
    "FORMATS",
    "RULES",
    "WORD_RULES",
    "ArtifactStoreSuite",
    "FormatSuite",
    "MemoryStoreSuite",
    "RendererSuite",
    "RuleViolation",
    "SessionStoreSuite",
    "TraceSuite",
    "TracedCall",
    "WordSuite",
    "assert_drop_order",
    "assert_valid",
    "check_pack",
    "check_rule",
    "enforce_protection",
    "paired",
    "session_of",
    "sessions",
    "specs",
    "standing",
    "target_for",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(_HOMES[name])
    except ModuleNotFoundError as error:
        if error.name == "pytest":
            raise MissingExtra("pytest", "test") from error
        raise
    return getattr(module, name)


def __dir__() -> list[str]:
    return __all__
