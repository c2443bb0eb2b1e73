"""A to-do list that an agent keeps by calls: its newest state outlives every step, and no other."""

import json
import re

import pytest

from contextwright import C, Engine, Session, compile
from contextwright.formats import read_session, write_session
from contextwright.session.event import Text, ToolCall

PARTS = 10
WHOLE = [
    C.compaction(4000),
    C.default() | C.fit(4000),
    C.summarize() | C.budget(4000),
]


def call(session, tool, arguments, result):
    id = f"c{len(session)}"
    session.call(tool, json.dumps(arguments), id=id)
    session.result(id, result)


def write_whole(session, now):
    states = ["completed"] * now + ["in_progress"] + ["pending"] * (PARTS - now - 1)
    items = [{"content": f"Port part{n}", "status": state} for n, state in enumerate(states)]
    call(session, "TodoWrite", {"todos": items}, "Todos have been modified successfully.")


def write_one_by_one(session, now):
    if not now:
        for n in range(PARTS):
            call(
                session,
                "TaskCreate",
                {"subject": f"Port part{n}"},
                f"Task #{n} created: Port part{n}",
            )
    else:
        done = {"taskId": str(now - 1), "status": "completed"}
        call(session, "TaskUpdate", done, "Updated task.")
    call(session, "TaskUpdate", {"taskId": str(now), "status": "in_progress"}, "Updated task.")


def read_files(session, now, count=8):
    for n in range(count):
        lines = "\n".join(f"line {n} of {now} holds v{(k + n) * 7919}" for k in range(40))
        call(session, "read", {"path": f"dir/f{now}_{n}.py"}, lines)


def worked(write, upto=7, agent=None):
    """Parts that are ported one after the other, each behind many files."""
    session = Session("s")
    session.user("Port the service.")
    for now in range(upto):
        write(session, now)
        read_files(session, now)
    read_files(session, upto)
    return session


def sent(session, spec, **engine):
    """What is sent of a session that grew, compiled now and then."""
    engine, grown = Engine(spec, "gpt-5", **engine), Session("s")
    for event in session.log:
        if event.role == "assistant" and len(grown) % 5 == 1:
            engine.compile(grown)
        grown.append(event)
    return engine.compile(grown)


def text_of(pack):
    """The words of a request, and the arguments of its calls."""
    return "\n".join(
        f"{one.get('content') or ''}\n{json.dumps(one.get('tool_calls'))}"
        for one in pack.request["messages"]
    )


@pytest.mark.parametrize("spec", WHOLE, ids=repr)
@pytest.mark.parametrize("write", [write_whole, write_one_by_one])
def test_what_is_to_be_done_outlives_all_steps_and_nothing_done_looks_open(spec, write):
    text = text_of(sent(worked(write), spec))
    (line,) = re.findall(r"(?:TodoWrite|TaskUpdate): 6 of 10 done.*", text)
    progress, open_, done = re.split(r"To do|Done", line)
    assert "part6" in progress
    assert all(f"part{n}" in open_ for n in range(7, PARTS))
    for n in range(6):
        assert f"part{n}" not in text.replace(done, ""), "done, but told elsewhere"


def test_a_call_that_is_told_in_a_line_tells_what_is_open_first():
    session = Session("s")
    for now in range(6):
        session.user(f"Go on with part{now}.")
        write_whole(session, now)
        read_files(session, now, 3)
        session.assistant(f"part{now} is ported.")
    text = text_of(compile(session, C.default() | C.decay(), model="gpt-5"))
    line = "[Turn 6] TodoWrite: 5 of 10 done. In progress: Port part5. To do: Port part6; "
    assert line in text


def test_a_list_in_sight_is_not_told_again():
    """Behind a step that is taken while the call that wrote it stays."""
    session = worked(write_whole)
    write_whole(session, 7)
    read_files(session, 7, 3)
    notes: list[str] = []
    for limit in range(4000, 12_000, 500):
        text = text_of(compile(session, C.compaction(limit), model="gpt-5"))
        note, called, _ = text.partition('[{"function": {"arguments": "{\\"todos')
        notes += [note] if called and "part" not in note.partition("Also named")[0] else []
    assert notes


def test_words_beside_a_list_are_told_with_how_far_it_was():
    session = Session("s")
    session.user("Port the service.")
    for now in range(7):
        item = {"content": f"Port part{now}", "status": "in_progress"}
        called = ToolCall(id=f"t{now}", name="TodoWrite", arguments=json.dumps({"todos": [item]}))
        session.assistant(Text(text=f"The parser of part{now} was the hard one."), called)
        session.result(called.id, "ok")
        read_files(session, now)
    text = text_of(sent(session, C.compaction(4000)))
    assert "assistant: The parser of part6 was the hard one.\nTodoWrite 0 of 1 done\n" in text


def test_a_list_of_another_agent_is_told_with_its_name():
    session = Session("s")
    session.user("Port the service.")
    for now in range(6):
        for author in ("writer", "planner"):
            id = f"c{len(session)}"
            items = [{"step": f"Of {author} {n}", "status": "pending"} for n in range(now + 1)]
            session.call("update_plan", json.dumps({"plan": items}), id=id, author=author)
            session.result(id, "Plan updated")
        read_files(session, now)
    text = text_of(sent(session, C.compaction(4000), agent="planner"))
    assert "update_plan (writer): 0 of 6 done. To do: Of writer 0; " in text
    assert "update_plan: 0 of 6 done. To do: Of planner 0; " in text


def test_a_call_that_failed_changes_no_list():
    session = worked(write_whole, 5)
    session.call("TodoWrite", json.dumps({"todos": [{"content": "x", "status": "done"}]}), id="bad")
    session.result("bad", "No such list.", error=True)
    call(session, "TodoRead", {}, "")
    read_files(session, 6)
    assert "TodoWrite: 4 of 10 done. In progress: Port part4" in text_of(
        sent(session, C.compaction(4000))
    )


@pytest.mark.parametrize("write", [write_whole, write_one_by_one])
def test_a_loaded_session_tells_the_same_list(write, tmp_path):
    session = worked(write)
    engine = Engine(C.compaction(4000), "gpt-5")
    first = engine.compile(session)
    engine.record(session)
    write_session(session, "contextwright", path=tmp_path / "s.jsonl")
    again = Engine(C.compaction(4000), "gpt-5").compile(read_session(tmp_path / "s.jsonl"))
    assert again.body == first.body


def test_of_many_parts_those_that_are_open_have_room():
    session = Session("s")
    session.user("Port the service.")
    items = [
        {"content": f"Port part{n} " + "with all of its tests " * 4, "status": state}
        for n, state in enumerate(["completed"] * 60 + ["in_progress"] + ["pending"] * 40)
    ]
    call(session, "TodoWrite", {"todos": items}, "ok")
    read_files(session, 1, 40)
    (line,) = re.findall("TodoWrite: .*", text_of(sent(session, C.compaction(4000))))
    assert line.startswith("TodoWrite: 60 of 101 done. In progress: Port part60 with all")
    assert "To do: Port part61" in line and "more" in line
