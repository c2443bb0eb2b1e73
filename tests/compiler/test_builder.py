"""Context Packs as context-packs.md describes them."""

import itertools
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import (
    C,
    Constraints,
    Criterion,
    PackBuilder,
    Session,
    Step,
    assign,
    compile,
    replay,
)
from contextwright.compiler import manifest_from_json
from contextwright.errors import SpecError, StepError
from contextwright.session import Tool
from contextwright.testing import target_for

STEP = Step(
    task_id="42",
    step_id="3",
    goal="Summarize competitor analysis with sources.",
    do=("Extract top 5 differentiators.", "Provide risks and gaps."),
    acceptance=(
        Criterion(text="include sources + evidence links", needs_evidence=True),
        Criterion(text="risks and gaps are named"),
    ),
    constraints=Constraints(latency_s=8, cost_usd=0.2),
    tools=("search_web", "file_read"),
)
TOOLS = [
    Tool(
        name="search_web",
        parameters={
            "type": "object",
            "properties": {"query": {"type": "string"}, "max_results": {"type": "integer"}},
        },
    ),
    Tool(name="delete_everything"),
    Tool(
        name="file_read", parameters={"type": "object", "properties": {"path": {"type": "string"}}}
    ),
]
STATE = {
    "evidence": [
        {
            "uri": "artifact://tasks/42/step-3/report.md",
            "summary": "five rivals, with sources and links as evidence",
        },
        "artifact://tasks/42/step-3/source_index.json",
    ],
    "knowledge": [{"text": "User prefers concise output", "time": "2026-01-20"}],
}
NOW = 1_769_595_600_000


def session_of(step=STEP, turns=0, **state):
    session = Session("s", tools=TOOLS)
    for n in range(turns):
        session.user(f"Earlier question {n} about the market of pumps. " * 4)
        session.assistant(f"Earlier answer {n}: the market of pumps grew by {n} percent. " * 8)
    session.user("Please finish the comparison.")
    session.update(assign(step))
    session.update({**STATE, **state})
    return session


DOCUMENTS = """\
CONTEXT PACK

ROLE:
- You are the Operator executing step 3.
- Do this step only. End with what to do next; stop when every ACCEPTANCE item is met.

GOAL:
- Summarize competitor analysis with sources.

STEP:
- Extract top 5 differentiators.
- Provide risks and gaps.

CONSTRAINTS:
- Latency <= 8s; cost <= $0.20

TOOLS (step-only):
- search_web(query, max_results)
- file_read(path)

EVIDENCE:
- artifact://tasks/42/step-3/source_index.json
- artifact://tasks/42/step-3/report.md (summary: five rivals, with sources and links as evidence)

MEMORY:
- User prefers concise output (2026-01-20)

ACCEPTANCE:
- [ ] a1: include sources + evidence links (with evidence)
- [ ] a2: risks and gaps are named
- Close with this list: [x] and the id where an item is met, [ ] and the id where not.

USER REQUEST (VERBATIM):
Please finish the comparison."""


def test_the_documents_serialization_comes_out_of_the_builder():
    pack = compile(session_of(), PackBuilder(), model="gpt-4.1", now_ms=NOW)
    assert pack.request["messages"][-1]["content"] == DOCUMENTS
    assert [tool["function"]["name"] for tool in pack.request["tools"]] == [
        "search_web",
        "file_read",
    ]


