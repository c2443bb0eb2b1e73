"""Sessions of any length: turns of eight events, tool results of some hundred tokens."""

import json
import random

from contextwright import Session

WORDS = [
    "order",
    "bike",
    "battery",
    "invoice",
    "shop",
    "repair",
    "customer",
    "delivery",
    "price",
    "date",
    "error",
    "code",
    "part",
]


def generated_session(events: int, seed: int = 7) -> Session:
    """A session of about this many events, the same for the same seed."""
    dice = random.Random(seed)
    session = Session(f"generated-{events}", state={"goal": "settle the invoice", "city": "Kiel"})
    session.add("system", "You are a careful support agent. " * 10)
    turn = 0
    while len(session) < events:
        grow(session, turn, dice)
        turn += 1
    return session


def grow(session: Session, turn: int, dice: random.Random) -> None:
    """One more turn."""
    ask(session, turn, dice)
    answer(session, turn, dice)


def ask(session: Session, turn: int, dice: random.Random) -> None:
    """One more turn up to its last request."""
    session.user(f"question {turn}: " + prose(12, dice))
    for step in range(3):
        id = f"t{turn}s{step}"
        session.call("search", json.dumps({"query": prose(3, dice)}), id=id)
        rows = [
            {"id": f"A-{turn}-{n}", "price": dice.randrange(900), "text": prose(8, dice)}
            for n in range(6)
        ]
        session.result(id, json.dumps(rows))


def answer(session: Session, turn: int, dice: random.Random) -> None:
    """The answer to a turn's last request."""
    session.assistant("answer: " + prose(30, dice) + f" mail me at user{turn}@example.com")


def prose(words: int, dice: random.Random) -> str:
    """So many words."""
    return " ".join(dice.choice(WORDS) + str(dice.randrange(100)) for _ in range(words))
