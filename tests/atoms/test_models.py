"""The words that ask models, with scripted ones: what is asked, what becomes of the answer."""

import dataclasses
import json

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Engine, Session, compile, parse, record, replay
from contextwright.errors import SpecError
from contextwright.models import Models, ScriptedLLM
from contextwright.spec.codec import from_json, to_json
from contextwright.spec.schema import problems, schema_text, shorthand
from contextwright.stores import Refs
from contextwright.testing import assert_valid, session_of, target_for
from contextwright.words import S

LONG = "The supplier confirmed order A17 and the price of 49 euros. " * 8


def talk(turns=6, state=None):
    session = Session(state=state)
    for n in range(turns):
        session.user(f"question {n}: {LONG}")
        session.assistant(f"answer {n}: {LONG}")
    session.user("and now?")
    return session


def with_llm(*lines):
    llm = ScriptedLLM(lines if len(lines) > 1 else lines[0])
    return llm, Models(llm)


def body(pack):
    return pack.body.decode()


def kinds(llm):
    return [prompt.system.split(" ")[1] for prompt in llm.prompts]


# summarize


def test_a_summary_stands_for_what_is_before_the_window():
    session = talk()
    llm, models = with_llm("They settled order A17.")
    spec = C.window(n=2) + C.summarize(scope="before_window")
    pack = compile(session, spec, model="gpt-5", models=models, refs="show")
    assert body(pack).count("They settled order A17.") == 1
    assert "question 4" not in body(pack)
    assert "question 5" in body(pack)
    (kept,) = [kept for kept in pack.manifest.kept if kept.source.startswith("summary:")]
    assert kept.fidelity == "summarized"
    assert kept.lineage == tuple(f"e{n}" for n in range(1, 10))  # the task's words stay
    change = next(c for c in pack.manifest.changes if c.action == "summarized")
    assert change.tokens_after < change.tokens_before
    assert pack.manifest.left_out == ()
    assert len(json.loads(Refs(session.snapshot()).read(kept.ref))) == 9
    assert 'ref=\\"event://e1#..e9\\"' in body(pack)
    assert replay(pack.manifest, session).manifest.checksum == pack.manifest.checksum


def test_a_piped_summary_stands_for_what_came():
    session = session_of(f"u: go | a: mine {LONG} | u: on | a: more {LONG} | u: end")
    llm, models = with_llm("Both were said.")
    pack = compile(
        session,
        C.select(role="assistant") | C.summarize(max_tokens=50),
        model="gpt-5",
        models=models,
    )
    assert "Both were said." in body(pack)
    assert "on" not in [m["content"] for m in pack.request["messages"]]
    assert "mine" in llm.prompts[0].text
    assert "u: go" not in llm.prompts[0].text


def test_tool_results_can_be_summarized_alone():
    session = session_of(f"u: go | c: f(x) | r: {LONG * 3} | a: fine, {LONG} | u: end")
    llm, models = with_llm("The tool gave a price.")
    pack = compile(
        session, C.summarize(scope="tool_results", max_tokens=60), model="gpt-5", models=models
    )
    assert "fine," not in llm.prompts[0].text
    assert "The tool gave a price." in body(pack)


def test_a_summary_is_brought_up_to_date_with_what_is_new_only():
    session = talk(4)
    llm, models = with_llm("First summary.", "Second summary.")
    engine = Engine(C.rolling(n=2, stride=1), "gpt-5", models=models)
    assert "First summary." in body(engine.compile(session))
    engine.compile(session)
    assert len(llm.prompts) == 1
    session.assistant("fine")
    session.user("next")
    pack = engine.compile(session)
    assert "Second summary." in body(pack)
    assert "First summary." in llm.prompts[1].text
    assert "question 3" in llm.prompts[1].text
    assert "question 0" not in llm.prompts[1].text
    assert replay(pack.manifest, session).manifest.checksum == pack.manifest.checksum


