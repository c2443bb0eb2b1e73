"""What ADK, a callback or a plugin makes of a session reaches the model as it stands, where it is
something else than the session's events."""

import asyncio
import gc
import warnings

import pytest

pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent  # noqa: E402
from google.adk.agents.run_config import RunConfig  # noqa: E402
from google.adk.apps import App  # noqa: E402
from google.adk.artifacts import InMemoryArtifactService  # noqa: E402
from google.adk.code_executors.unsafe_local_code_executor import (  # noqa: E402
    UnsafeLocalCodeExecutor,
)
from google.adk.events import Event  # noqa: E402
from google.adk.models import BaseLlm, Gemini, LlmResponse  # noqa: E402
from google.adk.models.llm_request import LlmRequest  # noqa: E402
from google.adk.planners import PlanReActPlanner  # noqa: E402
from google.adk.plugins import BasePlugin  # noqa: E402
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin  # noqa: E402
from google.adk.runners import Runner  # noqa: E402
from google.adk.sessions import InMemorySessionService  # noqa: E402
from google.adk.tools import LongRunningFunctionTool  # noqa: E402
from google.adk.workflow import Workflow  # noqa: E402
from google.genai import types  # noqa: E402
from tests.adapters.adk.scripted import estimates, said, script  # noqa: E402

from contextwright import C, Context  # noqa: E402
from contextwright.adapters.adk import (  # noqa: E402
    ContextPlugin,
    Mirrors,
    before_model,
    with_context,
    with_contexts,
)
from contextwright.adapters.adk.extra_contents import extra_contents  # noqa: E402
from contextwright.adapters.adk.request_table import RequestTable  # noqa: E402
from contextwright.adapters.adk.turn_edits import TurnEdits  # noqa: E402

BOTH = pytest.mark.parametrize("way", ["agent", "plugin"])
CARD = "4111-1111"


class Coder(BaseLlm):
    """Runs code until it sees what that gave."""

    model: str = "gemini-2.5-flash"
    sent: list = []

    async def generate_content_async(self, llm_request, stream=False):
        self.sent.append(list(llm_request.contents))
        is_seen = any("42" in text for text in texts(llm_request.contents))
        text = "It is 42." if is_seen else "```tool_code\nprint(6*7)\n```"
        yield LlmResponse(content=content("model", text))


class Mask(BasePlugin):
    """Takes the card out of what is said."""

    def __init__(self):
        super().__init__(name="mask")

    async def before_model_callback(self, *, callback_context, llm_request):
        masked(callback_context, llm_request)


def masked(callback_context, llm_request):
    for one in llm_request.contents:
        for part in one.parts or ():
            if part.text:
                part.text = part.text.replace(CARD, "[CARD]")


def content(role, *parts):
    made = [types.Part(text=part) if isinstance(part, str) else part for part in parts]
    return types.Content(role=role, parts=made)


def texts(contents):
    return [part.text for one in contents for part in one.parts or () if part.text]


def lines(request):
    """Roles and texts of what was sent."""
    return [(one.role, "".join(part.text or "" for part in one.parts)) for one in request.contents]


def covered(way, root, spec=C.default(), plugins=()):
    """The root, with a spec for every agent of its tree, and the plugins of its app."""
    if way == "base":
        return root, list(plugins)
    if way == "plugin":
        return root, [*plugins, ContextPlugin(spec, mirrors=Mirrors())]
    names, left = {}, [root]
    while left:
        agent = left.pop()
        names[agent.name] = spec
        left += agent.sub_agents
    return with_contexts(root, names, mirrors=Mirrors()), list(plugins)


async def talk(root, plugins, *messages, events=(), **fields):
    service = InMemorySessionService()
    session = await service.create_session(app_name="app", user_id="u", session_id="s")
    for event in events:
        await service.append_event(session, event)
    app = App(name="app", root_agent=root, plugins=list(plugins))
    artifacts = InMemoryArtifactService()
    runner = Runner(app=app, session_service=service, artifact_service=artifacts)
    for message in messages:
        new = said(message) if isinstance(message, str) else message
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=new, **fields):
            pass
    return await service.get_session(app_name="app", user_id="u", session_id="s")


