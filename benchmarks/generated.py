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

    def prose(words: int) -> str:
        return " ".join(dice.choice(WORDS) + str(dice.randrange(100)) for _ in range(words))

    session.user(f"question {turn}: " + prose(12))
    for step in range(3):
        id = f"t{turn}s{step}"
        session.call("search", json.dumps({"query": prose(3)}), id=id)
        rows = [
            {"id": f"A-{turn}-{n}", "price": dice.randrange(900), "text": prose(8)}
            for n in range(6)
        ]
        session.result(id, json.dumps(rows))
    session.assistant("answer: " + prose(30) + f" mail me at user{turn}@example.com")
