"""One door: whatever stands for a session, and for a spec, gives the same request."""

import asyncio

import pytest
from hypothesis import given, settings

from contextwright import (
    C,
    Criterion,
    Engine,
    PackBuilder,
    Session,
    Step,
    assign,
    compile,
    pressure,
)
from contextwright.compiler import Pack
from contextwright.errors import BudgetError, ModelError, SpecError
from contextwright.recipes.injectors import InjectionOrchestrator, plan, todo, user_memory
from contextwright.recipes.profiles import (
    BudgetAwareCompiler,
    PolicyDrivenCompiler,
    PragmaticCompiler,
)
from contextwright.session import Event, Text
from contextwright.testing import sessions, target_for

MESSAGES = [
    {"role": "system", "content": "Answer in one word."},
    {"role": "user", "content": "What is the capital of France?"},
    {"role": "assistant", "content": "Paris"},
    {"role": "user", "content": "And of Spain?"},
]
TARGET = target_for("openai-chat")
NEWEST = C.window(n=1) | C.silent()
"""A line about what is left out has the sign of its session."""


def session_of(messages=MESSAGES):
    session = Session()
    for message in messages:
        session.add(message["role"], message["content"])
    return session


class NewestOnly:
    """A compiler of somebody's own: message-compiler.md's one contract and nothing else."""

    def __init__(self):
        self.given = []

    def compile(self, snapshot, target):
        self.given.append((snapshot, target))
        return compile(snapshot, NEWEST, target=target)


# what stands for a session


@pytest.mark.parametrize(
    "source",
    [
        session_of(),
        session_of().snapshot(),
        MESSAGES,
        tuple(MESSAGES),
        {"messages": MESSAGES},
        {"model": "gpt-5", "messages": MESSAGES, "temperature": 0.3},
        [(message["role"], message["content"]) for message in MESSAGES],
        list(session_of().log),
        {"instructions": MESSAGES[0]["content"], "input": MESSAGES[1:]},
        {"system": MESSAGES[0]["content"], "messages": MESSAGES[1:]},
    ],
    ids=[
        "session", "snapshot", "list", "tuple", "document", "chat body", "pairs", "events",
        "responses body", "anthropic body",
    ],
)  # fmt: skip
def test_whatever_stands_for_a_session_gives_the_same_context(source):
    expected = compile(session_of(), NEWEST, target=TARGET).request
    request = compile(source, NEWEST, target=TARGET).request
    assert {key: request[key] for key in expected} == expected


def test_a_body_brings_its_tools_and_its_model():
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    pack = compile({"model": "gpt-4.1", "messages": MESSAGES, "tools": [tool]})
    assert pack.request["model"] == "gpt-4.1"
    assert [each["function"]["name"] for each in pack.request["tools"]] == ["look"]
    assert compile({"model": "gpt-4.1", "messages": MESSAGES}, model="gpt-5").request["model"] == (
        "gpt-5"
    )
    with pytest.raises(ModelError, match="neither model nor target"):
        compile({"messages": MESSAGES})


def test_a_body_of_bedrock_names_its_model_and_its_answer_s_room():
    id = "anthropic.claude-sonnet-4-5-20250929-v1:0"
    messages = [{"role": "user", "content": [{"text": "hi"}]}]
    pack = compile({"modelId": id, "messages": messages, "inferenceConfig": {"maxTokens": 700}})
    assert (pack.manifest.format, pack.request["model"]) == ("anthropic", id)
    assert pack.manifest.reserved_output == pack.request["max_tokens"] == 700


def test_an_engine_takes_messages_too():
    engine = Engine(NEWEST, "gpt-5")
    expected = engine.compile(session_of()).request
    assert engine.compile(MESSAGES).request == expected
    assert engine.assemble(MESSAGES).request == expected
    assert asyncio.run(engine.acompile({"messages": MESSAGES})).request == expected
    engine.prepare(MESSAGES)


def test_the_pressure_of_messages():
    assert 0 < pressure(MESSAGES, window=1000) < 1


# what stands for a spec


@pytest.mark.parametrize(
    "spec",
    [
        NEWEST,
        "C.window(n=1) | C.silent()",
        PragmaticCompiler(view=NEWEST),
        InjectionOrchestrator((), history=NEWEST),
        NewestOnly(),
    ],
    ids=["spec", "text", "profile", "orchestrator", "compiler"],
)
def test_whatever_stands_for_a_spec_gives_the_same_request(spec):
    expected = compile(session_of(), NEWEST, target=TARGET)
    # of a list that came, keys keep their order
    assert compile(MESSAGES, spec, target=TARGET).request == expected.request
    engine = Engine(spec, "gpt-5")
    session = session_of()
    body = engine.compile(session).body
    assert body == Engine(NEWEST, "gpt-5").compile(session_of()).body
    assert engine.assemble(session).body == body
    assert asyncio.run(engine.acompile(session)).body == body
    engine.record(session, billed_input=90)
    assert engine.calibrator.counter("openai-chat", "gpt-5", engine.target.counter) is not None


