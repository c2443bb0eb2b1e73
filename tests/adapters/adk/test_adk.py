"""Specs in google-adk: one agent, a whole app, its session services."""

import asyncio
import warnings

import pytest

adk = pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent, ParallelAgent  # noqa: E402
from google.adk.apps import App  # noqa: E402
from google.adk.events import Event, EventActions  # noqa: E402
from google.adk.events.event_actions import EventCompaction  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService, Session  # noqa: E402
from google.genai import types  # noqa: E402
from tests.adapters.adk.scripted import said, script  # noqa: E402

from contextwright import C, S, compile  # noqa: E402
from contextwright.adapters.adk import (  # noqa: E402
    Agent,
    ContextPlugin,
    Mirrors,
    Route,
    with_context,
    with_contexts,
)
from contextwright.errors import SpecError  # noqa: E402
from contextwright.models import Models, ScriptedLLM  # noqa: E402
from contextwright.tokens.counter import counter_for  # noqa: E402


async def talk(root, messages, service=None, plugins=(), state=None, session_id="s"):
    service = service or InMemorySessionService()
    if plugins:
        runner = Runner(
            app=App(name="app", root_agent=root, plugins=list(plugins)), session_service=service
        )
    else:
        runner = Runner(agent=root, app_name="app", session_service=service)
    session = await service.get_session(app_name="app", user_id="u", session_id=session_id)
    if session is None:
        session = await service.create_session(
            app_name="app", user_id="u", state=state, session_id=session_id
        )
    for message in messages:
        async for _ in runner.run_async(
            user_id="u", session_id=session.id, new_message=said(message)
        ):
            pass
    return await service.get_session(app_name="app", user_id="u", session_id=session.id)


def instructions(model):
    return [request.config.system_instruction for request in model.sent]


def words(request):
    """All that a model was told in words."""
    return "\n".join([request.config.system_instruction or "", *texts(request)])


def texts(request):
    return ["".join(part.text or "" for part in content.parts) for content in request.contents]


def weather(city: str) -> str:
    """The weather of a city."""
    return f"{city}: " + "sunny " * 300


def test_an_agent_sees_what_its_spec_says_and_the_current_turn_once():
    model = script("one", "two", "three")
    agent = with_context(
        LlmAgent(name="guide", model=model, instruction="Help {name}."),
        C.window(n=2) | C.silent(),
        mirrors=Mirrors(),
    )
    asyncio.run(talk(agent, ["first", "second", "third"], state={"name": "Ann"}))
    assert agent.include_contents == "none"
    last = instructions(model)[2]
    assert last == 'Help Ann.\n\nYou are an agent. Your internal name is "guide".'
    # the task stays in sight
    assert texts(model.sent[2]) == ["firstsecond", "two", "third"]


def test_the_trace_of_the_running_turn_is_whole_and_what_is_old_is_compacted():
    model = script(
        ("weather", {"city": "Lyon"}),
        "sunny in Lyon",
        ("weather", {"city": "Rome"}),
        "sunny in Rome",
    )
    agent = with_context(
        LlmAgent(name="guide", model=model, tools=[weather]),
        C.window(n=5) | C.compact(),
        mirrors=Mirrors(),
    )
    asyncio.run(talk(agent, ["Lyon?", "Rome?"]))
    last = model.sent[3]
    lyon, rome = [c for c in last.contents if c.parts[0].function_response]
    assert "out of reach" in str(lyon.parts[0].function_response.response)
    assert "sunny " * 200 not in str(lyon)
    assert "sunny " * 100 in str(rome.parts[0].function_response.response)
    assert "sunny" not in last.config.system_instruction


def test_refs_are_shown_to_an_agent_with_a_tool_that_reads_them():
    def look_up(ref: str) -> str:
        """What a ref names."""
        return ref

    sent = {}
    for name, tools in {"with": [weather, look_up], "without": [weather]}.items():
        model = script(("weather", {"city": "Lyon"}), "sunny", "sunny")
        agent = with_context(
            LlmAgent(name="guide", model=model, tools=tools),
            C.window(n=5) | C.compact(),
            mirrors=Mirrors(),
            reader="look_up",
        )
        asyncio.run(talk(agent, ["Lyon?", "Rome?"]))
        sent[name] = str(model.sent[2].contents)
    assert "event://" in sent["with"]
    assert "event://" not in sent["without"]


