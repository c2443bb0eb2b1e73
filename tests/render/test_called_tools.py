"""The tools of a session that has no schemas, for a provider that takes no call without tools."""

import itertools

import msgspec
import pytest

from contextwright import C, Session, compile
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.session.event import Tool
from contextwright.testing import session_of, target_for

TARGET = target_for("anthropic")
NAMES = ("read_file", "run_tests", "edit_file", "search")


def packs(spec, calls=40):
    """A pack for every call of a loop; a tool's name is new at the calls 0 to 3."""
    session, compiler = session_of("s: You mend code. | u: Mend the parser."), SpecCompiler(spec)
    previous = None
    for place in range(calls):
        name = NAMES[place % len(NAMES)]
        session.call(name, f'{{"path": "src/{place}.py"}}', id=f"c{place}")
        session.result(f"c{place}", f"line {place} of the output of {name}\n" * 80)
        pack = compiler.compile(session.snapshot(), TARGET, previous=previous)
        previous = pack
        yield pack


def common_bytes(before, after):
    """Equal bytes from the start, in the order in which the provider's cache reads a request."""
    one, two = (
        b"".join(msgspec.json.encode(request.get(key)) for key in ("tools", "system", "messages"))
        for request in (before, after)
    )
    return next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), len(one))


def test_the_tools_keep_their_bytes_through_every_step_of_a_compaction():
    made = list(packs(C.default() | C.compaction(6000)))
    assert any(pack.manifest.changes for pack in made), "no step was taken"
    tools = [msgspec.json.encode(pack.request["tools"]) for pack in made]
    for place in range(1, len(NAMES)):  # a new name stands behind those that are there
        assert tools[place].startswith(tools[place - 1][:-1])
    assert set(tools[len(NAMES) - 1 :]) == {tools[-1]}
    assert [tool["name"] for tool in made[-1].request["tools"]] == list(NAMES)


def of_the_blocks_sent(request):
    """The request as it was when tools were told from the calls that it holds."""
    parts = [part for message in request["messages"] for part in message["content"]]
    names = sorted({part["name"] for part in parts if part["type"] == "tool_use"})
    return {**request, "tools": [tool for tool in request["tools"] if tool["name"] in names]}


def test_more_of_the_prefix_is_the_same_than_with_the_tools_of_the_blocks_sent():
    def rare(calls):
        session = session_of("s: " + "You mend code. " * 200 + "| u: Mend the parser.")
        compiler = SpecCompiler(C.default() | C.compaction(6000))
        for place in range(calls):
            name = "search" if place % 9 == 0 else "read_file"
            session.call(name, f'{{"path": "src/{place}.py"}}', id=f"c{place}")
            session.result(f"c{place}", f"line {place}\n" * 150)
            yield compiler.compile(session.snapshot(), TARGET).request

    requests = list(rare(40))
    before = [of_the_blocks_sent(request) for request in requests]
    steady, moving = (
        sum(itertools.starmap(common_bytes, itertools.pairwise(found)))
        for found in (requests, before)
    )
    assert before != requests
    assert steady > moving


def test_no_stub_is_made_where_tools_are_given():
    session = support()
    session.tools = (Tool(name="book", description="Books", parameters={"type": "object"}),)
    pack = compile(session, C.default(), target=TARGET)
    assert [tool["name"] for tool in pack.request["tools"]] == ["book"]
    assert "tool_stub" not in {each.kind for each in pack.manifest.inserted}


@pytest.mark.parametrize(
    ("spec", "format"), [(C.user(), "anthropic"), (C.default(), "openai-chat")]
)
def test_no_stub_is_made_where_no_call_needs_one(spec, format):
    assert "tools" not in compile(support(), spec, target=target_for(format)).request


@pytest.mark.parametrize("spec", [C.isolate(), C.compact() | C.isolate() | C.budget(6000)])
def test_the_tools_stay_where_a_turn_begins_whose_calls_will_be_sent(spec):
    """Of turns that are over a word takes the calls out, not of the one that runs."""
    session, compiler = support(), SpecCompiler(spec)
    before = compiler.compile(session.snapshot(), TARGET).request
    assert [tool["name"] for tool in before["tools"]] == ["search"]
    session.call("search", "{}", id="again")
    session.result("again", "found")
    assert compiler.compile(session.snapshot(), TARGET).request["tools"] == before["tools"]


def support():
    return session_of("u: find x | c: search(x) | r: found | a: here | u: and?")


@pytest.mark.parametrize(
    "spec",
    [
        C.default() | C.redact(patterns=["jane.doe"]),
        C.default() + (C.from_state("intent") | C.redact(patterns=["jane.doe"])),
    ],
    ids=["everywhere", "one term"],
)
def test_what_a_spec_redacts_is_in_no_stub(spec):
    session = session_of("u: go", state={"intent": "billing"})
    session.call("lookup_jane_doe", "{}", id="c")
    session.result("c", "found")
    pack = compile(session, spec, target=TARGET)
    assert pack.request["tools"]
    assert "jane_doe" not in msgspec.json.encode(pack.request["tools"]).decode()


def test_what_other_agents_called_is_not_this_ones_tool():
    session = Session("s")
    session.user("go")
    session.call("search", "{}", id="a", author="finder")
    session.result("a", "found")
    session.call("book", "{}", id="b", author="booker")
    session.result("b", "booked")
    pack = compile(session, C.default(), target=TARGET, agent="booker")
    assert [tool["name"] for tool in pack.request["tools"]] == ["book"]


def test_a_snapshot_knows_the_tools_that_were_called_before_it():
    session = support()
    then = session.snapshot()
    session.call("book", "{}", id="b")
    session.result("b", "booked")
    assert [name for _, name in then.log.called_tools(then.position)] == ["search"]
    assert [name for _, name in then.log.called_tools(len(then.log))] == ["search", "book"]


def test_stubs_are_counted_once_and_not_with_each_call():
    made = list(packs(C.default(), calls=8))
    first, last = made[-2].manifest, made[-1].manifest
    assert first.fixed_tokens == last.fixed_tokens
    assert last.tokens <= last.fixed_tokens + sum(block.tokens for block in last.kept)