def test_a_compiler_of_ones_own_sees_the_snapshot_and_the_target():
    mine, session = NewestOnly(), session_of()
    pack = compile(session, mine, target=TARGET)
    assert isinstance(pack, Pack)
    assert mine.given[0][0].position == 4 and mine.given[0][1] is TARGET


def test_a_compiler_is_told_what_the_caller_adds_itself():
    mine = NewestOnly()
    Engine(mine, "gpt-5", format="text").compile(session_of(), reserved_system=50)
    assert mine.given[0][1].reserved_system == 50


class OfAnotherFormat:
    def compile(self, snapshot, target):
        return compile(snapshot, target=target_for("anthropic"))


class NotEvenAPack:
    def compile(self, snapshot, target):
        return {"messages": []}


@pytest.mark.parametrize(
    ("compiler", "message"),
    [
        (OfAnotherFormat(), "expected a request for openai-chat, got one for anthropic"),
        (NotEvenAPack(), "expected a Pack, got dict"),
    ],
)
def test_what_is_no_pack_for_the_target_is_refused(compiler, message):
    with pytest.raises(SpecError, match=message) as caught:
        compile(MESSAGES, compiler, target=TARGET)
    assert type(compiler).__name__ in caught.value.where


@pytest.mark.parametrize(
    ("spec", "message"),
    [(5, "got int"), (PackBuilder, "got the class PackBuilder"), ({"atom": "window"}, "got dict")],
)
def test_what_is_neither_spec_nor_compiler_is_named(spec, message):
    with pytest.raises(SpecError, match=message) as caught:
        compile(MESSAGES, spec, target=TARGET)
    assert "compile(snapshot, target)" in caught.value.what


# a recipe compiles as its spec does


def test_a_profile_that_asks_models_compiles_as_its_spec():
    session = Session()
    for n in range(6):
        session.user(f"question {n} " + "about the parts of the pump " * 8)
        session.assistant(f"answer {n} " + "the rotor was replaced in March " * 8)
    session.user("and now?")
    profile = BudgetAwareCompiler(view=C.rolling(n=2), compaction=C.fit(700))
    one = profile.compile(session.snapshot(), TARGET)
    two = compile(session, profile, target=TARGET)
    assert one.tokens == two.tokens and one.body == two.body
    assert one.manifest.checksum == two.manifest.checksum


STEP = Step(
    task_id="42",
    step_id="3",
    goal="Close the case.",
    do=("Answer in one word.",),
    acceptance=(Criterion(text="one word"),),
)
RECIPES = [
    PragmaticCompiler(),
    PragmaticCompiler(view=C.view("conversation")),
    BudgetAwareCompiler(view=C.rolling(n=2), compaction=C.fit(700)),
    BudgetAwareCompiler(compaction=C.compaction(900)),
    PolicyDrivenCompiler(transforms=(C.decay(full=1, fold=1),), compaction=C.fit(900)),
    PolicyDrivenCompiler(isolation=C.isolate("masking")),
    InjectionOrchestrator((user_memory(), plan(), todo())),
    InjectionOrchestrator((user_memory(),), history=C.rolling(2), limit=C.fit(900)),
    PackBuilder(tail=2),
    PackBuilder(role="critic", profile="research", evidence=2, memory=1),
]


@pytest.mark.parametrize("recipe", RECIPES, ids=repr)
@settings(max_examples=8)
@given(session=sessions(max_turns=3))
def test_a_recipe_and_its_spec_give_the_same_pack(recipe, session):
    if isinstance(recipe, PackBuilder):
        session.update(assign(STEP))
    session.append(Event(id="newest", role="user", parts=(Text(text="And now?"),)))
    snapshot = session.snapshot()
    made = [
        _pack_or_error(lambda: recipe.compile(snapshot, TARGET, now_ms=1_000)),
        _pack_or_error(lambda: compile(session, recipe, target=TARGET, now_ms=1_000)),
        _pack_or_error(lambda: compile(snapshot, recipe.spec, target=TARGET, now_ms=1_000)),
    ]
    assert made[0] == made[1] == made[2]
    if isinstance(made[0], Pack):
        assert made[0].manifest.checksum == made[1].manifest.checksum


def _pack_or_error(make):
    try:
        return make()
    except BudgetError as error:
        return str(error)