def test_what_a_spec_writes_is_kept_by_adk():
    spec = (
        C.window(n=3)
        + C.capture("asked")
        + C.capture("answered", what="output")
        + C.extract({"order": "str"}, key="user:record")
        + C.distill("case")
        + C.write_notes("log")
    )
    model = script("Order A17 was refunded.", "Done.")
    agent = with_context(LlmAgent(name="clerk", model=model), spec, mirrors=Mirrors())
    session = asyncio.run(talk(agent, ["My order is A17.", "Thanks"]))
    assert session.state["asked"] == "Thanks"
    assert session.state["answered"] == "Done."
    assert session.state["user:record"] == {"order": "A17"}
    assert session.state["_facts_case"][0] == "The user: My order is A17."
    assert [note["text"] for note in session.state["_notes_log"]] == [
        "Order A17 was refunded.",
        "Done.",
    ]
    assert '"order":"A17"' in words(model.sent[0])


def test_what_models_prepared_is_published_where_the_document_reads_it():
    llm = ScriptedLLM("The user counts.")
    seen = {}

    def keep(callback_context, llm_request):
        seen.update(callback_context.state.to_dict())

    model = script("ok")
    agent = LlmAgent(name="clerk", model=model, before_model_callback=keep)
    with_context(agent, C.rolling(n=1, max_tokens=30), models=Models(llm), mirrors=Mirrors())
    session = asyncio.run(talk(agent, [f"number {n} " * 30 for n in range(4)]))
    assert seen["temp:_summary_clerk"][0]["value"] == "The user counts."
    assert seen["temp:_summary_clerk"][0]["model"] == "scripted"
    assert "temp:_summary_clerk" not in session.state
    assert "The user counts." in words(model.sent[-1])
    assert "The user counts." not in instructions(model)[-1]


def test_callbacks_that_an_agent_has_keep_running():
    ran = []
    agent = LlmAgent(
        name="clerk",
        model=script("ok"),
        before_agent_callback=lambda callback_context: ran.append("before"),
        after_agent_callback=[lambda callback_context: ran.append("after")],
    )
    asyncio.run(talk(with_context(agent, C.window(n=1), mirrors=Mirrors()), ["hi"]))
    assert ran == ["before", "after"]


def test_an_instruction_provider_is_asked():
    async def instruct(context):
        return f"You serve {context.state['who']}."

    model = script("ok")
    agent = with_context(
        LlmAgent(name="clerk", model=model, instruction=instruct), C.none(), mirrors=Mirrors()
    )
    asyncio.run(talk(agent, ["hi"], state={"who": "Bob"}))
    assert instructions(model)[0].startswith("You serve Bob.")


def test_a_plugin_compiles_every_request_of_an_app():
    model = script(("weather", {"city": "Lyon"}), "sunny", "again", "bye")
    agent = LlmAgent(name="guide", model=model, instruction="Guide.", tools=[weather])
    plugin = ContextPlugin(
        C.window(n=2) | C.compact() | C.budget(max_tokens=2000) | C.silent(), mirrors=Mirrors()
    )
    asyncio.run(talk(agent, ["Lyon?", "More?", "Last?"], plugins=[plugin]))
    first, after_tool, second, third = model.sent
    assert texts(first) == ["Lyon?"]
    assert "sunny " * 100 in str(after_tool.contents[2].parts[0].function_response.response)
    assert "sunny " * 200 not in str(second.contents)
    assert second.contents[1].parts[0].function_call.name == "weather"
    assert texts(third) == ["Lyon?More?", "again", "Last?"]  # the task stays in sight
    assert all("Guide." in text for text in instructions(model))
    assert first.config.tools


class NewestOnly:
    """A compiler of somebody's own."""

    def compile(self, snapshot, target):
        return compile(snapshot, C.window(n=1), target=target)