def sent(way, build, *messages, replies, plugins=(), spec=C.default(), **fields):
    """What the scripted models of an app were sent, by text."""
    model = script(*replies)
    root, plugins = covered(way, build(model), spec, plugins)
    asyncio.run(talk(root, plugins, *messages, **fields))
    return [lines(request) for request in model.sent]


def same_as_in_adk(way, build, *messages, **fields):
    """What was sent, which is what ADK alone sends."""
    compiled = sent(way, build, *messages, **fields)
    assert compiled == sent("base", build, *messages, **fields)
    return compiled


@pytest.mark.parametrize("way", ["agent", "plugin", "callback"])
def test_an_agent_sees_what_its_code_gave(way):
    model = Coder(sent=[])
    agent = LlmAgent(name="clerk", model=model, code_executor=UnsafeLocalCodeExecutor())
    plugins = []
    if way == "callback":
        agent.before_model_callback = before_model(C.default(), mirrors=Mirrors())
    else:
        agent, plugins = covered(way, agent)
    session = asyncio.run(talk(agent, plugins, "6*7?", run_config=RunConfig(max_llm_calls=5)))
    assert session.events[-1].content.parts[0].text == "It is 42."
    assert texts(model.sent[-1])[:2] == ["6*7?", "```tool_code\nprint(6*7)\n```"]


def test_code_that_a_provider_ran_is_told_as_text_and_what_looks_like_its_output_stays():
    def add(callback_context, llm_request):
        llm_request.contents.append(said("The customer has 42 points."))

    code = types.Part(executable_code=types.ExecutableCode(code="print(4)", language="PYTHON"))
    result = types.CodeExecutionResult(outcome="OUTCOME_OK", output="4")
    parts = code, types.Part(code_execution_result=result), "Four."
    event = Event(author="clerk", invocation_id="i", content=content("model", *parts))
    events = [Event(author="user", invocation_id="i", content=said("2+2?")), event]

    def build(model):
        return LlmAgent(name="clerk", model=model, before_model_callback=add)

    (only,) = sent("agent", build, "More?", replies=["ok"], events=events)
    text = "```tool_code\nprint(4)\n``````tool_output\n4\n```Four."
    assert only == [
        ("user", "2+2?"),
        ("model", text),
        ("user", "More?"),
        ("user", "The customer has 42 points."),
    ]


def test_what_an_agents_own_callback_masks_stays_masked():
    def build(model):
        return LlmAgent(name="clerk", model=model, before_model_callback=masked)

    messages = f"My card {CARD}", f"Again {CARD}", "And?"
    requests = same_as_in_adk("agent", build, *messages, replies=["one", "two", "three"])
    assert [text for role, text in requests[-1] if role == "user"] == [
        "My card [CARD]",
        "Again [CARD]",
        "And?",
    ]


@BOTH
def test_what_a_plugin_in_front_masks_stays_masked(way):
    """Behind `with_context` ADK shows it each turn once, and no turn before."""

    def build(model):
        return LlmAgent(name="clerk", model=model)

    messages = f"My card {CARD}", "Go on", f"Again {CARD}", "And?"
    requests = same_as_in_adk(
        way, build, *messages, replies=["one", "two", "three", "four"], plugins=[Mask()]
    )
    assert CARD not in str(requests)


def test_what_a_plugin_masks_stays_masked_before_an_agents_own_callback():
    def build(model):
        return LlmAgent(name="clerk", model=model, before_model_callback=add)

    def add(callback_context, llm_request):
        llm_request.contents.append(said("A memory"))

    requests = same_as_in_adk(
        "agent", build, f"My card {CARD}", "Go on", "And?",
        replies=["one", "two", "three"], plugins=[Mask()],
    )  # fmt: skip
    assert CARD not in str(requests)
    assert str(requests[-1]).count("A memory") == 1