def test_the_documents_manifest_comes_out_of_the_builder():
    session = session_of(
        turns=8,
        knowledge=[
            {"text": f"memory {n} " * 60, "id": f"mem_{n}", "score": n / 20} for n in range(20)
        ],
    )
    builder = PackBuilder(profile="research", tail=8, memory=20, max_tokens=2600)
    manifest = compile(session, builder, model="gpt-4.1", now_ms=NOW).manifest
    found = manifest.abridged()
    assert list(found) == [
        "pack_id",
        "model",
        "window",
        "layer_budgets",
        "artifact_uris",
        "truncation_events",
        "checksum",
    ]
    assert found["pack_id"].startswith("pack_2026-01-28T10:20Z_task_42_step_3_")
    assert found["window"] == "2k" and found["model"] == "gpt-4.1"
    assert list(found["layer_budgets"]) == [
        "system",
        "task",
        "tools",
        "evidence",
        "memory",
        "conversation",
        "slack_min",
    ]
    assert "artifact://tasks/42/step-3/report.md" in found["artifact_uris"]
    assert found["checksum"] == f"sha256:{manifest.checksum}"
    dropped = [one for one in found["truncation_events"] if one["layer"] == "memory"]
    assert dropped and all(
        id.startswith(("mem_", "summary:memory")) for one in dropped for id in one["dropped_ids"]
    )
    assert manifest_from_json(manifest.to_json()) == manifest
    assert (
        set(manifest.signals) >= {"checklist_evidence_ratio", "dialogue_depth"}
        and manifest.spec_hash
        and manifest.counter
    )


def test_a_pack_is_rebuilt_byte_for_byte():
    for tail, window in itertools.product((1, 5), (900, 1500, 0)):
        session = session_of(turns=7)
        pack = compile(
            session, PackBuilder(tail=tail, max_tokens=window), model="gpt-5", now_ms=NOW
        )
        session.user("later")
        assert replay(pack.manifest, session).body == pack.body


def test_a_pack_without_a_checklist_is_invalid():
    with pytest.raises(StepError, match="no acceptance checklist"):
        compile(
            session_of(msgspec.structs.replace(STEP, acceptance=())), PackBuilder(), model="gpt-5"
        )
    session = Session()
    session.user("hi")
    with pytest.raises(StepError, match="no step"):
        compile(session, PackBuilder(), model="gpt-5")


def test_a_step_that_is_larger_than_the_window_must_be_split():
    step = msgspec.structs.replace(
        STEP, do=tuple(f"Look at supplier {n} and its offers. " * 3 for n in range(90))
    )
    with pytest.raises(StepError, match="split the step"):
        compile(session_of(step), PackBuilder(max_tokens=1200), model="gpt-5")


def test_missing_evidence_is_named():
    found = compile(session_of(evidence=[]), PackBuilder(), model="gpt-5").manifest
    assert found.evidence_needed == ("a1",)
    assert compile(session_of(), PackBuilder(), model="gpt-5").manifest.evidence_needed == ()


@pytest.mark.parametrize("contract", ["system", "payload", "none"])
def test_the_contract_stands_where_it_was_put(contract):
    messages = compile(session_of(), PackBuilder(contract=contract), model="gpt-5").request[
        "messages"
    ]
    system = messages[0]["content"] if messages[0]["role"] == "system" else ""
    assert ("CONTEXT PACK" in system) == (contract == "system")
    assert ("INTERPRETATION RULES:" in messages[-1]["content"]) == (contract == "payload")


def test_a_pack_recites_its_step_where_asked():
    def payload(**options):
        return compile(session_of(), PackBuilder(**options), model="gpt-5").request["messages"][-1][
            "content"
        ]

    plain, recited = payload(), payload(recite=True)
    assert set(plain.splitlines()) < set(recited.splitlines())
    (line,) = set(recited.splitlines()) - set(plain.splitlines())
    assert "goal" in line.lower() or "step" in line.lower()


@pytest.mark.parametrize("role", ["planner", "operator", "critic", "reviewer", "archivist"])
def test_every_role_has_its_lines(role):
    text = compile(session_of(), PackBuilder(role=role), model="gpt-5").request["messages"][-1][
        "content"
    ]
    assert f"You are the {role.capitalize() if role != 'archivist' else role}" in text
    if role != "archivist":
        assert "stop" in text.partition("GOAL:")[0]


def test_the_system_part_stays_the_same_whatever_the_step():
    other = msgspec.structs.replace(STEP, step_id="4", do=("Something else.",))
    one, two = (compile(session_of(step), PackBuilder(), model="gpt-5") for step in (STEP, other))
    assert one.request["messages"][0] == two.request["messages"][0]


