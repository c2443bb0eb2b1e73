"""What is given by mistake at the entry points gets an error of ours, with place and fix."""

import asyncio

import pytest

import contextwright
from contextwright import (
    C,
    Context,
    Conversation,
    Conversations,
    Cooled,
    Criterion,
    DataSubject,
    Engine,
    FileArtifacts,
    Lethe,
    PackBuilder,
    RetentionPolicy,
    S,
    SalienceScorer,
    Session,
    SessionBudget,
    SlidingWindow,
    SQLiteMemory,
    SQLiteSessions,
    Step,
    SummaryConstraint,
    TaskBoard,
    add_working_note,
    assign,
    check_acceptance,
    check_premise,
    checkpoint,
    compile,
    compile_many,
    coordinated_forgetting_cycle,
    losses_of,
    parse,
    premise_guard,
    pressure,
    read_session,
    record,
    record_acceptance,
    session_from,
    store_manifest,
    with_context_management,
    write_session,
)
from contextwright.check import check
from contextwright.engine.working_notes import promote
from contextwright.errors import ContextwrightError
from contextwright.retention import scrub_session
from contextwright.retrieval.index import Index
from contextwright.retrieval.tool_index import ToolIndex
from contextwright.stores import collect
from contextwright.testing import session_of

SESSION = session_of("u: hi")
PACK = compile(SESSION, C.none(), model="gpt-5")
OVERFLOW = {"error": {"code": "context_length_exceeded", "message": "too long: 9000 > 8000 tokens"}}


STEP = Step(task_id="42", step_id="1", goal="g", do=("a",), acceptance=(Criterion("ok"),))


def working():
    session = session_of("u: hi")
    session.update(assign(STEP))
    return session


def claimed_board():
    board = TaskBoard(":memory:")
    board.add(STEP)
    return board, board.claim("w")


def called():
    return session_of("u: hi | c: look(a)")


class NoPack:
    """A compiler that forgets its result."""

    def compile(self, snapshot, target):
        return None