@pytest.mark.parametrize("way", ["agent", "plugin", "callback"])
def test_what_is_masked_stays_masked_where_the_provider_keeps_the_conversation(way):
    """There ADK tells the turn alone; compiled, the request holds all of it."""

    class Chained(Gemini):
        sent: list = []

        async def generate_content_async(self, llm_request, stream=False):
            self.sent.append(llm_request)
            number = len(self.sent)
            yield LlmResponse(content=content("model", f"r{number}"), interaction_id=f"i{number}")

    model = Chained(model="gemini-2.5-flash", use_interactions_api=True, sent=[])
    agent = LlmAgent(name="clerk", model=model)
    plugins = [Mask()]
    if way == "callback":
        agent.before_model_callback, plugins = masked, []
    root, plugins = covered("plugin" if way == "plugin" else "agent", agent, plugins=plugins)
    asyncio.run(talk(root, plugins, f"My card {CARD}", "Go on", f"Again {CARD}", "And?"))
    assert [text for _, text in lines(model.sent[-1])] == [
        "My card [CARD]", "r1", "Go on", "r2", "Again [CARD]", "r3", "And?",
    ]  # fmt: skip
    assert model.sent[-1].previous_interaction_id is None


def test_what_a_plugin_in_front_leaves_out_stays_out():
    plugins = [ContextFilterPlugin(num_invocations_to_keep=1)]
    requests = sent(
        "plugin", lambda model: LlmAgent(name="clerk", model=model), "one", "two", "three",
        replies=["a", "b", "c"], plugins=plugins,
    )  # fmt: skip
    assert requests[-1] == [("user", "three")]


@BOTH
def test_a_plan_is_told_as_its_planner_has_it(way):
    class Planning(BaseLlm):
        model: str = "gemini-2.5-flash"
        sent: list = []

        async def generate_content_async(self, llm_request, stream=False):
            self.sent.append([part for one in llm_request.contents for part in one.parts])
            parts = "/*PLANNING*/ look it up", "/*FINAL_ANSWER*/ done"
            yield LlmResponse(content=content("model", *parts))

    model = Planning(sent=[])
    agent = LlmAgent(name="clerk", model=model, planner=PlanReActPlanner())
    asyncio.run(talk(*covered(way, agent), "one", "two"))
    assert [part.text for part in model.sent[-1]] == ["one", " look it up", " done", "two"]
    assert not any(part.thought for part in model.sent[-1])


def tree(mode):
    def build(model):
        worker = LlmAgent(name="worker", model=model, mode=mode, description="works")
        return LlmAgent(name="clerk", model=model, sub_agents=[worker])

    return build


@BOTH
@pytest.mark.parametrize("spec", [C.default(), C.compaction(8000), C.from_state("x")], ids=repr)
def test_a_delegated_task_is_what_its_agent_is_told(way, spec):
    replies = ("worker", {"request": "go"}), ("finish_task", {"result": "42"}), "done", "more"
    requests = sent(way, tree("task"), "hello", "again", replies=replies, spec=spec)
    assert requests[1] == [("user", '{"request": "go"}')]
    assert len(requests) == 4


@BOTH
def test_an_agent_of_a_single_turn_is_told_that_alone(way):
    replies = ("worker", {"request": "go"}), "found", "done", "more"
    requests = same_as_in_adk(way, tree("single_turn"), "hello", "again", replies=replies)
    assert requests[1] == [("user", "go")]


def test_a_node_of_a_graph_is_told_its_input_once():
    def build(model):
        first, second = (LlmAgent(name=name, model=model) for name in ("first", "second"))
        return Workflow(name="graph", edges=[("START", first, second)])

    requests = same_as_in_adk("plugin", build, "one", "two", replies=["A", "B", "C", "D"])
    assert [request[0][1] for request in requests] == ["one", "A", "two", "C"]


ADDED = {
    "in ADK's words": [(None, "user", "For context: the customer is premium.")],
    "an example": [(0, "user", "1+1?"), (1, "model", "2")],
    "what was said": [(None, "user", "yes")],
}


