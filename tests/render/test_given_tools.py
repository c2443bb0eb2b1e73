"""Tools as the caller gave them: one order, their own keys, and those that a provider runs itself."""

import msgspec
import pytest

from contextwright import C, Engine, compile, session_from
from contextwright.blocks import Block, CacheClass, Message
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.memo.ownership import remembering
from contextwright.render.message_layout import Layout, Section
from contextwright.render.target import target
from contextwright.session.event import Text, Tool
from contextwright.spec.memo import Memo
from contextwright.testing import session_of

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
FORMATS = ("openai-chat", "openai-responses", "anthropic", "gemini")
MODELS = dict(zip(FORMATS, ("gpt-5", "gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro"), strict=True))
OF_CHAT = {
    "type": "function",
    "function": {"name": "find", "parameters": SCHEMA, "strict": True, "new_key": {"a": 1}},
    "outer_key": 7,
}
OF_RESPONSES = {"type": "function", "name": "find", "parameters": SCHEMA, "strict": True, "new": 1}
OF_ANTHROPIC = {
    "name": "find",
    "input_schema": SCHEMA,
    "strict": True,
    "input_examples": [{"q": "x"}],
    "allowed_callers": ["direct"],
}
OWN = dict(zip(FORMATS, (OF_CHAT, OF_RESPONSES, OF_ANTHROPIC), strict=False))
SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": 3}
HOSTED = [
    ("anthropic", SEARCH),
    ("anthropic", {"type": "mcp_toolset", "mcp_server_name": "files"}),
    ("openai-responses", {"type": "web_search", "search_context_size": "low"}),
    ("openai-responses", {"type": "mcp", "server_label": "x", "server_url": "https://x.example"}),
    ("openai-responses", {"type": "custom", "name": "patch", "format": {"type": "text"}}),
    ("openai-chat", {"type": "custom", "custom": {"name": "patch"}}),
]


def sent(format, tools, **options):
    receiver = target(MODELS[format], format=format, tools=tools, **options)
    return compile(session_of("u: hi"), C.default(), target=receiver)


def tools_of(pack):
    config = pack.request.get("config", pack.request)
    tools = config.get("tools", [])
    return tools[0]["function_declarations"] if "config" in pack.request else tools


@pytest.mark.parametrize("format", FORMATS)
def test_tools_keep_the_callers_order_and_the_manifest_says_where_another_costs_the_cache(format):
    tools = [Tool(name=name, parameters=SCHEMA) for name in "cab"]
    session, compiler = session_of("s: be brief | u: hi"), SpecCompiler(C.default())
    receivers = [target(MODELS[format], format=format, tools=t) for t in (tools, tools[::-1])]
    first = compiler.compile(session.snapshot(), receivers[0])
    assert first.manifest.tools.sent == ("c", "a", "b")
    same = compiler.compile(session.snapshot(), receivers[0], previous=first).manifest.prefix
    other = compiler.compile(session.snapshot(), receivers[1], previous=first).manifest.prefix
    assert (same.first_difference, other.first_difference) == (
        "",
        "config" if format == "gemini" else "tools[0]",
    )


@pytest.mark.parametrize(("format", "tool"), OWN.items(), ids=OWN)
def test_a_tool_goes_back_to_its_provider_as_it_came(format, tool):
    pack = sent(format, [tool], cache=False)
    assert tools_of(pack) == [tool]
    assert pack.manifest.unrendered == ()


@pytest.mark.parametrize(("format", "tool"), OWN.items(), ids=OWN)
@pytest.mark.parametrize("other", FORMATS)
def test_what_another_provider_does_not_take_is_named(format, tool, other):
    if format == other:
        return
    pack = sent(other, [tool])
    lost = {one.reason.split("'")[1] for one in pack.manifest.unrendered}
    own = {*tool, *tool.get("function", {})} - {"type", "name", "function", "parameters"}
    shared = {"strict"} if "openai" in format and "openai" in other else set()
    assert lost == own - shared - {"input_schema"}
    assert all(one.event_id == "tools" for one in pack.manifest.unrendered)
    text = str(tools_of(pack))
    assert not any(key in text for key in lost - {"strict"})
    assert ("'strict': True" in text) == bool(shared)


@pytest.mark.parametrize(("format", "tool"), HOSTED)
@pytest.mark.parametrize("other", FORMATS)
def test_a_hosted_tool_is_sent_as_it_came_or_left_out_and_named(format, tool, other):
    client = Tool(name="find", parameters=SCHEMA)
    pack = sent(other, [tool, client], cache=False)
    assert len(tools_of(pack)) == 1 + (format == other)
    assert (tool in tools_of(pack)) == (format == other)
    reasons = [one.reason for one in pack.manifest.unrendered]
    assert len(reasons) == (format != other)
    assert all("runs at another provider" in reason for reason in reasons)