@pytest.mark.parametrize(
    "call",
    [
        lambda: read_session(None),
        lambda: read_session(5),
        lambda: read_session(b""),
        lambda: read_session("/"),
        lambda: read_session("a\0b"),
        lambda: parse(5),
        lambda: check(5),
        lambda: check([]),
        lambda: C.window().or_else("C.none()"),
        lambda: compile(SESSION, C.none(), model="gpt-5", window="large"),
        lambda: compile(SESSION, C.none(), model="gpt-5", window=-3),
        lambda: compile(SESSION, C.none(), model="gpt-5", reserved_output=-1),
        lambda: compile(SESSION, C.none(), model="gpt-5", format="bedrock"),
        lambda: compile(SESSION, {"atom": "window"}, model="gpt-5"),
        lambda: compile([{"role": "nobody", "content": "hi"}], C.none(), model="gpt-5"),
        lambda: compile([{"role": "user", "content": "hi"}, 5], model="gpt-5"),
        lambda: compile([{"role": "user", "content": object()}], model="gpt-5"),
        lambda: compile("session.json", model="gpt-5"),
        lambda: compile(None, model="gpt-5"),
        lambda: compile(Session, model="gpt-5"),
        lambda: compile(C.none(), SESSION, model="gpt-5"),
        lambda: compile(SESSION, 5, model="gpt-5"),
        lambda: compile(SESSION, "C.nothing()", model="gpt-5"),
        lambda: compile(SESSION, PackBuilder, model="gpt-5"),
        lambda: compile(SESSION, NoPack(), model="gpt-5"),
        lambda: compile(SESSION, [C.none()], model="gpt-5"),
        lambda: compile(SESSION, C.none(), target="gpt-5"),
        lambda: compile(SESSION, C.none(), model="gpt-5", tools=[{"type": "function"}]),
        lambda: compile(SESSION, C.none(), model="gpt-5", tools="read"),
        lambda: compile(SESSION, C.none(), model="gpt-5", previous={"messages": []}),
        lambda: compile(SESSION, C.none(), model="gpt-5", artifacts="artifacts"),
        lambda: compile(SESSION, C.none(), model="gpt-5", now_ms="today"),
        lambda: Engine(C.none(), "gpt-5", artifacts="artifacts"),
        lambda: Engine(5, "gpt-5"),
        lambda: Engine(NoPack(), "gpt-5").compile(SESSION),
        lambda: Engine(C.none(), "gpt-5").compile(SESSION.snapshot()),
        lambda: Engine(C.none(), "gpt-5").compile(5),
        lambda: Engine(C.none(), "gpt-5").compile(PACK),
        lambda: Engine(C.none(), "gpt-5").compile(PACK.manifest),
        lambda: Engine(C.none(), "gpt-5").record(PACK),
        lambda: Engine(C.none(), "gpt-5").record(PACK.request),
        lambda: Engine(C.none(), "gpt-5").record([{"role": "user", "content": "hi"}]),
        lambda: asyncio.run(Engine(C.none(), "gpt-5").arecord(PACK)),
        lambda: Engine(C.none(), "gpt-5").recover(PACK, OVERFLOW),
        lambda: asyncio.run(Engine(C.none(), "gpt-5").arecover(PACK.request, OVERFLOW)),
        lambda: Engine(C.none(), "gpt-5").learn(PACK, 5),
        lambda: Engine(C.none(), "gpt-5").bill(PACK.request, None),
        lambda: Engine(C.none(), "gpt-5").ledger([{"role": "user", "content": "hi"}]),
        lambda: session_from([{"role": "user"}, object()]),
        lambda: session_from([{"colour": "red"}]),
        lambda: session_from(5),
        lambda: session_from([1, 2]),
        lambda: session_from([["user", 5]]),
        lambda: compile(SESSION, C.none(), model="gpt-5", models="openai:gpt-5-mini"),
        lambda: Engine(C.none(), "gpt-5", models="openai:gpt-5-mini"),
        lambda: Cooled(print, threshold="large"),
        lambda: with_context_management(window_size=0),
        lambda: write_session(SESSION, "session.json"),
        lambda: SummaryConstraint(pressure_threshold=80),
        lambda: SummaryConstraint().compress_now("text", "high"),
        lambda: SummaryConstraint().compress_now(None, 0.9),
        lambda: pressure([{"role": "nobody", "content": "hi"}], window=100),
        lambda: Cooled(print, model=5),
        lambda: SummaryConstraint("high"),
        lambda: SummaryConstraint().compress_now("text", float("nan")),
        lambda: pressure(SESSION, window="large"),
        lambda: SlidingWindow("large"),
        lambda: SlidingWindow(recent_size=float("nan")),
        lambda: SlidingWindow(count=5),
        lambda: SalienceScorer({"recency": "much"}),
        lambda: SalienceScorer().score(5),
        lambda: check_premise(None),
        lambda: check_premise("Why did it crash?", ["It did."], judge=5),
        lambda: check_premise("Why did it crash?", ["It did."], contradict=5),
        lambda: premise_guard("Why did it crash?"),
        lambda: Lethe("lethe.db", policies=[5]),
        lambda: RetentionPolicy(max_age_days="long"),
        lambda: RetentionPolicy(max_age_days=float("nan")),
        lambda: scrub_session(SESSION, None),
        lambda: scrub_session(None, DataSubject("u-1815")),
        lambda: asyncio.run(coordinated_forgetting_cycle(SlidingWindow(), None, threshold="high")),
        lambda: SlidingWindow(salience_scorer=5),
        lambda: SlidingWindow().add(None),
        lambda: SlidingWindow().add([{"role": "user", "content": "hi"}]),
        lambda: SalienceScorer(weights=[0.3, 0.3, 0.2, 0.2]),
        lambda: SalienceScorer().register_entity(None),
        lambda: asyncio.run(coordinated_forgetting_cycle(SlidingWindow(), None, threshold=80)),
        lambda: asyncio.run(coordinated_forgetting_cycle([], None)),
        lambda: FileArtifacts("/proc/none"),
        lambda: SQLiteSessions("/proc/none/x.db"),
        lambda: SQLiteSessions("/"),
        lambda: SQLiteSessions(None),
        lambda: Session().call(None, {}, id="c1"),
        lambda: Session().call("look", {}, id=5),
        lambda: [Session().call("look", {}, id="c1").id, called().result("c1", None)],
        lambda: called().result(5, "found"),
        lambda: Session().user("hi", time_ms=1.5),
        lambda: Session().user("hi", author=5),
        lambda: Session().user(contextwright.session.Text(text=None)),
        lambda: Session(metadata="team"),
        lambda: Session(5),
        lambda: Session(None),
        lambda: record(5, S.tag("x")),
        lambda: record(SESSION, 5),
        lambda: record(SESSION, "S.tag('x')"),
        lambda: SessionBudget(max_tokens=5, thresholds={80: print}),
        lambda: SessionBudget(max_tokens=5, thresholds={"0.8": print}),
        lambda: ToolIndex(["x"]),
        lambda: ToolIndex("x"),
        lambda: ToolIndex(None),
        lambda: ToolIndex([{"name": "look"}]),
        lambda: Index().remove(5),
        lambda: Index().remove(None),
        lambda: Session().update(None),
        lambda: Session().update("plan"),
        lambda: Session().note(5, "x"),
        lambda: Session().extend(None),
        lambda: Session().extend("ab"),
        lambda: SESSION.snapshot_at("0", "0"),
        lambda: write_session(None),
        lambda: losses_of(None, "anthropic"),
        lambda: compile_many(None, C.none(), model="gpt-5"),
        lambda: compile_many([SESSION], C.none(), model="gpt-5", workers="2"),
        lambda: Context(model="gpt-5")([{"role": "user", "content": "hi"}], id=5),
        lambda: Conversations().update([{"role": "user", "content": "hi"}], id=5),
        lambda: Conversation(most="8"),
        lambda: assign("step 1"),
        lambda: store_manifest(None, FileArtifacts("a")),
        lambda: store_manifest(compile(SESSION, model="gpt-5"), None),
        lambda: Index("openai"),
        lambda: Index(fusion="rff"),
        lambda: Index(mmr=5),
        lambda: Index(alpha="0.5"),
        lambda: Index(rerank=5),
        lambda: Index(expand="yes"),
        lambda: Index().add("text"),
        lambda: Index().add(["text"]),
        lambda: Index().search(None),
        lambda: Index().search("x", "5"),
        lambda: collect(None, (), now_ms=1, keep_days={"": 1}),
        lambda: collect(FileArtifacts("a"), "artifact://x", now_ms=1, keep_days={"": 1}),
        lambda: collect(FileArtifacts("a"), None, now_ms=1, keep_days={"": 1}),
        lambda: collect(FileArtifacts("a"), (), now_ms="1", keep_days={"": 1}),
        lambda: collect(FileArtifacts("a"), (), now_ms=1, keep_days=30),
        lambda: collect(FileArtifacts("a"), (), now_ms=1, keep_days={"": "30"}),
        lambda: SQLiteSessions(""),
        lambda: SQLiteMemory(None),
        lambda: SQLiteMemory(":memory:", half_life_days="3"),
        lambda: SQLiteMemory(":memory:", half_life_days=-3),
        lambda: SQLiteMemory(":memory:", embedder="openai"),
        lambda: SQLiteMemory(":memory:").write(5),
        lambda: SQLiteMemory(":memory:").write("x", colour="red"),
        lambda: SQLiteMemory(":memory:").write("x", kind="fct"),
        lambda: SQLiteMemory(":memory:").search(None),
        lambda: SQLiteMemory(":memory:").search("x", "5"),
        lambda: SQLiteMemory(":memory:").search("x", 2.5),
        lambda: SQLiteMemory(":memory:").search("x", kinds=["fct"]),
        lambda: SQLiteMemory(":memory:").search("x", scope=None),
        lambda: SQLiteMemory(":memory:").search("x", now_ms="1"),
        lambda: SQLiteMemory(":memory:").forget(None),
        lambda: SQLiteMemory(":memory:").forget(5),
        lambda: TaskBoard(None),
        lambda: TaskBoard(":memory:", lease_s="5"),
        lambda: TaskBoard(":memory:", lease_s=None),
        lambda: TaskBoard(":memory:", most_attempts="5"),
        lambda: TaskBoard(":memory:", most_attempts=2.5),
        lambda: TaskBoard(":memory:").add("x"),
        lambda: TaskBoard(":memory:").add(STEP, after=5),
        lambda: TaskBoard(":memory:").add(STEP, after=None),
        lambda: TaskBoard(":memory:").claim(None),
        lambda: TaskBoard(":memory:").claim(5),
        lambda: TaskBoard(":memory:").claim("w", task=None),
        lambda: TaskBoard(":memory:").complete(None),
        lambda: TaskBoard(":memory:").extend(STEP),
        lambda: claimed_board()[0].fail(claimed_board()[1], None),
        lambda: TaskBoard(":memory:").reject("42", 1, "bad"),
        lambda: TaskBoard(":memory:").reopen("42", None),
        lambda: add_working_note(Session(), None),
        lambda: add_working_note(Session(), 5),
        lambda: add_working_note(Session(), "x", turns="3"),
        lambda: add_working_note(Session(), "x", turns=2.5),
        lambda: add_working_note(Session(), "x", seconds="3", now_ms=1),
        lambda: add_working_note(Session(), "x", seconds=3, now_ms="1"),
        lambda: add_working_note(None, "x"),
        lambda: add_working_note(SESSION.snapshot(), "x"),
        lambda: checkpoint(None),
        lambda: checkpoint(working(), memory="memory.db"),
        lambda: checkpoint(working(), artifacts="artifacts"),
        lambda: promote(Session(), "x", "memory.db"),
        lambda: record_acceptance(working(), None),
        lambda: record_acceptance(working(), {"role": "assistant", "content": "- [x] a1"}),
        lambda: record_acceptance(None, "- [x] a1"),
        lambda: check_acceptance(None, STEP),
        lambda: PackBuilder(role="operator", tail="5").spec,
        lambda: FileArtifacts("artifacts").put(b"x", name=None),
        lambda: FileArtifacts("artifacts").put(b"x", name=5),
    ],
)
def test_mistakes_are_named(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ContextwrightError) as caught:
        call()
    assert caught.value.what
    assert caught.value.where
    assert caught.value.fix
