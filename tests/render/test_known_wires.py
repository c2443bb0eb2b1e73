"""A message is rendered, measured and checked once, and nobody can tell."""

from operator import is_

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.compiler.test_fold import calls_of
from tests.work_counts import function_calls

from contextwright import C, Session
from contextwright.adapters.wrap.live_renderer import FORMAT as LIVE
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ContextwrightError
from contextwright.memo.ownership import remembering
from contextwright.render.known_wires import wires_of_blocks
from contextwright.render.providers import provider_named
from contextwright.session import Tool
from contextwright.spec.inputs import Memo
from contextwright.testing import sessions, target_for

FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini")
SPEC = C.default() | C.budget(4000)


def outcome(session, target, memo):
    try:
        return SpecCompiler(SPEC, memo=memo).compile(session.snapshot(), target)
    except ContextwrightError as error:
        return str(error)


def messages_checked(renderer, names, monkeypatch):
    """Filled with how many messages each of these rules is asked about."""
    key, checked = renderer.cache_order[-1], list[int]()

    def asked(rule):
        return lambda request: checked.append(len(request[key])) or rule(request)

    rules = {name: asked(renderer.rules[name]) for name in names}
    monkeypatch.setattr(type(renderer), "rules", {**renderer.rules, **rules})
    return checked


@given(session=sessions(max_turns=10), format=st.sampled_from(FORMATS), cache=st.booleans())
@settings(
    max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
def test_a_growing_session_gives_what_a_fresh_one_gives(session, format, cache):
    grown, memo, target = (
        Session("grown"),
        Memo(),
        msgspec.structs.replace(target_for(format), cache=cache),
    )
    for event in session.log:
        grown.append(event)
        assert outcome(grown, target, memo) == outcome(grown, target, Memo())


@pytest.mark.parametrize("format", FORMATS)
def test_a_turn_renders_measures_and_checks_what_is_new(format, monkeypatch):
    renderer, memo, target = provider_named(format).renderer, Memo(), target_for(format)
    session = Session("talk")
    for n in range(60):
        session.user(f"And {n}?")
        session.call("find", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"It is {n}.")
        session.assistant(f"That is {n}.")
    outcome(session, target, memo)
    counts: dict[str, list[object]] = {
        name: calls_of(monkeypatch, type(renderer), name)
        for name in ("message_wires", "measure_wire")
    }
    names = renderer.message_rules | renderer.tail_rules
    checked = messages_checked(renderer, names, monkeypatch)
    session.user("And now?")
    pack = outcome(session, target, memo)
    sent = len(pack.request[renderer.cache_order[-1]])
    assert sent > 40 and counts["message_wires"] and len(checked) == len(names)
    assert max(len(counts["message_wires"]), len(counts["measure_wire"]), *checked) < sent // 3


@pytest.mark.parametrize("format", FORMATS)
def test_of_a_request_whose_system_alone_is_new_that_alone_is_asked(format, monkeypatch):
    renderer, memo, target = provider_named(format).renderer, Memo(), target_for(format)
    session = Session("talk")
    for n in range(20):
        session.user(f"And {n}?")
        session.assistant(f"That is {n}.")
    session.user("And now?")
    checked = messages_checked(renderer, renderer.message_rules, monkeypatch)
    for words in ("Be kind.", "Be short."):
        checked.clear()
        assert SpecCompiler(C.default() + C.template(words), memo=memo).compile(
            session.snapshot(), target
        )
    assert max(checked, default=0) <= 4  # of Claude, those that a breakpoint is put in


def test_a_call_whose_id_another_message_has_gets_another():
    session, memo, target = Session("twice"), Memo(), target_for("openai-chat")
    for n in range(6):
        session.user(f"Again, {n}")
        session.call("find", {"n": n}, id="same" if n % 2 else f"other{n}")
        session.result("same" if n % 2 else f"other{n}", f"found {n}")
        pack = outcome(session, target, memo)
        assert pack == outcome(session, target, Memo())
    ids = [c["id"] for m in pack.request["messages"] for c in m.get("tool_calls") or ()]
    assert len(ids) == len(set(ids)) == 6


@pytest.mark.parametrize("format", FORMATS)
def test_where_an_id_comes_twice_the_others_are_not_rendered_again(format, monkeypatch):
    renderer, memo, target = provider_named(format).renderer, Memo(), target_for(format)
    session = Session("twice")
    for n in range(40):
        session.user(f"Again, {n}")
        session.call("find", {"n": n}, id=f"c{n % 30}")
        session.result(f"c{n % 30}", f"found {n}")
    outcome(session, target, memo)
    rendered = calls_of(monkeypatch, type(renderer), "message_wires")
    session.user("And now?")
    pack = outcome(session, target, memo)
    assert len(rendered) <= 2  # it is counted as well
    assert pack == outcome(session, target, Memo())


@pytest.mark.parametrize("format", ["anthropic", "gemini"])
def test_joined_messages_and_tools_are_those_of_the_request_before(format, monkeypatch):
    renderer, memo, target = provider_named(format).renderer, Memo(), target_for(format)
    target = msgspec.structs.replace(
        target, tools=(Tool(name="find", parameters={"type": "object"}),), cache=False
    )
    session, made = Session("talk"), list[list[object]]()
    build = type(renderer).build
    monkeypatch.setattr(
        type(renderer),
        "build",
        lambda *given: made.append(renderer.wires_of(request := build(*given))) or request,
    )
    session.user("Find all.")
    session.user("Please.")  # joined with the one before
    for n in range(8):
        session.call("find", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"It is {n}.")
        outcome(session, target, memo)
        assert all(map(is_, made[max(0, n - 1)][:-1], made[n]))
    tools = calls_of(monkeypatch, type(renderer), "tool_wire")
    session.user("What comes behind a result is joined with it.")
    assert outcome(session, target, memo) == outcome(session, target, Memo())
    assert len(tools) == 1  # from nothing


def test_a_broken_message_is_named_by_its_place():
    from contextwright.memo.ownership import remembering

    renderer, target, memo = (
        provider_named("openai-chat").renderer,
        target_for("openai-chat"),
        Memo(),
    )
    good = [{"role": "user", "content": str(n)} for n in range(5)]
    with remembering(memo):
        assert not renderer.validate({"model": "m", "messages": good}, target)
        bad = {"role": "nobody", "content": "x"}
        broken = renderer.validate({"model": "m", "messages": [*good, bad]}, target)
    assert [(one.rule, one.where) for one in broken] == [("OC1", "messages[5]")]


def test_a_request_that_goes_on_is_asked_for_the_neighbours_of_what_is_new(monkeypatch):
    """An answer to nothing is found behind as many messages as there are."""
    from contextwright.memo.ownership import remembering

    target, memo = target_for("openai-chat"), Memo()
    renderer, seen = target.provider.renderer, list[int]()
    rule = renderer.rules["OC2"]

    def watched(request):
        seen.append(len(request["messages"]))
        return rule(request)

    monkeypatch.setattr(type(renderer), "rules", {**renderer.rules, "OC2": watched})
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    messages = [{"role": "user", "content": f"And {n}?"} for n in range(20)]
    with remembering(memo):
        assert not renderer.validate({"messages": messages}, target)
        messages = [*messages, {"role": "assistant", "content": None, "tool_calls": [call]}]
        (broken,) = renderer.validate({"messages": messages}, target)
        assert (broken.rule, broken.where) == ("OC2", "messages")
        answer = {"role": "tool", "tool_call_id": "c1", "content": "found"}
        messages = [*messages, answer]
        assert not renderer.validate({"messages": messages}, target)
        (broken,) = renderer.validate({"messages": [*messages, {**answer}]}, target)[:1]
        assert broken.where == "messages[22]"
    assert seen[:4] == [20, 1, 21, 2]


def test_rules_walk_once_over_what_is_new():
    target, memo = target_for("openai-chat"), Memo()
    renderer = target.provider.renderer
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    talk = [{"role": "user", "content": f"And {n}?"} for n in range(20)]
    new = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "found"},
    ]
    with remembering(memo):
        assert not renderer.validate({"messages": talk}, target)
        request = {"messages": [*talk, *new]}
        calls = function_calls(lambda: renderer.validate(request, target), {"call"})
    assert calls <= 65  # with a walk for each rule 162


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses", "anthropic", "gemini", LIVE])
def test_what_was_counted_costs_the_same_again_and_is_sent(format):
    session, target = Session("s"), target_for(format)
    session.user("Where is the order?")
    renderer, block = target.provider.renderer, block_of(session.snapshot().exchanges()[0])
    with remembering(Memo()):
        assert renderer.cost(block, target) == renderer.cost(block, target) > 0
        pairs = wires_of_blocks(renderer, (block,), renderer.draft(target.sign), target)
    assert "Where is the order?" in str(pairs)


