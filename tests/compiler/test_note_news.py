"""What was laid down and lifted since is told with what lifted it; what nothing came of holds on, in
whatever words; that a task is over goes behind what holds."""

import pytest

from contextwright import C, Engine, Session

LIFTED = (
    ("Never push to the {0} branch before noon.", "The noon rule of {0} is over, push whenever."),
    ("Keep the batch size of {0} at 512.", "The batch size of {0} is 2048 by now."),
    ("Payments to {0} are prohibited.", "Payments to {0} may go out again."),
)
PASSED_OVER = (
    "Line length is 96 in {0}",
    "Between six and midnight: half power at {0}",
    "ADR-12: adopt the event bus {0}",
    "The night shift alone has keys to {0}.",
)
ROLLING = C.rolling(5) | C.budget(6000)
SPECS = [
    C.compaction(4000),
    C.default() | C.compaction(6000),
    ROLLING,
    C.summarize() | C.budget(6000),
    C.default() | C.decay() | C.budget(6000),
    C.default() | C.fit(8000),
]


def read_files(session, engine, first, count):
    """What an agent does that takes up no word of it."""
    for n in range(first, first + count):
        session.call("read", {"path": f"dir/f{n}.py"}, id=f"c{n}")
        session.result(f"c{n}", f"row {n} gives value v{n * 7919} " * 20)
        if n % 10 == 0:
            engine.compile(session)


def sent(engine, session):
    for n in range(40):
        session.user(f"Please sum up part {n} of the files, and tell Berta.")
        read_files(session, engine, 1_000 + 10 * n, 6)
        session.assistant(f"Part {n} is summed up, Berta knows.")
    session.user("Go on.")
    return "\n".join(str(one.get("content")) for one in engine.compile(session).request["messages"])


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_what_was_lifted_is_not_told_as_what_holds(spec):
    engine, session = Engine(spec, "gpt-5"), Session("s")
    session.user("Work through the files.")
    for n, (rule, _) in enumerate(LIFTED):
        session.user(rule.format(f"unit{n}x"))
        session.assistant("Understood.")
        read_files(session, engine, 10 * n, 9)
    read_files(session, engine, 100, 30)
    for n, (_, news) in enumerate(LIFTED):
        session.user(news.format(f"unit{n}x"))
        session.assistant("OK.")
        read_files(session, engine, 200 + 10 * n, 9)
    text = sent(engine, session)
    for n, (rule, news) in enumerate(LIFTED):
        assert rule.format(f"unit{n}x") not in text or news.format(f"unit{n}x") in text


@pytest.mark.parametrize("spec", [one for one in SPECS if one != ROLLING], ids=repr)
def test_what_nothing_came_of_outlives_all_steps_in_whatever_words(spec):
    engine, session = Engine(spec, "gpt-5"), Session("s")
    session.user("Work through the files.")
    for n, statement in enumerate(PASSED_OVER):
        session.user(statement.format(f"unit{n}x"))
        read_files(session, engine, 10 * n, 9)
    text = sent(engine, session)
    assert all(f"unit{n}x" in text for n in range(len(PASSED_OVER)))


def test_where_room_is_scarce_what_holds_goes_before_that_tasks_are_over():
    engine, session = Engine(C.compaction(2_500), "gpt-5"), Session("s")
    session.user("Work through the files.")
    for n in range(12):
        session.user(f"Never open vault{n}x.")
        session.assistant("Understood.")
        read_files(session, engine, 20 * n, 3)
    for n in range(40):
        session.user(f"Schedule a visit to site{n}x.")
        session.assistant("On it.")
        session.user(f"Don't plan the visit to site{n}x after all, no need for it.")
        read_files(session, engine, 300 + 5 * n, 3)
    text = sent(engine, session)
    assert all(f"Never open vault{n}x." in text for n in range(12))
