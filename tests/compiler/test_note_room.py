"""What holds has its room in a note, whatever stands beside it: beside requests, next to a large
newest exchange; and a task that a tool alone ends does not look open."""

import pytest

from contextwright import C, Engine, Session

BESIDE = (
    "Fix part{1}. Juniors read {0} to learn the trade.",
    "Plot part{1} by month. The printer near {0} is black and white.",
    "Send part{1} to the client. They have moved to {0} as of this month.",
    "Clean up part{1}. Anything tagged {0} belongs to the auditors.",
)
IN_GERMAN = (
    "Bitte räum Teil{1} auf. Alles mit {0} gehört den Prüfern.",
    "Zeichne Teil{1} nach Monaten. Der Drucker bei {0} kann nur schwarz und weiß.",
    "Schick Teil{1} an die Kundin. Die sitzen seit diesem Monat bei {0}.",
    "Richte Teil{1} ein. Unsere Rechner für {0} sind schon etwas älter.",
)
HEARD = ("Two replicas of {0} suffice.", "Green for {0}, red is for alarms.")


def read_files(session, engine, first, count, words=20):
    for n in range(first, first + count):
        session.call("read", {"path": f"dir/f{n}.py"}, id=f"c{n}")
        session.result(f"c{n}", f"row {n} gives value v{n * 7919} " * words)
        if n % 10 == 0:
            engine.compile(session)


def sent(engine, session):
    return "\n".join(str(one.get("content")) for one in engine.compile(session).request["messages"])


def test_what_is_said_beside_requests_has_room_behind_many_rules():
    engine, session = Engine(C.compaction(8_000), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    for n in range(72):
        if n < 24:
            session.user(BESIDE[n % len(BESIDE)].format(f"aside{n}x", n))
            session.assistant(f"part{n} is done.")
        session.user(f"Never touch the folder rule{n}x, whatever happens to the others of them.")
        session.assistant("Understood.")
        read_files(session, engine, 10 * n, 5)
    read_files(session, engine, 1_000, 90)
    text = sent(engine, session)
    assert sum(f"rule{n}x" in text for n in range(72)) == 72
    assert sum(f"aside{n}x" in text for n in range(24)) >= 20


def test_what_is_said_in_another_language_has_room_beside_a_large_newest_exchange():
    engine, session = Engine(C.compaction(6_000), "gpt-5"), Session("s")
    session.user("Arbeite ab, was kommt.")
    for n in range(36):
        session.user(IN_GERMAN[n % len(IN_GERMAN)].format(f"aside{n}x", n))
        session.assistant(f"Teil{n} ist erledigt.")
        read_files(session, engine, 10 * n, 5)
    read_files(session, engine, 1_000, 60)
    read_files(session, engine, 2_001, 3, words=240)
    text = sent(engine, session)
    assert sum(f"aside{n}x" in text for n in range(36)) >= 30


def test_what_holds_has_room_beside_a_large_newest_exchange():
    engine, session = Engine(C.compaction(6_000), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    for n in range(40):
        session.user(HEARD[n % len(HEARD)].format(f"heard{n}x and all that is a part of it"))
        session.assistant("Understood.")
        read_files(session, engine, 10 * n, 3)
    read_files(session, engine, 1_000, 60)
    read_files(session, engine, 2_001, 1, words=300)  # half of the limit
    assert sum(f"heard{n}x" in sent(engine, session) for n in range(40)) == 40


def test_what_holds_has_room_beside_a_message_that_is_larger_than_all_there_is():
    """It is cut in any case: nothing stood beside it that holds."""
    engine, session = Engine(C.compaction(6_000), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    for n in range(20):
        session.user(f"Never touch the folder rule{n}x.")
        session.assistant("Understood.")
        read_files(session, engine, 10 * n, 3)
    session.assistant("".join(f"Page {n} has words and more of them. " for n in range(1_200)))
    text = sent(engine, session)
    assert sum(f"rule{n}x" in text for n in range(20)) == 20


@pytest.mark.parametrize("status", ["done", "cancelled"])
def test_a_task_that_a_tool_alone_ends_is_not_shown_as_open(status):
    engine, session = Engine(C.compaction(4_000), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    for n in range(6):
        session.user(f"OPS-{n}: record the film of hall{n}x.")
        session.assistant("OK.")
        read_files(session, engine, 10 * n, 3)
        session.call("track", {"id": f"OPS-{n}", "to": status}, id=f"t{n}")
        session.result(f"t{n}", f'{{"id": "OPS-{n}", "state": "{status}"}}')
        session.assistant("What is next?")
        read_files(session, engine, 100 + 10 * n, 3)
    read_files(session, engine, 1_000, 60)
    text = sent(engine, session)
    for n in range(6):
        assert f"hall{n}x" not in text or f"OPS-{n} {status}" in text or f'{n}", "state' in text


def test_what_is_said_beside_requests_has_room_beside_a_large_newest_exchange():
    engine, session = Engine(C.compaction(6_000), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    for n in range(80):
        session.user(
            f"Fix part{n}. Juniors who come in May read aside{n}x to learn the whole trade."
        )
        session.assistant(f"part{n} is done.")
        read_files(session, engine, 10 * n, 2)
    for n in range(6):
        read_files(session, engine, 2_000 + n, 1, words=180)
        engine.compile(session)
    text = sent(engine, session)
    assert sum(f"aside{n}x" in text for n in range(80)) >= 55


def test_a_remark_with_a_name_stands_with_what_was_said_of_it_last():
    engine, session = Engine(C.compaction(8_000), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    session.user(
        "The dashboards still query `v_invoices_old`. Could you point them at the new view?"
    )
    session.assistant("I'll do that next.")
    for n in range(4):
        session.user(f"And the columns of part {n}?")
        session.assistant("There are 4.")
    session.assistant("All nine read from the new view; nothing uses v_invoices_old anymore.")
    for n in range(60):
        session.user(f"Look at part {n} of it.")
        session.assistant(f"Part {n} says nothing of it.")
        read_files(session, engine, 10 * n, 6)
    text = sent(engine, session)
    assert "still query" not in text or "nothing uses v_invoices_old" in text


@pytest.mark.parametrize("spec", [C.rolling(5), C.default() | C.decay()], ids=repr)
def test_a_long_remark_has_room_in_a_summary(spec):
    engine, session = Engine(spec | C.budget(6_000), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    session.user(
        "My boss cannot tell some colours apart, red and green that is, so that blue and orange "
        "would be kind. Which week was the best one of them?"
    )
    session.assistant("Week 17 was the best.")
    for n in range(40):
        session.user(f"Look at part {n} of it.")
        session.assistant(f"Part {n} says nothing of it.")
        read_files(session, engine, 10 * n, 4)
    assert "blue and orange would be kind" in sent(engine, session)
