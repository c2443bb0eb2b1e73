"""A task that has a label is over where a tool's result gives such a status of it."""

import pytest

from contextwright.text.task_statuses import LONGEST, gives_end, may_give_ends, task_label


@pytest.mark.parametrize(
    ("request_", "label"),
    [
        ("OPS-17: patch the gateway.", "ops-17"),
        ("Next: patch the gateway (OPS-17).", "ops-17"),
        ("Task 4: patch the gateway.", "task 4"),
        ("Patch the gateway.", ""),
    ],
)
def test_a_request_is_called_by_its_ticket_or_its_first_words(request_, label):
    assert task_label(request_) == label


@pytest.mark.parametrize(
    "result",
    [
        '{"id": "OPS-17", "state": "done"}',
        '{"id": "OPS-17", "title": "patch the gateway", "state": "Cancelled by requester"}',
        "OPS-17 -> closed",
        "OPS-17: in_progress -> done",
        "2 rows changed\nOPS-17 resolved",
        '{"id": "OPS-16", "state": "open"} {"id": "OPS-17", "state": "completed"}',
        "OPS-17: done\nOPS-18: open",
        '[{"id": "OPS-17", "state": "closed"}, {"id": "OPS-18", "state": "in_progress"}]',
    ],
)
def test_a_status_behind_the_label_ends_it(result):
    assert may_give_ends(result)
    assert gives_end("ops-17", (result,))


@pytest.mark.parametrize(
    "result",
    [
        '{"id": "OPS-17", "state": "in_progress"}',
        '{"id": "OPS-17", "state": "open"}, {"id": "OPS-18", "state": "done"}',
        "OPS-171 done",
        "OPS-17 is not done",
        "done: reopened OPS-17",
        "OPS-17: closed -> reopened",
    ],
)
def test_another_status_or_that_of_another_task_does_not(result):
    assert not gives_end("ops-17", (result,))


def test_a_long_result_is_a_list_or_a_page():
    assert not may_give_ends("row\n" * LONGEST + "OPS-17 done")
