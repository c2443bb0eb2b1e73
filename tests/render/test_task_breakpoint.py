"""A breakpoint to spare stands behind the task, and costs the requests behind it nothing."""

import json

import pytest
from tests.compiler.test_fold import calls_of

from contextwright import C, Session, compile
from contextwright.compiler.prefix import shared_prefix
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.render import task_breakpoint
from contextwright.session.event import Tool
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for

TASK = "Mend the orders that came twice. " * 300
"""Longer than what a cache takes."""
MARK = {"type": "ephemeral"}


def loop(calls, task=TASK, system="Be brief.", state=None):
    session = Session("loop", tools=[Tool(name="run")], state=state)
    session.add("system", system)
    session.user(task)
    for n in range(calls):
        session.call("run", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"order {n} is fine. " * 60)
    return session


def marked(request):
    """Where breakpoints stand: by message, and by part of it."""
    return [
        (at, place)
        for at, message in enumerate(request["messages"])
        for place, part in enumerate(message["content"])
        if "cache_control" in part
    ]


def test_it_stands_there_from_the_first_request_on_and_behind_a_step_is_read():
    memo, target, spec = Memo(), target_for("anthropic"), C.budget(6_000)
    before, read = None, []
    for calls in range(30):
        pack = SpecCompiler(spec, memo=memo).compile(loop(calls).snapshot(), target)
        assert (0, 0) in marked(pack.request)
        assert pack.body.count(b"cache_control") <= 4
        if before is not None:
            prefix = shared_prefix(before, pack.request, target)
            read.append((prefix.read, prefix.first_difference))
        before = pack.body
    steps = [tokens for tokens, where in read if where in {"messages[0]", "messages[1]"}]
    assert steps and min(steps) > 1_024


def test_a_task_that_is_shorter_than_what_a_cache_takes_has_none():
    target = target_for("anthropic")
    pack = compile(loop(12, task="Mend the orders."), C.default(), target=target)
    assert (0, 0) not in marked(pack.request)
    # with a long instruction in front of it, it is long enough
    pack = compile(loop(12, task="Mend the orders.", system=TASK), C.default(), target=target)
    assert (0, 0) in marked(pack.request)


def test_where_others_speak_first_there_is_none():
    session = Session("talk")
    session.assistant("What shall I mend?")
    session.user(TASK)
    session.assistant("Done.")
    session.user("And now?")
    pack = compile(session, C.default(), target=target_for("anthropic"))
    assert marked(pack.request)
    assert not any(at < 3 for at, _ in marked(pack.request))


def test_where_four_stand_elsewhere_there_is_no_room_for_it():
    session = loop(30, state={"user:city": "Rome"})
    spec = C.default() + C.from_state("user:city") + C.template("Answer in Latin.")
    request = compile(session, spec, target=target_for("anthropic")).request
    assert json.dumps(request).count("cache_control") == 4
    assert (0, 0) not in marked(request)


def test_a_turn_behind_it_looks_at_what_is_new(monkeypatch):
    memo, target, spec = Memo(), target_for("anthropic"), C.default()
    renderer, session = type(target.provider.renderer), loop(40)
    for n in range(40, 44):
        SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
        session.call("run", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f"order {n} is fine.")
    measured = calls_of(monkeypatch, renderer, "measure_wire")
    made = calls_of(monkeypatch, task_breakpoint, "_made")
    pack = SpecCompiler(spec, memo=memo).compile(session.snapshot(), target)
    assert (0, 0) in marked(pack.request)
    assert not made
    assert 0 < len(measured) <= 8  # of some 90: what is new, and what the others are put in
    assert pack.request == SpecCompiler(spec).compile(session.snapshot(), target).request


@pytest.mark.parametrize("own", [0, 3])
def test_in_a_callers_own_body_it_stands_beside_the_callers(own):
    system = [{"type": "text", "text": text} for text in "abc"]
    system = [{**part, "cache_control": MARK} if n < own else part for n, part in enumerate(system)]
    messages = [{"role": "user", "content": TASK}]
    for n in range(12):
        call = {"type": "tool_use", "id": f"c{n}", "name": "run", "input": {"n": n}}
        result = {"type": "tool_result", "tool_use_id": f"c{n}", "content": "fine. " * 300}
        messages += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result]},
        ]
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": system, "messages": messages}
    request = compile(body, C.budget(5_000)).request
    assert json.dumps(request).count("cache_control") <= 4
    assert ((0, 0) in marked(request)) == (not own)
