"""What an agent sees, and when it waits, is what it would be in ADK."""

import asyncio
import subprocess
import sys
import warnings

import pytest

pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent, SequentialAgent  # noqa: E402
from google.adk.apps import App, ResumabilityConfig  # noqa: E402
from google.adk.artifacts import InMemoryArtifactService  # noqa: E402
from google.adk.events import Event, EventActions  # noqa: E402
from google.adk.events._rewind_events import _apply_rewinds  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService, Session  # noqa: E402
from google.adk.tools import LongRunningFunctionTool, exit_loop, load_artifacts  # noqa: E402
from google.genai import types  # noqa: E402
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from tests.adapters.adk.scripted import said, script  # noqa: E402

from contextwright import C, SpecError  # noqa: E402
from contextwright.adapters.adk import Agent, ContextPlugin, Mirrors, with_context  # noqa: E402
from contextwright.adapters.adk.visible_events import VisibleEvents, live  # noqa: E402


def call(name, args, id="call1"):
    return types.Part(function_call=types.FunctionCall(name=name, args=args, id=id))


def result(name, id):
    response = types.FunctionResponse(name=name, response={"result": "r"}, id=id)
    return types.Part(function_response=response)


def event(id, author, *parts, time=None, **fields):
    parts = [types.Part(text=part) if isinstance(part, str) else part for part in parts]
    role = "user" if author == "user" else "model"
    content = types.Content(role=role, parts=parts) if parts else None
    fields.setdefault("invocation_id", "i")
    return Event(id=id, author=author, content=content, timestamp=time or float(id), **fields)


def session(*events):
    return Session(id="s", app_name="app", user_id="u", events=list(events))


def runner_of(root, plugins=(), **fields):
    service = InMemorySessionService()
    app = App(name="app", root_agent=root, plugins=list(plugins), **fields)
    return Runner(
        app=app,
        session_service=service,
        artifact_service=InMemoryArtifactService(),
        auto_create_session=True,
    )


async def say(runner, message, **fields):
    content = said(message) if isinstance(message, str) else message
    return [
        event
        async for event in runner.run_async(
            user_id="u", session_id="s", new_message=content, **fields
        )
    ]


def words(request):
    """All that a model was sent, but for ADK's own instruction on transfers."""
    said = [part.text or "" for content in request.contents for part in content.parts]
    return (request.config.system_instruction or "") + "\n".join(said)


@pytest.mark.parametrize("way", ["agent", "plugin"])
def test_what_a_rewind_took_back_is_not_sent(way):
    async def run():
        model, mirrors = script("one", "two", "three"), Mirrors()
        agent, plugins = LlmAgent(name="guide", model=model), []
        if way == "agent":
            with_context(agent, C.default(), mirrors=mirrors)
        else:
            plugins.append(ContextPlugin(C.default(), mirrors=mirrors))
        runner = runner_of(agent, plugins)
        await say(runner, "KEPT")
        (last, *_) = await say(runner, "TAKEN BACK")
        await runner.rewind_async(
            user_id="u", session_id="s", rewind_before_invocation_id=last.invocation_id
        )
        await say(runner, "now")
        return words(model.sent[2])

    sent = asyncio.run(run())
    assert "KEPT" in sent
    assert "TAKEN BACK" not in sent
    assert "two" not in sent


def test_the_users_turn_is_sent_once_to_whom_it_is_transferred():
    async def run():
        leaf = script("hello")
        root = LlmAgent(
            name="root",
            model=script(("transfer_to_agent", {"agent_name": "leaf"})),
            sub_agents=[
                with_context(LlmAgent(name="leaf", model=leaf), C.default(), mirrors=Mirrors())
            ],
        )
        await say(runner_of(root), "My order is A17.")
        return words(leaf.sent[0])

    assert asyncio.run(run()).count("My order is A17.") == 1


def test_what_came_before_an_agents_last_result_is_sent_once():
    async def run():
        model = script("done")
        root = SequentialAgent(
            name="both",
            sub_agents=[
                LlmAgent(name="critic", model=script(("exit_loop", {})), tools=[exit_loop]),
                with_context(LlmAgent(name="next", model=model), C.default(), mirrors=Mirrors()),
            ],
        )
        await say(runner_of(root), "My order is A17.")
        return words(model.sent[0])

    assert asyncio.run(run()).count("My order is A17.") == 1


def test_a_reply_that_a_callback_adds_stops_no_notes():
    async def run():
        agent = LlmAgent(
            name="clerk",
            model=script("noted"),
            after_agent_callback=lambda callback_context: types.Content(
                role="model", parts=[types.Part(text="Bye.")]
            ),
        )
        runner = runner_of(with_context(agent, C.none() + C.write_notes("log"), mirrors=Mirrors()))
        events = await say(runner, "hi")
        kept = await runner.session_service.get_session(app_name="app", user_id="u", session_id="s")
        return [e.content.parts[0].text for e in events if e.content], kept.state["_notes_log"]

    replies, notes = asyncio.run(run())
    assert replies == ["noted", "Bye."]
    assert [note["text"] for note in notes] == ["noted"]


def test_a_dynamic_instruction_stays_with_a_plugin():
    async def run():
        model = script("one", "two")
        agent = LlmAgent(
            name="guide", model=model, static_instruction="STATIC", instruction="DYNAMIC"
        )
        runner = runner_of(agent, [ContextPlugin(C.default(), mirrors=Mirrors())])
        await say(runner, "first")
        await say(runner, "second")
        return [[part.text for c in request.contents for part in c.parts] for request in model.sent]

    first, second = asyncio.run(run())
    assert "DYNAMIC" in first[0]
    assert first[1:] == ["first"]
    assert second[:2] == ["first", "one"]
    assert "DYNAMIC" in second[2]
    assert second[3:] == ["second"]


