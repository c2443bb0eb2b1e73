"""A short answer stands in a note, and in a summary, with what was asked; and a task with what a tool
told of it last."""

import pytest

from contextwright import C, Engine, Session

SPECS = {
    "compaction": C.default() | C.compaction(6_000),
    "fit": C.default() | C.fit(6_000),
    "rolling": C.rolling(5) | C.budget(6_000),
    "decay": C.default() | C.decay() | C.budget(6_000),
    "summarize": C.summarize() | C.budget(6_000),
}


def read_files(session, engine, first, count):
    for n in range(first, first + count):
        session.user(f"Read file {n}.")
        session.call("read", {"path": f"dir/f{n}.py"}, id=f"c{n}")
        session.result(f"c{n}", f"row {n} gives value v{n * 7919} " * 40)
        session.assistant(f"It has {n} rows.")
        if n % 10 == 0:
            engine.compile(session)


def sent(engine, session):
    return "\n".join(str(one.get("content")) for one in engine.compile(session).request["messages"])


@pytest.mark.parametrize("word", SPECS)
def test_a_choice_is_told_with_what_was_asked(word):
    engine, session = Engine(SPECS[word], "gpt-5"), Session("s")
    session.user("Work through what comes.")
    session.assistant("For the store of kestrel7x I can take Drizzle or Prisma. Which one?")
    session.user("So Drizzle.")
    session.assistant("OK.")
    session.user("And the cleaning?")
    session.assistant("Cleaning osprey7x could be daily or weekly. What do you prefer?")
    session.user("ok, weekly")
    session.assistant("OK.")
    read_files(session, engine, 0, 60)
    text = sent(engine, session)
    assert "kestrel7x I can take Drizzle or Prisma. Which one?\nuser: So Drizzle." in text
    assert "osprey7x could be daily or weekly. What do you prefer?\nuser: ok, weekly" in text


def test_what_came_of_a_choice_later_stands_beside_it():
    engine, session = Engine(SPECS["compaction"], "gpt-5"), Session("s")
    session.user("Work through what comes.")
    session.assistant("For the store of kestrel7x I can take Drizzle or Prisma. Which one?")
    session.user("So Drizzle.")
    session.assistant("OK.")
    read_files(session, engine, 0, 5)
    session.user("kestrel7x is Prisma's after all.")
    session.assistant("OK.")
    read_files(session, engine, 5, 60)
    text = sent(engine, session)
    assert "So Drizzle." not in text or "kestrel7x is Prisma's after all." in text


@pytest.mark.parametrize("word", SPECS)
@pytest.mark.parametrize(
    ("request_", "result"),
    [
        ("Please restore kestrel7x.", '{"db": "kestrel7x", "state": "SUCCEEDED"}'),
        ("Bitte stell die Tabelle kestrel7x wieder her.", "kestrel7x: zurückgezogen"),
        ("Please ship kestrel7x to the office.", "kestrel7x | signed for by J. Hall"),
    ],
)
def test_a_task_is_told_with_what_a_tool_gave_of_it_last(word, request_, result):
    engine, session = Engine(SPECS[word], "gpt-5"), Session("s")
    session.user("Work through what comes.")
    session.user(request_)
    session.assistant("I have begun with kestrel7x.")
    read_files(session, engine, 0, 10)
    session.user("What about the list?")
    session.call("status", {"of": "kestrel7x"}, id="t1")
    session.result("t1", result)
    session.assistant("Here is the list.")
    read_files(session, engine, 10, 50)
    text = sent(engine, session)
    told = result.rpartition(" ")[2].strip('"}')
    assert request_ not in text or told in text


def test_what_is_set_up_early_outlives_steps_of_a_fit_with_a_large_newest_exchange():
    engine, session = Engine(C.default() | C.fit(8_000), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    for n in range(40):
        session.user(f"Two replicas of heard{n}x suffice, and four of all the others.")
        session.assistant("Understood.")
        read_files(session, engine, 10 * n, 3)
    for n in range(6):
        session.user(f"Read the book {n}.")
        session.call("read", {"path": f"dir/b{n}.py"}, id=f"b{n}")
        session.result(f"b{n}", f"row {n} gives value v{n * 7919} " * 250)
        session.assistant("It is long.")
        read_files(session, engine, 1_000 + 10 * n, 3)
    assert sum(f"heard{n}x" in sent(engine, session) for n in range(40)) >= 38


@pytest.mark.parametrize("word", SPECS)
def test_an_answer_with_a_condition_and_one_that_agrees_stand_with_what_they_answer(word):
    engine, session = Engine(SPECS[word], "gpt-5"), Session("s")
    session.user("Work through what comes.")
    session.assistant("The backfill of kestrel7x is ready. Should I run it tonight?")
    session.user("yes, but only on weekdays, nobody is around to help else")
    session.assistant("Scheduled accordingly.")
    session.user("And the cleaning?")
    session.assistant("I put osprey7x into groups by postcode, since the districts changed in May.")
    session.user("oh right, good")
    read_files(session, engine, 0, 60)
    text = sent(engine, session)
    assert "Should I run it tonight?\nuser: yes, but only on weekdays" in text
    assert "since the districts changed in May.\nuser: oh right, good" in text


@pytest.mark.parametrize("word", [word for word in SPECS if word != "summarize"])
def test_what_is_to_be_done_instead_stands_with_what_was_proposed(word):
    engine, session = Engine(SPECS[word], "gpt-5"), Session("s")
    session.user("Work through what comes.")
    session.assistant("Shall I set up the connector kestrel7x for it?")
    session.user("Hm, no. Let's load the files by hand until June.")
    session.assistant("By hand then.")
    session.user("And the agency?")
    session.assistant("Ours is full. Would osprey7x suit you?")
    session.user("I'd rather not, use the consulate directly.")
    session.assistant("Ok.")
    read_files(session, engine, 0, 60)
    text = sent(engine, session)
    assert "kestrel7x for it?\nuser: Hm, no. Let's load the files by hand until June." in text
    assert "osprey7x suit you?\nuser: I'd rather not, use the consulate directly." in text


def test_an_answer_that_lays_something_down_stands_by_itself_where_its_question_has_no_room():
    engine, session = Engine(C.default() | C.budget(1_300), "gpt-5"), Session("s")
    session.user("Work through what comes.")
    for n in range(12):
        session.assistant(f"The folder of kestrel{n}x {'has a great many old rows ' * 6}. Drop it?")
        session.user(f"No. Never touch osprey{n}x.")
        session.assistant("Ok.")
        session.user("Go on.")
        session.assistant("There is more.")
    read_files(session, engine, 0, 60)
    text = sent(engine, session)
    answers, questions = (
        sum(f"{name}{n}x" in text for n in range(12)) for name in ("osprey", "kestrel")
    )
    assert answers > questions > 0
