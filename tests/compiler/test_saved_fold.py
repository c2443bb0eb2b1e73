"""What a compaction decided is saved with the session: who loads it takes no step again."""

import json
import random
from itertools import pairwise

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.compiler.test_fold import begun, calls_of, compared, work  # noqa: F401

from contextwright import C, Engine, Session
from contextwright.compiler import replay
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.compiler.steps import fold
from contextwright.errors import ContextwrightError
from contextwright.formats import read_session, write_session
from contextwright.memo.memory_budget import forget_remembered
from contextwright.session import Event
from contextwright.session.event import Text, ToolCall
from contextwright.session.state import RESOLVED_PREFIX
from contextwright.spec import memo as memos
from contextwright.spec.inputs import Memo
from contextwright.spec.saved_fold import SAVED_FOLDS, save_folds, saved_folds
from contextwright.stores import SQLiteSessions
from contextwright.testing import sessions, target_for
from contextwright.testing.rule_sessions import prose, rows
from contextwright.tokens.counter import Counter

ANSWERED = ["user", "assistant"]
SPEC = C.default() | C.compaction(2000)


def packed(session, position=None, folds=(), memo=None, spec=SPEC):
    """A pack of a process that knows no more than the session and these folds."""
    position = len(session) if position is None else position
    snapshot = session.snapshot_at(position, len(session.changes))
    compiler = SpecCompiler(spec, memo=memo or Memo(), folds=folds)
    return compiler.compile(snapshot, target_for("openai-chat"))


@pytest.fixture
def taken(monkeypatch):
    """Steps that are taken, and requests that are looked at."""
    return {name: calls_of(monkeypatch, fold, name) for name in ("plan_fold", "plan_shrink")}


def test_a_saved_fold_takes_no_step_again(taken):
    session = work(120, 1)
    pack = packed(session)
    assert len(taken["plan_fold"]) > 3
    for calls in taken.values():
        calls.clear()
    again = packed(session, folds=pack.manifest.folds)
    assert again.body == pack.body and again.manifest == pack.manifest
    assert not taken["plan_fold"] and not taken["plan_shrink"]
    assert replay(pack, session).manifest == pack.manifest
    assert not taken["plan_fold"] and not taken["plan_shrink"]


def test_a_session_goes_on_from_a_saved_fold(taken):
    session = work(120, 1)
    roles = [event.role for event in session.log]
    answered = [at for at in range(1, len(roles) - 8) if roles[at - 1 : at + 1] == ANSWERED][-2:]
    for position in answered:
        save_folds(session.metadata, packed(session, position).manifest.folds)
    folds = saved_folds(session.metadata)
    session.metadata.clear()
    memo = Memo()
    for position in range(answered[-1] + 1, len(session) + 1):
        taken["plan_fold"].clear()
        pack = packed(session, position, folds, memo)
        assert len(taken["plan_fold"]) <= 1
        assert pack.body == packed(session, position).body


def test_what_a_process_forgot_goes_on_from_the_pack_before(taken):
    """Nobody saved the session: of a thousand that live some are always forgotten."""
    events, engine = list(work(120, 1).log), Engine(SPEC, "gpt-5")
    asked = [at for at, event in enumerate(events) if event.role == "assistant"][-8:]
    session = Session(events=events[: asked[0]])
    engine.compile(session)
    for before, now in pairwise(asked):
        session.extend(events[before:now])
        forget_remembered()
        taken["plan_fold"].clear()
        body = engine.compile(session).body
        assert len(taken["plan_fold"]) <= 1
        assert body == Engine(SPEC, "gpt-5").compile(Session(events=events[:now])).body


@pytest.mark.parametrize("seed", [11, 21, 51, 56])
def test_a_loaded_session_that_grows_tells_what_one_tells_that_begins_with_it(seed, tmp_path):
    """Where agents say something beside their calls: how much room an exchange needs was known
    from before a later one said it anew, and is told in other words since."""
    dice, spec = random.Random(seed), C.compaction(1500)
    engine, session, loaded_at = Engine(spec, "gpt-5"), Session("s"), dice.randint(8, 25)
    session.user(f"task {prose('task', 2)}")
    for turn in range(40):
        said_beside_calls(session, dice, turn)
        body = engine.compile(session).body
        if turn > loaded_at:
            assert body == Engine(spec, "gpt-5").compile(Session("s", session.log)).body
        engine.record(session)
        if turn == loaded_at:
            session = read_session(write_session(session))
            engine = Engine(spec, "gpt-5")