def test_a_prompt_a_schema_and_a_model_reach_the_model():
    schema = {"decisions": "list[str]", "state": "str"}
    spec = C.summarize(schema=schema, prompt="Only facts.", model="openai:gpt-5-nano")
    llm, models = with_llm('{"decisions": ["buy"], "state": "open"}')
    pack = compile(talk(), spec, model="gpt-5", models=models)
    (prompt,) = llm.prompts
    assert prompt.model == "openai:gpt-5-nano"
    assert "Only facts." in prompt.text
    assert prompt.schema == schema_text(schema)
    assert '\\"decisions\\": [\\n' in body(pack)


def test_what_a_spec_redacts_no_model_reads():
    session = talk(state={"intent": "mail ann@home.org"})
    session.user("write to bob@home.org: " + LONG)
    session.assistant(LONG)
    session.user("eve@home.org asks")
    llm, models = with_llm(
        lambda prompt: (
            '{"facts": []}'
            if "facts" in prompt.schema
            else '{"scores": []}'
            if prompt.schema
            else "short"
        )
    )
    spec = (
        C.summarize() + C.distill("f") + (C.window(9) | C.relevant("intent", top_k=1))
        | C.redact(["email"])
        | C.budget(max_tokens=3000, overflow="summarize")
    )
    compile(session, spec, model="gpt-5", models=models)
    assert len(llm.prompts) >= 3
    assert not [p for p in llm.prompts if "@home.org" in p.text]


def test_what_is_short_is_not_summarized():
    llm, models = with_llm("never")
    pack = compile(session_of("u: a | a: b | u: c"), C.summarize(), model="gpt-5", models=models)
    assert llm.prompts == []
    assert [m["content"] for m in pack.request["messages"]] == ["a", "b", "c"]


def test_pinned_blocks_and_open_failures_stay_beside_a_summary():
    session = Session()
    session.user("remember: " + LONG, pinned=True)
    session.assistant(LONG)
    session.call("f", "{}", id="c1")
    session.result("c1", "Error: no disk", error=True)
    session.assistant(LONG)
    session.user("now?")
    _, models = with_llm("Summed up.")
    pack = compile(session, C.default() | C.summarize(max_tokens=50), model="gpt-5", models=models)
    assert "remember: " in body(pack)
    assert "no disk" in body(pack)
    assert "Summed up." in body(pack)
    assert_valid(pack, target_for("openai-chat"))


@pytest.mark.parametrize(
    "format", ["openai-chat", "openai-responses", "anthropic", "gemini", "text"]
)
def test_requests_with_summaries_are_valid_in_every_format(format):
    _, models = with_llm("Summed up.")
    target = target_for(format)
    pack = compile(talk(), C.rolling(n=2), target=target, models=models)
    assert "Summed up." in body(pack)
    assert_valid(pack, target)


# budget and fit


def test_budget_summarizes_the_largest_first():
    session = session_of(
        f"u: go | c: f(x) | r: {LONG * 20} | a: ok | u: b | c: g(x) | r: {LONG * 2} | a: fine | u: c"
    )
    llm, models = with_llm("The large one in short.")
    spec = C.default() | C.budget(900, overflow="summarize")
    pack = compile(session, spec, model="gpt-5", models=models, refs="show")
    assert len(llm.prompts) == 1
    assert "The large one in short.\\n[full output: event://" in body(pack)
    assert pack.tokens <= 900
    assert {c.action for c in pack.manifest.changes} == {"summarized"}


def test_fits_cascade_compacts_dedups_drops_a_tier_then_summarizes():
    session = talk(12, state={"x": "y " * 200})
    llm, models = with_llm("The beginning in short.")
    spec = C.default() + (C.from_state("x") | C.priority(3))
    pack = compile(session, spec | C.fit(2000), model="gpt-5", models=models)
    assert pack.tokens <= 2000
    traced = compile(session, spec | C.fit(2000), model="gpt-5", models=models, steps=True)
    assert traced.body == pack.body
    ran = [step.step for step in traced.manifest.steps if step.step.startswith("fit")]
    assert ran == [
        "fit: cascade: compact results",
        "fit: cascade: compact outputs",
        "fit: cascade: dedup",
        "fit: cascade: lowest tier",
        "fit: cascade: summarize oldest",
        "fit: cascade: refill",
    ]
    # what was compacted first went into the summary, and has its entry
    steps = list(dict.fromkeys(c.step for c in pack.manifest.changes))
    assert steps == ["fit: cascade: lowest tier", "fit: cascade: summarize oldest"]
    assert "The beginning in short." in body(pack)
    compile(session, spec | C.fit(20_000), model="gpt-5", models=models)
    assert len(llm.prompts) == 1