def test_a_loaded_artifact_stays_with_a_plugin_and_counts():
    async def run(**window):
        model = script(("load_artifacts", {"artifact_names": ["bill.txt"]}), "read")
        agent = LlmAgent(name="guide", model=model, tools=[load_artifacts])
        plugin = ContextPlugin(C.default(), mirrors=Mirrors(), **window)
        model.model = "unknown-model"
        runner = runner_of(agent, [plugin])
        await runner.artifact_service.save_artifact(
            app_name="app",
            user_id="u",
            session_id="s",
            filename="bill.txt",
            artifact=types.Part(text="TOTAL 49 " * 2000),
        )
        await say(runner, "read my bill")
        return model.sent[1]

    contents = asyncio.run(run()).contents
    assert contents[0].parts[0].text == "read my bill"
    assert contents[1].parts[0].function_call.name == "load_artifacts"
    assert contents[2].parts[0].function_response.name == "load_artifacts"
    assert "TOTAL 49" in contents[3].parts[1].text
    assert len(contents) == 4
    with pytest.raises(Exception, match="tokens must be sent"):
        asyncio.run(run(window=6000))


def test_an_agent_that_works_as_a_tool_is_not_heard_above():
    async def run():
        leaf = LlmAgent(
            name="leaf", model=script("INNER WORDS"), mode="single_turn", description="works"
        )
        model = script(("leaf", {"request": "do it"}), "done", "again")
        root = LlmAgent(name="root", model=model, sub_agents=[leaf])
        with_context(root, C.select(author="leaf") + C.window(n=3), mirrors=Mirrors())
        runner = runner_of(root)
        await say(runner, "go")
        await say(runner, "and?")
        return model.sent[2]

    sent = words(asyncio.run(run()))
    assert "go" in sent
    assert "[Turn 1] leaf: INNER WORDS" not in sent


def test_what_adk_hides_from_models_is_not_taken_over():
    theirs = session(
        event("1", "user", "hi"),
        event("2", "guide", call("adk_request_credential", {"k": "v"}, id="c")),
        event("3", "guide", call("adk_request_confirmation", {}, id="d")),
        event("4", "task", "in a task", isolation_scope="f"),
        event("5", "guide", "hello"),
    )
    mirrors = Mirrors()
    assert [one.text for one in mirrors.session(theirs, {}).log] == ["hi", "hello"]
    inside = mirrors.session(theirs, {}, VisibleEvents(scope="f"))
    assert [one.text for one in inside.log] == ["in a task"]


def test_a_state_that_did_not_change_is_no_change():
    theirs, mirrors = session(event("1", "user", "hi")), Mirrors()
    state = {"pair": (1, 2), "deep": {"a": [(3,)]}, "none": float("nan"), "own": object()}
    ours = mirrors.session(theirs, state)
    before = len(ours.changes)
    mirrors.session(theirs, state)
    assert len(ours.changes) == before
    assert dict(ours.state) == {"pair": [1, 2], "deep": {"a": [[3]]}}


def ask_human(question: str) -> None:
    """Ask somebody who answers later."""


def in_turn(first, second, tool):
    return (Agent("first", first, tools=[tool]) >> Agent("second", second)).build()


def in_adks_turn(first, second, tool):
    agents = [
        LlmAgent(name="first", model=first, tools=[tool]),
        LlmAgent(name="second", model=second),
    ]
    return SequentialAgent(name="both", sub_agents=agents)


@pytest.mark.parametrize("make", [in_turn, in_adks_turn])
@pytest.mark.parametrize("resumable", [False, True])
def test_a_pipeline_waits_for_a_long_running_tool(resumable, make):
    async def run():
        first, second = script(("ask_human", {"question": "ok?"}), "It is ok."), script("sent")
        config = ResumabilityConfig(is_resumable=True) if resumable else None
        root = make(first, second, LongRunningFunctionTool(ask_human))
        runner = runner_of(root, resumability_config=config)
        events = await say(runner, "go")
        waiting = len(second.sent)
        asked = next(e for e in events if e.get_function_calls())
        answered = result("ask_human", asked.get_function_calls()[0].id)
        more = {"invocation_id": asked.invocation_id} if resumable else {}
        await say(runner, types.Content(role="user", parts=[answered]), **more)
        return waiting, len(first.sent), len(second.sent)

    assert asyncio.run(run()) == (0, 2, 1 if resumable else 0)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from(["", "", "", *"abcd"]))))
def test_rewinds_take_back_what_they_do_in_adk(drawn):
    events = [
        event(
            str(number),
            "user",
            f"text {number}",
            invocation_id=invocation,
            actions=EventActions(rewind_before_invocation_id=back or None),
        )
        for number, (invocation, back) in enumerate(drawn, 1)
    ]
    assert live(events) == _apply_rewinds(events)


def test_without_google_adk_the_extra_is_named():
    code = """
import sys
sys.modules["google"] = None
from contextwright.errors import MissingExtra
from importlib import util
find = util.find_spec
util.find_spec = lambda name, package=None: None if name.startswith("google") else find(name, package)
try:
    import contextwright.adapters.adk
except MissingExtra as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "contextwright[adk]" in said.stdout, said.stderr


def test_what_is_no_agent_is_named():
    with pytest.raises(SpecError, match="expected an LlmAgent, got str"):
        with_context("writer", C.default())  # pyright: ignore[reportArgumentType]