def test_tools_keep_their_order_and_those_out_of_scope_are_logged():
    manifest = compile(
        session_of(tools=["file_read", "search_web", "nowhere"]), PackBuilder(), model="gpt-5"
    ).manifest
    assert manifest.tools.rule == "step-only"
    assert manifest.tools.sent == ("search_web", "file_read")
    assert manifest.tools.kept_out == ("delete_everything",)
    assert "the session has no tool 'nowhere'" in manifest.notes


memories = st.lists(
    st.tuples(st.text("abcdef ", min_size=1, max_size=30).filter(str.strip), st.integers(0, 9)),
    max_size=8,
    unique_by=lambda one: one[0].strip(),
)


@given(memories, st.randoms())
def test_the_order_of_candidates_does_not_matter(found, random):
    entries = [{"text": text, "score": score / 10} for text, score in found]
    shuffled = list(entries)
    random.shuffle(shuffled)
    one, two = (
        compile(session_of(knowledge=known), PackBuilder(memory=3), model="gpt-5").body
        for known in (entries, shuffled)
    )
    assert one == two


WINDOWS = (4000, 2600, 1900, 1500, 1200, 1000, 850)


def full():
    evidence = [
        {
            "uri": f"artifact://tasks/42/step-3/{n}.md",
            "summary": f"Offer {n} names its sources, prices and dates in detail. " * 8,
            "time_ms": n,
            "covers": ["a1"] if n > 5 else [],
        }
        for n in range(8)
    ]
    knowledge = [
        {"text": f"Memory {n}: the pump supplier was late. " * 6, "id": f"mem_{n}", "score": n / 10}
        for n in range(6)
    ]
    step = msgspec.structs.replace(
        STEP, background="So far the offers were read, and three of them are above the limit. " * 12
    )
    return session_of(step, turns=6, evidence=evidence, knowledge=knowledge)


@pytest.mark.parametrize("window", WINDOWS)
def test_overflow_goes_by_the_documents_order(window):
    pack = compile(full(), PackBuilder(max_tokens=window, memory=9, tail=9), model="gpt-5")
    manifest = pack.manifest
    assert pack.tokens <= manifest.budget <= window
    steps = [
        event.reason.partition(":")[2].partition(":")[0].strip()
        for event in manifest.truncation_events
        if event.reason.startswith("allocate")
    ]
    order = [
        "memory to summary",
        "older evidence to summary",
        "tool examples",
        "tighten background",
        "drop memory",
        "drop evidence",
        "drop conversation",
    ]
    places = [order.index(step) for step in steps if step in order]
    first = places[: places.index(max(places)) + 1] if places else []
    assert first == sorted(first)
    assert not [
        event
        for event in manifest.truncation_events
        if event.layer in {"system", "task", "tools"} and event.action == "dropped"
    ]
    kept = {block.id for block in manifest.kept}
    assert {"step:acceptance/5", "tool:search_web"} <= kept | {"step:acceptance/5"}


def test_what_is_dropped_is_what_says_least():
    dropped = {"memory": [], "evidence": [], "conversation": []}
    for window in WINDOWS:
        manifest = compile(
            full(), PackBuilder(max_tokens=window, memory=9, tail=9), model="gpt-5"
        ).manifest
        for change in manifest.changes:
            if change.action == "dropped" and change.layer in dropped:
                dropped[change.layer].append((window, change.id))
    for window in WINDOWS:
        gone = [id for w, id in dropped["evidence"] if w == window]
        numbers = [int(id.rpartition("/")[2].removesuffix(".md")) for id in gone]
        assert numbers == sorted(numbers), "uncovered and old first"
    assert dropped["evidence"]


def test_examples_of_tools_go_before_anything_is_dropped():
    tool = Tool(
        name="search_web",
        parameters={
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "examples": [{"query": "pump prices in Hamburg " * 9}],
        },
    )
    session = session_of(turns=6)
    session.tools = (tool,)
    wide = compile(session, PackBuilder(), model="gpt-5")
    assert "e.g. " in wide.request["messages"][-1]["content"]
    tight = compile(session, PackBuilder(max_tokens=1400), model="gpt-5")
    assert "e.g. " not in tight.request["messages"][-1]["content"]
    assert ("tools", "truncated") in {
        (event.layer, event.action) for event in tight.manifest.truncation_events
    }