@pytest.mark.parametrize("spec", ["C.window(n=1)", NewestOnly()], ids=["text", "compiler"])
def test_a_plugin_takes_whatever_stands_for_a_spec(spec):
    model = script("one", "two", "three")
    agent = LlmAgent(name="guide", model=model, instruction="Guide.")
    plugins = [ContextPlugin({"guide": spec}, mirrors=Mirrors())]
    asyncio.run(talk(agent, ["first", "second", "third"], plugins=plugins))
    sent = "".join(texts(model.sent[2]))  # the task's framing stays beside the window
    assert sent.endswith("third") and "second" not in sent
    assert "Guide." in instructions(model)[2]


@pytest.mark.parametrize("spec", ["C.window(n=2)", NewestOnly()], ids=["text", "compiler"])
def test_an_agent_takes_whatever_stands_for_a_spec(spec):
    model = script("one", "two", "three")
    agent = with_context(LlmAgent(name="guide", model=model), spec, mirrors=Mirrors())
    asyncio.run(talk(agent, ["first", "second", "third"]))
    sent = "".join(texts(model.sent[2]))
    assert sent.endswith("third") and sent.count("third") == 1
    assert ("second" in sent) == (spec == "C.window(n=2)")


def test_a_plugin_leaves_agents_without_a_spec_alone():
    model = script("one", "two")
    agent = LlmAgent(name="guide", model=model)
    asyncio.run(
        talk(agent, ["a", "b"], plugins=[ContextPlugin({"other": C.none()}, mirrors=Mirrors())])
    )
    assert texts(model.sent[1]) == ["a", "one", "b"]


def test_adks_own_instruction_and_tools_count_against_a_plugins_budget():
    model = script("one")
    agent = LlmAgent(name="guide", model=model, instruction="word " * 3000)
    plugin = ContextPlugin(C.default(), mirrors=Mirrors(), window=16000)
    model.model = "unknown-model"
    asyncio.run(talk(agent, ["hi"], plugins=[plugin]))
    with pytest.raises(Exception, match="tokens must be sent"):
        asyncio.run(
            talk(
                agent, ["hi"], plugins=[ContextPlugin(C.default(), mirrors=Mirrors(), window=2000)]
            )
        )


def test_adks_own_instruction_counts_within_the_limit_that_a_spec_names():
    model = script("one " * 400)
    agent = LlmAgent(name="guide", model=model, instruction="word " * 1500)
    spec = C.default() | C.compaction(3000)
    said = [f"{n} is it" for n in range(9)]
    asyncio.run(talk(agent, said, plugins=[ContextPlugin(spec, mirrors=Mirrors())]))
    counter = counter_for("gemini-2.5-flash")
    most = max(counter.count(" ".join(texts(sent))) for sent in model.sent)
    assert 800 < most < 1500


@pytest.mark.parametrize("kind", ["database", "sqlite"])
def test_stored_sessions_continue_in_another_process(tmp_path, kind):
    pytest.importorskip("sqlalchemy")
    pytest.importorskip("aiosqlite")
    from google.adk.sessions import DatabaseSessionService
    from google.adk.sessions.sqlite_session_service import SqliteSessionService

    path = tmp_path / "sessions.db"

    def service():
        if kind == "sqlite":
            return SqliteSessionService(str(path))
        return DatabaseSessionService(f"sqlite+aiosqlite:///{path}")

    spec = C.window(n=2) + C.notes("log") + C.write_notes("log")

    async def run(message, reply):
        model = script(reply)
        agent = with_context(LlmAgent(name="clerk", model=model), spec, mirrors=Mirrors())
        await talk(agent, [message], service=service())
        return words(model.sent[0])

    async def both():
        await run("My order is A17.", "noted A17")
        return await run("And now?", "done")

    second = asyncio.run(both())
    assert "My order is A17." in second
    assert "- noted A17" in second


def event(id, author, text, time, **fields):
    role = "user" if author == "user" else "model"
    content = types.Content(role=role, parts=[types.Part(text=text)]) if text else None
    return Event(id=id, author=author, invocation_id="i", content=content, timestamp=time, **fields)


