"""What an application gives to a spec (detector, vault, roots, hosts) reaches every adapter of ADK;
what is missing is named with the call that takes it."""

import asyncio
import warnings

import pytest

pytest.importorskip("google.adk")
warnings.simplefilter("ignore")

from google.adk.agents import LlmAgent, SequentialAgent  # noqa: E402
from google.adk.tools import AgentTool  # noqa: E402
from tests.adapters.adk.scripted import script  # noqa: E402
from tests.adapters.adk.test_covered_requests import talk  # noqa: E402

from contextwright import C, Context, Conversations, SpecError, Vault  # noqa: E402
from contextwright.adapters.adk import (  # noqa: E402
    Agent,
    ContextPlugin,
    Mirrors,
    before_model,
    with_context,
    with_contexts,
)

NAME = "Ada Lovelace"
SPEC = C.default() | C.redact(entities=["PERSON"], operator="pseudonymize")
DOORS = {
    "plugin": "ContextPlugin(..., ",
    "callback": "before_model(..., ",
    "agent": "with_context(..., ",
    "tree": "with_context(..., ",
    "fluent": "build(..., ",
}


def find_names(text):
    place = text.find(NAME)
    return [(place, place + len(NAME), "PERSON")] if place >= 0 else []


def built(door, spec, model, **ports):
    """An agent with a spec by one of the doors, and the plugins of its app."""
    ports["mirrors"] = Mirrors()
    agent = LlmAgent(name="clerk", model=model, instruction=f"Serve {NAME}.")
    if door == "plugin":
        return agent, [ContextPlugin(spec, **ports)]
    if door == "callback":
        agent.before_model_callback = before_model(spec, **ports)
        return agent, []
    if door == "agent":
        return with_context(agent, spec, **ports), []
    if door == "tree":
        root = SequentialAgent(name="root", sub_agents=[agent])
        return with_contexts(root, {"clerk": spec}, **ports), []
    step = Agent("clerk", model).instruct(f"Serve {NAME}.").context(spec)
    asked = C.default() + C.capture("asked") | C.redact(entities=["PERSON"])
    return (asked >> step).build(**ports), []


def sent_by(model):
    return [request.model_dump_json(exclude={"tools_dict"}) for request in model.sent]


@pytest.mark.parametrize("door", DOORS)
def test_a_detector_and_a_vault_cover_all_that_a_model_is_sent(door):
    model, vault = script("done"), Vault(key="0123456789abcdef")
    root, plugins = built(door, SPEC, model, detector=find_names, vault=vault)
    session = asyncio.run(talk(root, plugins, f"I am {NAME}."))
    (sent,) = sent_by(model)
    assert NAME not in sent
    assert f"Serve {NAME}" in vault.restore(sent)
    assert f"I am {NAME}" in vault.restore(sent)
    assert session.state.get("asked", "I am [REDACTED].") == "I am [REDACTED]."


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("given", "missing"), [({}, "vault=Vault("), ({"vault": Vault(key="k" * 16)}, "detector=")]
)
def test_a_missing_port_is_named_with_the_call_that_takes_it(door, given, missing):
    model = script("done")
    root, plugins = built(door, SPEC, model, **given)
    with pytest.raises(Exception) as caught:
        asyncio.run(talk(root, plugins, "hi"))
    error = caught.value
    while not isinstance(error, SpecError):
        error = error.__cause__
    assert DOORS[door] + ("detector=" if door == "fluent" else missing) in error.fix
    assert not model.sent


@pytest.mark.parametrize("door", DOORS)
def test_roots_and_hosts_are_read(door, tmp_path):
    (tmp_path / "terms.txt").write_text("The terms in full.")
    spec = C.default() + C.expand("file://terms.txt", "https://docs.example/a")
    hosts = {"docs.example": lambda url: f"The page {url}."}
    model = script("done")
    root, plugins = built(door, spec, model, detector=find_names, roots=[tmp_path], hosts=hosts)
    asyncio.run(talk(root, plugins, "hi"))
    assert "The terms in full." in sent_by(model)[0]
    assert "The page https://docs.example/a." in sent_by(model)[0]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("wrong", "what"),
    [
        ({"vault": "key"}, "expected vault as Vault"),
        ({"detector": 3}, "expected a detector"),
        ({"roots": "here"}, "expected folders"),
        ({"valt": None}, "unexpected option 'valt'"),
    ],
)
def test_what_is_no_port_is_refused_where_it_is_given(door, wrong, what):
    with pytest.raises(SpecError, match=what) as caught:
        built(door, SPEC, script("done"), **wrong)
    assert DOORS[door].split("(")[0] in caught.value.where


