"""What an agent remembers beside its messages: keys in four scopes, with their history."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from contextwright.errors import SessionError

SCOPES = ("user:", "app:", "temp:")
TAG_PREFIX = "temp:_event_tags_"
NOTES_PREFIX = "_notes_"
FACTS_PREFIX = "_facts_"
RESOLVED_PREFIX = "_resolved_"
"""Keys that say why a failed execution, by the id of its first event, is settled."""
EVIDENCE = "evidence"
"""State key of the artifacts that the session stored or was given."""
MAX_KEY = 512
"""Characters of a state key."""


class StateChange(msgspec.Struct, frozen=True):
    """Keys set when the log had `position` events; None removes a key."""

    position: int
    values: dict[str, Any]


class State(Mapping[str, Any]):
    """An immutable mapping. A key's prefix is its scope; without one it is the session's.

    `user:` lives across a user's sessions, `app:` across the application, `temp:` for one
    invocation. Values are plain JSON data.
    """

    __slots__ = ("_layers", "version")

    def __init__(self, values: Mapping[str, Any] | None = None, version: int = 0) -> None:
        # one value, so that no thread sees half: what was set last, and the state that it changes
        self._layers: tuple[dict[str, Any], State | None] = (dict(values or {}), None)
        self.version = version

    @property
    def _values(self) -> dict[str, Any]:
        """The values. A thousand changes that nobody looks at in between cost what they change."""
        values, before = self._layers
        if before is None:
            return values
        changes: list[dict[str, Any]] = []
        while before is not None:
            changes.append(values)
            values, before = before._layers
        values = dict(values)
        for change in reversed(changes):
            for key, value in change.items():
                if value is None:
                    values.pop(key, None)
                else:
                    values[key] = value
        self._layers = values, None
        return values

    def __reduce__(self) -> tuple[object, ...]:
        return State, (self._values, self.version)  # not each change by itself

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"State({self._values!r})"

    def with_values(self, changes: Mapping[str, Any]) -> "State":
        """A new state with these keys set; a value of None removes its key.

        Raises:
            SessionError: a key is empty or longer than 512 characters.
        """
        for key in changes:
            check_key(key)
        after = State(changes, self.version + 1)
        after._layers = (after._layers[0], self)
        return after

    def scope(self, prefix: str) -> dict[str, Any]:
        """The keys of one scope (`user:`, `app:`, `temp:`), or the session's own for ``""``."""
        if prefix:
            return {key: value for key, value in self.items() if key.startswith(prefix)}
        return {key: value for key, value in self.items() if not key.startswith(SCOPES)}


def check_key(key: str) -> None:
    """Refuse a key that is empty or too long.

    Raises:
        SessionError: as said.
    """
    if not key or len(key) > MAX_KEY:
        raise SessionError(
            f"a state key of {len(key)} characters",
            where=f"state key {key[:40]!r}",
            fix=f"use 1 to {MAX_KEY} characters",
        )


def resolved_in(state: Mapping[str, Any]) -> tuple[str, ...]:
    """The keys that say which failed executions are settled."""
    return tuple([key for key in state if key.startswith(RESOLVED_PREFIX)])
