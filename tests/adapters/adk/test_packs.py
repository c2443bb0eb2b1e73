"""Context Packs in google-adk: the request to the model is the pack, on the real Runner."""

import asyncio
import warnings

import pytest

pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent, ParallelAgent, SequentialAgent  # noqa: E402
from google.adk.apps import App  # noqa: E402
from google.adk.artifacts import InMemoryArtifactService  # noqa: E402
from google.adk.memory import InMemoryMemoryService  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService  # noqa: E402
from google.genai import types  # noqa: E402
from tests.adapters.adk.scripted import script  # noqa: E402

from contextwright import C, Criterion, FileArtifacts, PackBuilder, Step  # noqa: E402
from contextwright.adapters.adk import ContextPlugin, Mirrors, before_model  # noqa: E402
from contextwright.engine.store_manifest import read_manifest  # noqa: E402
from contextwright.errors import StepError  # noqa: E402
from contextwright.tasks.payload import TITLE, USER  # noqa: E402

STEP = Step(
    task_id="42",
    step_id="3",
    goal="Answer the customer about invoices.",
    do=("Look the invoice up.",),
    acceptance=(Criterion(text="the amount is named", needs_evidence=True),),
    tools=("look_up",),
)
STATE = {"plan": STEP.to_state(), "knowledge": ["The user prefers short answers"]}


def look_up(number: str) -> dict:
    """Looks an invoice up."""
    return {"number": number, "amount": 119}


def delete_all() -> dict:
    """Deletes everything."""
    return {}


async def talk(root, messages, plugins=(), state=None, memory=None, artifacts=None, before=None):
    service = InMemorySessionService()
    runner = Runner(
        app=App(name="app", root_agent=root, plugins=list(plugins)),
        session_service=service,
        memory_service=memory,
        artifact_service=artifacts,
    )
    session = await service.create_session(
        app_name="app", user_id="u", state=STATE if state is None else state, session_id="s"
    )
    if before is not None:
        await before(runner, session)
    for message in messages:
        content = (
            message
            if isinstance(message, types.Content)
            else types.Content(role="user", parts=[types.Part(text=message)])
        )
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=content):
            pass
    return await service.get_session(app_name="app", user_id="u", session_id="s")


def users(request):
    """The texts of the user's contents."""
    return [
        "".join(part.text or "" for part in content.parts)
        for content in request.contents
        if content.role == "user" and any(part.text for part in content.parts)
    ]


def ways(way, builder, **options):
    """The agent and the plugins, by plugin or by callback."""

    def agent(model, **fields):
        if way == "callback":
            fields["before_model_callback"] = before_model(builder, mirrors=Mirrors(), **options)
        return LlmAgent(name="guide", model=model, instruction="You help customers.", **fields)

    plugins = [ContextPlugin(builder, mirrors=Mirrors(), **options)] if way == "plugin" else []
    return agent, plugins


both = pytest.mark.parametrize("way", ["plugin", "callback"])


@both
def test_the_request_is_the_pack(way):
    model = script("one", ["look_up", {"number": "7"}], "It is 119 euros.")
    agent, plugins = ways(way, PackBuilder(contract="payload"))
    asyncio.run(
        talk(
            agent(model, tools=[look_up, delete_all]),
            ["Hello", "What does invoice 7 cost?"],
            plugins,
        )
    )
    first, second, third = model.sent
    assert second.config.system_instruction.startswith("You help customers.")
    assert first.config.system_instruction == second.config.system_instruction
    text = users(second)[-1]
    assert text.startswith(TITLE) and text.endswith(f"{USER}\nWhat does invoice 7 cost?")
    assert "- look_up(number)" in text and "[ ] a1: the amount is named" in text
    assert "The user prefers short answers" in text
    assert users(second)[0] == "Hello", "the tail stays as messages"
    assert sum(TITLE in one for one in users(second)) == 1
    for request, tools in zip(model.sent, model.offered, strict=True):
        declared = [one.name for tool in request.config.tools for one in tool.function_declarations]
        assert declared == ["look_up"] and list(tools) == ["look_up"]
    assert third.contents[-1].parts[0].function_response.response["amount"] == 119
    assert third.contents[-2].parts[0].function_call.name == "look_up"


