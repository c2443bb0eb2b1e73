"""`C.capture(key)`: a message becomes state, for the agents behind (context-algebra.md#capture)."""

from typing import Any, ClassVar, Literal

from contextwright.session.event_index import SPOKEN
from contextwright.session.harness_text import user_words
from contextwright.session.inline_thinking import agent_words
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import check_key
from contextwright.spec.task import TaskGenerator
from contextwright.spec.word_roles import RecordedTurn, Writer


class Capture(Writer, frozen=True, kw_only=True):
    """The newest message's text, put under a state key.

    Args:
        key: the state key.
        what: the `user`'s message, written before the turn, or the agent's `output`, after.
    """

    word: ClassVar[str] = "capture"

    key: str
    what: Literal["user", "output"] = "user"

    def __post_init__(self) -> None:
        check_key(self.key)

    def written(self) -> tuple[str, ...]:
        """The key."""
        return (self.key,)

    @property
    def before_turn(self) -> bool:
        """The user's words are there before the turn."""
        return self.what == "user"

    def before(self, snapshot: Snapshot) -> dict[str, Any]:
        """The user's words."""
        return self.writes(snapshot) if self.before_turn else {}

    def after(self, turn: RecordedTurn) -> TaskGenerator[dict[str, Any]]:
        """The agent's output."""
        yield from ()
        return {} if self.before_turn else self.writes(turn.snapshot)

    def writes(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state change; empty where there is no such message yet."""
        is_users = self.what == "user"
        who = ("kind", SPOKEN) if is_users else ("role", "assistant")
        for position in snapshot.newest(*who):
            event = snapshot.log[position]
            text = (user_words if is_users else agent_words)(event.parts)
            if text:
                return {self.key: text}
        return {}
