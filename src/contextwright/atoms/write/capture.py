"""`C.capture(key)`: a message becomes state, for the agents behind (document 000 §4.1)."""

from typing import Any, ClassVar, Literal

from contextwright.session.snapshot import Snapshot
from contextwright.session.state import check_key
from contextwright.spec.expr import Atom
from contextwright.spec.kind import Kind, Verb


class Capture(Atom, frozen=True, kw_only=True):
    """The newest message's text, put under a state key.

    Args:
        key: the state key.
        what: the `user`'s message, written before the turn, or the agent's `output`, after.
    """

    word: ClassVar[str] = "capture"
    kind: ClassVar[Kind] = Kind.WRITER
    verb: ClassVar[Verb] = Verb.WRITE
    variadic: ClassVar[str] = ""

    key: str
    what: Literal["user", "output"] = "user"

    def __post_init__(self) -> None:
        check_key(self.key)

    def written(self) -> tuple[str, ...]:
        """The key."""
        return (self.key,)

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change; empty where there is no such message yet."""
        role = "user" if self.what == "user" else "assistant"
        for position in reversed(snapshot.positions("role", role)):
            text = snapshot.log[position].text
            if text:
                return {self.key: text}
        return {}
