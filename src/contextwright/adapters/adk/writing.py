"""What a spec writes, written to ADK's state, so that its session service keeps it."""

from typing import Any, Protocol

from contextwright.adapters.adk.session_state import PUBLISHED
from contextwright.compiler.pack import Pack
from contextwright.session.session import Session

_KEYS: dict[str, str] = dict(zip(("summary", "relevance"), PUBLISHED, strict=True))


class Writable(Protocol):
    """ADK's state, or a dict."""

    def get(self, key: str, default: Any = None, /) -> Any:
        """The value of a key."""
        ...

    def __setitem__(self, key: str, value: Any, /) -> None: ...


def write_changes(session: Session, since: int, state: Writable) -> None:
    """Write the state changes that our session took since its change number `since`."""
    values: dict[str, Any] = {}
    for change in session.changes[since:]:
        values.update(change.values)
    for key, value in values.items():
        if state.get(key) != value:
            state[key] = value


def publish(pack: Pack, agent: str, state: Writable) -> None:
    """Show what models contributed to a pack: `temp:_summary_{agent}` and
    `temp:_relevance_{agent}`, with who made it."""
    contributions: dict[str, list[dict[str, Any]]] = {}
    for answer in pack.manifest.answers:
        key = _KEYS.get(answer.kind)
        if key is not None:
            shown = {"value": answer.value, "model": answer.model, "of": answer.fingerprint}
            contributions.setdefault(key + agent, []).append(shown)
    for key, answers in contributions.items():
        if state.get(key) != answers:
            state[key] = answers
