"""What a call's spec, receiver, tools and agent say is one value for as long as none of them moves."""

import msgspec

from contextwright import C, Session
from contextwright.compiler.call_setup import setup_of
from contextwright.compiler.plan import known_plan
from contextwright.memo.ownership import remembering
from contextwright.redaction.detector import NO_PORTS
from contextwright.session import Tool
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for

TARGET = target_for("openai-chat")


def setup(session, memo, spec, target=TARGET, agent=""):
    snapshot = session.snapshot()
    with remembering(memo):
        planned = known_plan(spec, snapshot.state, NO_PORTS, memo)
        return setup_of(planned, target, snapshot, agent, memo)


def test_it_is_one_object_while_a_session_grows():
    session, memo, spec = Session("s"), Memo(), C.window(3) | C.budget(500)
    session.user("Find it.")
    first = setup(session, memo, spec)
    assert first.limit == 500 and first.target.sign and first.inputs.snapshot is None
    for text in ("It is in the hall.", "Is it?"):
        session.assistant(text)
        assert setup(session, memo, spec) is first


def test_it_is_another_where_anything_of_it_moves():
    session, memo, spec = Session("s"), Memo(), C.window(3) | C.budget(500)
    session.user("Find it.")
    known = [setup(session, memo, spec)]

    def moved(*about, **more):
        known.append(setup(session, memo, *about, **more))
        assert known[-1] is not known[-2]
        assert setup(session, memo, *about, **more) is known[-1]

    moved(spec, msgspec.structs.replace(TARGET, window=400))
    assert known[-1].limit < 500
    moved(spec, agent="planner")
    assert known[-1].inputs.agent == "planner"
    session.tools = (Tool(name="find"),)
    moved(spec)
    assert [tool.name for tool in known[-1].inputs.tools] == ["find"]
    moved(C.window(3) | C.budget(300))
    assert known[-1].limit == 300


def test_equal_specs_have_their_decisions_in_one_place():
    session, memo = Session("s"), Memo()
    session.user("Find it.")
    keys = [setup(session, memo, C.window(n) | C.budget(500)).decided for n in (3, 3, 4)]
    assert keys[0] == keys[1] != keys[2] and hash(keys[0]) == hash(keys[1])
