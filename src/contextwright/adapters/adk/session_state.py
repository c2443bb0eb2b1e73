"""ADK's state, taken over into a session of ours."""

import math
from collections.abc import Mapping
from typing import Any

from contextwright.session.session import Session

PUBLISHED = ("temp:_summary_", "temp:_relevance_")
"""Where google-adk's agents look for what models prepared, before the agent's name
(context-algebra.md#prepared-state)."""


def take_state(session: Session, state: Mapping[str, Any]) -> None:
    """Take over what is different in the state."""
    ours = session.state
    changed = {key: value for key, value in state.items() if ours.get(key) != value}
    removals = {key: None for key in ours if key not in state}
    if changed or removals:
        session.update({**changed, **removals})


def plain_state(state: Mapping[str, Any]) -> dict[str, Any]:
    """What is JSON data, as JSON would give it back: an application may keep anything else in
    `temp:` for itself. What was published of our own answers is no news to us."""
    plain: dict[str, Any] = {}
    for key, value in state.items():
        if key and value is not None and not key.startswith(PUBLISHED):
            try:
                plain[key] = _data(value)
            except TypeError:
                continue
    return plain


def _data(value: Any) -> Any:
    """The value with lists for tuples.

    Raises:
        TypeError: it is no JSON data.
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, list | tuple):
        items: Any = value
        return [_data(item) for item in items]
    if isinstance(value, Mapping):
        pairs: Any = value
        if all(isinstance(key, str) for key in pairs):
            return {key: _data(item) for key, item in pairs.items()}
    raise TypeError(type(value).__name__)
