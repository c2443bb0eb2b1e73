"""An agent that runs for months: a limit in front of it, a window that keeps what is salient, a
guard against false premises, and forgetting. The model is a script, so that this runs anywhere:

python examples/long_lived_agent.py
"""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory

from contextwright import (
    C,
    Cooled,
    DataSubject,
    Engine,
    Lethe,
    RetentionPolicy,
    SalienceScorer,
    Session,
    SlidingWindow,
    SQLiteMemory,
    SQLiteSessions,
    coordinated_forgetting_cycle,
    premise_guard,
)

DAY_MS = 86_400_000
NOW_MS = 2_000_000_000_000
SPEC = C.sliding(window=600, recent=150) | C.budget(1_000)


def talk() -> Session:
    """Weeks of small talk around one order."""
    session = Session("shop-7", metadata={"user_id": "u-1815"})
    session.user("# Task\nPlease look after order 48213 for Ada Lovelace.")
    session.assistant("Order 48213 did not ship yet: the warehouse in Kiel waits for a saddle.")
    for day in range(40):
        session.user(f"Day {day}: how is the weather at the depot?")
        session.assistant("Rather grey, and windy from the north-west, as it was yesterday. " * 2)
    session.user("Why did order 48213 ship?")
    return session


@Cooled
def researcher(notes: str, question: str) -> str:
    """An agent that exists. It sees no trace of the limit in front of it."""
    return f"read {len(notes)} characters for {question!r}"


async def forget(session: Session, folder: Path) -> None:
    """A cycle under pressure, and what the law asks for."""
    sessions, memory = SQLiteSessions(folder / "sessions.db"), SQLiteMemory(folder / "memory.db")
    sessions.save(session)
    memory.write("Ada Lovelace rides a cargo bike", time_ms=NOW_MS - 300 * DAY_MS)
    memory.write("some words", time_ms=NOW_MS)
    scorer = SalienceScorer(known_entities=["48213", "Ada Lovelace"])
    window: SlidingWindow = SlidingWindow(400, 4, 100, salience_scorer=scorer)
    left = window.add(list(session.log))
    old = RetentionPolicy(name="old", max_age_days=365)
    lethe = Lethe(folder / "lethe.db", sessions, memory, policies=[old])
    done = await coordinated_forgetting_cycle(window, lethe, memory, threshold=0.5, now_ms=NOW_MS)
    print(f"{len(left)} events left the window, then {len(done.actions)} actions:")
    print(f"pressure {done.initial_pressure:.2f} -> {done.final_pressure:.2f}", done.actions[:2])
    report = lethe.erase(DataSubject("u-1815", names=("Ada Lovelace",)), why="request 7")
    for store, touched in report.stores.items():
        print(f"  {store}: {touched.removed} removed, {touched.rewritten} rewritten")


def main() -> None:
    """One turn, and one night."""
    session = talk()
    guard = premise_guard(session)
    print(f"premise: {guard.verdict} ({guard.invalid_premise}; {', '.join(guard.evidence)})")
    pack = Engine(SPEC, "gpt-5").compile(session)
    print(f"{len(session.log)} events, {len(pack.manifest.kept)} exchanges, {pack.tokens} tokens")
    print(researcher("a note of the depot. " * 4_000, "where is 48213?"), researcher.last.by)
    with TemporaryDirectory() as folder:
        asyncio.run(forget(session, Path(folder)))


if __name__ == "__main__":
    main()