def test_fit_strict_asks_nobody():
    llm, models = with_llm("never")
    pack = compile(
        talk(12), C.default() | C.fit(2000, strategy="strict"), model="gpt-5", models=models
    )
    assert llm.prompts == []
    assert pack.tokens <= 2000


def test_what_fit_summarizes_grows_in_steps():
    """While a step lasts the summary keeps its bytes, and no model is asked."""
    session = talk(30)
    llm, models = with_llm("In short.")
    engine = Engine(C.default() | C.fit(4000, strategy="summarize_only"), "gpt-5", models=models)
    for n in range(8):
        engine.compile(session)
        session.assistant("fine, " + LONG[:100])
        session.user(f"turn {n}")
    assert len(llm.prompts) <= 3


# relevant


def test_the_most_relevant_stay_in_their_order_with_their_scores():
    session = session_of(
        "u: about cats | a: cats purr | u: about dogs | a: dogs bark | u: about birds | a: birds sing | u: now"
    )
    llm, models = with_llm('{"scores": [{"item": 4, "score": 80}, {"item": 0, "score": 90}]}')
    pack = compile(session, C.relevant(query="animals", top_k=2), model="gpt-5", models=models)
    scored = [(kept.id, kept.score) for kept in pack.manifest.kept if kept.source == "relevant"]
    # the task (e0) and the question (e6) stand beside those that were judged: e1 to e5
    assert scored == [("e0", -1), ("e1", 900_000), ("e5", 800_000), ("e6", -1)]
    assert "<query>\nanimals\n</query>" in llm.prompts[0].text


@pytest.mark.parametrize(
    ("word", "query"),
    [
        (C.relevant("intent", top_k=1), "billing"),
        (C.relevant("__user_content__", top_k=1), "now?"),
        (C.relevant("missing", top_k=1), "now?"),
        (C.relevant(top_k=1), "now?"),
        (C.relevant(query="literal", top_k=1), "literal"),
    ],
)
def test_the_query_is_a_keys_the_users_or_literal(word, query):
    session = session_of("u: a | a: b | a: c | u: now?", state={"intent": "billing"})
    llm, models = with_llm('{"scores": []}')
    compile(session, word, model="gpt-5", models=models)
    assert f"<query>\n{query}\n</query>" in llm.prompts[0].text


def test_notes_are_selected_by_relevance():
    session = session_of(
        "u: go",
        state={
            "_notes_obs": ["likes tea", "lives in Lyon", "was charged twice"],
            "intent": "billing charge",
        },
    )
    pack = compile(session, C.notes("obs") | C.relevant("intent", top_k=1), model="gpt-5")
    assert "was charged twice" in body(pack)
    assert "tea" not in body(pack)


def test_few_are_all_relevant_and_nobody_is_asked():
    llm, models = with_llm("never")
    compile(session_of("u: a | a: b | u: c"), C.relevant(top_k=5), model="gpt-5", models=models)
    assert llm.prompts == []


def test_scores_decide_what_a_budget_drops_first():
    session = session_of(
        "u: go", state={"_notes_obs": [f"note {n} " + "word " * 40 for n in range(6)]}
    )
    _, models = with_llm(json.dumps({"scores": [{"item": n, "score": 10 * n} for n in range(6)]}))
    spec = (
        C.notes("obs")
        | C.relevant(query="x", top_k=5)
        | C.budget(150, overflow="truncate_lowest_priority")
    )
    pack = compile(session, spec, model="gpt-5", models=models)
    left = [kept.id for kept in pack.manifest.kept if kept.source == "notes:obs"]
    assert left == ["notes:obs/4", "notes:obs/5"]