@both
def test_without_a_step_the_turn_fails_and_says_what_to_restate(way):
    agent, plugins = ways(way, PackBuilder())
    with pytest.raises((StepError, RuntimeError), match="no step to work on"):
        asyncio.run(talk(agent(script("x")), ["Hello"], plugins, state={}))


def test_the_step_changes_with_the_state():
    model = script("done", "done")

    def next_step(callback_context):
        callback_context.state["plan"] = {
            **STEP.to_state(),
            "step_id": "4",
            "do": ["Write it down."],
        }
        callback_context.state["tools"] = ["delete_all"]

    plugins = [ContextPlugin(PackBuilder(), mirrors=Mirrors())]
    agent = LlmAgent(
        name="guide", model=model, tools=[look_up, delete_all], after_agent_callback=next_step
    )
    asyncio.run(talk(agent, ["one", "two"], plugins))
    (first, second), (_, tools) = model.sent, model.offered
    assert "executing step 3" in users(first)[-1] and "executing step 4" in users(second)[-1]
    assert "Write it down." in users(second)[-1] and list(tools) == ["delete_all"]


def test_pictures_stay_beside_the_payload():
    model = script("a bill")
    content = types.Content(
        role="user",
        parts=[
            types.Part(text="what is this?"),
            types.Part(inline_data=types.Blob(mime_type="image/png", data=b"hi")),
        ],
    )
    asyncio.run(
        talk(
            LlmAgent(name="guide", model=model),
            [content],
            [ContextPlugin(PackBuilder(), mirrors=Mirrors())],
        )
    )
    parts = model.sent[0].contents[-1].parts
    assert parts[0].text.startswith(TITLE) and parts[0].text.endswith("what is this?")
    assert parts[1].inline_data.data == b"hi"


@both
def test_memory_and_artifact_services_feed_the_pack(way):
    memory, artifacts = InMemoryMemoryService(), InMemoryArtifactService()

    async def before(runner, session):
        old = await runner.session_service.create_session(
            app_name="app", user_id="u", session_id="old"
        )
        from google.adk.events import Event

        event = Event(
            author="user",
            content=types.Content(
                role="user", parts=[types.Part(text="My invoices go to the Husum office")]
            ),
            timestamp=1_700_000_000,
        )
        await runner.session_service.append_event(old, event)
        await memory.add_session_to_memory(
            await runner.session_service.get_session(app_name="app", user_id="u", session_id="old")
        )
        await artifacts.save_artifact(
            app_name="app",
            user_id="u",
            session_id="s",
            filename="invoice 7.json",
            artifact=types.Part(text='{"number": "7", "amount": 119}'),
        )
        await artifacts.save_artifact(
            app_name="app",
            user_id="u",
            session_id="s",
            filename="scan.png",
            artifact=types.Part(inline_data=types.Blob(mime_type="image/png", data=b"hihi")),
        )

    model = script("119", "119")
    agent, plugins = ways(way, PackBuilder())
    session = asyncio.run(
        talk(
            agent(model),
            ["Where do invoices go?", "And again: where do invoices go?"],
            plugins,
            memory=memory,
            artifacts=artifacts,
            before=before,
        )
    )
    for request in model.sent:
        text = users(request)[-1]
        assert "user: My invoices go to the Husum office (2023-11-14)" in text
        assert "artifact://invoice%207.json (summary:" in text and "119" in text
        assert "artifact://scan.png (summary: image/png, 4 bytes)" in text
        assert "The user prefers short answers" in text
    assert len(session.state["knowledge"]) == 2 and len(session.state["evidence"]) == 2