def test_only_new_events_are_taken_over():
    theirs = Session(id="s", app_name="a", user_id="u", events=[event("1", "user", "hi", 1.0)])
    mirrors = Mirrors()
    ours = mirrors.session(theirs, {"x": 1})
    theirs.events.append(event("2", "guide", "hello", 2.0))
    again = mirrors.session(theirs, {"x": 2})
    assert again is ours
    assert [e.text for e in ours.log] == ["hi", "hello"]
    assert ours.state["x"] == 2
    assert mirrors.session(theirs, {}) is ours
    assert "x" not in ours.state
    theirs.events[:] = theirs.events[:1]
    afresh = mirrors.session(theirs, {})
    assert afresh is not ours
    assert len(afresh) == 1


def test_adks_compaction_stands_for_what_it_covers():
    summary = types.Content(role="model", parts=[types.Part(text="They greeted each other.")])
    compaction = EventCompaction(start_timestamp=1.0, end_timestamp=4.0, compacted_content=summary)
    theirs = Session(
        id="s",
        app_name="a",
        user_id="u",
        events=[
            event("1", "user", "hi " * 50, 1.0),
            event("2", "guide", "hello " * 50, 2.0),
            event("3", "user", "how are you " * 30, 3.0),
            event("4", "guide", "fine " * 50, 4.0),
            event("5", "user", "later", 5.0),
            event("6", "guide", "much later", 6.0),
            event("7", "user", "", 6.5, actions=EventActions(compaction=compaction)),
            event("8", "user", "now", 7.0),
        ],
    )
    session = Mirrors().session(theirs, {})
    from contextwright import compile

    pack = compile(session, C.from_compaction(), model="gemini-2.5-flash", format="text")
    assert "They greeted each other." in pack.text
    assert "hello hello" not in pack.text
    assert "much later" in pack.text
    llm = ScriptedLLM("never asked")
    spec = C.window(n=1) + C.summarize(scope="before_window", max_tokens=60)
    pack = compile(session, spec, model="gemini-2.5-flash", format="text", models=Models(llm))
    assert "hello hello" not in pack.text
    asked = [prompt.text for prompt in llm.prompts]
    assert all("hello hello" not in text for text in asked)
    assert all("They greeted each other." in text for text in asked)


def test_parallel_agents_do_not_see_each_other():
    one, two = script("ALPHA"), script("BETA")
    parallel = ParallelAgent(
        name="both",
        sub_agents=[
            with_context(
                LlmAgent(name="one", model=one), C.default(), mirrors=(mirrors := Mirrors())
            ),
            with_context(LlmAgent(name="two", model=two), C.default(), mirrors=mirrors),
        ],
    )
    asyncio.run(talk(parallel, ["go", "again"]))
    assert texts(one.sent[1]) == ["go", "ALPHA", "again"]
    assert texts(two.sent[1]) == ["go", "BETA", "again"]


def test_fluent_steps_are_values():
    base = Agent("a", "gemini-2.5-flash")
    told = base.instruct("Do it.").outputs("x").context(C.window(n=1))
    assert base.instruction == ""
    assert base.spec is None
    assert told.context(C.write_notes("n")).spec == C.window(n=1) + C.write_notes("n")
    limited = base.context(C.window(n=1) | C.budget(max_tokens=10)).context(C.notes("n"))
    assert repr(limited.spec) == "(C.window(n=1) + C.notes(key='n')) | C.budget(max_tokens=10)"
    assert [step.name for step in (base >> Agent("b") >> Agent("c")).steps] == ["a", "b", "c"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: (Agent("a", script("x")) >> Agent("a", script("x"))).build(),
        lambda: Agent("a").context(5),
        lambda: Agent("a").context("C.nothing()"),
        lambda: Agent("a").context(NewestOnly()),
        lambda: ContextPlugin(5),
        lambda: ContextPlugin({"guide": 5}),
        lambda: with_context(LlmAgent(name="guide"), 5),
        lambda: Agent("a") >> "b",
    ],
)
def test_wrong_steps_are_named(make):
    with pytest.raises(SpecError) as caught:
        make()
    assert caught.value.fix


