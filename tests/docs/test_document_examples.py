"""Every expression and call of the source documents, typed in as they write it: each runs, or has
an error that names the way. What differs is listed here and in `docs/explanation/sources`."""

import asyncio
from types import SimpleNamespace

import pytest

from contextwright import (
    C,
    ContextBudget,
    Cooled,
    PackBuilder,
    S,
    SalienceScorer,
    Session,
    SlidingWindow,
    Step,
    SummaryConstraint,
    acheck_premise,
    assign,
    check_premise,
    compile,
    coordinated_forgetting_cycle,
    parse,
    record,
    with_context_management,
)
from contextwright.errors import SpecError
from contextwright.recipes.injectors import (
    InjectionOrchestrator,
    Injector,
    error_retention,
    knowledge,
    plan,
    playbook,
    skills,
    system_role,
    todo,
    tool_definitions,
    user_memory,
)
from contextwright.recipes.profiles import (
    BudgetAwareCompiler,
    PolicyDrivenCompiler,
    PragmaticCompiler,
)
from contextwright.tasks.plan_step import Constraints, Criterion
from contextwright.testing import session_of, target_for

TARGET = target_for("openai-chat")
STATE = {
    "intent": "billing",
    "confidence": 0.95,
    "user_profile": {"name": "Ann", "ssn": "123-45-6789", "credit_card": "4111111111111111"},
    "requirements": {"budget": 5000},
    "profile": "gold",
    "user_message": "I was charged twice",
    "category": "invoice",
    "resolution": "refund",
    "actions_taken": ["refunded"],
    "researcher_output_ref": "event://e5",
}


def sample():
    session = session_of(
        "s: Be kind. | u: I was charged twice, ann@example.com | c: search(billing API) | "
        'r: {"results": [{"title": "A"}, {"title": "B"}]} | a: I see the duplicate | u: thanks | '
        "a: welcome | u: and my refund?",
        state=STATE,
    )
    session.note("customer_history", ["waits for 3 days", "a refund was promised"])
    session.note("observations", ["calm"])
    session.add("assistant", '{"findings": "x", "chain_of_thought": "y"}', author="researcher")
    session.user("well?")
    record(session, S.tag("approved"))
    return session


# context algebra: what `.context(...)` is given

