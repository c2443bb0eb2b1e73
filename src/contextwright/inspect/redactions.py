"""What a page must not hold: it is taken out of every text, and counted by kind; never shown."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from contextwright.compiler.plan import plan
from contextwright.redaction.patterns import catalogue
from contextwright.redaction.scan import compile_patterns
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.session.session import Session
from contextwright.spec.expr import Expr

OWN = "own pattern"
"""The name of a pattern of the user's: its text may be what is to be hidden."""


def redaction_counts(session: Session, specs: Iterable[Expr]) -> dict[str, int]:
    """Hits by the name of the pattern, over the whole session."""
    counts: Counter[str] = Counter()
    names = {pattern.name for rows in catalogue().values() for pattern in rows}
    redactions = dict.fromkeys(one for spec in specs for one in plan(spec).every_redaction)
    for redaction in redactions:
        if not redaction.covers:
            continue
        scanner = compile_patterns(tuple(redaction.covers))
        for event in session.log:
            for part in event.parts:
                text = part.arguments if isinstance(part, ToolCall) else ""
                if isinstance(part, Text | ToolResult):
                    text = part.text
                for span in scanner.spans(text):
                    counts[span.name if span.name in names else OWN] += 1
    return dict(counts)


def cleaner(specs: Sequence[Expr]) -> Callable[[str], str]:
    """What takes out of a text what any of the specs redacts: a page holds none of it."""
    redactions = dict.fromkeys(one for spec in specs for one in plan(spec).every_redaction)

    def clean(text: str) -> str:
        for redaction in redactions:
            text = redaction.cleaned(text)
        return text

    return clean