def test_a_reply_that_is_no_object_is_kept_under_the_first_key():
    model = script("plain words", '```json\n{"x": 1, "y": [2]}\n```')
    agent = Agent("a", model).outputs("x", "y")
    session = asyncio.run(talk(agent.build(), ["one"]))
    assert session.state["x"] == "plain words"
    session = asyncio.run(talk(Agent("a", model).outputs("x", "y").build(), ["two"]))
    assert (session.state["x"], session.state["y"]) == (1, [2])


def test_a_boundary_is_the_checkers_business():
    outside = Agent("outside", "gemini-2.5-flash").context(C.window(n=3)).boundary("pii")
    assert [one.code for one in outside.check().errors] == ["boundary"]
    guarded = (
        Agent("x", "gemini-2.5-flash").context(C.window(n=3) | C.redact(["pii"])).boundary("pii")
    )
    assert guarded.check().errors == ()


def test_routes_have_a_default():
    picked, other = script("picked"), script("other")
    route = Route("kind").eq("a", Agent("one", picked)).otherwise(Agent("two", other))
    asyncio.run(talk(route.build(), ["hi"], state={"kind": "A "}))
    asyncio.run(talk(route.build(), ["hi"], state={"kind": "z"}))
    assert (len(picked.sent), len(other.sent)) == (1, 1)


def test_a_tree_that_somebody_else_built_gets_its_specs_by_name():
    one, two = script("1", "1"), script("2", "2")
    root = LlmAgent(name="root", model=one, sub_agents=[LlmAgent(name="leaf", model=two)])
    with_contexts(root, {"root": C.window(n=1) | C.silent(), "leaf": C.none()}, mirrors=Mirrors())
    asyncio.run(talk(root, ["first", "second"]))
    assert root.sub_agents[0].include_contents == "none"
    assert texts(one.sent[1]) == ["firstsecond"]
    with pytest.raises(SpecError) as caught:
        with_contexts(root, {"lief": C.none()})
    assert caught.value.fix == "known: leaf, root"


def test_agents_of_adk_fluent_carry_our_specs():
    adk_fluent = pytest.importorskip("adk_fluent")
    one, two = script("ALPHA", "ALPHA2"), script("BETA", "BETA2")
    built = (
        adk_fluent.Agent("one", one).instruct("First.")
        >> adk_fluent.Agent("two", two).instruct("Second.")
    ).build()
    specs = {"one": C.window(n=2), "two": C.from_state("fact") + C.select(author="one")}
    root = with_contexts(built, specs, mirrors=Mirrors())
    asyncio.run(talk(root, ["hello", "again"], state={"fact": "sky"}))
    assert "ALPHA" in texts(one.sent[1])
    assert instructions(two)[0].startswith("Second.")
    assert "Fact: sky" in words(two.sent[0])
    assert "[Turn 1] one: ALPHA" in words(two.sent[1])
    assert "[Turn 2] one: ALPHA2" in words(two.sent[1])


def test_a_tag_in_a_pipeline_labels_what_the_agents_before_it_said():
    writer, other, reader = script("DRAFT", "SECOND"), script("ASIDE"), script("read")
    pipeline = (
        Agent("other", other)
        >> Agent("writer", writer)
        >> S.tag("approved")
        >> Agent("reader", reader).context(C.select(tag="approved"))
    )
    assert pipeline.check().errors == ()
    asyncio.run(talk(pipeline.build(mirrors=Mirrors()), ["Go."]))
    assert "[Turn 1] writer: DRAFT" in words(reader.sent[0])
    assert "ASIDE" not in words(reader.sent[0])


def test_a_tag_labels_the_agent_of_a_route_that_ran_and_nothing_where_none_did():
    one, two, reader = script("ONE"), script("TWO"), script("read")
    route = Route("kind").eq("a", Agent("one", one)).eq("b", Agent("two", two))
    pipeline = (
        route >> S.tag("approved") >> Agent("reader", reader).context(C.select(tag="approved"))
    )
    root = pipeline.build(mirrors=Mirrors())
    asyncio.run(talk(root, ["Go."], state={"kind": "b"}))
    assert "[Turn 1] two: TWO" in words(reader.sent[0])
    asyncio.run(talk(root, ["Stop."], state={"kind": "?"}, session_id="none"))
    assert words(reader.sent[1]).endswith("Stop.")


