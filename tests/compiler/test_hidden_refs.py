"""Refs are shown where a tool of the request reads them, and nowhere else."""

import json
import re

import pytest
from hypothesis import given
from tests.work_counts import function_calls

from contextwright import C, Session, compile, replay, target
from contextwright.blocks.block import Block, Message
from contextwright.blocks.fidelity import Fidelity
from contextwright.blocks.read_back_tools import read_back_tools
from contextwright.blocks.ref import event_ref
from contextwright.compiler.hidden_refs import block_without_refs
from contextwright.errors import BudgetError, ModelError, RefError, StepError
from contextwright.session.event import Image, Text, Tool
from contextwright.testing import FORMATS, assert_valid, sessions, specs, target_for

LONG = "line of text that says little " * 200
REF = re.compile(r"(?:in full|output|ref)\W{1,4}event://")
OWN = Tool(name="look_up", parameters={"type": "object", "properties": {"ref": {}}})
SPEC = C.default() | C.compact()


def talked(*tools):
    session = Session("s", tools=tools)
    session.user("go")
    session.call("write", json.dumps({"path": "a.txt", "text": LONG}), id="c")
    session.result("c", LONG)
    session.assistant(LONG)
    session.user("and now?")
    return session


def body(session, spec=SPEC, **options):
    return compile(session, spec, model="gpt-5", **options).body.decode()


def test_without_a_reader_a_shortened_text_says_so_and_shows_no_ref():
    sent = body(talked(OWN))
    assert not REF.search(sent)
    assert "[full output: out of reach, 1201 tokens]" in sent
    assert "shortened here]" in sent


@pytest.mark.parametrize(
    ("tools", "options"),
    [
        ((), {"read_back": True}),
        ((OWN,), {"reader": "look_up"}),
        ((), {"refs": "show"}),
        (read_back_tools(), {}),
    ],
    ids=["ours", "the agent's own", "asked for", "ours, given as tools"],
)
def test_refs_are_shown_to_who_can_read_them(tools, options):
    sent = body(talked(*tools), **options)
    assert "[full output: event://e1#0, 1201 tokens]" in sent
    assert "out of reach" not in sent


ROWS = "\n".join(f"row {n}: the value of item {n} is {n * 7}" for n in range(30))
PICTURE = Image(data="aGk=", width=640, height=480)


def worked():
    """Turns of calls, another agent's words, and pictures."""
    session = Session("w")
    session.user("task")
    for turn in range(8):
        for n in range(3):
            session.call("read", {"p": n}, id=f"c{turn}{n}")
            session.result(f"c{turn}{n}", ROWS)
        session.assistant(f"done {ROWS}", author="critic")
        session.user("next", *([PICTURE] if turn < 3 else []))
    return session


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "spec",
    [
        C.isolate(),
        C.decay(full=1, fold=5, step=1),
        C.decay(full=1, fold=5, step=1, subtasks=True),
        C.summary_constraint(window=2_000),
        C.fit(4_300),
        C.compaction(2_500),
        C.default(),
    ],
    ids=repr,
)
def test_no_word_shows_a_ref_that_nobody_reads(spec, format):
    """Lines that stand for calls and turns, short messages, summaries of what was short, pictures
    in words."""
    options = {"model": target_for(format).model, "format": format, "window": 128_000}
    pack = compile(worked(), spec, **options)
    assert b"event://" not in pack.body and not pack.manifest.shows_refs
    assert replay(pack.manifest, worked()).body == pack.body
    shown = compile(worked(), spec, refs="show", **options)
    if shown.manifest.changes and format != "text":
        assert b"event://" in shown.body


def test_another_agent_is_told_of_a_picture_by_no_address():
    session = Session("p")
    session.user("Draw.")
    session.add("assistant", Text(text="Here."), PICTURE, author="painter")
    session.user("Nice?")
    for refs, told in (("hide", False), ("show", True)):
        pack = compile(session, C.default(), model="gpt-5", agent="critic", refs=refs)
        assert (b"event://" in pack.body) is told


def test_a_ref_that_somebody_wrote_at_the_end_of_a_line_stays():
    session = Session("q")
    session.user("go")
    session.call("read", {}, id="c")
    session.result("c", ROWS + "\nsee event://e1#0\n" + ROWS)
    session.assistant("Seen in event://e7")
    session.user("and?")
    assert "Seen in event://e7" in body(session)