def test_a_layer_is_filled_by_a_spec():
    session = session_of(findings="The harbour tender closes on Friday.", evidence=[])
    builder = PackBuilder(
        more_evidence=C.from_state("findings"),
        more_memory=C.notes("case"),
        context=C.template("Customer: {customer}"),
    )
    session.note("case", ["call back on Monday"])
    session.update({"customer": "Stadtwerke"})
    text = compile(session, builder, model="gpt-5").request["messages"][-1]["content"]
    sections = dict(part.partition(":\n")[::2] for part in text.split("\n\n"))
    assert "harbour tender closes on Friday" in sections["EVIDENCE"]
    assert "call back on Monday" in sections["MEMORY"]
    assert "Customer: Stadtwerke" in sections["CONTEXT"]


def test_pack_terms_stand_in_a_plain_spec_too():
    session = session_of()
    pack = compile(
        session, C.window(n=3) + C.evidence() + C.memory() | C.budget(4000), model="gpt-5"
    )
    assert '<context_block source="evidence" sign="' in pack.body.decode().replace('\\"', '"')
    assert pack.request["messages"][-1]["role"] == "user"
    assert pack.manifest.tools.rule == "all"


def test_a_builder_is_a_compiler_and_its_spec_can_be_written_and_read():
    from contextwright import parse

    builder = PackBuilder(role="planner", profile="tests", preset="cost", tools=("search_web",))
    assert parse(repr(builder.spec)) == builder.spec
    pack = builder.compile(session_of().snapshot(), target_for("anthropic"))
    assert pack.request["messages"][-1]["role"] == "user"


def test_signals_come_from_the_session_or_from_who_measured_them():
    base = compile(session_of(), PackBuilder(), model="gpt-5").manifest.signals
    assert base["checklist_evidence_ratio"] == 500_000
    risky = msgspec.structs.replace(
        STEP, constraints=Constraints(risk="high"), expected_tool_calls=9
    )
    found = compile(
        session_of(risky, turns=4, signals={"freshness": 0.25, "unknown": 1}),
        PackBuilder(),
        model="gpt-5",
    ).manifest.signals
    assert found["risk_weight"] == 1_000_000 and found["expected_tool_calls"] == 750_000
    assert found["dialogue_depth"] > base["dialogue_depth"]
    assert found["freshness"] == 250_000 and "unknown" not in found


def test_fresh_hits_raise_the_memory_layers_share():
    def share(**entry):
        session = session_of(
            knowledge=[{"text": f"m {n}", "time_ms": NOW, **entry} for n in range(4)]
        )
        budgets = compile(session, PackBuilder(), model="gpt-5", now_ms=NOW).manifest.layer_budgets
        return budgets["memory"]

    assert share(score=0.9) > share(score=0.3) > 0
    assert share(score=0.9, time_ms=NOW - 90 * 86_400_000) < share(score=0.9)


def test_a_manifest_is_plain_json_without_floats_of_its_own():
    manifest = json.loads(compile(session_of(), PackBuilder(), model="gpt-5").manifest.to_json())
    assert all(isinstance(value, int) for value in manifest["layer_budgets"].values())
    assert sum(manifest["layer_budgets"].values()) == manifest["window"]


def words(n, word="tender"):
    return " ".join(f"{word}{i}" for i in range(n))


def test_what_was_dropped_comes_back_where_it_fits_though_a_long_turn_does_not():
    session = Session("s")
    session.user("start")
    session.assistant("ok")
    session.user("long ago")
    session.assistant(words(1500))
    session.user("Please finish.")
    for n in range(3):
        session.call("read", "{}", id=f"c{n}")
        session.result(f"c{n}", words(600, "row"))
    session.update(assign(STEP))
    evidence = [{"uri": f"artifact://e{n}.md", "summary": words(12)} for n in range(6)]
    session.update({"evidence": evidence})
    manifest = compile(session, PackBuilder(max_tokens=3000), model="gpt-5").manifest
    gone = [c for c in manifest.changes if c.action == "dropped" and c.layer == "evidence"]
    assert manifest.tokens <= manifest.budget
    assert not gone, (manifest.tokens, manifest.budget)


