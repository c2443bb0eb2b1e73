"""A step leaves what tells of all that it dropped (ADR 201)."""

from itertools import cycle

import pytest

from contextwright import C, Engine, Session

RULE = "Never ship on Sundays."
LIMIT = 4_000


def talk_of_long_results(results):
    """A rule, some turns of work, and a turn that works with long results."""
    session = Session("s")
    session.user("Sort out the warehouse.")
    session.assistant("On it.")
    session.user(RULE)
    session.assistant("Understood.")
    words = cycle(["pallet", "dock", "aisle", "crane", "label", "truck", "scale", "shelf"])
    for turn in range(12):
        session.user(f"Look into shelf {turn}.")
        session.call("read_shelf", {"shelf": turn}, id=f"a{turn}")
        session.result(
            f"a{turn}", "\n".join(f"{next(words)} {turn}-{n} {next(words)}" for n in range(40))
        )
        session.assistant(f"Shelf {turn} is in order.")
    session.user("Now the whole hall.")
    for part, size in enumerate(results):
        session.call("read_hall", {"part": part}, id=f"h{part}")
        text = " ".join(f"{next(words)}{n % 97}-{part}" for n in range(size // 4))
        session.result(f"h{part}", text)
    return session


@pytest.mark.parametrize("results", [(900, 2_200), (900, 3_000), (1_500, 3_000)])
@pytest.mark.parametrize("spec", [C.fit(LIMIT), C.fit(LIMIT, strategy="summarize_only")])
def test_a_step_keeps_its_summary_where_the_running_turn_is_large(spec, results):
    whole = talk_of_long_results(results)
    session, engine = Session("s"), Engine(spec, "gpt-5", window=100_000)
    for event in whole.log:
        session.append(event)
        if event.role in {"user", "tool"}:
            pack = engine.compile(session)
            assert pack.tokens <= LIMIT
    assert RULE in pack.body.decode()