def test_a_reader_that_is_no_tool_of_the_request_reads_nothing():
    assert not REF.search(body(talked(), reader="look_up"))
    scoped = C.default() + C.tools("write") | C.compact()
    assert not REF.search(body(talked(OWN, Tool(name="write")), scoped, reader="look_up"))
    assert not REF.search(body(talked(), read_back=True, refs="hide"))


def test_the_tools_that_read_back_are_in_every_scope_and_have_the_same_bytes():
    write = Tool(name="write")
    session = talked(OWN, write)
    wide = compile(session, SPEC, model="gpt-5", read_back=True).request["tools"]
    narrow = C.default() + C.tools("write") | C.compact()
    request = compile(session, narrow, model="gpt-5", read_back=True).request
    assert [tool["function"]["name"] for tool in wide] == ["look_up", "write", "expand", "search"]
    assert request["tools"] == wide[1:]


def test_the_receipt_has_the_refs_in_any_case():
    pack = compile(talked(), SPEC, model="gpt-5")
    assert {change.ref for change in pack.manifest.changes} == {"event://e1", "event://e3"}
    assert not pack.manifest.shows_refs


def test_what_is_hidden_costs_no_more():
    session = talked(OWN)
    hidden = compile(session, SPEC, model="gpt-5")
    shown = compile(session, SPEC, model="gpt-5", reader="look_up")
    assert hidden.tokens < shown.tokens


@pytest.mark.parametrize("options", [{}, {"read_back": True}, {"refs": "show"}])
def test_a_replay_shows_what_was_shown(options):
    session = talked(OWN)
    pack = compile(session, SPEC | C.budget(3000), model="gpt-5", **options)
    assert replay(pack, session).body == pack.body


def test_a_note_of_a_step_shows_its_ref_to_a_reader_only():
    session = Session("s")
    session.user("go")
    for n in range(30):
        session.call("read", json.dumps({"path": f"{n}.txt"}), id=f"c{n}")
        session.result(f"c{n}", f"{n} " + LONG)
    spec = C.compaction(8000)
    assert not REF.search(body(session, spec))
    assert 'ref=\\"event://' in body(session, spec, read_back=True)


def test_a_ref_that_somebody_wrote_stays_as_it_was_written():
    session = Session("s")
    session.user("what is event://e7#0?")
    session.call("read", "{}", id="c")
    session.result("c", "see [full output: event://e7#0, 9 tokens]")
    session.user("well?")
    assert body(session, C.default() | C.compact()).count("event://e7#0") == 2


@given(sessions(), specs())
def test_no_spec_sends_a_mark_with_a_ref_that_nothing_reads(session, spec):
    for format in FORMATS:
        plain = target_for(format)
        hidden = target(plain.model, format=format, window=128_000, reserved_output=0, refs="hide")
        try:
            pack = compile(session, spec, target=hidden)
        except (BudgetError, StepError, RefError):
            continue
        assert_valid(pack, hidden)
        own = {f"event://{event.id}" for event in session.log}
        marks = re.findall(r"\[full output: (\S+?)(?:#\d+)?, \d+ tokens\]", pack.body.decode())
        said = json.dumps([event.text for event in session.log], ensure_ascii=False)
        assert not [mark for mark in marks if mark in own and mark not in said]


def test_what_has_no_tools_has_no_reader():
    with pytest.raises(ModelError, match="no tools"):
        target("gpt-5", format="text", read_back=True)
    with pytest.raises(ModelError, match="refs is 'some'"):
        target("gpt-5", refs="some")


@pytest.mark.parametrize("name", ["e7", "turn 7/é"])
def test_a_note_that_stands_for_many_is_told_without_a_look_at_each(name):
    """It stands for all of a session, and is costed again as often as it is tried."""

    def hide(count):
        ids = (*(f"x{n}" for n in range(count)), name)
        text = (
            f"all [full output: {event_ref(name)}, 9 tokens], [full output: event://y1, 9 tokens]"
        )
        note = Message("user", (Text(text=text),), "", "user")
        block = Block(
            id="note:1", source="note", messages=(note,), lineage=ids, fidelity=Fidelity.SUMMARIZED
        )
        calls = function_calls(lambda: block_without_refs(block))
        return calls, block_without_refs(block).messages[0].parts[0].text

    (_, shown), (few, _), (many, _) = hide(10), hide(10), hide(1_000)
    assert few == many
    assert shown == "all [full output: out of reach, 9 tokens], [full output: event://y1, 9 tokens]"