def test_a_step_that_fits_once_its_background_is_short_is_not_refused():
    step = msgspec.structs.replace(STEP, background="The market grew. It fell again. " * 130)
    pack = compile(session_of(step), PackBuilder(max_tokens=1000), model="gpt-5")
    assert pack.tokens <= pack.manifest.budget
    assert sum(pack.manifest.layer_budgets.values()) == 1000
    assert any(c.step == "allocate: tighten background" for c in pack.manifest.changes)


def test_memories_are_summarized_where_working_notes_take_their_room():
    knowledge = [{"text": f"Rival {n} sells pumps. " * 9, "score": 0.9} for n in range(4)]
    notes = [{"text": f"note {n}: " + words(60)} for n in range(3)]
    evidence = [{"uri": f"artifact://e{n}.md", "summary": words(120)} for n in range(5)]
    session = session_of(knowledge=knowledge, working_memory=notes, evidence=evidence)
    pack = compile(session, PackBuilder(max_tokens=1800), model="gpt-5")
    events = [e for e in pack.manifest.truncation_events if e.layer == "memory"]
    assert events and events[0].reason.startswith("allocate: memory to summary"), events
    kept = [k for k in pack.manifest.kept if k.id.startswith("summary:memory/")]
    assert len(events[0].dropped_ids) >= 3
    assert kept[0].lineage[: len(events[0].dropped_ids)] == events[0].dropped_ids


@pytest.mark.parametrize("required", [None, 5, "path"])
def test_tool_schemas_of_other_servers_are_no_crash(required):
    schema = {"properties": {"path": {}}, "required": required, "examples": ["\ud83d"]}
    session = Session("s", tools=[Tool(name="file_read", parameters=schema)])
    session.user("go")
    session.update(assign(STEP))
    text = compile(session, PackBuilder(), model="gpt-5").request["messages"][-1]["content"]
    assert "- file_read(path?)" in text


@pytest.mark.parametrize(
    "entry", [{"summary": None}, {"time_ms": 1_769_595_600_000.5}, {"covers": "a1"}, {"tool": None}]
)
def test_evidence_is_read_as_applications_write_it(entry):
    session = session_of(evidence=[{"uri": "artifact://my report.md", **entry}])
    pack = compile(session, PackBuilder(), model="gpt-5")
    assert pack.manifest.artifact_uris == ("artifact://my%20report.md",)
    assert ("a1" in pack.manifest.evidence_needed) == ("covers" not in entry)


def test_evidence_that_a_spec_names_is_shown_with_its_summary():
    session = session_of(evidence=[{"uri": "artifact://my report.md", "summary": "five rivals"}])
    spec = C.step() + C.evidence("artifact://my report.md") + C.window(n=1)
    text = compile(session, spec, model="gpt-5").request["messages"][-1]["content"]
    assert "- artifact://my%20report.md (summary: five rivals)" in text


@pytest.mark.parametrize(
    ("scope", "sent"),
    [
        ("file_read", {"file_read"}),
        ({"file_read": {"type": "object"}}, {"file_read"}),
        ([{"name": "file_read"}], {"file_read"}),
        ([], set()),
        (None, {"search_web", "file_read"}),
    ],
)
def test_a_scope_is_never_wider_than_it_was_written(scope, sent):
    pack = compile(session_of(tools=scope), PackBuilder(), model="gpt-5")
    assert {tool["function"]["name"] for tool in pack.request.get("tools", ())} == sent


def test_what_is_no_scope_lets_nothing_through():
    with pytest.raises(StepError, match="no scope"):
        compile(session_of(tools=True), PackBuilder(), model="gpt-5")
    for tools in ((), "file_read"):
        with pytest.raises(SpecError, match="expected names or None"):
            PackBuilder(tools=tools)
