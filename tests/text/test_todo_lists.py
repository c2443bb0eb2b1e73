"""To-do lists told by the shape of calls, whoever's tools these are."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright.text.todo_lists import (
    TodoItem,
    TodoList,
    is_todo_tool,
    list_key,
    todo_list_in,
    todo_update,
)

BOXES = "[x] read it\n[-] port it\n[ ] test it"
PORTED = "1 of 3 done. In progress: port it. To do: test it. Done: read it"
STATES = ("completed", "in_progress", "pending")
TEXTS = ("read it", "port it", "test it")


def items(text, states=STATES, **more):
    return [{text: one, "status": state, **more} for one, state in zip(TEXTS, states, strict=True)]


def told(tool, arguments, result="ok", most=400):
    update = todo_update(tool, json.dumps(arguments), result)
    return TodoList(tool).after(update).line(most, len) if update is not None else None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("TodoWrite", {"todos": items("content", activeForm="Working")}),
        ("update_plan", {"explanation": "So far.", "plan": items("step")}),
        ("write_todos", {"todos": items("description")}),
        ("todowrite", {"todos": items("content", priority="high")}),
        ("write_todos", {"todos": json.dumps(items("content"))}),
        ("update_todo_list", {"todos": BOXES}),
        ("mcp__todo__write", {"content": BOXES.replace("[", "- [")}),
        (
            "manage_todo_list",
            {"todoList": items("title", ("Completed", "in-progress", "not-started"))},
        ),
        ("set_checklist", {"items": [{"text": "read it", "done": True}, *items("text")[1:]]}),
    ],
)
def test_a_list_is_told_by_its_shape(tool, arguments):
    assert told(tool, arguments) == f"{tool}: {PORTED}"


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        ("update_order", {"items": items("name")}, "ok"),
        ("task", {"description": "port it", "prompt": "Port it.", "status": "quick"}, "Done."),
        ("Task", {"description": "port it", "prompt": "Port it."}, "It is #3 of the list."),
        ("write_plan", {"path": "plan.md", "content": BOXES}, "ok"),
        ("task_tracker", {"command": "view", "task_list": []}, "1. [x] read it"),
        ("update_plan", {"plan": [{"step": "fly", "status": "overbooked"}]}, "ok"),
        ("update_plan", {"plan": ["fly", "sleep"]}, "ok"),
        ("update_task", {"id": 3, "status": "done", "due": "May"}, "row " * 80),
        ("update_plan", "no JSON", "ok"),
    ],
)
def test_what_has_another_shape_is_no_list(tool, arguments, result):
    assert told(tool, arguments, result) is None


def test_things_to_do_that_come_one_by_one_are_one_list():
    calls = (
        ("TaskCreate", {"subject": "read it"}, "Task #1 created successfully: read it"),
        ("TaskCreate", {"subject": "port it"}, "Task #2 created successfully: port it"),
        ("TaskUpdate", {"taskId": "1", "status": "completed"}, "Updated task #1 status"),
        ("TaskUpdate", {"taskId": "2", "status": "in_progress"}, "Updated task #2 status"),
    )
    listed = TodoList("TaskUpdate")
    for tool, arguments, result in calls:
        assert list_key(tool) == list_key("TaskUpdate")
        update = todo_update(tool, json.dumps(arguments), result)
        assert not update.whole
        listed = listed.after(update)
    line = "TaskUpdate: 1 of 2 done. In progress: #2 port it. Done: #1 read it"
    assert listed.line(200, len) == line


def test_a_call_that_merges_leaves_what_it_does_not_name():
    whole = {"merge": False, "todos": [{"id": "a", "content": "read it", "status": "pending"}]}
    part = {"merge": True, "todos": [{"id": "a", "status": "completed"}]}
    listed = TodoList("todo_write")
    for arguments in (whole, part):
        listed = listed.after(todo_update("todo_write", json.dumps(arguments), "ok"))
    assert listed.items == (TodoItem("read it", "done", "a"),)


def test_a_result_that_says_more_is_not_all():
    arguments = json.dumps({"tasks": items("title")})
    news = " ".join(f"record{n} of owner{n}" for n in range(20))
    assert todo_update("update_tasks", arguments, "3 tasks are stored.").is_all
    assert not todo_update("update_tasks", arguments, news).is_all


def test_with_less_room_what_is_over_goes_first_and_how_far_it_is_last():
    listed = TodoList("plan", tuple(TodoItem(f"part {n}", "done") for n in range(9)))
    listed = TodoList("plan", (*listed.items, TodoItem("next", "doing"), TodoItem("last", "open")))
    lines = [listed.line(most, len) for most in (400, 100, 60, 45, 20, 5)]
    assert lines == [
        "plan: 9 of 11 done. In progress: next. To do: last. Done: "
        + "; ".join(f"part {n}" for n in range(9)),
        "plan: 9 of 11 done. In progress: next. To do: last. Done: part 6; part 7; part 8; 6 more",
        "plan: 9 of 11 done. In progress: next. To do: last",
        "plan: 9 of 11 done",
        "plan: 9 of 11 done",
        "",
    ]


TEXT = st.text(st.sampled_from("ab;. :#\nDone: To do"), min_size=1, max_size=30)
STATUS = st.sampled_from(("doing", "open", "blocked", "dropped", "done"))
ITEM = st.builds(TodoItem, TEXT, STATUS, st.sampled_from(("", "7", "t-1")))


@given(st.lists(ITEM, max_size=12), st.integers(10, 400))
def test_what_is_told_is_read_again(some, most):
    """No wording of an item is taken for another one, or for its status."""
    listed = TodoList("TodoWrite", tuple(some))
    whole = listed.line(10_000, len)
    read = todo_list_in(whole)
    assert read.line(10_000, len) == whole
    assert sorted(item.status for item in read.items) == sorted(item.status for item in some)
    line = listed.line(most, len)
    assert len(line) <= most
    if line:
        assert todo_list_in(line).progress == listed.progress


@pytest.mark.parametrize("text", ["Done: all.", "user: 3 of 4 done", "Pages: 3 of 4 done."])
def test_other_lines_tell_no_list(text):
    assert todo_list_in(text) is None


def test_tools_named_for_other_things_are_not_looked_at():
    assert not any(map(is_todo_tool, ("read", "update_order", "multitasking", "explain")))