def test_without_scores_the_newest_stay():
    session = session_of("u: a | a: b | u: c | a: d | u: e")
    _, models = with_llm("never")
    pack = Engine(C.relevant(top_k=2), "gpt-5", models=models).assemble(session)
    assert [one.id for one in pack.manifest.kept if one.order >= 0] == ["e0", "e2", "e3", "e4"]
    assert pack.manifest.notes == ("relevance was not prepared: done without a model",)


# dedup("semantic")


def test_of_what_says_the_same_the_later_stays():
    first, later = (
        "The price is 5 euros for each of the pieces.",
        "Every piece of it costs 5 euros, as it says.",
    )
    session = session_of(f"u: a | a: {first} | u: b | a: {later} | u: c")
    llm, models = with_llm('{"pairs": [{"earlier": 0, "later": 1}]}')
    pack = compile(
        session,
        C.default() | C.dedup("semantic", model="m") | C.silent(),
        model="gpt-5",
        models=models,
    )
    assert [m["content"] for m in pack.request["messages"]] == ["a", "b", later, "c"]
    assert llm.prompts[0].model == "m"
    dropped = [c for c in pack.manifest.changes if c.action == "dropped"]
    assert [c.id for c in dropped] == ["e1"]


# extract, distill


class Struct(msgspec.Struct):
    budget: float
    notes: list[str]


@dataclasses.dataclass
class Data:
    budget: float
    notes: list[str]


class Model(pydantic.BaseModel):
    budget: float
    notes: list[str]


@pytest.mark.parametrize(
    "schema",
    [
        {"budget": "float", "notes": "list[str]"},
        {
            "type": "object",
            "properties": {"budget": {"type": "number"}, "notes": {"type": "array"}},
            "required": ["budget", "notes"],
        },
        Struct,
        Data,
        Model,
        '{"budget": "float", "notes": "list[str]"}',
    ],
)
def test_a_record_is_extracted_by_any_kind_of_schema(schema):
    session = session_of("u: 5000 at most | a: ok | u: go on")
    _, models = with_llm('{"budget": 5000.0, "notes": ["at most"]}')
    spec = C.extract(schema, key="requirements")
    engine = Engine(spec + C.from_state("requirements"), "gpt-5", models=models)
    pack = engine.compile(session)
    assert session.state["requirements"] == {"budget": 5000.0, "notes": ["at most"]}
    assert "5000" in body(pack)
    assert body(pack).count("Requirements:") == 1
    assert parse(repr(spec)) == spec
    assert from_json(to_json(spec)) == spec


def test_what_was_extracted_is_extracted_once_a_turn():
    session = session_of("u: 5000 at most")
    llm, models = with_llm('{"budget": 5000.0}', '{"budget": 7000.0}')
    engine = Engine(C.extract({"budget": "float"}, key="r"), "gpt-5", models=models)
    engine.compile(session)
    session.call("f", "{}", id="c")
    engine.compile(session)
    session.result("c", "ok")
    engine.compile(session)
    assert len(llm.prompts) == 1
    session.user("make it 7000")
    engine.compile(session)
    assert session.state["r"] == {"budget": 7000.0}
    assert '"budget":5000.0' in llm.prompts[1].text


def test_one_line_compiles_write_nothing():
    session = session_of("u: my budget is 5000")
    pack = compile(session, C.extract({"budget": "int"}, key="r") + C.distill("f"), model="gpt-5")
    assert "5000" in body(pack)
    assert dict(session.state) == {}
    assert not [kept for kept in pack.manifest.kept if kept.ref]
    tight = C.extract({"budget": "int"}, key="r") + C.distill("f") | C.budget(max_tokens=20)
    for change in compile(session, tight, model="gpt-5").manifest.changes:
        assert not change.ref or Refs(session.snapshot()).read(change.ref)


def test_facts_are_kept_and_read_as_notes():
    session = session_of("u: my budget is $5000 | a: ok | u: I prefer vendor A.")
    llm, models = with_llm('{"facts": ["The budget is $5000."]}', '{"facts": ["A is preferred."]}')
    engine = Engine(C.distill("case"), "gpt-5", models=models)
    pack = engine.compile(session)
    assert session.state["_facts_case"] == ["The budget is $5000."]
    assert "facts:case" in body(pack)
    session.assistant("ok")
    session.user("and A is preferred")
    engine.compile(session)
    assert session.state["_facts_case"] == ["The budget is $5000.", "A is preferred."]
    read = compile(session, C.notes("case") | C.relevant(query="budget", top_k=1), model="gpt-5")
    assert "$5000" in body(read)
    assert "preferred" not in body(read).partition("and A is preferred")[0]