def test_windows_by_agent_work_in_a_pipeline():
    researcher, critic, writer = script("FOUND"), script("WRONG"), script("done")
    spec = C.from_agents_windowed(researcher=C.last(1), critic=C.all())
    pipeline = Agent("researcher", researcher) >> Agent("critic", critic)
    root = (pipeline >> Agent("writer", writer).context(spec)).build(mirrors=Mirrors())
    asyncio.run(talk(root, ["First?", "Second?"]))
    last = words(writer.sent[1])
    assert last.count("researcher: FOUND") == 1 and last.count("critic: WRONG") == 2


def compacted_session(*, newest):
    """Six turns, of which ADK summarized four; its event stands before or behind the newest."""
    summary = types.Content(role="model", parts=[types.Part(text="SUMMARY OF FOUR")])
    covers = EventCompaction(start_timestamp=1.0, end_timestamp=8.0, compacted_content=summary)
    compaction = event("c", "user", "", 20.0, actions=EventActions(compaction=covers))
    turns = [
        one
        for n in range(6)
        for one in (
            event(f"u{n}", "user", f"question {n + 1}", 2.0 * n + 1),
            event(f"a{n}", "guide", f"answer {n + 1}", 2.0 * n + 2),
        )
    ]
    now = [event("now", "user", "NOW", 21.0), event("x", "guide", "WORKING", 22.0)]
    events = [*turns, *now, compaction] if newest else [*turns, compaction, *now]
    return Session(id="s", app_name="a", user_id="u", events=events)


@pytest.mark.parametrize("newest", [False, True])
@pytest.mark.parametrize("format", ["gemini", "text", "openai-chat"])
@pytest.mark.parametrize(
    "spec", [C.default(), C.from_compaction(), C.from_compaction() | C.window(n=5)], ids=repr
)
def test_adks_summary_stands_before_the_later_turns_and_nothing_twice(spec, format, newest):
    session = Mirrors().session(compacted_session(newest=newest), {})
    pack = compile(session, spec, model="gemini-2.5-flash", format=format)
    sent = str(pack.request)
    order = [
        "SUMMARY OF FOUR",
        "question 5",
        "answer 5",
        "question 6",
        "answer 6",
        "NOW",
        "WORKING",
    ]
    assert [sent.count(text) for text in order] == [1] * len(order)
    assert sorted(order, key=sent.index) == order
    assert not [n for n in (1, 2, 3, 4) if f"answer {n}" in sent]
    assert "question 2" not in sent  # the first one is the task, which stays


@pytest.mark.parametrize("way", ["agent", "plugin"])
def test_adks_own_compaction_in_a_runner_is_sent_once(way):
    from google.adk.apps.app import EventsCompactionConfig

    model = script("one", "two", "SUMMARY", "three")
    agent, plugins = LlmAgent(name="guide", model=model), []
    if way == "agent":
        with_context(agent, C.default(), mirrors=Mirrors())
    else:
        plugins = [ContextPlugin(C.default(), mirrors=Mirrors())]
    config = EventsCompactionConfig(compaction_interval=2, overlap_size=0)

    async def run():
        service = InMemorySessionService()
        await service.create_session(app_name="app", user_id="u", session_id="s")
        app = App(name="app", root_agent=agent, plugins=plugins, events_compaction_config=config)
        runner = Runner(app=app, session_service=service)
        for message in ("first", "second", "third"):
            async for _ in runner.run_async(user_id="u", session_id="s", new_message=said(message)):
                pass

    asyncio.run(run())
    sent = words(model.sent[3])
    assert sent.count("SUMMARY") == 1 and sent.index("SUMMARY") < sent.index("third")
    assert "one" not in texts(model.sent[3]) and "second" not in sent
