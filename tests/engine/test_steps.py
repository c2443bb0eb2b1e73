"""A step from its claim to its end: working notes, offloaded results, gating, repair, checkpoint."""

import re
from threading import Thread

import msgspec
import pytest

from contextwright import (
    C,
    Criterion,
    Engine,
    FileArtifacts,
    PackBuilder,
    Session,
    SQLiteMemory,
    Step,
    add_working_note,
    assign,
    check_acceptance,
    checkpoint,
    compile,
    record,
    record_acceptance,
    replay,
    store_manifest,
)
from contextwright.engine.store_manifest import read_manifest
from contextwright.engine.working_notes import promote
from contextwright.errors import SessionError, SpecError, StepError, StoreError
from contextwright.models import ScriptedLLM
from contextwright.models.answering import Models

STEP = Step(
    task_id="42",
    step_id="3",
    goal="Compare the offers for pumps.",
    do=("List what differs.",),
    acceptance=(
        Criterion(text="every offer is named", id="a1"),
        Criterion(text="prices have sources", id="a2", needs_evidence=True),
    ),
)
REPORT = "artifact://tasks/42/step-3/report.md"
EVIDENCE = [{"uri": REPORT, "summary": "prices", "covers": ["a2"]}]


def working(**state):
    session = Session("s")
    session.update(assign(STEP))
    session.update(state)
    session.user("Please compare the offers.")
    return session


def payload(session, **options):
    return compile(session, PackBuilder(**options), model="gpt-5").request["messages"][-1][
        "content"
    ]


@pytest.mark.parametrize(
    ("reply", "met"),
    [
        (f"Done, see {REPORT}.\n- [x] a1\n- [x] a2", ("a1", "a2")),
        (f"- [X] **a1**: every offer\n* [✓] a2: prices ({REPORT})", ("a1", "a2")),
        (f"1. [x] Every offer is named!\n2. [ ] prices have sources\n{REPORT}", ("a1",)),
        ("- [x] a1\n- [x] a2 artifact://tasks/42/step-3/invented.md", ("a1",)),
        ("- [x] a1\n- [x] a2", ("a1",)),
        ("All is done.", ()),
        ("- [x] a1\n- [ ] a1", ()),
        ("[x] a11", ()),
        ("", ()),
    ],
)
def test_a_reply_is_held_against_the_checklist(reply, met):
    verdict = check_acceptance(reply, STEP, EVIDENCE)
    assert verdict.met == met
    assert set(verdict.missing) | set(met) == {"a1", "a2"} and set(verdict.why) == set(
        verdict.missing
    )
    assert verdict.accepted == (len(met) == 2)


def listed(*criteria):
    return msgspec.structs.replace(STEP, acceptance=criteria)


@pytest.mark.parametrize(
    ("criteria", "reply", "met"),
    [
        (("sources", "sources are cited"), "- [x] a2: sources are cited", ("a2",)),
        (("sources", "sources are cited"), "- [x] sources are cited", ("a2",)),
        (("cost", "b"), "- [x] costumes are listed", ()),
        (("!!!", "b"), "- [x] anything", ()),
        (("every offer", "b"), "- [x]\n- [ ] a1: every offer", ()),
        (("one", "two"), "- [x] a1-2", ()),
    ],
)
def test_a_mark_counts_for_the_one_item_that_it_names(criteria, reply, met):
    step = listed(*(Criterion(text=text) for text in criteria))
    assert check_acceptance(reply, step).met == met


def test_an_id_may_be_written_as_planners_write_them():
    step = listed(*(Criterion(text=f"text {id}", id=id) for id in ("AC-1", "AC-12", "1.2", "1")))
    assert check_acceptance("- [x] AC-1: done\n- [x] **1.2** done", step).met == ("AC-1", "1.2")
    assert check_acceptance("- [x] ac-12\n- [x] 1 done", step).met == ("AC-12", "1")


@pytest.mark.parametrize("form", ["`{}`", "**{}**", "_{}_", "({})", "|{}|", "{}。", "{}, ok", "{}"])
def test_an_address_counts_however_it_is_set_off(form):
    reply = f"- [x] a1\n- [x] a2 {form.format(REPORT)}"
    assert check_acceptance(reply, STEP, EVIDENCE).accepted
    for other in ("x", ".md", "/b", "%20"):
        assert not check_acceptance(reply.replace(REPORT, REPORT + other), STEP, EVIDENCE).accepted


