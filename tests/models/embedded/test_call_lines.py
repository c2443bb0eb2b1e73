"""A call in a line of a summary tells what came of it, and no line tells what was."""

import json

import pytest
from msgspec.structs import replace

from contextwright.blocks.of_exchange import block_of
from contextwright.models import embedded
from contextwright.models.embedded.call_lines import call_line, old_calls
from contextwright.models.embedded.statements import statements_in
from contextwright.session import Session, Text, ToolCall, ToolResult
from contextwright.spec.task import Task
from contextwright.text.ref_notes import full_output_note
from contextwright.tokens.counter import named_counter

PASSING = "\n".join(f"tests/test_{n}.py::test_total PASSED" for n in range(20))


def line(name, result, **arguments):
    made = ToolCall(id="c", name=name, arguments=json.dumps(arguments))
    return call_line(made, ToolResult(call_id="c", content=(Text(text=result),)))


def test_a_failure_among_tests_that_passed_is_what_is_told():
    result = f"{PASSING}\nFAILED tests/test_a.py::test_vat - KeyError\n1 failed, 20 passed in 3.1s"

    assert (
        line("bash", result, command="pytest")
        == "bash(pytest) → failed: 1 failed, 20 passed in 3.1s"
    )


def test_an_answer_that_says_no_is_told_as_a_failure():
    result = '{"ok": false, "reason": "slot taken"}'

    assert line("book", result, slot="2") == "book(2) → failed: ok false, reason slot taken"


def test_json_over_several_lines_is_told_by_its_values():
    result = json.dumps({"id": "A1", "refundable": False}, indent=2)

    assert line("get_order", result, id="A1") == "get_order(A1) → id A1, refundable false"


def test_a_table_has_its_rows_behind_its_head():
    assert (
        line("sql", " count \n-------\n   113\n(1 row)", q="c") == "sql(c) → count | 113 | (1 row)"
    )


def test_a_program_that_was_shortened_has_all_of_its_lines():
    shown = "import os\n" + "def run(name):\n    return name\n" * 9
    result = f"{shown}[… 80 lines left out]\n{full_output_note('event://e4#0', 700)}"

    assert line("read", result, path="a.py") == "read(a.py) → 99 lines"


def test_a_dry_run_is_told_as_one():
    assert line("delete", "done", path="a", dry_run=True) == "delete(a, dry_run true) → done"


@pytest.mark.parametrize(
    "lines, old",
    [
        (["get_job(j) → status running", "get_job(j) → status done"], {0}),
        (["get_job(j) → status running", "get_job(j) → failed: timed out"], set()),
        (["get_job(j) → status running", "get_job(k) → status done"], set()),
        (["get_job(j, …) → status running", "get_job(j, …) → status done"], set()),
        (["pay(B, 5) → id p1", "pay(B, 5) → id p2"], set()),
        (["pay(B, 5) → failed: no funds", "user: Again.", "pay(B, 5) → id p2"], {0}),
        (["bash(make) → Error: no rule", "bash(make) → built"], {0}),
        (["bash(make) → built", "bash(make) → Error: no rule"], set()),
    ],
)
def test_lines_that_a_later_call_of_the_same_makes_old(lines, old):
    assert old_calls(lines) == old


def test_what_says_where_the_whole_is_is_nobodys_sentence():
    session = Session()
    session.assistant(f"It is moved.\n{full_output_note('event://e4#0', 129)}")
    (exchange,) = session.snapshot().exchanges()

    assert [one.text for one in statements_in(block_of(exchange), 0)] == ["It is moved."]


def test_a_job_that_is_done_is_not_summarized_as_running():
    session = Session()
    session.user("Run the export.")
    for n, status in enumerate(("queued", "running", "running", "done")):
        session.call("get_job", '{"job": "j1"}', id=f"c{n}")
        session.result(f"c{n}", json.dumps({"job": "j1", "status": status, "log": "row " * 40}))
    task = Task(kind="summary", blocks=tuple(map(block_of, session.snapshot().exchanges())))
    before = "get_job(j1) → job j1, status queued"
    for previous in ("", before):
        task = replace(task, previous=previous, max_tokens=200)
        summary = embedded.answer(task, count=named_counter("o200k_base").count).value

        assert "status done" in summary
        assert "running" not in summary and "queued" not in summary
