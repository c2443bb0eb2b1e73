"""Conversations that begin alike, grow, fork, are edited, come back and are restarted, in any order: each session is
what reading its messages alone gives, or there is a mix-up.

    python -m benchmarks.interleaved 10000
"""

import copy
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from contextwright import Conversations, Session, SQLiteSessions, read_session
from contextwright.stores import SessionStore

SYSTEM = {"role": "system", "content": "Answer in one word."}


def opening(text: str) -> list[Any]:
    """The beginning of a conversation."""
    return [SYSTEM, {"role": "user", "content": text}]


def answered(messages: list[Any], n: object) -> list[Any]:
    """The messages with a call and its result."""
    call = {"id": f"c{n}", "type": "function", "function": {"name": "ls", "arguments": "{}"}}
    return [
        *messages,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{n}", "content": f"row {n}"},
    ]


def said(session: Session) -> list[Any]:
    """What a session says."""
    return [(event.role, event.text, event.calls, event.results) for event in session.log]


def expected(messages: list[Any]) -> list[Any]:
    """What these messages alone say."""
    return said(read_session(copy.deepcopy(messages)))


def interleaved(seed: int, steps: int, store: Callable[[], SessionStore] | None = None) -> int:
    """One random course of several conversations; how many sessions it had.

    Args:
        store: opens the store from which a restart goes on.

    Raises:
        AssertionError: a session has what is not of its messages.
    """
    dice = random.Random(seed)
    known = Conversations(store=store() if store else None)
    talks = [opening(dice.choice(["Go", "Stop"])) for _ in range(3)]
    sessions: set[str] = set()
    for number in range(steps):
        place, kind = dice.randrange(len(talks)), dice.random()
        if store and dice.random() < 0.05:
            known = Conversations(store=store())
        talks[place] = _changed(talks[place], kind, number, dice)
        if kind > 0.93 and len(talks) < 8:
            talks.append(list(talks[place]))
        messages = talks[place] if dice.random() < 0.5 else copy.deepcopy(talks[place])
        tenant = dice.choice(["", "t"])
        session = known.update(messages, id=dice.choice([None, "id"]), tenant=tenant)
        assert said(session) == expected(messages), f"seed {seed}, step {number}"
        assert session.id.startswith("t/") == (tenant == "t")
        assert known.degraded == "", known.degraded
        sessions.add(session.id)
    return len(sessions)


def _changed(talk: list[Any], kind: float, number: int, dice: random.Random) -> list[Any]:
    """A conversation that grew, was cut, was edited, or began again."""
    if kind < 0.65:
        return answered(talk, number if dice.random() < 0.7 else 0)
    if kind < 0.75:
        return talk[: max(2, len(talk) - 2)]
    if kind < 0.85:
        return [SYSTEM, {"role": "user", "content": f"edited {number % 5}"}, *talk[2:]]
    return opening("Go") if kind < 0.9 else talk


def main(count: int) -> None:
    """So many courses; every hundredth with restarts from a file."""
    sessions = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(count):
            path = Path(folder) / f"{seed}.db"
            restarts = seed % 100 == 0
            sessions += interleaved(
                seed, 12, (lambda p=path: SQLiteSessions(p)) if restarts else None
            )
    print(f"{count} interleavings, {sessions} sessions, no mix-up")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