SPECS = {
    "1.1": C.rolling(n=5, summarize=True),
    "1.1 agents": C.from_agents_windowed(researcher=C.last(1)),
    "1.4": C.relevant(query_key="intent"),
    "2.1": C.window(n=5),
    "2.1 alias": C.last_n_turns(5),
    "2.2 author": C.select(author="researcher"),
    "2.2 type": C.select(type="tool_result"),
    "2.2 tag": C.select(tag="approved"),
    "2.2 both": C.select(author="researcher", type="tool_result"),
    "2.3 key": C.relevant(query_key="intent", top_k=5),
    "2.3 text": C.relevant(query="billing dispute resolution", top_k=3),
    "2.3 user": C.relevant(query_key="__user_content__", top_k=5),
    "2.3 embedding": C.relevant(query="x", scorer="embedding"),
    "2.4": C.recent(half_life=10, min_score=0.1),
    "2.4 linear": C.recent(decay="linear", window=20),
    "2.5": C.from_state("intent", "confidence", "user_profile"),
    "2.6": C.none(),
    "2.6 default": C.default(),
    "3.1": C.window(n=5) + C.summarize(scope="before_window"),
    "3.1 of an agent": C.select(author="researcher") | C.summarize(),
    "3.1 schema": C.summarize(
        schema={"key_decisions": "list[str]", "unresolved_issues": "list[str]", "current_state": "str"}
    ),
    "3.1 prompt": C.summarize(prompt="Focus on factual findings, ignore speculation."),
    "3.2": C.window(n=10) | C.compact(),
    "3.2 results": C.compact(strategy="tool_results"),
    "3.2 stale": C.compact(strategy="stale", stale_after=5),
    "3.3": C.from_state("researcher_output_ref") | C.expand(),
    "3.4": C.window(n=10) | C.dedup(),
    "3.4 semantic": C.window(n=20) | C.dedup(strategy="semantic", model="gemini-2.5-flash"),
    "3.5": C.select(author="researcher") | C.project(fields=["findings", "confidence"]),
    "3.5 exclude": C.select(author="analyst") | C.project(exclude=["chain_of_thought", "raw_data"]),
    "3.6 tail": C.window(n=10) | C.truncate(max_tokens=500, strategy="tail"),
    "3.6 bookend": C.select(type="tool_result") | C.truncate(max_tokens=200, strategy="bookend"),
    "4.1": C.capture("user_message"),
    "4.2": C.notes(key="progress"),
    "4.2 checklist": C.notes(key="task_checklist", format="checklist"),
    "4.3": C.write_notes(key="observations", strategy="append"),
    "4.4": C.extract(
        schema={"budget": "float", "timeline": "str", "constraints": "list[str]"},
        key="requirements",
        model="gemini-2.5-flash",
    ),
    "4.5": C.distill(key="facts", model="gemini-2.5-flash"),
    "5.1": C.window(n=10) + C.from_state("profile") | C.budget(max_tokens=4000),
    "5.2": C.from_state("intent", "user_profile") | C.priority(tier=1)
    + C.window(n=3) | C.priority(tier=2)
    + C.notes(key="observations") | C.priority(tier=3)
    | C.budget(max_tokens=8000, overflow="truncate_lowest_priority"),
    "5.3": C.window(n=20) + C.from_state("requirements")
    | C.fit(target_tokens=6000, strategy="cascade"),
    "6.1": C.window(n=20) | C.fresh(max_age=10),
    "6.1 warn": C.window(n=20) | C.fresh(max_age=10, stale_action="warn"),
    "6.1 compact": C.window(n=20) | C.fresh(max_age=5, stale_action="compact"),
    "6.2": C.window(n=10) | C.redact(patterns=["email", "phone", "ssn"]),
    "6.2 fields": C.from_state("user_profile") | C.redact(fields=["ssn", "credit_card"]),
    "6.2 regex": C.window(n=10) | C.redact(patterns=[r"\b\d{3}-\d{2}-\d{4}\b"]),
    "6.3": C.window(n=10) + C.from_state("requirements")
    | C.validate(checks=["contradictions", "completeness"]),
    "7.2 chain": C.window(n=20) | C.dedup() | C.compact() | C.budget(max_tokens=4000),
    "7.3": C.from_compaction() | C.window(n=5),
    "7.4 bookend": C.user(strategy="bookend"),
    "7.4 cascade": C.manus_cascade(budget=128000),
    "8 classifier": C.from_state("user_message") | C.priority(tier=1)
    + C.notes(key="customer_history") | C.priority(tier=2),
    "8 billing": C.from_state("intent", "category") | C.priority(tier=1)
    + C.window(n=5) | C.compact() | C.priority(tier=2)
    + C.notes(key="customer_history")
      | C.relevant(query_key="intent", top_k=3)
      | C.priority(tier=3)
    | C.budget(max_tokens=8000, overflow="truncate_lowest_priority"),
    "8 support": C.window(n=15)
    | C.dedup(strategy="structural")
    | C.fresh(max_age=20, stale_action="compact")
    | C.budget(max_tokens=16000),
    "8 escalation": C.distill(key="case_facts", model="gemini-2.5-flash")
    + C.summarize(schema={
        "issue_description": "str", "steps_attempted": "list[str]",
        "customer_sentiment": "str", "recommended_action": "str",
    })
    | C.redact(patterns=["email", "phone", "ssn"]),
    "8 responder": C.from_state("resolution", "actions_taken") | C.priority(tier=1)
    + C.from_state("user_message") | C.priority(tier=1)
    + C.notes(key="customer_history") | C.relevant(query_key="resolution", top_k=2) | C.priority(tier=3)
    | C.budget(max_tokens=4000),
}  # fmt: skip


@pytest.mark.parametrize("name", SPECS)
def test_an_expression_of_the_context_algebra_compiles(name):
    pack = compile(sample(), SPECS[name], target=TARGET)
    assert pack.request["messages"][-1]["role"] == "user"
    assert parse(repr(SPECS[name])) == SPECS[name]


