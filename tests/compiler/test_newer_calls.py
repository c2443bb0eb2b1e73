"""A note tells what is, not what was: of the same call again only the newest answer."""

import json

import pytest

from contextwright import C, Engine, Session
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.steps.newer_calls import NewerCalls, subjects_of

FILLER = "the night crew swept the yard and counted crates of apples near the gate "


def call(session, name, result, **arguments):
    id = f"c{session.snapshot().position}"
    session.call(name, json.dumps(arguments), id=id)
    session.result(id, result if isinstance(result, str) else json.dumps(result))


def sent_behind_much(session, budget=2500):
    """The messages of the last request, behind enough that what came before is in a note."""
    engine = Engine(
        C.default() | C.compaction(budget), "gpt-5", window=1_000_000, reserved_output=0
    )
    session.user("Now list what the yard has.")
    for number in range(30):
        call(session, "list_yard", FILLER * 8, row=number)
        messages = engine.compile(session).request["messages"]
    return next(m["content"] for m in messages if "context_block" in str(m["content"]))


def polled(*states, last="The export is done: 7 rows."):
    session = Session()
    session.add("system", "You run jobs.")
    session.user("Run the export and tell me how many rows it has.")
    call(session, "start_job", {"job": "j1", "status": "queued"}, job="export")
    for number, state in enumerate(states):
        answer = {"job": "j1", "status": state, "rows": number, "log": FILLER}
        call(session, "get_job_status", answer, job="j1")
    session.assistant(last)
    return session


def test_a_job_that_is_done_is_not_told_as_running():
    note = sent_behind_much(polled("queued", "running", "running", "done"))

    assert "status running" not in note
    assert note.count("get_job_status") <= 1


def test_what_came_of_the_task_is_told_behind_it():
    assert "The export is done: 7 rows." in sent_behind_much(polled("running", "done"))


def blocks_of(*calls):
    session = Session()
    session.user("Go on.")
    for name, result, arguments in calls:
        call(session, name, result, **arguments)
    blocks = [block_of(exchange) for exchange in session.snapshot().exchanges()]
    return blocks[1:]


def outdated(*calls):
    newer, blocks = NewerCalls(), blocks_of(*calls)
    for block in blocks:
        newer.append(block)
    stop = len(blocks)
    return [at for at, block in enumerate(blocks) if newer.is_outdated(block, at, stop)]


READ = ("get_order", '{"id": "A", "status": "open"}', {"id": "A"})
CANCELLED = ("get_order", '{"id": "A", "status": "cancelled"}', {"id": "A"})
TIMEOUT = ("get_order", "Error: timed out", {"id": "A"})
PAY = ("pay", '{"id": "p1"}', {"to": "B", "amount": 5})
DENIED = ("pay", "Error: no funds", {"to": "B", "amount": 5})


def weights(a, b):
    return "set_weights", '{"state": "applied"}', {"service": "web", "a": a, "b": b}


def ticket(**values):
    return "update_ticket", "ok", {"ticket": "Q-7", **values}


def cell(**values):
    return "set_cell", "ok", {"sheet": "Stock", **values}


@pytest.mark.parametrize(
    "calls, expected",
    [
        ((READ, CANCELLED), [0]),
        ((READ, ("get_order", "{}", {"id": "B"})), []),
        ((READ, TIMEOUT), []),  # what it was to say, the older one may say still
        ((TIMEOUT, READ), [0]),
        ((TIMEOUT, TIMEOUT), [0]),
        ((PAY, PAY), []),  # both happened
        ((("update_status", "ok", {"to": "sent"}),) * 2, []),
        ((("check_out", "ok", {}),) * 2, []),
        ((("checkStatus", "ok", {}),) * 2, [0]),
        ((DENIED, PAY), [0]),
        ((PAY, DENIED), []),
        ((weights(40, 20), weights(47, 5)), [0]),
        ((weights(40, 20), ("set_weights", "ok", {"service": "mail", "a": 1, "b": 2})), []),
        ((weights(40, 20), ("set_weights", "Error: no", {"service": "web", "a": 1, "b": 2})), []),
        ((ticket(priority="low"), ticket(priority="high")), [0]),
        ((ticket(priority="low"), ticket(status="closed")), []),  # it is low still
        ((ticket(priority="low"), ticket(priority="high", status="closed")), [0]),
        ((ticket(priority="low", status="open"), ticket(priority="high")), []),
        ((cell(row=1, value=5), cell(row=2, value=7)), []),  # two cells
        ((cell(row=1, value=5), cell(row=1, value=7)), [0]),
        ((("add_hours", "ok", {"person": "Mia", "hours": 4}),) * 2, []),
        (
            (("update_notes", "ok", {"text": "it rains"}), ("update_notes", "ok", {"text": "no"})),
            [],
        ),
    ],
)
def test_what_the_same_call_again_makes_old(calls, expected):
    assert outdated(*calls) == expected


def test_a_file_that_was_written_anew_is_what_it_holds_by_now():
    first = ("write_file", "ok", {"path": "a.md", "content": "one\ntwo"})
    second = ("write_file", "ok", {"path": "a.md", "content": "three\nfour"})
    edit = ("edit", "ok", {"path": "a.md", "old_str": "one", "new_str": "five"})

    assert outdated(first, second) == [0]
    assert outdated(first, edit) == []
    assert outdated(edit, second) == []
    assert subjects_of(blocks_of(edit)[0]) == ()


def test_what_was_forgotten_makes_nothing_old():
    newer, blocks = NewerCalls(), blocks_of(READ, CANCELLED)
    for block in blocks:
        newer.append(block)
    assert not newer.is_outdated(blocks[0], 0, 1)
    newer.truncate(1)

    assert not newer.is_outdated(blocks[0], 0, 2)
    newer.append(blocks[1])
    assert newer.is_outdated(blocks[0], 0, 2)


def test_what_was_set_last_is_told_with_its_names_and_nothing_that_was_set_before():
    session = Session()
    session.add("system", "You screen records.")
    session.user("Screen all records, and keep the counts.")
    for done in (100, 200, 300):
        call(session, "read_records", FILLER * 6, start=done)
        counts = {"path": "protocol.md", "screened": done, "included": done // 5}
        call(session, "update_protocol", '{"saved": true}', **counts)
    session.assistant("That is all.")
    note = sent_behind_much(session)
    assert "update_protocol protocol.md screened 300 included 60" in note
    assert note.count("update_protocol") == 1
