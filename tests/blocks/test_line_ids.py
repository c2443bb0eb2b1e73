"""Ids of a note's lines: short, and read as refs are."""

import json
import re

import pytest

from contextwright import C, Engine, ReadBack, Session, compile
from contextwright.blocks.line_ids import event_of_line, line_id, ref_of_line
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.steps.note import NoteContent
from contextwright.render.exchange_text import text_behind
from contextwright.testing import session_of
from contextwright.tokens.counter import named_counter


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("e12", "event://e12"),
        (" e12-e40 ", "event://e12#..e40"),
        ("x3", "event://x3"),
        ("event://e1#0", "event://e1#0"),
        ("e142#0", "event://e142#0"),  # what a model writes of an id and a ref
        ("e2#0.1", "event://e2#0.1"),
        ("e2#.1", "event://e2#.1"),
        ("e2#..e180", "event://e2#..e180"),
        ("issue #12", "issue #12"),
        ("the second", "the second"),
        ("notes/today", "notes/today"),
    ],
)
def test_an_id_stands_for_a_ref(text, ref):
    assert ref_of_line(text) == ref


def test_a_long_id_gives_way_to_the_number_of_its_exchange():
    session = Session("s")
    session.add("user", "hello", id="0b9f7a52-77aa-4bd2-a7fb-6a3bfb0ef8ad")
    session.user("again")
    snapshot = session.snapshot()
    blocks = [block_of(exchange) for exchange in snapshot.exchanges()]
    assert [line_id(block) for block in blocks] == ["x0", "e1"]
    assert event_of_line("x0", snapshot).text == "hello"
    assert event_of_line("x9", snapshot) is None


def talked():
    session = Session("s")
    session.user("go")
    for n in range(60):
        arguments = {"path": f"{n}.txt", "why": "line one\nline two"}
        session.call("read", json.dumps(arguments), id=f"c{n}")
        session.result(f"c{n}", f"row {n}\n" + f"what {n} says of it\n" * 40)
    return session


SPEC = C.default() | C.compaction(4000)


def test_every_line_of_a_note_has_an_id_that_reads_within_a_quarter():
    session = talked()
    pack = compile(session, SPEC, model="gpt-5", read_back=True)
    note = next(m["content"] for m in pack.request["messages"] if "earlier" in str(m["content"]))
    lines = [line for line in note.splitlines() if re.match(r"(e\d+ )?read \d+\.txt", line)]
    assert lines and all(re.match(r"e\d+ read", line) for line in lines)
    ranges = re.search(r"\[Left out here, all of it: (.*)\]", note)[1].split()
    snapshot, count = session.snapshot(), named_counter("o200k_base").count
    for name in (*ranges, *(line.split()[0] for line in lines)):
        text = text_behind(name, snapshot, lambda ref: "")
        assert 0 < count(text) <= pack.manifest.budget // 4, name
    told = "\n".join((*ranges, *lines))
    assert "e1-" in told or "e0-" in told  # from the beginning on


def test_a_range_is_read_by_its_lines_and_by_what_is_in_them():
    session = talked()
    tools = ReadBack(session, compile(session, SPEC, model="gpt-5", read_back=True))
    assert tools.call("expand", {"ref": "e1-e4", "grep": "^row"}).count(": row") == 2
    first = tools.call("expand", {"ref": "e1-e4", "lines": "1-3"})
    assert first.startswith('e1 read {"path": "0.txt"}\nwhy:\nline one')


def test_a_note_that_nobody_can_read_on_from_shows_no_ids():
    body = compile(talked(), SPEC, model="gpt-5").body.decode()
    assert "read 1.txt" in body and not re.search(r"\be\d+ read", body)
    assert "Left out here" not in body


def test_whoever_reads_refs_reads_ids_of_lines():
    session = session_of("u: one | a: two | u: three")
    engine = Engine(C.default(), "gpt-5")
    assert engine.expand(session, "e0") == "one"
    assert engine.expand(session, "e0-e1") == engine.expand(session, "event://e0#..e1")


def read_at_length():
    session = Session("s")
    session.user("go")
    for n in range(12):
        session.call("read", json.dumps({"path": f"{n}.txt"}), id=f"c{n}")
        rows = "\n".join(f"row {at} of {n}: {at * at}" for at in range(160 if n == 1 else 30))
        session.result(f"c{n}", rows)
    return session


@pytest.mark.parametrize("told", [True, False])
def test_an_exchange_that_is_larger_than_a_quarter_is_named_in_parts_that_are_not(
    told, monkeypatch
):
    session = read_at_length()
    if not told:  # no room for any line: it is one of those that are left out
        monkeypatch.setattr(
            "contextwright.compiler.steps.note_block.note_of", lambda *_: NoteContent()
        )
    pack = compile(session, C.default() | C.compaction(3600), model="gpt-5", read_back=True)
    note = next(m["content"] for m in pack.request["messages"] if "earlier" in str(m["content"]))
    ranges = re.search(r"\be3 \[lines ([\d -]+-)\]" + (" read 1.txt" if told else ""), note)[1]
    tools, count = ReadBack(session, pack), named_counter("o200k_base").count
    read = [tools.call("expand", {"ref": "e3", "lines": one}) for one in ranges.split()]
    assert len(read) > 1
    for answer in read:
        assert "all of it]" in answer
        assert count(answer) <= pack.manifest.budget // 4
    assert all(f"row {at} of 1: {at * at}\n" in "\n".join(read) for at in range(160))
