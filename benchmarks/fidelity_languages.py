"""What is left after many compactions of what users said in twelve other languages than English.

The sentences of `statements_in_twelve_languages.json` were written by somebody who saw no wording of
ours, and are not looked at when wordings are added.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.economy_metrics import Message, tokens_of
from benchmarks.fidelity_methods import (
    METHODS,
    Method,
    assistant,
    budget_of,
    recorded,
    requests,
    spread,
    user,
)

STATEMENTS: dict[str, Any] = json.loads(
    Path(__file__).with_name("statements_in_twelve_languages.json").read_text(encoding="utf-8")
)
"""By language: what holds (`rules`, `decisions`, `heard`, `beside` a request), how it is answered, and
what ends (`finished`, `cancelled`, `tasks_late`). `{0}` stands for a name."""
FILE = "pi_coding"
"""The session of a coding agent with few words of its own user's."""
HOLDS = {"rule": "rules", "choice": "decisions", "fact": "heard", "aside": "beside"}
LATER = 6
"""Rounds behind a request in which its end comes late."""
HEAD_CHARS = 40
"""Characters by which a sentence is found again: notes cut long ones."""
WITHOUT = ("clearing in steps, to .75", "dropping in steps, to .5")
"""Methods that keep none of it by their meaning."""


def planted_turns(said: dict[str, Any]) -> Iterator[list[Message]]:
    """What is put in of a language, a turn each."""
    answers = iter(said["acknowledged"] * 10)
    late: dict[int, list[Message]] = {}
    for n in range(max(len(said[kind]) for kind in HOLDS.values()) + LATER):
        for mark in ("rule", "choice", "fact"):
            if n < len(said[HOLDS[mark]]):
                words = said[HOLDS[mark]][n].format(f"{mark}{n}x")
                yield [user(words), assistant(next(answers))]
        if n < len(said["beside"]):
            words = said["beside"][n].format(f"aside{n}x", n)
            yield [user(words), assistant(said["finished"][n][1].format(f"part{n}"))]
        if n < len(said["finished"]):
            request, end = _named(said["finished"][n], f"task{n}x")
            yield [user(request), assistant(end)]
        if n < len(said["cancelled"]):
            request, answer, end = _named(said["cancelled"][n], f"stopped{n}x")
            yield [user(request), assistant(answer), user(end), assistant(next(answers))]
        if n < len(said["tasks_late"]):
            request, answer, end = _named(said["tasks_late"][n], f"late{n}x")
            yield [user(request), assistant(answer)]
            late[n + LATER] = [assistant(end)]
        if n in late:
            yield late[n]


def _named(sentences: list[str], name: str) -> list[str]:
    return [sentence.format(name) for sentence in sentences]


def ended(said: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """What is asked for, and what says that it is over."""
    for kind, mark in (("finished", "task"), ("cancelled", "stopped"), ("tasks_late", "late")):
        for n, sentences in enumerate(said[kind]):
            request, *_, end = _named(sentences, f"{mark}{n}x")
            yield request, end


def survivors(said: dict[str, Any], method: Method) -> Counter[str]:
    """How many names the last request has, by kind; what ended and looks as if it had not."""
    *_, last = requests(spread(recorded(FILE), list(planted_turns(said))), method)
    text = "\n".join(one["content"] for one in last)
    left = Counter(
        {
            kind: sum(f"{mark}{n}x" in text for n in range(len(said[kind])))
            for mark, kind in HOLDS.items()
        }
    )
    left["open"] = sum(
        request[:HEAD_CHARS] in text and end[:HEAD_CHARS] not in text
        for request, end in ended(said)
    )
    left["tokens"] = sum(map(tokens_of, last))
    return left


def measured_languages() -> dict[str, Any]:
    """What each method leaves, over all languages."""
    rows = []
    for label, make in METHODS.items():
        if label in WITHOUT:
            continue
        left = Counter[str]()
        for said in STATEMENTS.values():
            left.update(survivors(said, make(budget_of(FILE))))
        rows.append({"method": label, **left})
        print(FILE, rows[-1], flush=True)
    kinds = (*HOLDS.values(), "finished", "cancelled", "tasks_late")
    planted_of = {kind: sum(len(said[kind]) for said in STATEMENTS.values()) for kind in kinds}
    return {"file": FILE, "languages": list(STATEMENTS), "planted": planted_of, "rows": rows}


def language_table(found: dict[str, Any]) -> Iterator[str]:
    """A line for each method."""
    planted_of, languages = found["planted"], len(found["languages"])
    over = planted_of["finished"] + planted_of["cancelled"] + planted_of["tasks_late"]
    yield HEAD.format(", ".join(found["languages"]), found["file"])
    yield "| | rules | decisions | only heard | beside a request | ended, shown as open | tokens |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for row in found["rows"]:
        cells = [f"{row.get(kind, 0)} of {planted_of[kind]}" for kind in HOLDS.values()]
        tokens = f"{row['tokens'] // languages:,}"
        yield f"| {row['method']} | {' | '.join(cells)} | {row['open']} of {over} | {tokens} |"
    yield ""


HEAD = """## In other languages

The same in twelve languages ({}), a session of {} each, all in one table. The sentences were written by somebody who saw no wording of ours. Where a message is in another language than English, all of it but questions may hold, and stands with what came of it; what has words of
a rule or a decision comes first ([ADR 184](../adr/0184-in-other-languages-all-may-hold.md)). "tokens" is the mean of the last requests.
"""