# write_notes and the life of notes


def noted(session, spec, models=None):
    record(session, spec, models=models)
    return session.state.get("_notes_n")


def test_notes_are_appended_once_an_event():
    session = session_of("u: a | a: found 1")
    assert [n["text"] for n in noted(session, C.write_notes("n"))] == ["found 1"]
    assert len(noted(session, C.write_notes("n"))) == 1
    session.user("more")
    assert len(noted(session, C.write_notes("n"))) == 1
    session.assistant("found 2", time_ms=86_400_000)
    notes = noted(session, C.write_notes("n"))
    assert [n["text"] for n in notes] == ["found 1", "found 2"]
    assert notes[1]["time"] == "1970-01-02T00:00:00Z"
    pack = compile(session, C.notes("n", format="log"), model="gpt-5")
    assert "- 1970-01-02T00:00:00Z found 2" in body(pack)


def test_notes_are_replaced_by_text_or_by_an_object():
    session = session_of("u: a | a: first", state={"_notes_n": ["old"]})
    assert [n["text"] for n in noted(session, C.write_notes("n", strategy="replace"))] == ["first"]
    session.assistant('{"phase": "test", "left": [1, 2]}')
    assert noted(session, C.write_notes("n", strategy="replace")) == {
        "phase": "test",
        "left": [1, 2],
    }


def test_a_checklist_is_ticked_and_grows():
    session = session_of(
        "u: a", state={"_notes_n": ["[ ] read the log", {"text": "call Ann", "done": True}]}
    )
    session.assistant(
        "Progress:\n- [x] Read the  log\n2. [ ] restart\n* [ ] call Ann\nnothing else"
    )
    notes = noted(session, C.write_notes("n", strategy="checklist"))
    assert [(n["text"], n.get("done")) for n in notes] == [
        ("[ ] read the log", True),
        ("call Ann", False),
        ("restart", False),
    ]
    pack = compile(session, C.notes("n", format="checklist"), model="gpt-5")
    assert "[x] read the log\\n[ ] call Ann\\n[ ] restart" in body(pack)
    session.assistant("no boxes here")
    assert noted(session, C.write_notes("n", strategy="checklist")) == notes


def test_notes_are_merged_by_a_model_or_by_near_duplicates():
    session = session_of(
        "u: a | a: Ann paid 49 euros on May 3.", state={"_notes_n": ["Ann paid on May 3."]}
    )
    llm, models = with_llm("- Ann paid 49 euros on May 3.\n- She is happy.")
    notes = noted(session, C.write_notes("n", strategy="merge", model="m"), models)
    assert [n["text"] for n in notes] == ["Ann paid 49 euros on May 3.", "She is happy."]
    assert "<notes_so_far>\n- Ann paid on May 3.\n</notes_so_far>" in llm.prompts[0].text
    assert noted(session, C.write_notes("n", strategy="merge"), models) == notes
    session.assistant("she is HAPPY.")
    assert len(noted(session, C.write_notes("n", strategy="merge"))) == 2
    assert len(llm.prompts) == 1


def test_a_dash_within_a_merged_note_stays():
    session = session_of("u: a | a: Ann paid.", state={"_notes_n": ["Ann owes."]})
    _, models = with_llm("- Ann paid - 49 euros.\nShe - Ann - is 1. happy.")
    notes = noted(session, C.write_notes("n", strategy="merge", model="m"), models)
    assert [n["text"] for n in notes] == ["Ann paid - 49 euros.", "She - Ann - is 1. happy."]


def test_only_an_agents_own_words_are_noted():
    session = session_of("u: a")
    session.assistant("mine", author="one")
    session.assistant("other", author="two")
    record(session, C.write_notes("n"), agent="one")
    assert [n["text"] for n in session.state["_notes_n"]] == ["mine"]