@BOTH
@pytest.mark.parametrize("name", ADDED)
def test_what_is_added_to_a_request_is_sent(way, name):
    def add(callback_context, llm_request):
        for place, role, text in ADDED[name]:
            at = len(llm_request.contents) if place is None else place
            llm_request.contents.insert(at, content(role, text))

    class Adding(BasePlugin):
        async def before_model_callback(self, *, callback_context, llm_request):
            add(callback_context, llm_request)

    is_agents = way == "agent"

    def build(model):
        return LlmAgent(name="clerk", model=model, before_model_callback=add if is_agents else None)

    plugins = [] if is_agents else [Adding(name="adding")]
    same_as_in_adk(way, build, "yes", "more", replies=["ok", "fine"], plugins=plugins)


def test_calls_that_a_callback_adds_are_redacted():
    call = types.FunctionCall(name="ask", args={"who": "ann@home.org"})
    result = types.FunctionResponse(name="ask", response={"found": ["ann@home.org"]})

    def add(callback_context, llm_request):
        llm_request.contents += [
            content("model", types.Part(function_call=call)),
            content("user", types.Part(function_response=result)),
        ]

    model = script("ok")
    agent = LlmAgent(name="clerk", model=model, before_model_callback=add)
    asyncio.run(talk(with_context(agent, C.default() | C.redact(["pii"])), [], "Hi."))
    parts = [part for one in model.sent[0].contents for part in one.parts]
    assert parts[1].function_call.args == {"who": "[REDACTED]"}
    assert parts[2].function_response.response == {"found": ["[REDACTED]"]}


def test_fields_that_a_spec_redacts_by_name_go_from_what_is_added():
    call = types.FunctionCall(name="login", args={"password": "hunter2", "user": "ann", "pin": 4})
    result = types.FunctionResponse(name="login", response={"got": [{"pin": 4321, "ok": True}]})

    def add(callback_context, llm_request):
        llm_request.contents += [
            content("model", types.Part(function_call=call)),
            content("user", types.Part(function_response=result)),
        ]

    def login(user: str = "ann", password: str = "hunter2"):
        """Logs in."""

    model = script("ok")
    agent = LlmAgent(name="clerk", model=model, tools=[login], before_model_callback=add)
    spec = C.default() | C.redact(fields=["password", "pin"])
    asyncio.run(talk(with_context(agent, spec), [], "Hi."))
    parts = [part for one in model.sent[0].contents for part in one.parts]
    assert parts[1].function_call.args == {
        "password": "[REDACTED]", "user": "ann", "pin": "[REDACTED]"
    }  # fmt: skip
    assert parts[2].function_response.response == {"got": [{"pin": "[REDACTED]", "ok": True}]}
    declared = model.sent[0].config.tools[0].function_declarations[0].model_dump_json()
    assert "hunter2" not in declared and "ann" in declared


@BOTH
def test_a_long_running_result_takes_the_place_of_the_first_reply(way):
    def book(room: int) -> dict:
        """Books."""
        return {"status": "pending"}

    model = script(("book", {"room": 1}, "c1"), "Please wait.", "Hm.", "Booked.", "Bye.")
    agent = LlmAgent(name="clerk", model=model, tools=[LongRunningFunctionTool(book)])
    done = types.FunctionResponse(id="c1", name="book", response={"status": "done"})
    answer = content("user", types.Part(function_response=done))
    root, plugins = covered(way, agent)
    asyncio.run(talk(root, plugins, "Book.", "Well?", answer, "Thanks."))
    behind = model.sent[3].contents
    assert [one.role for one in behind] == ["user", "model", "user"]
    assert behind[-1].parts[0].function_response.response == {"status": "done"}
    assert [text for _, text in lines(model.sent[4]) if text] == [
        "Book.", "Please wait.", "Well?", "Hm.", "Booked.", "Thanks.",
    ]  # fmt: skip


@BOTH
def test_what_was_spoken_is_told(way):
    spoken = types.Transcription(text="I am Zoe.", finished=True)
    reply = types.Transcription(text="Hello Zoe.", finished=True)
    events = [
        Event(author="user", invocation_id="i", input_transcription=spoken),
        Event(author="clerk", invocation_id="i", output_transcription=reply),
    ]
    (only,) = same_as_in_adk(
        way, lambda model: LlmAgent(name="clerk", model=model), "Who am I?",
        replies=["Zoe."], events=events,
    )  # fmt: skip
    assert only == [("user", "I am Zoe."), ("model", "Hello Zoe."), ("user", "Who am I?")]