def said_beside_calls(session, dice, turn):
    """What the user asks, an agent answers, or it calls tools and says something beside it."""
    kind = dice.random()
    if kind < 0.25:
        session.user(f"U{turn} {prose(f'ask{turn}', dice.randint(1, 3))}")
    elif kind < 0.45:
        session.assistant(prose(f"A{turn}", dice.randint(1, 8)))
    else:
        ids = [f"c{turn}-{n}" for n in range(dice.choice([1, 1, 2, 3]))]
        beside = [Text(text="Let me look.")] if dice.random() < 0.5 else []
        calls = [
            ToolCall(
                id=id,
                name=dice.choice(("find", "open")),
                arguments=json.dumps({"path": f"/src/{dice.randint(0, 9)}.py"}),
            )
            for id in ids
        ]
        session.add("assistant", *beside, *calls)
        for id in ids:
            found = rows(f"R{turn}", dice.randint(2, 40)), prose(f"R{turn}", 20)
            session.result(id, dice.choice([*found, "ok", "Error: boom"]))


def test_no_word_of_the_session_is_in_a_fold():
    folds = packed(work(120, 1)).manifest.folds
    assert folds and folds[0].index and folds[0].forms and folds[0].plan
    texts = [value for value in msgspec.to_builtins(folds[0]).values() if isinstance(value, str)]
    assert all(set(text) <= set("0123456789abcdef") for text in texts)


@pytest.mark.parametrize("field", ["place", "upto", "held", "forms", "index", "content", "digest"])
def test_a_fold_that_was_changed_is_worked_out_anew(taken, field):
    session = work(60, 2)
    pack = packed(session)
    fold = pack.manifest.folds[0]
    value = getattr(fold, field)
    other = value + 1 if isinstance(value, int) else value[:-1] if len(value) else ((0, 0),)
    changed = msgspec.structs.replace(fold, **{field: other})
    taken["plan_fold"].clear()
    again = packed(session, folds=(changed,))
    assert again.body == pack.body and again.manifest.folds == pack.manifest.folds
    assert taken["plan_fold"]


@pytest.mark.parametrize(
    "folds", [None, 7, "x", [1], [{}], {"a": 1}, [{"key": "k", "place": "1", "content": 3}]]
)
def test_metadata_that_holds_no_folds_is_no_error(folds):
    session = work(30, 2)
    body = packed(session).body
    session.metadata[SAVED_FOLDS] = folds
    assert packed(session).body == body


def test_a_fold_of_another_conversation_or_budget_is_not_taken(taken):
    one, other = work(60, 2), work(60, 2)
    folds = packed(one).manifest.folds
    other.log = Session(events=[*list(other.log)[:-1], changed(list(other.log)[-1])]).log
    settled = work(60, 2)
    settled.update({RESOLVED_PREFIX + "e9": "settled"})
    for session, spec in ((other, SPEC), (settled, SPEC), (one, C.default() | C.compaction(1900))):
        body = packed(session, spec=spec).body
        taken["plan_fold"].clear()
        assert packed(session, folds=folds, spec=spec).body == body
        assert taken["plan_fold"]


def changed(event: Event):
    return Session().user("And then?", id=event.id)