@pytest.mark.parametrize(
    ("molecule", "atoms"),
    [
        (C.rolling(n=5, summarize=True, stride=1),
         C.window(n=5) + C.summarize(scope="before_window")),
        (C.from_agents_windowed(researcher=C.last(1)), C.select(author="researcher") | C.window(n=1)),
        (C.from_agents_windowed(researcher=C.last(1), critic=C.all()),
         (C.select(author="researcher") | C.window(n=1)) + C.select(author="critic")),
        (C.manus_cascade(budget=128000),
         C.window(n=20) | C.compact(strategy="stale", stale_after=5)
         | C.fit(target_tokens=128000, strategy="cascade")),
        (C.last_n_turns(5), C.window(n=5)),
    ],
)  # fmt: skip
def test_a_molecule_is_the_atoms_that_the_document_says(molecule, atoms):
    assert molecule == atoms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (C.rolling(n=1), C.window(n=1) + (C.select(scope="before_window") | C.summarize())),
        (C.user(strategy="bookend"),
         C.select(author="user", position="first") + C.select(author="user", position="last")),
    ],
)  # fmt: skip
def test_what_is_said_to_be_the_same_sends_the_same(one, other):
    assert (
        compile(sample(), one, target=TARGET).body == compile(sample(), other, target=TARGET).body
    )


PIPES = [
    # 9.2, with what differs: a budget may be followed by what leaves no more than came
    (lambda: C.window() | C.compact(), None),
    (lambda: C.window() | C.redact("email"), None),
    (lambda: C.window() | C.budget(900), None),
    (lambda: C.compact() | C.budget(900), None),
    (lambda: C.compact() | C.redact("email"), None),
    (lambda: C.from_compaction() | C.window(), None),
    (lambda: C.compact() | C.window(), "cannot select after compressing"),
    (lambda: C.budget(900) | C.compact(), "comes last"),
    (lambda: C.write_notes("x") | C.compact(), "is a writer"),
    (lambda: C.budget(900) | C.redact("email"), None),
]


@pytest.mark.parametrize(("pipe", "error"), PIPES)
def test_the_type_rules_of_pipes(pipe, error):
    if error is None:
        assert pipe()
        return
    with pytest.raises(SpecError, match=error) as caught:
        pipe()
    assert caught.value.fix


DIFFERENT = [
    # what the documents write, and the word that the error names instead
    (lambda: C.budget(tokens=4000), "max_tokens"),
    (lambda: check_premise("Why did X crash?", lambda p: 1, lambda p: 2), "contradict="),
    (lambda: asyncio.run(acheck_premise("Why?", lambda p: 1, lambda p: 2)), "judge="),
    (lambda: C.window() | S.tag("approved"), "C.window"),
    (lambda: BudgetAwareCompiler(projector=1, estimator=2), "compaction"),
    (lambda: PolicyDrivenCompiler(normalizer=1), "transforms"),
    (lambda: Injector("p", C.none(), MAX_TOKENS=5), "max_tokens"),
    (lambda: Constraints(latency="8s"), "latency_s"),
    (lambda: Step(task_id="1", goal="g"), "step_id"),
]


@pytest.mark.parametrize(("call", "names"), DIFFERENT)
def test_what_differs_names_the_way(call, names):
    with pytest.raises(SpecError) as caught:
        call()
    assert names in f"{caught.value} {caught.value.fix}"


# agents in a pipeline


def test_pipelines_of_agents_are_built_as_written():
    pytest.importorskip("google.adk")
    from contextwright.adapters.adk import Agent

    captured = C.capture("user_message") >> Agent("classifier")
    noted = Agent("researcher").instruct("Research the topic. Record key findings.").outputs(
        "findings"
    ).context(C.write_notes(key="observations", strategy="append")) >> Agent(
        "synthesizer"
    ).instruct("Synthesize all observations into a report.").context(C.notes(key="observations"))
    extracted = Agent("intake").instruct("Gather user requirements.").context(
        SPECS["4.4"]
    ) >> Agent("planner").instruct("Create plan based on requirements: {requirements}").context(
        C.from_state("requirements")
    )
    for pipeline in (captured, noted, extracted):
        assert not pipeline.check().errors


# context packs


def test_the_payload_has_the_documents_headers_and_the_request_word_for_word():
    step = Step(
        task_id="42",
        step_id="3",
        goal="Summarize competitor analysis with sources.",
        do=("Extract top 5 differentiators.", "Provide risks and gaps."),
        acceptance=(Criterion(text="include sources + evidence links"),),
        constraints=Constraints(latency_s=8, cost_usd=0.20),
    )
    session = Session("s", state=assign(step))
    session.user("Compare the three, please; keep 'quotes' as they are.")
    pack = compile(session, PackBuilder(), model="gpt-4.1")
    text = str(pack.request["messages"][-1]["content"])
    for header in ("ROLE:", "GOAL:", "STEP:", "CONSTRAINTS:", "USER REQUEST (VERBATIM):"):
        assert header in text, header
    assert "keep 'quotes' as they are" in text
    receipt = pack.manifest.abridged()
    assert set(receipt) == {
        "pack_id", "model", "window", "layer_budgets", "artifact_uris", "truncation_events",
        "checksum",
    }  # fmt: skip
    assert receipt["checksum"].startswith("sha256:") and receipt["model"] == "gpt-4.1"