def test_notes_of_several_keys_become_one():
    session = session_of(
        "u: a", state={"_notes_a": ["1"], "_notes_b": {"left": "2"}, "_notes_c": "3"}
    )
    record(session, S.merge_notes("a", "b", "c"))
    assert [n["text"] for n in session.state["_notes_a"]] == ["1", "Left: 2", "3"]
    assert "_notes_b" not in session.state
    version = session.state.version
    record(session, S.merge_notes("a", "b", "c"))
    assert session.state.version == version


def test_notes_that_say_the_same_are_consolidated():
    items = ["Ann paid 49 euros", "the disk is full", "Ann paid 49 Euros!", "Ann paid 50 euros"]
    session = session_of("u: a", state={"_notes_n": items})
    record(session, S.consolidate_notes("n"))
    assert [n["text"] for n in session.state["_notes_n"]] == [
        "Ann paid 49 Euros!",
        "the disk is full",
        "Ann paid 50 euros",
    ]


def test_notes_decay_by_age_and_number_and_open_items_stay():
    session = Session()
    for n in range(6):
        session.user(f"q{n}")
        session.assistant(f"found {n}")
        record(session, C.write_notes("n"))
    session.update({"_notes_n": [{"text": "todo", "done": False}, *session.state["_notes_n"]]})
    record(session, S.decay_notes("n", max_age=2))
    assert [n["text"] for n in session.state["_notes_n"]] == [
        "todo",
        "found 3",
        "found 4",
        "found 5",
    ]
    record(session, S.decay_notes("n", keep=1))
    assert [n["text"] for n in session.state["_notes_n"]] == ["todo", "found 5"]
    with pytest.raises(SpecError):
        S.decay_notes("n")


# validate("contradictions")


def test_contradictions_are_warned_of_or_fail():
    session = session_of("u: the budget is 5000 | a: ok | u: the budget is 7000 now")
    llm, models = with_llm('{"pairs": [{"first": 0, "second": 2, "what": "the budget"}]}')
    spec = C.default() | C.validate("contradictions", model="m")
    pack = compile(session, spec, model="gpt-5", models=models)
    assert "<warning>Contradiction detected: the budget (e0, e2)</warning>" in body(pack)
    assert llm.prompts[0].model == "m"
    strict = C.default() | C.validate("contradictions", on_failure="raise", model="m")
    with pytest.raises(SpecError) as caught:
        compile(session, strict, model="gpt-5", models=models)
    assert "Contradiction detected" in caught.value.what


def test_without_a_model_plain_contradictions_are_found():
    session = session_of("u: my budget is 5000 | a: ok | u: my budget is 7000")
    pack = compile(session, C.default() | C.validate("contradictions"), model="gpt-5")
    assert "Contradiction detected" in body(pack)
    session = session_of("u: my budget is 5000 | a: ok | u: my deadline is May 7")
    pack = compile(session, C.default() | C.validate("contradictions"), model="gpt-5")
    assert "Contradiction" not in body(pack)


# molecules (context-algebra.md#molecules)


def test_molecules_are_their_compositions():
    assert C.rolling(n=5, stride=1) == C.window(n=5) + C.summarize(scope="before_window")
    assert C.rolling(n=5) == C.window(n=5, stride=8) + C.summarize(scope="before_window")
    assert C.rolling(n=5, summarize=False) == C.window(n=5, stride=8)
    assert C.rolling(n=2, max_tokens=50, prompt="x") == C.window(n=2, stride=4) + C.summarize(
        scope="before_window", max_tokens=50, prompt="x"
    )
    assert C.manus_cascade(budget=9000) == (
        C.window(n=20)
        | C.compact(strategy="stale", stale_after=5)
        | C.fit(target_tokens=9000, strategy="cascade")
    )


def test_both_spellings_of_rolling_give_the_same_request():
    _, models = with_llm("In short.")
    session = talk()
    short = compile(session, C.rolling(n=2), model="gpt-5", models=models)
    long = compile(
        session,
        C.window(n=2, stride=4) + (C.select(scope="before_window") | C.summarize()),
        model="gpt-5",
        models=models,
    )
    assert short.body == long.body


# schemas