def test_a_service_that_fails_does_not_fail_the_turn(caplog):
    class Broken(InMemoryMemoryService):
        async def search_memory(self, **fields):
            raise OSError("down")

    model = script("ok")
    asyncio.run(
        talk(
            LlmAgent(name="guide", model=model),
            ["hi"],
            [ContextPlugin(PackBuilder(), mirrors=Mirrors())],
            memory=Broken(),
        )
    )
    assert users(model.sent[0])[-1].startswith(TITLE)
    assert "memory service failed" in caplog.text


def test_manifests_are_kept_and_their_addresses_logged(tmp_path, caplog):
    store, model = FileArtifacts(tmp_path / "a"), script("ok")
    caplog.set_level("INFO", logger="contextwright.adk")
    asyncio.run(
        talk(
            LlmAgent(name="guide", model=model),
            ["hi"],
            [ContextPlugin(PackBuilder(), artifacts=store, mirrors=Mirrors())],
        )
    )
    refs = [
        word.rstrip(":")
        for word in caplog.text.split()
        if word.startswith("artifact://tasks/42/step-3/")
    ]
    manifest = read_manifest(refs[0], store)
    assert manifest.session_id == "s" and manifest.step_id == "3" and manifest.agent == "guide"


def test_large_results_are_offloaded_and_cited_in_the_next_turn(tmp_path):
    def read_ledger() -> dict:
        """Reads the ledger."""
        return {"rows": [{"id": f"R-{n}", "amount": n} for n in range(300)]}

    store = FileArtifacts(tmp_path / "a")
    model = script(["read_ledger", {}], "read", "it is cited")
    step = {**STEP.to_state(), "tools": ["read_ledger"]}
    plugin = ContextPlugin(
        PackBuilder(context=C.offload(min_tokens=200)), artifacts=store, mirrors=Mirrors()
    )
    asyncio.run(
        talk(
            LlmAgent(name="guide", model=model, tools=[read_ledger]),
            ["read it", "and now?"],
            [plugin],
            state={"plan": step},
        )
    )
    text = users(model.sent[-1])[-1]
    assert "artifact://tasks/42/step-3/read_ledger-" in text
    ref = next(word for word in text.split() if word.startswith("artifact://tasks"))
    assert b"R-299" in store.get(ref)


def test_a_sequence_shares_the_step_and_what_was_said():
    one, two = script("The amount is 119."), script("Checked.")
    root = SequentialAgent(
        name="line",
        sub_agents=[LlmAgent(name="worker", model=one), LlmAgent(name="critic", model=two)],
    )
    plugin = ContextPlugin(
        {"worker": PackBuilder(), "critic": PackBuilder(role="critic")}, mirrors=Mirrors()
    )
    asyncio.run(talk(root, ["What does invoice 7 cost?"], [plugin]))
    assert "You are the Operator" in users(one.sent[0])[-1]
    request = two.sent[0]
    assert any("You are the Critic" in text for text in users(request))
    assert "The amount is 119." in str(request.contents)


def test_parallel_agents_have_packs_of_their_own():
    one, two = script("a"), script("b")
    root = ParallelAgent(
        name="both",
        sub_agents=[LlmAgent(name="left", model=one), LlmAgent(name="right", model=two)],
    )
    plugin = ContextPlugin(
        {"left": PackBuilder(role="planner"), "right": PackBuilder(role="reviewer")},
        mirrors=Mirrors(),
    )
    asyncio.run(talk(root, ["go"], [plugin]))
    assert "You are the Planner" in users(one.sent[0])[-1]
    assert "You are the Reviewer" in users(two.sent[0])[-1]


def test_a_transfer_stays_possible_whatever_the_scope():
    model = script(["transfer_to_agent", {"agent_name": "other"}])
    other = LlmAgent(name="other", model=script("hello from other"), description="other")
    root = LlmAgent(name="guide", model=model, tools=[delete_all], sub_agents=[other])
    session = asyncio.run(
        talk(root, ["go"], [ContextPlugin({"guide": PackBuilder()}, mirrors=Mirrors())])
    )
    assert "transfer_to_agent" in model.offered[0] and "delete_all" not in model.offered[0]
    assert session.events[-1].content.parts[0].text == "hello from other"
