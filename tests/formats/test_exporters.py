"""Odd sessions, imported, are written in every format, or refused by name."""

import copy
from importlib import import_module

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import document

from contextwright import C, Session, compile
from contextwright.errors import ContextwrightError
from contextwright.formats import _MODULES, read_session
from contextwright.session.event import Text, ToolResult
from contextwright.testing import FORMATS as PROVIDERS
from contextwright.testing import session_of, target_for
from contextwright.testing.format_suite import ODD, SCRIPTS, value_places, with_value

FORMATS = {name: import_module(f"contextwright.formats.{name}") for name in _MODULES.values()}
ODDER = (*ODD, "text", -1, True, {"a": 1}, ["x"], [{"type": "text"}], {"type": ["x"]})


@st.composite
def imported(draw):
    """A session read from a file of any format that is not quite as it should be; another format's,
    or our own, with what a first import left in it."""
    reader = FORMATS[draw(st.sampled_from(sorted(FORMATS)))]
    through = FORMATS[draw(st.sampled_from(sorted(FORMATS)))]
    session = session_of(SCRIPTS[draw(st.sampled_from(sorted(SCRIPTS)))])
    try:
        session = through.read(document(through.write(session), lines=through.LINES))
        value = reader.write(session)
        for _ in range(draw(st.integers(0, 3))):
            places = list(value_places(value))
            if places:
                odd = copy.deepcopy(draw(st.sampled_from(ODDER)))
                value = with_value(value, draw(st.sampled_from(places)), odd)
        return reader.read(document(value, lines=reader.LINES))
    except ContextwrightError:
        return session


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(session=imported())
def test_an_exporter_writes_or_names_what_is_wrong(name, session):
    try:
        FORMATS[name].write(session)
    except ContextwrightError as error:
        assert error.where and error.fix


@pytest.mark.parametrize("record", [{}, {"at": "x"}, 7, {"at": 0, "parts": None}, None])
def test_damage_in_what_a_session_keeps_of_its_file_is_named(record):
    session = Session("s")
    session.user("hi")
    (event,) = session.log
    for name, module in FORMATS.items():
        extra = {module.NAME: {"records": [record, record]}}
        odd = Session("s", [msgspec.structs.replace(event, extra=extra)])
        try:
            module.write(odd)
        except ContextwrightError as error:
            assert error.where and error.fix, name


@pytest.mark.parametrize("format", PROVIDERS)
def test_two_blocks_of_one_event_are_told_apart_in_the_list_of_what_is_not_sent(format):
    """A pinned result without its call, and a section of the same event beside it."""
    session = session_of("s: be brief | u: begin | c: look(1) | r: found | a: done | u: and | a: x")
    orphan = ToolResult(call_id="lost", content=(Text(text="kept " * 40),))
    session.add("tool", orphan, pinned=True, id="orphan")
    session.add("assistant", "All before in short.", metadata={"kind": "summary"})
    session.user("go on")
    spec = (
        C.from_compaction() | C.layer("evidence") | C.compact("stale", stale_after=1)
        | C.fit(500, strategy="strict")
    )  # fmt: skip
    assert compile(session, spec, target=target_for(format)).request


@pytest.mark.parametrize("schema", ["odd", ["a"], 5])
def test_a_schema_that_is_no_object_is_none(schema):
    tools = [{"functionDeclarations": [{"name": "read", "parameters": schema}]}]
    contents = [{"role": "user", "parts": [{"text": "hi"}]}]
    data = msgspec.json.encode({"contents": contents, "tools": tools})
    session = read_session(data, format="gemini")
    assert compile(session, C.none(), model="gemini-2.5-pro").request["tools"] == tools