# message compiler


def test_the_budget_model():
    budget = ContextBudget(
        window=100, used=90, reserved_output=5, reserved_system=0, soft_threshold=80
    )
    assert budget.remaining() == 5 and budget.over_soft_threshold()


@pytest.mark.parametrize(
    "compiler",
    [PragmaticCompiler(), BudgetAwareCompiler(), PolicyDrivenCompiler(),
     PragmaticCompiler(view=C.view("conversation"))],
)  # fmt: skip
def test_the_one_contract(compiler):
    snapshot = sample().snapshot()
    assert compiler.compile(snapshot, TARGET).request["messages"]


# phased injection


def test_the_injectors_of_the_document():
    spec = InjectionOrchestrator(
        (system_role("You are careful."), tool_definitions(), skills("profile"), user_memory(),
         knowledge(), playbook(), plan(), error_retention(), todo()),
    ).spec  # fmt: skip
    session = sample()
    session.update({"todo": {"goal": "refund", "done": 3, "total": 5, "next": "call the bank"}})
    assert compile(session, spec, target=TARGET).request["messages"]


# cooling and forgetting


def test_cooled_as_written():
    class Inner:
        async def invoke(self, input):
            return input

    class Radiator:
        async def invoke(self, input):
            return "short"

    cooled = Cooled(inner=Inner(), threshold=20, radiator=Radiator())
    assert asyncio.run(cooled.invoke("hi")) == "hi"
    assert len(asyncio.run(cooled.invoke("word " * 400))) < 400
    wrapped = with_context_management(Inner(), window_size=4096, summarizer=None)
    assert asyncio.run(wrapped.invoke("hi")) == "hi"


def test_the_sliding_window_as_written():
    window = SlidingWindow(window_size=4096, sink_size=4, recent_size=1024)
    assert window.add(["a"]) == [] and window.get_context() == "a"
    small = SlidingWindow(window_size=500)
    assert small.recent_size < 500 and SlidingWindow().recent_size == 1024
    small.add([f"token {n}" for n in range(400)])
    assert small._prune()
    again = SlidingWindow(attention_sinks=["first"], recent=["last"], middle=["between"])
    assert again.get_context() == "first between last"


def test_the_scorer_as_written():
    scorer = SalienceScorer(
        weights={"recency": 0.3, "entity": 0.3, "user_reference": 0.2, "structural": 0.2}
    )
    scorer.register_entity("ACME")
    assert scorer.score("ACME pays") > scorer.score("somebody pays")


def test_the_forgetting_cycle_as_written():
    class Lethe:
        async def apply_retention_policy(self):
            return None

    class Memories:
        async def list_active(self):
            return [SimpleNamespace(id="m", text="x")]

        async def deactivate(self, id):
            return None

    window = SlidingWindow(window_size=40, salience_scorer=SalienceScorer())
    window.add([f"token {n}" for n in range(12)])
    result = asyncio.run(coordinated_forgetting_cycle(window, Lethe(), Memories(), threshold=0.1))
    assert result.initial_pressure >= result.final_pressure
    assert [name for name, _ in result.actions][:2] == ["window_prune", "lethe_cycle"]


def test_the_premise_check_as_written_by_name():
    class Judge:
        async def invoke(self, input):
            return SimpleNamespace(verdict="reject")

    class Contradict:
        async def invoke(self, input):
            return SimpleNamespace(explanation="it never crashed")

    result = asyncio.run(
        acheck_premise("Why did the server crash?", judge=Judge(), contradict=Contradict())
    )
    assert not result.valid and "server" in result.invalid_premise
    assert result.reason and result.suggestion


def test_the_summary_constraint_as_written():
    constraint = SummaryConstraint(pressure_threshold=0.8, compression_ratio=0.2, summarizer=None)
    message = "The pump was repaired on Monday. " * 40
    assert asyncio.run(constraint.maybe_compress(message, 0.79)) == message
    assert len(asyncio.run(constraint.maybe_compress(message, 0.8))) < len(message) / 2