def test_two_addresses_in_one_breath_are_both_named():
    reply = f"- [x] a1\n- [x] a2 {REPORT},artifact://tasks/42/step-3/b.md"
    assert check_acceptance(reply, STEP, EVIDENCE).accepted


def test_a_reply_of_line_ends_is_read_in_no_time():
    assert not check_acceptance("\n" * 60_000 + "-" * 60_000 + "> " * 60_000, STEP).accepted


def test_criteria_of_one_id_are_refused():
    for twins in ([{"text": "x", "id": "a2"}, "y"], [{"text": "x", "id": "q"}] * 2):
        with pytest.raises(StepError, match="two criteria"):
            check_acceptance("[x] a2", {**STEP.to_state(), "acceptance": twins})
    with pytest.raises(StepError, match="does not say what to do"):
        check_acceptance("[x] a2", {**STEP.to_state(), "step_id": None})


def test_gating_keeps_what_else_a_plan_says():
    session = working(evidence=EVIDENCE)
    session.update({"plan": {**STEP.to_state(), "owner": "Ada"}})
    assert not record_acceptance(session, "nothing").accepted
    assert session.state["plan"]["owner"] == "Ada"


@pytest.mark.parametrize("whose", [{"step": "2"}, {"task": "41", "step": "3"}])
def test_what_proved_an_item_of_another_step_proves_none_of_this_ones(whose):
    """Both have an `a2`; an artifact that was handed over names the item of the step before."""
    listed = {"uri": REPORT, "summary": "Notes of a call.", "covers": ["a2"]}
    reply = f"- [x] a1\n- [x] a2 {REPORT}"
    for own in ({}, {"step": "3"}, {"task": "42", "step": "3"}):
        session = working(evidence=[{**listed, **own}])
        assert record_acceptance(session, reply).accepted
        assert compile(session, PackBuilder(), model="gpt-5").manifest.evidence_needed == ()
    session = working(evidence=[{**listed, **whose}])
    assert record_acceptance(session, reply).missing == ("a2",)
    assert compile(session, PackBuilder(), model="gpt-5").manifest.evidence_needed == ("a2",)


def test_what_is_missing_makes_the_next_pack_a_repair_pack():
    session = working(evidence=EVIDENCE)
    assert "MISSING" not in payload(session)
    verdict = record_acceptance(session, f"- [x] a1\n- [ ] a2 {REPORT}")
    assert verdict.missing == ("a2",)
    text = payload(session)
    assert "- [ ] a2: MISSING: prices have sources" in text and "- [ ] a1: every offer" in text
    assert "mend them" in text
    assert record_acceptance(session, f"- [x] a1\n- [x] a2 {REPORT}").accepted
    assert "MISSING" not in payload(session)
    with pytest.raises(StepError):
        record_acceptance(Session(), "done")


def test_working_notes_live_as_long_as_they_were_given():
    session = working()
    add_working_note(session, "tone: formal")
    add_working_note(session, "price limit 900", turns=1)
    add_working_note(session, "call at noon", seconds=60, now_ms=1_000_000)
    now = compile(session, PackBuilder(), model="gpt-5", now_ms=1_030_000).request["messages"][-1][
        "content"
    ]
    assert all(text in now for text in ("tone: formal", "price limit 900", "call at noon"))
    late = compile(session, PackBuilder(), model="gpt-5", now_ms=1_090_000).request["messages"][-1][
        "content"
    ]
    assert "call at noon" not in late
    session.assistant("yes")
    session.user("next")
    assert "price limit" not in payload(session) and "tone: formal" in payload(session)
    with pytest.raises(SessionError, match="clock"):
        add_working_note(session, "x", seconds=3)


def test_in_an_engines_loop_the_clock_is_the_engines():
    now, session = [1_000_000], working()
    add_working_note(session, "call at noon", seconds=60, now_ms=now[0])
    engine = Engine(PackBuilder(), "gpt-5", clock=lambda: now[0])
    assert "call at noon" in engine.compile(session).body.decode()
    now[0] = 1_090_000
    pack = engine.compile(session)
    assert "call at noon" not in pack.body.decode() and pack.manifest.now_ms == now[0]
    assert "call at noon" not in engine.assemble(session).body.decode()
    assert replay(pack.manifest, session).body == pack.body