def test_hosted_tools_of_a_document_are_hosted():
    body = {"model": "claude-sonnet-4-5", "tools": [SEARCH], "system": "Be brief."}
    body["messages"] = [{"role": "user", "content": "hi"}]
    pack = compile(session_from(body), C.default(), target=target("claude-sonnet-4-5", cache=False))
    assert pack.request["tools"] == [SEARCH]
    body = {"input": [{"role": "user", "content": "hi"}], "tools": [{"type": "web_search"}]}
    receiver = target("gpt-5", format="openai-responses")
    pack = compile(session_from(body), C.default(), target=receiver)
    assert pack.request["tools"] == [{"type": "web_search"}]


def test_only_hosted_tools_of_another_provider_leave_a_request_without_tools():
    for format in ("openai-chat", "gemini"):
        pack = sent(format, [SEARCH])
        assert "tools" not in pack.request.get("config", pack.request)


def test_a_breakpoint_of_the_callers_stays_and_breakpoints_stay_few():
    hour = {"type": "ephemeral", "ttl": "1h"}
    tools = [
        {"name": "a", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}},
        {"name": "b", "input_schema": SCHEMA, "cache_control": hour},
        {"name": "c", "input_schema": SCHEMA, "defer_loading": True},
    ]
    for cache in (True, False):
        wires = tools_of(sent("anthropic", tools, cache=cache))
        assert [wire.get("cache_control") for wire in wires] == [None, hour, None]
    sections = (Section("be brief", CacheClass.STABLE), Section("today", CacheClass.SESSION))
    parts = tuple(Text(text=f"part {n}") for n in range(30))
    block = Block(id="u", source="log", messages=(Message("user", parts),))
    receiver = target("claude-sonnet-4-5", tools=tools)
    layout = Layout(tools=receiver.tools, system=sections, conversation=(block,))
    renderer = receiver.provider.renderer
    request = renderer.request(layout, receiver)
    assert renderer.validate(request, receiver) == []
    assert str(request).count("cache_control") == 4
    assert request["tools"][1]["cache_control"] == hour


def test_a_redacted_word_is_in_no_key_of_a_tool():
    tool = {**OF_ANTHROPIC, "input_examples": [{"q": "jane@example.org"}]}
    receiver = target("claude-sonnet-4-5", tools=[tool])
    spec = C.default() | C.redact(patterns=["email"])
    pack = compile(session_of("u: hi"), spec, target=receiver)
    assert b"jane@example.org" not in pack.body
    assert pack.request["tools"][0]["strict"] is True


@pytest.mark.parametrize("key", ["functionDeclarations", "function_declarations", ""])
def test_functions_of_ours_are_declared_beside_those_of_a_gemini_body(key):
    """In the body's own spelling: Vertex takes one tool that declares functions."""
    search = {"googleSearch": {}}
    groups = [{key: [{"name": "find"}]}, search] if key else [search]
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "tools": groups}
    made = compile(body, model="gemini-2.5-pro", read_back=True).request["tools"]
    declaring = [group for group in made if key in group] if key else made[1:]
    [declared] = declaring[0].values()
    names = [one["name"] for one in declared]
    assert names == [*(["find"] if key else []), "expand", "search"] and search in made
    assert len(declaring) == 1 and "parametersJsonSchema" in declared[-1]


@pytest.mark.parametrize("format", FORMATS)
def test_tools_are_looked_at_once_while_they_stay(format, monkeypatch):
    looked = []
    kind = type(target(MODELS[format], format=format).provider.renderer)
    for name in ("takes_tool", "lost_keys", "as_sent"):
        whole = getattr(kind, name)

        def counted(self, tool, *more, whole=whole, name=name):
            looked.append(name)
            return whole(self, tool, *more)

        monkeypatch.setattr(kind, name, counted)
    tools = [Tool(name=f"find_{place}", parameters=SCHEMA) for place in range(3)]
    session = session_of("u: go | c: find_0() | r: 1 | a: done")
    session.tools = tuple(tools)
    engine = Engine(C.default(), MODELS[format], format=format)
    first = engine.compile(session)
    assert {looked.count(name) for name in ("takes_tool", "lost_keys", "as_sent")} == {3}
    for event in session_of("u: again | a: well | u: more").log:
        session.append(msgspec.structs.replace(event, id=f"later {event.id}"))
        engine.compile(session)
    assert len(looked) == 9
    session.tools = (*tools, Tool(name="one more", parameters=SCHEMA))
    assert engine.compile(session).manifest.tools_digest != first.manifest.tools_digest
    assert len(looked) > 9


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses", "anthropic"])
def test_a_request_whose_tools_are_others_is_checked_again(format):
    whom = target(MODELS[format], format=format)
    renderer, memo = whom.provider.renderer, Memo()
    session = session_of("u: go", state={})
    session.tools = (Tool(name="find", parameters=SCHEMA),)
    made = compile(session, C.default(), target=whom).request
    with remembering(memo):
        assert not renderer.validate(made, whom)
        assert not renderer.validate(made, whom)
        twice = {**made, "tools": made["tools"] * 2}
        assert renderer.validate(twice, whom), "two of one name"
        takes_none = format == "openai-responses"  # which OpenAI Agents sends there
        assert (renderer.validate({**made, "tools": []}, whom) == []) == takes_none
        assert not renderer.validate(made, whom)