def test_what_no_tools_break_is_asked_once(monkeypatch):
    target, memo, asked = target_for("openai-chat"), Memo(), list[object]()
    renderer = target.provider.renderer
    rule = renderer.rules["OC6"]

    def watched(request):
        asked.append(request.get("tools"))
        return rule(request)

    monkeypatch.setattr(type(renderer), "rules", {**renderer.rules, "OC6": watched})
    talk = [{"role": "user", "content": "And now?"}]
    with remembering(memo):
        for _ in range(3):
            assert not renderer.validate({"messages": talk}, target)
        (broken,) = renderer.validate({"messages": talk, "tools": []}, target)
        assert broken.rule == "OC6"
        assert not renderer.validate({"messages": talk}, target)
    assert asked == [None, []]


def test_tools_are_read_once_while_they_stay(monkeypatch):
    target = target_for("openai-chat")
    renderer, read = target.provider.renderer, []
    u1 = renderer.rules["U1"]
    rules = {**renderer.rules, "U1": lambda request: read.append("tools" in request) or u1(request)}
    monkeypatch.setattr("contextwright.render.openai_chat.RULES", rules)
    monkeypatch.setattr(type(renderer), "rules", rules)

    def described(text):
        return [{"type": "function", "function": {"name": "find", "description": text}}]

    messages, broken = [], []
    with remembering(Memo()):
        for tools in (described("a"), described("a"), described("\ud800"), described("a")):
            messages = [*messages, {"role": "user", "content": str(len(messages))}]
            request = {"model": "m", "messages": messages, "tools": tools}
            read.clear()
            rules = [one.rule for one in renderer.validate(request, target)]
            broken.append((rules, any(read)))
    assert broken == [([], True), ([], False), (["U1"], True), ([], False)]
