"""Forks and rewinds: another session that begins as this one did; back, with nothing lost."""

from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Engine, Session, read_session, write_session
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.errors import ContextwrightError, SessionError
from contextwright.formats.native import write
from contextwright.models import Models
from contextwright.models.scripted import ScriptedLLM
from contextwright.retention.data_subject import DataSubject
from contextwright.retention.session_scrub import scrub_session
from contextwright.session import Event, Log, Text
from contextwright.spec.inputs import Memo
from contextwright.testing import session_of, sessions, target_for

SPECS = (
    C.default(),
    C.default() | C.compaction(700),
    C.window(n=2) | C.compact() | C.budget(max_tokens=900),
    C.rolling(n=2),
)
CHAT = "s: brief | u: one | c: f(x) | r: found | a: two | u: three | a: four | u: five"


def built(session, position, version, id):
    """The session that was built so from the beginning."""
    made = Session(id, tools=session.tools)
    changes = list(session.changes[:version])
    for at, event in enumerate(session.log[:position]):
        while changes and changes[0].position <= at:
            made.update(changes.pop(0).values)
        made.append(event)
    for change in changes:
        made.update(change.values)
    return made


def compiled(session, spec, memo=None):
    try:
        pack = SpecCompiler(spec, memo=memo or Memo()).compile(
            session.snapshot(), target_for("anthropic")
        )
    except ContextwrightError as error:
        return str(error)
    return pack.body


def seen(session):
    return (
        list(session.log),
        session.log.digest(len(session)),
        dict(session.state),
        [(c.position, c.values) for c in session.changes],
    )


@given(sessions(), st.integers(0, 60), st.sampled_from(SPECS))
def test_a_fork_is_the_session_that_was_built_so_from_the_beginning(session, at, spec):
    engine = Engine(spec, "gpt-5")
    try:
        engine.compile(session)
        engine.record(session)  # what a compaction decided is kept in the session
    except ContextwrightError:
        pass
    fork = session.fork(min(at, len(session)), id="fork")
    origin = fork.forked_from
    again = built(session, origin.position, origin.state_version, session.id)
    assert seen(fork) == seen(again)
    for one in (fork, again):
        one.user("And now?")
        one.assistant("This.")
        one.user("And then?")
    assert compiled(fork, spec) == compiled(again, spec)


@given(sessions(), st.integers(0, 60))
def test_a_log_that_is_cut_knows_all_that_one_built_anew_knows(session, at):
    at = min(at, len(session))
    cut, fresh = session.log.before(at), Log(session.log[:at])
    for log in (cut, fresh):
        log.extend(Session("x", [Event(id="new", role="user", parts=(Text(text="on"),))]).log)
    for field, value in vars(fresh).items():
        if field not in {
            "_lock",
            "family",
            "_events",
            "_decoded",
            "_exchanges",
            "_index",
            "_outcomes",
            "turns",
        }:
            assert getattr(cut, field) == value, field
    assert list(cut) == list(fresh)
    assert vars(cut._index) == vars(fresh._index)
    assert vars(cut._outcomes) == vars(fresh._outcomes)
    assert vars(cut.turns) == vars(fresh.turns)
    assert cut.family is session.log.family


@given(sessions(), st.lists(st.integers(0, 60), min_size=1, max_size=3), st.sampled_from(SPECS))
def test_a_rewound_session_is_one_that_never_went_there_and_keeps_what_it_left(session, cuts, spec):
    before, left = [], 0
    for cut in cuts:
        whole = seen(session), compiled(session, spec)
        length = session.rewind(min(cut, len(session)))
        assert length == len(session)
        if len(session.lineages) > left:
            before.append(whole)
            left += 1
        session.user("Otherwise.")
        session.update({"took": cut})
    again = built(session, len(session), len(session.changes), session.id)
    assert (seen(session), compiled(session, spec)) == (seen(again), compiled(again, spec))
    assert [(seen(one), compiled(one, spec)) for one in session.lineages] == before


@given(sessions(), st.integers(0, 60))
def test_a_cut_parts_no_calls_from_the_results_that_answer_them(session, at):
    at = min(at, len(session))
    fork = session.fork(at, id="fork")
    assert len(fork) <= at
    whole = {e.index: e.positions for e in session.snapshot().exchanges()}
    last = fork.snapshot().exchanges()[-1:]
    for exchange in last:
        missing = whole[exchange.index][len(exchange.positions) :]
        # what came after others had spoken is late, and the call was open by then
        begun = session.log.exchange_count(missing[0]) - 1 if missing else -1
        assert not missing or begun > exchange.index


def test_a_cut_is_named_by_an_event_a_position_or_a_turn():
    session = session_of(CHAT)
    wanted = ["brief", "one", "", "", "two"]
    for at in ({"at": 5}, {"at": "e5"}, {"turn": 1}, {"turn": -2}):
        fork = session.fork(**at, id="fork")
        assert [event.text for event in fork.log] == wanted
    assert [len(session.fork(at, id="fork")) for at in (2, 3, 4)] == [2, 2, 4]
    assert len(session.fork(turn=0, id="fork")) == 1  # the instruction is of no turn
    assert len(session.fork(id="fork")) == len(session)