def test_notes_that_the_application_wrote_itself_stay_and_are_kept(tmp_path):
    artifacts, memory = FileArtifacts(tmp_path / "a"), SQLiteMemory(tmp_path / "m.db")
    session = working(working_memory=["net prices only", {"note": "no text"}, {"text": 5}])
    add_working_note(session, "tone: formal")
    assert all(text in payload(session) for text in ("net prices only", "tone: formal"))
    ref = checkpoint(session, memory=memory, artifacts=artifacts)
    assert b"net prices only" in artifacts.get(ref)
    assert "net prices only; 5; tone" in memory.search("net prices")[0].memory.text
    for plain in ("only one note", {"text": "only one note"}):
        session = working(working_memory=plain)
        add_working_note(session, "another")
        assert "only one note" in payload(session)


@pytest.mark.parametrize("life", [{"turns": 0}, {"seconds": 0}, {"seconds": float("inf")}])
def test_a_note_that_would_not_live_is_refused(life):
    with pytest.raises(SessionError, match="lives for"):
        add_working_note(working(), "x", now_ms=1, **life)


def test_two_steps_may_note_the_same():
    session = working()
    add_working_note(session, "price limit 900")
    session.update({"plan": {**STEP.to_state(), "step_id": "4"}})
    add_working_note(session, "price limit 900")
    session.update({"plan": STEP.to_state()})
    assert "price limit 900" in payload(session)


def test_limits_are_said_as_they_were_set():
    limits = {"cost_usd": 0.004, "latency_s": 1_234_567}
    text = payload(working(plan={**STEP.to_state(), "constraints": limits}))
    assert "Latency <= 1234567s; cost <= $0.004" in text
    limits = {"cost_usd": 0.2, "latency_s": 0.25}
    text = payload(working(plan={**STEP.to_state(), "constraints": limits}))
    assert "Latency <= 0.25s; cost <= $0.20" in text


@pytest.mark.parametrize("now_ms", [1_769_595_600_000_000_000, -(10**15)])
def test_a_clock_in_other_units_is_no_crash(now_ms):
    pack = compile(working(), PackBuilder(), model="gpt-5", now_ms=now_ms)
    assert pack.manifest.pack_id.startswith("pack_task_42_step_3_")


def test_notes_of_another_step_are_not_shown():
    session = working()
    add_working_note(session, "only for step 3")
    session.update({"plan": {**STEP.to_state(), "step_id": "4"}})
    assert "only for step 3" not in payload(session)


def test_notes_of_a_step_of_that_name_in_another_task_are_neither_shown_nor_written_down(tmp_path):
    """A worker that took step 3 of one task off the board, and then step 3 of another."""
    artifacts, memory = FileArtifacts(tmp_path / "a"), SQLiteMemory(tmp_path / "m.db")
    session = working()
    add_working_note(session, "only for task 42")
    session.update({"plan": {**STEP.to_state(), "task_id": "43"}})
    add_working_note(session, "only for task 43")
    add_working_note(session, "only for task 42")
    session.update({"plan": STEP.to_state()})
    assert "task 42" in payload(session) and "task 43" not in payload(session)
    ref = checkpoint(session, memory=memory, artifacts=artifacts)
    assert b"only for task 43" not in artifacts.get(ref)
    assert "only for task 43" not in memory.search("only for task")[0].memory.text
    left = [(one["text"], one["task"]) for one in session.state["working_memory"]]
    assert left == [("only for task 43", "43"), ("only for task 42", "43")]


def test_a_finished_step_leaves_a_checkpoint(tmp_path):
    artifacts, memory = FileArtifacts(tmp_path / "a"), SQLiteMemory(tmp_path / "m.db")
    session = working(evidence=EVIDENCE)
    add_working_note(session, "Meyer is the cheapest")
    session.update(
        {"working_memory": [*session.state["working_memory"], {"text": "later", "step": "9"}]}
    )
    ref = checkpoint(session, memory=memory, artifacts=artifacts, now_ms=5)
    assert ref == "artifact://tasks/42/step-3/checkpoint.json"
    assert b"Meyer is the cheapest" in artifacts.get(ref)
    found = memory.search("who is the cheapest?")[0].memory
    assert found.kind == "checkpoint" and found.origin == (ref,) and "Meyer" in found.text
    assert "plan" not in session.state and [
        one["text"] for one in session.state["working_memory"]
    ] == ["later"]
    with pytest.raises(StepError):
        checkpoint(session)