def test_what_a_context_was_given_is_the_plugin_s():
    """A detector, a vault and a window of a `Context` were those of its other doors alone."""
    model, vault = script("done"), Vault(key="0123456789abcdef")
    given = {"detector": find_names, "vault": vault, "window": 50_000}
    context = Context(SPEC, model="gemini-2.5-flash", **given)
    agent = LlmAgent(name="clerk", model=model, instruction=f"Serve {NAME}.")
    asyncio.run(talk(agent, [ContextPlugin(context, mirrors=Mirrors())], f"I am {NAME}."))
    (sent,) = sent_by(model)
    assert NAME not in sent and f"I am {NAME}" in vault.restore(sent)
    assert context.options == given
    assert context.manifest.window == 50_000


def test_what_a_plugin_is_given_beside_a_context_wins():
    model = script("done")
    context = Context(C.default(), model="gemini-2.5-flash", window=90_000)
    plugin = ContextPlugin(context, mirrors=Mirrors(), window=50_000)
    asyncio.run(talk(LlmAgent(name="clerk", model=model), [plugin], "hi"))
    assert context.manifest.window == 50_000


def test_conversations_of_a_context_are_refused_by_name():
    """ADK has its own; those would hold nothing."""
    context = Context(C.default(), conversations=Conversations())
    with pytest.raises(SpecError, match="conversations") as caught:
        ContextPlugin(context)
    assert "session service" in caught.value.fix


@pytest.mark.parametrize("door", ["plugin", "agent"])
def test_an_option_of_a_context_is_named_with_what_takes_it(door):
    with pytest.raises(SpecError, match="unexpected option 'read_back'") as caught:
        built(door, SPEC, script("done"), read_back=True)
    assert "ContextPlugin(Context(spec, read_back=...))" in caught.value.fix
    with pytest.raises(SpecError, match="unexpected option 'windw'") as caught:
        built(door, SPEC, script("done"), windw=8000)
    assert "did you mean window" in caught.value.fix


def test_a_context_in_the_place_of_one_agents_spec_is_refused():
    """Its options would come to nothing: its spec alone was used."""
    context = Context(SPEC, read_back=True)
    agent = LlmAgent(name="clerk", model=script("done"))
    with pytest.raises(SpecError, match="got a Context, whose options"):
        with_context(agent, context)
    with pytest.raises(SpecError, match="got a Context, whose options"):
        ContextPlugin({"clerk": context})


def warnings_of(caplog, specs, root):
    plugin = ContextPlugin(specs, mirrors=Mirrors())
    with caplog.at_level("WARNING", logger="contextwright.adk"):
        asyncio.run(talk(root, [plugin], "hi", "again"))
    ours = (record for record in caplog.records if record.name == "contextwright.adk")
    return [record.getMessage() for record in ours]


def test_a_spec_for_a_name_that_no_agent_has_is_told(caplog):
    """Nothing came of it, and every request left whole, in silence."""
    model = script("done", "done")
    root = LlmAgent(name="clerk", model=model)
    (said,) = warnings_of(caplog, {"clark": SPEC}, root)
    assert "'clark'" in said and "there are clerk" in said


def test_agents_that_did_not_run_yet_and_those_of_tools_are_there(caplog):
    inner = LlmAgent(name="critic", model=script("fine"))
    idle = LlmAgent(name="billing", model=script())
    root = LlmAgent(
        name="clerk",
        model=script(("critic", {"request": "look"}), "done", "done"),
        tools=[AgentTool(inner)],
        sub_agents=[idle],
    )
    specs = {"clerk": C.default(), "critic": C.default(), "billing": C.default()}
    assert warnings_of(caplog, specs, root) == []