@given(sessions(max_turns=10), st.sampled_from((300, 600)), st.data())
@settings(
    max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
def test_loaded_or_not_the_steps_are_the_same(compared, session, tokens, data):  # noqa: F811
    loaded_or_not(session, tokens, data)


@pytest.mark.slow
@given(sessions(max_turns=10), st.sampled_from((300, 600)), st.data())
@settings(
    max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
)
def test_loaded_or_not_steps_begin_anew_there(compared, begun, session, tokens, data):  # noqa: F811
    loaded_or_not(session, tokens, data)


def loaded_or_not(session, tokens, data):
    """Every decision is compared, loaded from a saved fold or not."""
    spec = C.default() | C.compaction(tokens)
    folds, memo = (), Memo()
    for position in sorted(data.draw(st.lists(st.integers(1, len(session)), min_size=2))):
        try:
            pack = packed(session, position, folds, memo, spec)
        except ContextwrightError:
            continue
        if data.draw(st.booleans()):
            folds, memo = pack.manifest.folds or folds, Memo()


@pytest.mark.parametrize("kind", ["sqlite", "file"])
def test_a_worker_that_loads_the_session_takes_no_step_again(tmp_path, taken, kind):
    source, session = work(90, 3), Session("s")
    store = SQLiteSessions(tmp_path / "s.db")
    engine = Engine(SPEC, "gpt-4o", sessions=store)
    session.extend(list(source.log)[:-20])
    bodies = []
    for event in list(source.log)[-20:]:
        session.append(event)
        if event.role != "assistant":
            bodies.append(engine.compile(session).body)
            engine.record(session)
    for calls in taken.values():
        calls.clear()
    write_session(session, path=tmp_path / "s.jsonl")
    loaded = store.load("s") if kind == "sqlite" else read_session(tmp_path / "s.jsonl")
    assert Engine(SPEC, "gpt-4o").compile(loaded).body == bodies[-1]
    assert not taken["plan_fold"] and not taken["plan_shrink"]
    assert saved_folds(loaded.metadata) == saved_folds(session.metadata)


def test_a_session_keeps_the_newest_fold_s_of_each_of_a_few_specs():
    session = work(60, 2)
    for tokens in range(1500, 2200, 100):
        spec = C.default() | C.compaction(tokens)
        for position in (len(session) - 9, len(session) - 5, len(session)):
            save_folds(session.metadata, packed(session, position, spec=spec).manifest.folds)
    folds = saved_folds(session.metadata)
    assert len(folds) == 8 and len({fold.key for fold in folds}) == 4
    assert max(fold.place for fold in folds) == folds[-1].place


def test_a_loaded_session_is_looked_at_where_its_fold_ends(monkeypatch):
    work_done: list[int] = []
    for exchanges in (150, 600):
        source = work(exchanges, 2)
        first = Engine(C.compaction(1500), "gpt-4o")
        pack = first.compile(source)
        loaded = Session("s2", list(source.log))
        save_folds(loaded.metadata, pack.manifest.folds)
        made = calls_of(monkeypatch, memos, "block_of")
        counted = calls_of(monkeypatch, Counter, "_count")
        engine = Engine(C.compaction(1500), "gpt-4o")
        assert engine.compile(loaded).body == pack.body
        assert engine.ledger(loaded) == first.ledger(source)
        work_done.append(len(made) + len(counted))
        monkeypatch.undo()
    assert work_done[1] <= work_done[0] * 1.5


@pytest.mark.parametrize("place", [0, 20, 60])
def test_a_prefix_that_says_something_else_is_not_taken(taken, place):
    source = work(120, 1)
    folds = packed(source).manifest.folds
    assert folds[0].prefix is not None and folds[0].prefix.position > place
    events = list(source.log)
    place = next(at for at in range(place, 90) if events[at].role in {"user", "assistant"})
    events[place] = msgspec.structs.replace(events[place], time_ms=7)
    other = Session(source.id, events)
    body = packed(other).body
    taken["plan_fold"].clear()
    assert packed(other, folds=folds).body == body and taken["plan_fold"]


def more_work():
    for n, event in enumerate(work(90, 4).log):
        if event.role in {"user", "assistant"} and not event.calls:
            yield msgspec.structs.replace(event, id=f"more{n}")


def test_a_late_result_below_a_saved_note_is_told(taken):
    session = Session("late", list(work(30, 1).log))
    session.user("Find it.")
    session.call("find", {"what": "late"}, id="late")
    session.extend(more_work())
    folds = packed(session).manifest.folds
    session.result("late", "it is here " * 50)
    session.user("Thanks. And?")
    assert packed(session, folds=folds).body == packed(session).body
    assert packed(session, folds=folds).manifest == packed(session).manifest


def test_a_task_that_is_shortened_stands_in_a_saved_fold():
    session = Session("s")
    session.user("\n".join(f"- do thing {n}, and tell of it" for n in range(200)))
    session.extend(more_work())
    pack = packed(session)
    again = packed(session, folds=pack.manifest.folds)
    assert again.body == pack.body and again.manifest == pack.manifest


def test_a_fold_that_was_saved_where_steps_begin_anew_is_saved_again_as_it_is():
    """Also where a process that loaded it is asked for the very same request."""
    session, memo, spec = Session("s"), Memo(), C.default() | C.truncate(60) | C.compaction(400)
    session.user("Find the parts.")
    origins = set()
    for n in range(60):
        session.call("find", {"part": n}, id=f"c{n}")
        session.result(f"c{n}", f"part {n} is here " * 30)
        pack = packed(session, memo=memo, spec=spec)
        origins |= {fold.place - fold.origin for fold in pack.manifest.folds if fold.origin}
        again = packed(session, folds=pack.manifest.folds, spec=spec)
        assert again.body == pack.body and again.manifest == pack.manifest
    assert 0 in origins


def test_a_second_message_behind_a_saved_fold_is_no_other_conversation():
    """The saved request ends with the user's words, and the user writes again before it is asked."""
    session = work(120, 1)
    session.user("Please look at the second one.")
    folds, memo = packed(session).manifest.folds, Memo()
    assert packed(session, folds=folds, memo=memo).manifest.folds
    session.user("And at the third one.")
    assert packed(session, folds=folds, memo=memo).body == packed(session).body


@pytest.mark.parametrize("way", ["fork", "rewind"])
def test_a_fork_knows_nothing_of_how_its_session_went_on(way):
    """Of the same exchanges in number: what its session's fold had counted of others stood in the
    fork's receipts, and a replay called them edited."""
    dice = random.Random(19)
    engine = Engine(C.compaction(400), target=target_for("anthropic"), suspend=False)
    session = Session("one")
    session.user("Find all items.")

    def goes_on(mark):
        if dice.random() < 0.4:
            session.user(f"Now item {mark}.")
        session.call("open", "{}", id=f"c{mark}")
        session.result(f"c{mark}", f"item {mark} costs euros. " * dice.choice((2, 12, 30)))
        return engine.compile(session)

    for at in range(12):
        goes_on(at)
        engine.record(session)
    place = dice.randint(4, 16)
    if way == "fork":
        session = session.fork(place, id="other")
    else:
        session.rewind(place)
    for pack in [goes_on(at) for at in range(20, 26)]:
        assert replay(pack, session).body == pack.body