@pytest.mark.parametrize(
    "given",
    [
        {
            "a": "str",
            "b": "list[int]",
            "c": "dict[str, float]",
            "d": "bool?",
            "e": {"f": "any"},
            "g": ["str"],
        },
        {"a": str, "b": int},
        {"a": "list[list[str]]"},
    ],
)
def test_shorthand_comes_back_from_its_schema(given):
    text = schema_text(given)
    assert schema_text(shorthand(text)) == text
    assert schema_text(text) == text


def test_a_value_is_checked_against_its_schema():
    schema = json.loads(schema_text({"a": "str", "b": "list[int]?", "c": "dict[str, bool]?"}))
    assert problems({"a": "x"}, schema) == []
    assert problems({"a": "x", "b": [1], "c": {"d": True}}, schema) == []
    assert problems({"a": 1, "b": ["x"], "z": 0}, schema) == [
        "$.a is integer, string was asked",
        "$.b[0] is string, integer was asked",
        "$.z was not asked for",
    ]
    assert problems({"a": "x", "c": {"d": 1}}, schema) == ["$.c.d is integer, boolean was asked"]
    assert problems({"a": 1, "b": 2}, {"properties": {"a": True, "b": False}}) == [
        "$.b was not asked for"
    ]
    assert problems({"a": True}, {"properties": {"a": {"type": "integer"}}}) == [
        "$.a is boolean, integer was asked"
    ]
    choice = {"anyOf": [{"type": "null"}, {"enum": ["x", "y"]}]}
    assert problems(None, choice) == problems("x", choice) == []
    assert problems("z", choice) == ["$ is none of the allowed types"]
    nested = {"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "required": ["n"]}}}
    assert problems({}, nested) == ["$.n is missing"]
    assert problems(1, {"const": 2}) == ["$ is not 2"]


@pytest.mark.parametrize("given", [{}, {"a": "strng"}, "no json", 7, {"a": "list[what]"}])
def test_what_is_no_schema_is_refused(given):
    with pytest.raises(SpecError) as caught:
        schema_text(given)
    assert caught.value.fix


def test_a_summary_is_recorded_once_whatever_follows_it():
    _, models = with_llm("In short.")
    spec = C.window(n=2) + (C.select(scope="before_window") | C.summarize() | C.priority(3))
    pack = compile(talk(), spec, model="gpt-5", models=models)
    assert [c.action for c in pack.manifest.changes] == ["summarized"]


def test_the_cascade_takes_results_before_outputs():
    """context-algebra.md#cascade: stale tool results first, then stale agent outputs."""
    session = session_of(f"u: go | c: f(x) | r: {LONG * 12} | a: said {LONG * 5} | u: next")
    name = "fit: compact_then_summarize"
    spec = C.default() | C.fit(1700, strategy="compact_then_summarize")
    first = compile(session, spec, model="gpt-5")
    # a step goes down to half (ADR 0044), which short results alone reach; more of them fits then
    steps = {c.step for c in first.manifest.changes}
    assert f"{name}: compact results" in steps
    assert steps <= {f"{name}: compact results", f"{name}: refill"}
    both = compile(
        session, C.default() | C.fit(1100, strategy="compact_then_summarize"), model="gpt-5"
    )
    assert [c.step for c in both.manifest.changes][:2] == [
        f"{name}: compact results",
        f"{name}: compact outputs",
    ]


@given(st.integers(30, 400), st.integers(1, 30))
def test_relevant_within_tokens_never_takes_more_than_its_room(room, turns):
    session = Session()
    for n in range(turns):
        session.user(f"What about ship {n}? " * (n % 3 + 1))
        session.assistant(f"Ship {n} lies at dock {n * 7}. " * (n % 4 + 1))
    session.user("Where does ship 3 lie?")
    pack = compile(session, C.relevant(max_tokens=room), model="gpt-5")
    kept = [block for block in pack.manifest.kept if block.source == "relevant"]
    assert sum(block.tokens for block in kept) <= room
    whole = compile(session, C.relevant(max_tokens=10**6), model="gpt-5")
    assert len(whole.manifest.kept) == 2 * turns + 1
    if turns > 5 and room > 100:
        assert "dock 21" in pack.body.decode()