def test_a_note_is_promoted_on_purpose_only(tmp_path):
    memory = SQLiteMemory(tmp_path / "m.db")
    session = working()
    add_working_note(session, "the user wants net prices")
    assert memory.search("net prices") == []
    promote(session, "the user wants net prices", memory, kind="preference")
    assert memory.search("net prices")[0].memory.kind == "preference"
    with pytest.raises(SessionError, match="no working note"):
        promote(session, "something else", memory)


def test_memories_are_there_before_the_turn(tmp_path):
    memory = SQLiteMemory(tmp_path / "m.db")
    memory.write("Offers for pumps are compared net of tax", scope="u1", time_ms=1_769_595_600_000)
    memory.write("The canteen closes at two", scope="u1")
    engine = Engine(PackBuilder(), "gpt-5", memory=memory, scope="u1")
    session = working(knowledge=["given by the application"])
    content = engine.compile(session).request["messages"][-1]["content"]
    assert "compared net of tax (2026-01-28)" in content and "given by the application" in content
    assert "canteen" not in content
    session.assistant("ok")
    session.user("and when does the canteen close?")
    content = engine.compile(session).request["messages"][-1]["content"]
    assert "canteen closes at two" in content
    version = session.state.version
    engine.compile(session)
    assert session.state.version == version


def test_a_memory_store_is_asked_without_what_the_spec_redacts():
    asked = []

    class Store:
        def search(self, query, k=5, *, scope="", kinds=()):
            asked.append(query)
            return []

    session = working()
    session.user("write to bob@example.com")
    Engine(PackBuilder().spec | C.redact(["email"]), "gpt-5", memory=Store()).compile(session)
    assert asked and all("bob@example.com" not in query for query in asked)


ROWS = (
    '{"offers": ['
    + ", ".join(f'{{"id": "P-{n}", "price": {n}, "note": "pump number {n}"}}' for n in range(200))
    + "]}"
)
PROSE = "The pump of Meyer costs 900 euros. It is loud and old. Delivery takes nine weeks! " * 60


def test_large_results_become_artifacts_with_their_provenance(tmp_path):
    artifacts = FileArtifacts(tmp_path / "a")
    engine = Engine(
        C.window(n=3) + C.offload() + C.evidence(),
        "gpt-5",
        artifacts=artifacts,
    )
    session = working()
    session.call("search", '{"query": "pumps"}', id="c1")
    session.result("c1", ROWS)
    session.call("read", '{"path": "a.txt"}', id="c2")
    session.result("c2", PROSE)
    session.call("read", '{"path": "b.txt"}', id="c3")
    session.result("c3", "short")
    session.assistant("Here they are.")
    engine.record(session)
    listed = session.state["evidence"]
    assert [re.sub("-[0-9a-f]{8}[.]", ".", one["uri"]) for one in listed] == [
        "artifact://tasks/42/step-3/search-e2-0.json",
        "artifact://tasks/42/step-3/read-e4-0.txt",
    ]
    assert artifacts.get(listed[0]["uri"]).decode() == ROWS
    assert listed[0]["tool"] == "search" and listed[0]["event"] == "e2" and listed[0]["step"] == "3"
    assert all(one["summary"] and len(one["summary"]) < 500 for one in listed)
    engine.record(session)
    assert session.state["evidence"] == listed, "once"
    session.user("go on")
    body = engine.compile(session).body.decode()
    assert listed[0]["uri"] in body


def test_sessions_that_work_on_one_step_keep_their_own_results(tmp_path):
    artifacts = FileArtifacts(tmp_path / "a")
    sessions = [working(), working()]
    for n, session in enumerate(sessions):
        session.call("read", "{}", id="c1")
        session.result("c1", f"session {n}: {PROSE}")
        record(session, C.window(n=2) + C.offload(), artifacts=artifacts)
    for n, session in enumerate(sessions):
        uri = session.state["evidence"][0]["uri"]
        assert artifacts.get(uri).decode().startswith(f"session {n}:")