@BOTH
def test_a_dynamic_instruction_stands_before_the_turn(way):
    def build(model):
        fields = {"static_instruction": "Be kind.", "instruction": "Be brief."}
        return LlmAgent(name="clerk", model=model, **fields)

    requests = same_as_in_adk(way, build, "one", "two", replies=["a", "b"])
    assert [role for role, _ in requests[-1]] == ["user", "model", "user", "user"]
    assert "Be brief." in requests[-1][2][1]


def test_what_is_known_of_a_request_goes_with_it():
    table = RequestTable()
    request = LlmRequest()
    table[request] = 1
    table[request] = 2
    assert table.get(request) == 2 and table.get(LlmRequest()) is None
    del request
    gc.collect()
    assert len(table) == 0


@BOTH
def test_answered_requests_leave_nothing_behind(way):
    root, plugins = covered(way, LlmAgent(name="clerk", model=script("ok")))
    owner = plugins[0]._requests if plugins else root.before_model_callback[-1].__self__
    asyncio.run(talk(root, plugins, *"abcde"))
    root.model.sent.clear()
    gc.collect()
    assert len(owner._own) == 0


def test_a_conversation_that_a_plugin_edits_goes_on(monkeypatch):
    """It is compacted, billed and read back as one that nobody edits, and no request moves the
    front of the one before."""
    seen = estimates(monkeypatch)

    def look(page: int) -> str:
        """A page."""
        return f"page {page}: " + " ".join(f"line{n} of {page}" for n in range(300))

    replies = [reply for n in range(9) for reply in (("look", {"page": n}), f"Page {n}.")]
    read = ("expand", {"ref": "event://e0"}), "Read."
    model = script(*replies, *read)
    context = Context(C.compaction(8000), model="gemini-2.5-flash", read_back=True)
    plugin = ContextPlugin(context, mirrors=Mirrors())
    agent = LlmAgent(name="clerk", model=model, tools=[look])
    messages = [f"{CARD} asks for page {n}." for n in range(9)]
    asyncio.run(talk(agent, [Mask(), plugin], *messages, "What was it?"))
    assert CARD not in str([request.contents for request in model.sent])
    assert context.manifest.changes and len(seen) == len(model.sent) == 20
    result = model.sent[-1].contents[-1].parts[-1].function_response.response
    assert "[CARD] asks for page 0." in str(result)
    moved = sum(
        later.contents[: len(earlier.contents)] != earlier.contents
        for earlier, later in zip(model.sent, model.sent[1:], strict=False)
    )
    assert moved <= 4, "as many as without the mask"


def test_what_is_captured_of_an_edited_conversation_is_the_newest():
    spec = C.default() + C.capture("asked") + C.capture("answered", what="output")
    agent = LlmAgent(name="clerk", model=script("one", "two"), before_model_callback=masked)
    root = with_context(agent, spec, mirrors=Mirrors())
    session = asyncio.run(talk(root, [], f"My card {CARD}", "And now?"))
    assert (session.state["asked"], session.state["answered"]) == ("And now?", "two")


def test_extras_have_their_places():
    one, two, three = (said(text) for text in ("one", "two", "three"))
    x = said("x")
    assert extra_contents([x, one, x, two, x], [one, two]) == [(x, -1), (x, 1), (x, 0)]
    assert extra_contents([one, one], [one]) == [(one, 0)]
    assert extra_contents([two, one], [one, two]) is None
    assert extra_contents([one, three], [one, two]) is None


def test_edits_of_a_turn_hold_in_the_turns_after():
    edits = TurnEdits()
    a, b, c = said("a"), content("model", "b"), said("c")
    edits.add([], [a], [said("A")])
    edits.add([], [a, b], [said("A"), b])
    assert edits.history([a, b]) == [said("A"), b]
    edits.add([a, b], [c], [said("C")])
    assert edits.history([a, b]) == [said("A"), b]
    assert edits.history([a, b, c, b]) == [said("A"), b, said("C"), b]
    assert edits.history([c, b]) == [c, b], "another session's, or one that was rewound"
