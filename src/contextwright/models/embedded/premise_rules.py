"""Premises by rules: what negates them, who else it is told of, what nothing tells."""

from typing import Any

import msgspec

from contextwright.premises.premise_task import premise_rows
from contextwright.spec.task import Task


def premises(task: Task) -> list[dict[str, Any]]:
    """What the rules found over all that is known, where that is in the task; else what they
    find in its blocks."""
    try:
        known: Any = msgspec.json.decode(task.previous) if task.previous else None
    except (msgspec.DecodeError, RecursionError):
        known = None
    if isinstance(known, list) and all(_is_row(row, len(task.blocks)) for row in known):
        return known
    return premise_rows(task.query, task.blocks)


def _is_row(row: Any, count: int) -> bool:
    return (
        isinstance(row, dict)
        and {"premise", "verdict", "reason", "evidence"} <= row.keys()
        and row["verdict"] in {"valid", "unknown", "invalid"}
        and isinstance(row["evidence"], list)
        and all(isinstance(place, int) and 0 <= place < count for place in row["evidence"])
    )