def test_offloading_leaves_the_evidence_of_the_application_as_it_is(tmp_path):
    given = [
        {"uri": REPORT, "summary": "prices", "author": "Ada"},
        {"uri": REPORT, "summary": None},
    ]
    session = working(evidence=given)
    session.call("read", "{}", id="c1")
    session.result("c1", PROSE)
    record(session, C.window(n=2) + C.offload(), artifacts=FileArtifacts(tmp_path / "a"))
    assert session.state["evidence"][:2] == given and len(session.state["evidence"]) == 3


def test_prose_is_summarized_by_the_model_that_is_there(tmp_path):
    llm = ScriptedLLM(["Meyer's pump: 900 euros, nine weeks."])
    session = working()
    session.call("read", "{}", id="c1")
    session.result("c1", PROSE)
    record(
        session,
        C.offload() + C.window(n=2),
        models=Models(llm),
        artifacts=FileArtifacts(tmp_path / "a"),
    )
    assert session.state["evidence"][0]["summary"] == "Meyer's pump: 900 euros, nine weeks."


def test_secrets_do_not_reach_a_summary(tmp_path):
    session = working()
    session.call("read", "{}", id="c1")
    session.result("c1", "Write to bob@example.com about it. " + PROSE)
    record(
        session,
        (C.window(n=2) + C.offload()) | C.redact(["email"]),
        artifacts=FileArtifacts(tmp_path / "a"),
    )
    assert "bob@example.com" not in str(session.state["evidence"])


@pytest.mark.parametrize("plan", ["pro", {"name": "pro", "price": 10}])
def test_an_applications_own_plan_is_no_step_and_no_error(tmp_path, plan):
    spec = C.window(n=2) + C.evidence() + C.memory() + C.offload() | C.allocate()
    session = working(plan=plan)
    session.call("read", "{}", id="c1")
    session.result("c1", PROSE)
    add_working_note(session, "tone: formal")
    record(session, spec, artifacts=FileArtifacts(tmp_path / "a"))
    assert session.state["evidence"][0]["uri"].startswith("artifact://sessions/s/")
    assert "tone: formal" in compile(session, spec, model="gpt-5").body.decode()
    with pytest.raises(StepError):
        payload(session)


def test_offloading_without_a_store_is_an_error_that_names_it():
    session = working()
    session.call("read", "{}", id="c1")
    session.result("c1", PROSE)
    with pytest.raises(SpecError, match="no store"):
        record(session, C.window(n=2) + C.offload())


def test_a_manifest_is_kept_beside_its_evidence(tmp_path):
    artifacts = FileArtifacts(tmp_path / "a")
    session = working(evidence=EVIDENCE)
    pack = compile(session, PackBuilder(), model="gpt-5")
    ref = store_manifest(pack, artifacts)
    assert ref == f"artifact://tasks/42/step-3/{pack.manifest.pack_id}/manifest.json"
    assert read_manifest(ref, artifacts).to_json() == pack.manifest.to_json()
    plain = store_manifest(compile(session, C.window(n=2), model="gpt-5"), artifacts)
    assert plain.startswith("artifact://sessions/s/pack_")
    with pytest.raises(StoreError, match="no manifest"):
        read_manifest(artifacts.put(b"{}", name="x"), artifacts)


def test_notes_of_many_threads_are_all_there():
    session = Session("busy")
    session.user("go")

    def work(worker):
        for number in range(50):
            add_working_note(session, f"{worker}: {number}")

    threads = [Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(session.state["working_memory"]) == 200


def test_checkpoints_of_two_tasks_stay_two(tmp_path):
    artifacts, refs = FileArtifacts(tmp_path), []
    for task in ("eu/1", "eu-1"):
        session = Session(f"of {task}")
        session.update(assign(msgspec.structs.replace(STEP, task_id=task)))
        add_working_note(session, f"a note of {task}")
        refs.append(checkpoint(session, artifacts=artifacts))
    assert [b"eu/1" in artifacts.get(ref) for ref in refs] == [True, False]
