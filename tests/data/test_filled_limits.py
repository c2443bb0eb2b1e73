"""A limit is used: real sessions at a half, a quarter and a tenth of their size."""

import json
from itertools import pairwise

import pytest
from tests.data.test_real_sessions import FILES, session_of_row
from tests.parameters import few

from contextwright import C, Session, compile, read_session
from contextwright.errors import BudgetError
from contextwright.spec.terminal import LOW
from contextwright.testing import target_for

WIDE = target_for("openai-chat", 1_000_000)
SHARES = (2, 4, 10)
LEAST = 400
"""Tokens of a limit below which the instruction is most of it."""
FULL = 0.85


def _first_words(session):
    return next((event.text for event in session.log if event.role == "user"), "")


def _texts(pack):
    return "\n".join(str(m.get("content")) for m in json.loads(pack.body)["messages"])


def _could_tell_more(session, pack, limit):
    """Whether more had room: what would come back next is not the user's own words, which are
    never shortened."""
    changes_of = pack.manifest.changes_of
    dropped = [
        exchange
        for exchange in session.snapshot().exchanges()
        if {change.action for change in changes_of(exchange.first.id, session)} == {"dropped"}
    ]
    if not dropped:
        return pack.tokens < 0.75 * limit  # what is cut ends at a line or a field
    newest = [e for e in dropped if e.turn == dropped[-1].turn]
    words = [WIDE.counter.count(e.first.text) for e in newest if e.first.role == "user"]
    return limit - pack.tokens > max(words, default=200) + 8


def _must_stay(session):
    """Tokens of the instruction, the task, the newest question and the newest exchange."""
    exchanges = session.snapshot().exchanges()
    users = [exchange for exchange in exchanges if exchange.first.role == "user"]
    system = exchanges[: session.snapshot().preamble]
    kept = {e.index: e for e in (*system, *users[:1], *users[-1:], exchanges[-1])}
    texts = [event.text for e in kept.values() for event in e.events]
    texts += [result.text for result in exchanges[-1].results.values()]
    return sum(map(WIDE.counter.count, texts)) + 450  # overheads, and a note


@pytest.mark.parametrize("name", few(FILES))
def test_a_limit_is_used_and_keeps_task_and_newest_exchange(name, read_rows):
    for row in read_rows(name, limit=2):
        session = session_of_row(row)
        if session is None:
            continue
        whole = compile(session, C.default(), target=WIDE).tokens
        for limit in (whole // share for share in SHARES):
            for spec in (C.default() | C.budget(limit), C.fit(limit), C.compaction(limit)):
                if limit >= LEAST:
                    _keeps_what_matters(session, spec, limit)


def _keeps_what_matters(session, spec, limit):
    try:
        pack = compile(session, spec, target=WIDE)
    except BudgetError:
        return  # what must stay is larger: the instruction, the task, the newest exchange
    sent, first = _texts(pack), _first_words(session)
    if WIDE.counter.count(first) * 4 <= limit:
        assert first in sent
    newest = session.snapshot().exchanges()[-1]
    for result in newest.results.values():
        assert result.text in sent or _must_stay(session) > limit
    # a step goes down to its low mark, so that the next one is far away
    if "compaction" in repr(spec):
        assert pack.tokens >= FULL * spec.low / 100 * limit
    else:
        mark = limit * LOW // 100
        assert pack.tokens >= FULL * mark or not _could_tell_more(session, pack, mark)


@pytest.mark.parametrize("terminal", [C.budget, C.fit], ids=["budget", "fit"])
def test_a_limit_is_full_before_a_step_and_at_its_low_mark_behind_it(terminal):
    session, limit, sent = Session(), 2_000, list[int]()
    for n in range(60):
        session.user(f"question {n}")
        session.call("search", f'{{"query": "topic {n}"}}', id=f"c{n}")
        session.result(f"c{n}", "\n".join(f"{n}.{i}: a line on topic {n}" for i in range(10)))
        session.assistant(f"answer {n}")
        sent.append(compile(session, terminal(limit), target=WIDE).tokens)
    steps = [(before, after) for before, after in pairwise(sent) if after < before]
    assert len(steps) >= 3
    assert all(FULL * limit <= before <= limit for before, _ in steps)
    assert all(after >= FULL * limit * LOW / 100 for _, after in steps)


@pytest.mark.parametrize("runs", [4, 8])
@pytest.mark.parametrize(
    "terminal",
    [C.compaction, C.budget, C.fit, lambda limit: C.window(10) | C.compact() | C.budget(limit)],
    ids=["compaction", "budget", "fit", "window"],
)
def test_failing_test_runs_do_not_push_out_the_task_and_the_edits(terminal, runs):
    """An agent's ordinary loop: it edits, the tests fail, it edits again."""
    session = Session("task")
    session.user("Fix the parser so that all 12 tests pass. Never touch setup.cfg.")
    for n in range(runs):
        arguments = json.dumps({"path": f"src/parser_{n}.py", "new": f"fix number {n}"})
        session.assistant(f"The cause {n} is in line {n}.")
        session.call("edit_file", arguments, id=f"edit{n}")
        session.result(f"edit{n}", "ok")
        session.call("run_tests", "{}", id=f"run{n}")
        lines = [f"FAILED tests/test_{n}_{i}.py::test - assert {i} == {i + n}" for i in range(90)]
        session.result(f"run{n}", "\n".join([*lines, f"{n + 90} failed"]), error=True)
    pack = compile(session, terminal(8_000), target=WIDE)
    sent = pack.body.decode()
    assert "Never touch setup.cfg" in sent
    assert all(f"fix number {n}" in sent and f"The cause {n}" in sent for n in range(runs))
    assert f"FAILED tests/test_{runs - 1}_89.py" in sent  # the newest, verbatim
    assert pack.tokens <= 8_000


def test_what_comes_back_keeps_its_bytes_for_some_turns():
    """A limit that fills itself anew at each turn would cost a cache its prefix each time."""
    session = Session()
    bodies = []
    for n in range(60):
        session.user(f"question {n}")
        session.call("search", f'{{"query": "topic {n}"}}', id=f"c{n}")
        session.result(f"c{n}", "\n".join(f"{n}.{i}: a line about topic {n}" for i in range(40)))
        session.assistant(f"answer {n}")
        bodies.append(compile(session, C.fit(9_000), target=WIDE).body)
    same = 0
    for before, after in zip(bodies[30:], bodies[31:], strict=False):
        prefix = next(
            (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), len(before)
        )
        same += prefix >= 0.8 * len(before)
    assert same >= 15


def test_a_failed_call_with_long_arguments_ends_no_agent():
    """What the model itself wrote gives way at the end, like what a tool gave."""
    session = Session("task")
    session.user("write the report")
    session.call("write_file", json.dumps({"path": "a.md", "content": "word " * 3_000}), id="w")
    session.result("w", "Permission denied", error=True)
    session.call("look", "{}", id="l")
    session.result("l", "nothing")
    pack = compile(session, C.budget(1_000), target=WIDE)
    (call, *_) = [m for m in json.loads(pack.body)["messages"] if m.get("tool_calls")]
    arguments = json.loads(call["tool_calls"][0]["function"]["arguments"])
    assert arguments["path"] == "a.md"
    assert len(arguments["content"]) < 3_000
    assert "event://" in arguments["content"]
    assert read_session(json.loads(pack.body)) is not None