def test_a_fork_and_its_session_do_not_see_what_the_other_does():
    session = session_of(CHAT, metadata={"owner": ["u1"]})
    fork = session.fork(5, id="fork")
    fork.user("elsewhere")
    fork.update({"k": 1})
    fork.metadata["owner"].append("u2")
    session.assistant("here")
    assert "k" not in session.state and session.metadata == {"owner": ["u1"]}
    assert [event.text for event in fork.log][-1] == "elsewhere"
    assert session.log[5].text == "three"
    assert session.lineages == fork.lineages == ()


def test_the_state_is_the_one_of_that_moment():
    session = session_of("u: one | a: two")
    session.update({"k": 1, "gone": True})
    session.user("three")
    session.update({"k": 2, "gone": None})
    fork = session.fork("e2", id="fork")
    assert dict(fork.state) == {"k": 1, "gone": True}
    assert session.rewind("e2") == 2
    assert dict(session.state) == {"k": 1, "gone": True}
    assert dict(session.lineages[0].state) == {"k": 2}


def test_snapshots_and_packs_of_before_keep_what_they_saw():
    session = session_of(CHAT)
    snapshot = session.snapshot()
    session.rewind(turn=-1)
    session.user("otherwise")
    assert snapshot.log[7].text == "five" and session.log[7].text == "otherwise"
    assert session.lineages[0].snapshot().digest == snapshot.digest


def test_a_rewind_to_where_it_stands_leaves_nothing_behind():
    session = session_of(CHAT)
    assert session.rewind(len(session)) == len(session)
    assert session.lineages == ()


@pytest.mark.parametrize(
    ("act", "what"),
    [
        (lambda s: s.fork("e99", id="f"), "no event has the id 'e99'"),
        (lambda s: s.fork(99, id="f"), "expected a position or an event's id, got 99"),
        (lambda s: s.fork(True, id="f"), "got True"),
        (lambda s: s.fork(turn=3, id="f"), "expected a turn, got 3"),
        (lambda s: s.fork(2, turn=1, id="f"), "two places to cut at"),
        (lambda s: s.fork(2, id=s.id), "an id of its own"),
        (lambda s: s.rewind(), "no place to go back to"),
        (lambda s: s.rewind(-1), "got -1"),
    ],
)
def test_a_place_that_is_none_is_refused(act, what):
    session = session_of(CHAT)
    with pytest.raises(SessionError, match=what) as caught:
        act(session)
    assert caught.value.fix
    assert len(session) == 8 and session.lineages == ()


def test_our_own_file_keeps_lineages_and_where_a_fork_came_from(tmp_path):
    session = session_of(CHAT).fork(id="fork")
    session.update({"k": 1})
    session.rewind("e5")
    session.user("otherwise")
    session.rewind("e2")
    path = tmp_path / "session.jsonl"
    write_session(session, path=path)
    again = read_session(path)
    assert [seen(one) for one in again.lineages] == [seen(one) for one in session.lineages]
    assert again.forked_from == session.forked_from
    assert again.snapshot().sign == session.snapshot().sign == session_of(CHAT).snapshot().sign


def test_metadata_that_no_rewind_wrote_is_refused():
    session = session_of(CHAT, metadata={"contextwright.lineages": [{"position": "x"}]})
    with pytest.raises(SessionError, match="not what a fork or a rewind wrote"):
        _ = session.lineages


def test_a_summary_that_was_paid_for_stands_in_forks_and_after_a_rewind():
    model = ScriptedLLM(lambda prompt: f"Summary {sha256(str(prompt).encode()).hexdigest()}")
    engine = Engine(C.rolling(n=1), "gpt-5", models=Models(model))
    session = Session("s")
    packs = []
    for n in range(5):
        session.user(f"Question {n}: " + "what of the pumps? " * 30)
        packs.append(engine.compile(session).body)
        session.assistant(f"Answer {n}: " + "they are well. " * 30)
    paid = len(model.prompts)
    assert paid
    fork = session.fork(turn=3, id="fork")
    session.rewind(turn=3)
    for one in (fork, session):
        one.user("Question 3: " + "what of the pumps? " * 30)
        assert engine.compile(one).body == packs[3]
    assert len(model.prompts) == paid


def test_erasing_a_person_reaches_what_a_rewind_left_behind():
    session = session_of("u: I am Ada Lovelace | a: hello | u: bye", id="s")
    session.append(msgspec.structs.replace(session.log[0], id="of Ada Lovelace"))
    session.rewind("e1")
    session.user("what now?")
    subject = DataSubject("u-1815", names=("Ada Lovelace",))
    clean = scrub_session(session, subject)
    assert "Lovelace" not in msgspec.json.encode(write(clean)).decode()
    (lineage,) = clean.lineages
    assert [event.role for event in lineage.log] == ["user", "assistant", "user", "user"]
    assert lineage.log[1].text == "hello"
