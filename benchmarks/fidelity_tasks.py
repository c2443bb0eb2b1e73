"""What is left of tasks after many compactions: of a list that an agent keeps by calls, and of what
ends long after it was asked for."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from benchmarks.economy_baselines import exchanges_of
from benchmarks.economy_metrics import Message, tokens_of
from benchmarks.economy_own import by_engine
from benchmarks.fidelity_methods import (
    METHODS,
    Method,
    assistant,
    budget_of,
    recorded,
    requests,
    user,
)
from contextwright import C

LISTED, WRITTEN = 20, 16
"""Items of a to-do list that an agent keeps by calls, and how many times it writes it: each time one
item more is done. One of five of what is over was cancelled."""
LISTS_IN = ("pi_coding", "tau_chained", "swe_agent")
STATUS = re.compile(r"pending|in_progress|completed|cancelled")
LABEL = re.compile(r"(?:In progress|To do|Blocked|Cancelled|Done): ")
STATUS_WITHIN, LABEL_WITHIN = 60, 1_500
"""Characters behind an item's name in which a call gives its status, and in front of it in which a
line does."""
RECITED: dict[str, Callable[[int], Method]] = {
    "`C.budget` with `C.recite`": lambda budget: by_engine(
        (C.default() + C.recite()) | C.budget(budget)
    ),
}


BEGINS = (
    "Please migrate table {0}.",
    "Task: {0} needs a new index.",
    "Can you look into {0}?",
    "TODO: clean up {0}.",
    "I need {0} refactored.",
)
ANSWERS = (
    "Started on {0}.",
    "On it, {0} is next in line.",
    "Looking into {0} now.",
    "Added {0} to my list.",
    "Will do.",
)
ENDS = (
    "{0} is finished.",
    "Update: {0} done, all tests pass.",
    "Completed: {0}.",
    "{0} is fixed and merged.",
    "Cancel {0}, we don't need it.",
    "{0} is off, forget it.",
)
AGENTS_ENDS = 4
"""So many of these an agent says."""
LATE, LATER = 20, 40
"""Tasks that end late, and how many exchanges later."""


class ListSurvivors(NamedTuple):
    """How many items of a to-do list that are open the last request tells as such, and how many that
    are over look open where they are named last."""

    open: int
    over: int
    tokens: int


def list_calls() -> Iterator[list[Message]]:
    """What an agent writes of its list, one item further each time."""
    for now in range(WRITTEN):
        ended = ["cancelled" if n % 5 == 4 else "completed" for n in range(now)]
        states = [*ended, "in_progress", *["pending"] * (LISTED - now - 1)]
        items = [
            {"content": f"Port item{n}x to the new API", "status": state, "activeForm": "Porting"}
            for n, state in enumerate(states)
        ]
        function = {"name": "TodoWrite", "arguments": json.dumps({"todos": items})}
        call = {"id": f"todo{now}", "type": "function", "function": function}
        yield [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "Todos have been modified."},
        ]


def with_list(messages: list[Message]) -> list[Message]:
    """The session in whose first three quarters an agent keeps a list."""
    exchanges, calls = exchanges_of(messages), list(list_calls())
    every = max(1, len(exchanges) * 3 // 4 // len(calls))
    made: list[Message] = []
    for at, places in enumerate(exchanges):
        made += [messages[place] for place in places]
        made += calls.pop(0) if at and at % every == 0 and calls else []
    return [*made, user("What is next?")]


def list_survivors(sent: list[Message]) -> ListSurvivors:
    """What a request says of each item, where it is named last."""
    text = "\n".join(json.dumps(one) for one in sent).replace("\\", "")
    looks_open = [_looks_open(text, f"item{n}x") for n in range(LISTED)]
    over = WRITTEN - 1
    return ListSurvivors(sum(looks_open[over:]), sum(looks_open[:over]), sum(map(tokens_of, sent)))


def _looks_open(text: str, name: str) -> bool:
    """Whether an item is open where it is named last: by its status, or its part of a line."""
    place = text.rfind(name)
    if place < 0:
        return False
    status = STATUS.search(text[place : place + STATUS_WITHIN])
    label = [*LABEL.finditer(text[max(0, place - LABEL_WITHIN) : place])]
    said = status[0] if status else label[-1][0] if label else "open"
    return said in {"pending", "in_progress", "In progress: ", "To do: ", "open"}


def with_late_ends(messages: list[Message]) -> list[Message]:
    """The session in whose first half tasks begin, each of which ends so many exchanges later."""
    exchanges = exchanges_of(messages)
    every = max(1, (len(exchanges) // 2 - LATER) // LATE)
    begins = {1 + n * every: n for n in range(LATE)}
    ends = {min(at + LATER, len(exchanges) - LATE + n): n for at, n in begins.items()}
    made: list[Message] = []
    for at, places in enumerate(exchanges):
        made += [messages[place] for place in places]
        if (n := begins.get(at)) is not None:
            made += [user(_begun(n)), assistant(ANSWERS[n % len(ANSWERS)].format(f"late{n}x"))]
        if (n := ends.get(at)) is not None:
            is_users = n % len(ENDS) >= AGENTS_ENDS
            made += [user(_ended(n)), assistant("OK.")] if is_users else [assistant(_ended(n))]
    return [*made, user("What is next?")]


def _begun(n: int) -> str:
    return BEGINS[n % len(BEGINS)].format(f"late{n}x")


def _ended(n: int) -> str:
    return ENDS[n % len(ENDS)].format(f"late{n}x")


def late_open(sent: list[Message]) -> int:
    """Of how many a request has what began them, and not what ended them."""
    text = "\n".join(json.dumps(one) for one in sent)
    began = [_begun(n) in text or _promised(n) in text for n in range(LATE)]
    return sum(is_there and _ended(n) not in text for n, is_there in enumerate(began))


def _promised(n: int) -> str:
    answer = ANSWERS[n % len(ANSWERS)]
    return answer.format(f"late{n}x") if "{" in answer else _begun(n)


def measured_tasks(name: str) -> dict[str, Any]:
    """What each method leaves of tasks in a file's session."""
    listed, late, rows = with_list(recorded(name)), with_late_ends(recorded(name)), list[Any]()
    for label, make in (METHODS | RECITED).items():
        *_, last = requests(listed, make(budget_of(name)))
        (*_, behind) = requests(late, make(budget_of(name)))
        found = {"late": late_open(behind), **list_survivors(last)._asdict()}
        rows.append({"method": label, **found})
        print(name, rows[-1], flush=True)
    return {"file": name, "budget": budget_of(name), "messages": len(listed), "rows": rows}


