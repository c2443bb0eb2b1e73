"""What files hold by now, from the calls that read and changed them; and that a note has it."""

import json

import pytest

from contextwright import C, Session, compile
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.steps.file_states import file_states, told_file, told_files

SOURCE = "\n".join(f"def step_{n}(value):\n    return value + {n}\n" for n in range(60))


def called(session, name, result, **arguments):
    session.call(name, json.dumps(arguments), id=f"c{session.snapshot().position}")
    session.result(f"c{session.snapshot().position - 1}", result)


def states_of(session):
    blocks = [block_of(exchange) for exchange in session.snapshot().exchanges()]
    return file_states(blocks, len(blocks)), blocks


def text_of(state):
    return "\n".join(line.text for part in state.parts for line in part)


def test_edits_are_put_into_what_was_read():
    session = Session("s")
    called(session, "read", "a = 1\nb = 2\nc = 3", path="x.py")
    called(session, "edit", "ok", path="x.py", oldText="b = 2", newText="b = 20\nb += 1")
    called(session, "edit", "ok", path="x.py", old_str="= 3", new_str="= 30")
    ((state,), _) = states_of(session)
    assert text_of(state) == "a = 1\nb = 20\nb += 1\nc = 30"
    assert state.edited


@pytest.mark.parametrize("form", ["{n:6}\t{line}", "{n}: {line}", "  {n}→{line}"])
def test_numbers_of_lines_are_no_part_of_a_file(form):
    shown = "\n".join(form.format(n=n, line=line) for n, line in enumerate("abcd", 1))
    session = Session("s")
    called(session, "view", f"Here it is:\n{shown}", path="x.py")
    called(session, "str_replace", "ok", path="x.py", old_str="b\nc", new_str="B")
    ((state,), _) = states_of(session)
    assert text_of(state) == "a\nB\nd"


def test_a_write_and_a_new_read_take_the_place_of_all_that_was_known():
    session = Session("s")
    called(session, "write", "ok", path="x.py", content="a\nb")
    called(session, "read", "c\nd", path="x.py")
    ((state,), _) = states_of(session)
    assert text_of(state) == "c\nd"
    assert state.sources == {1}


def test_a_part_that_was_read_again_stands_once():
    session = Session("s")
    called(session, "read", "a\nb\nc", path="x.py", offset=1, limit=3)
    called(session, "read", "b\nc", path="x.py", offset=2, limit=2)
    called(session, "read", "x\ny", path="x.py", offset=9, limit=2)
    ((state,), _) = states_of(session)
    assert text_of(state) == "a\nb\nc\nx\ny"


def test_what_failed_or_searched_is_no_file():
    session = Session("s")
    called(session, "grep", "x.py:1: a\nx.py:2: b", path="x.py", pattern="a")
    called(session, "read", "a\nb", path="folder")
    session.call("read", '{"path": "y.py"}', id="bad")
    session.result("bad", "no such\nfile", error=True)
    assert states_of(session)[0] == []


def test_a_file_that_has_no_room_is_told_around_its_edits():
    session = Session("s")
    called(session, "read", SOURCE, path="x.py")
    called(session, "edit", "ok", path="x.py", oldText="value + 30", newText="value * 30")
    ((state,), _) = states_of(session)
    text = told_file(state, 60, lambda text: len(text) // 4)
    assert "value * 30" in text
    assert "value + 5\n" not in text
    assert len(text) // 4 <= 60
    assert text.startswith("[x.py as it is by now]\n[… ")


def test_the_files_that_are_edited_come_first_then_the_newest():
    session = Session("s")
    for path in ("a.py", "b.py", "c.py"):
        called(session, "read", "one\ntwo", path=path)
    called(session, "edit", "ok", path="a.py", oldText="one", newText="1")
    assert [state.path for state in states_of(session)[0]] == ["a.py", "c.py", "b.py"]


def test_a_file_that_a_note_does_not_name_is_not_looked_for():
    assert told_files((), [], 0, len) == []


def coding():
    """A file that is read, edited, and then left for long."""
    session = Session("s")
    session.user("make the steps multiply")
    called(session, "read", SOURCE, path="src/steps.py")
    called(session, "edit", "ok", path="src/steps.py", oldText="value + 7", newText="value * 7")
    for n in range(40):
        called(
            session, "bash", f"run {n}: " + f"all of it passed, {n} times. " * 30, command=f"t{n}"
        )
    return session


def test_a_note_has_the_lines_of_a_file_that_is_edited_as_they_are_by_now():
    session = coding()
    pack = compile(session, C.default() | C.compaction(12_000), model="gpt-5")
    body = pack.body.decode()
    assert "[src/steps.py as it is by now]" in body
    assert "value * 7" in body and "value + 7" not in body
    assert "def step_8(value):" in body
    assert pack.tokens <= 12_000


def test_a_session_without_edits_keeps_its_notes():
    session = Session("s")
    session.user("look")
    for n in range(40):
        called(session, "read", f"page {n}\n" + SOURCE[: 60 * n], path=f"{n}.md")
    pack = compile(session, C.default() | C.compaction(12_000), model="gpt-5")
    assert "as it is by now]" not in pack.body.decode()
