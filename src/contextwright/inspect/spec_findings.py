"""What is wrong with a spec as it is typed: the checker's findings with their place in the text,
and the fix as an edit where there is one."""

import re
from typing import Any

from contextwright.check.contract import check
from contextwright.check.pipeline import AgentStep
from contextwright.errors import SpecError
from contextwright.inspect.spec_edits import as_it_reads
from contextwright.spec.expr import Expr
from contextwright.words import parse

_UNKNOWN = re.compile(r"(?:option|word) '(\w+)'")
_MEANT = re.compile(r"did you mean (\w+)")
_PLACE = re.compile(r"line (\d+), column (\d+)")


def read_spec(text: str, model: str) -> tuple[Expr | None, list[dict[str, Any]]]:
    """A spec, None where the text is none, and what the checker says of it.

    Returns:
        Findings with `severity`, `code`, `what`, `fix`, `line` and `column` counted from 1, and
        `edit`: start, stop and the text that goes there, or None.
    """
    line = text.replace("\n", " ")  # an editor's lines need no parentheses
    try:
        spec = parse(line)
    except SpecError as error:
        where = str(error.where or "")
        return None, [
            _finding(text, "error", "unreadable", error.what, where, str(error.fix or ""))
        ]
    report = check((AgentStep(agent="agent", spec=spec, source=line),), model=model)
    return spec, [
        _finding(text, one.severity, one.code, one.what, one.where, one.fix)
        for one in (*report.errors, *report.warnings)
    ]


def _finding(
    text: str, severity: str, code: str, what: str, where: str, fix: str
) -> dict[str, Any]:
    start, edit = 0, None
    unknown, meant = _UNKNOWN.search(what), _MEANT.search(fix)
    word = re.search(rf"\b{unknown[1]}\b", text) if unknown is not None else None
    place = _PLACE.search(where)
    if word is not None:
        start = word.start()
        edit = [start, word.end(), meant[1]] if meant is not None else None
    elif place is not None:
        lines = text.splitlines(keepends=True)[: int(place[1]) - 1]
        start = sum(map(len, lines)) + int(place[2]) - 1
    elif (word_of := re.search(r"C\.\w+", where)) is not None:
        start = max(0, text.find(word_of[0]))
    if code == "precedence":
        edit = as_it_reads(text, where)
    elif code == "unbounded":
        edit = [len(text.rstrip()), len(text), " | C.compaction()"]
    before = text[:start]
    return {
        "severity": severity,
        "code": code,
        "what": what,
        "fix": fix,
        "line": before.count("\n") + 1,
        "column": start - (before.rfind("\n") + 1) + 1,
        "edit": edit,
    }
