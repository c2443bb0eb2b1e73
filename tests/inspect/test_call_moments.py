"""A page compiles a session as it grew: the same packs as a look into the past, and at every call
what is new."""

import pytest
from tests.work_counts import exchanges_read

from contextwright import C, Session
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.inspect.call_moments import GrownSession, call_moments
from contextwright.inspect.page_data import page_data
from contextwright.inspect.series import SpecRun
from contextwright.session.event import ToolCall
from contextwright.spec.memo import Memo
from contextwright.testing import target_for

TARGET = target_for("openai-chat")
SPECS = [C.default() | C.compaction(600), C.rolling(3) | C.budget(800), C.default() | C.fit(700)]


def talk(turns):
    session = Session("s", state={"goal": "ship"})
    for n in range(turns):
        session.user(f"Question {n}. " + "Tell me about the parts of the plan. " * 4)
        session.assistant(ToolCall(id=f"c{n}", name="find", arguments=f'{{"n": {n}}}'))
        session.result(f"c{n}", f"row {n}: " + "value " * 30, error=n % 7 == 0)
        session.assistant(f"Answer {n}. " + "It is in the plan, and it is fine. " * 4)
        if n % 5 == 0:
            session.update({"step": n})
    return session


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_a_session_that_grows_gives_the_packs_of_looks_into_the_past(spec):
    session = talk(14)
    run = SpecRun(session, spec, TARGET, Memo())
    for call in call_moments(session):
        grown = run.compiled(call).pack
        past = SpecCompiler(spec, memo=Memo()).compile(call.snapshot(session), TARGET)
        assert grown.request == past.request
        assert grown.manifest.changes == past.manifest.changes


def test_a_moment_that_was_passed_and_a_session_that_went_back_are_as_they_were():
    session = talk(6)
    grown, calls = GrownSession(session), call_moments(session)
    digests = [grown.at(call).log.digest(call.position) for call in calls]
    assert [grown.at(call).position for call in calls] == [call.position for call in calls]
    assert digests == [session.log.digest(call.position) for call in calls]
    session.rewind(turn=2)
    session.user("Something else?")
    (*_, newest) = call_moments(session)
    snapshot = grown.at(newest)
    assert snapshot.log.digest(newest.position) == session.log.digest(newest.position)
    assert snapshot.state == session.snapshot_at(newest.position, newest.version).state


def test_a_call_of_a_page_reads_as_much_of_a_long_session():
    def reads(turns):
        session = talk(turns)
        specs = [(str(SPECS[0]), SPECS[0])]
        return exchanges_read(lambda: page_data(session, specs, TARGET, "s")) / turns

    assert reads(160) < 1.3 * reads(80)