def task_table(parts: list[dict[str, Any]]) -> Iterator[str]:
    """All files beside each other."""
    yield HEAD.format(LISTED, WRITTEN, LISTED - WRITTEN + 1, WRITTEN - 1, LATE, LATER)
    yield "| | " + " | ".join(f"{part['file']}: open | over | late" for part in parts) + " |"
    yield "| --- |" + " ---: | ---: | ---: |" * len(parts)
    for rows in zip(*(part["rows"] for part in parts), strict=True):
        cells = [
            f"{row['open']} of {LISTED - WRITTEN + 1} | {row['over']} | {row['late']}"
            for row in rows
        ]
        yield f"| {rows[0]['method']} | {' | '.join(cells)} |"


HEAD = """## Lists of what is to be done, and tasks that end late

Coding agents write a list of what is to be done with `TodoWrite`, `update_plan` or `write_todos`, whole each time. Here one of {} items is written {} times in the first three quarters of
a session, one item further each time; {} are open at its end, and {} were done or cancelled ([ADR 179](../adr/0179-a-to-do-list-is-told-as-it-is-by-now.md)). In the same sessions {} tasks are asked for in the first half,
answered by "Started on it" or the like, and each is done or called off {} exchanges later ([ADR 183](../adr/0183-what-ended-late-is-told-with-its-end.md)).

- **open**: items that are open, and that the last request tells as such.
- **over**: items that are over, and look open where they are named last.
- **late**: tasks whose beginning the request has, and whose end it has not.
"""
