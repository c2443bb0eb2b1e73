"""A call in a line of a summary: what it was made with, and what it gave; and which lines a later
call of the same makes old."""

import re
from collections.abc import Sequence

from contextwright.session.call_kind import tells_states
from contextwright.session.event import ToolCall, ToolResult
from contextwright.session.failure import is_failure
from contextwright.text.call_outcome import different_values
from contextwright.text.cut import beginning
from contextwright.text.json_rows import json_rows, loaded, without_blanks
from contextwright.text.log_lines import severity
from contextwright.text.page_snapshot import is_page, page_line
from contextwright.text.ref_notes import END_NOTE
from contextwright.text.source_outline import is_code
from contextwright.text.table_rows import is_in_columns, table_line

ROWS, TABLE, PAGE, TEXT_LINE = 480, 240, 200, 120
"""Characters of what a call gave: rows of JSON, of which each value may be asked for again, a table
in text, or one line of another. With 240 of JSON, recorded service sessions have .61 of their later
calls' values in sight behind `C.summarize()`, with 480 .73, with 800 no more."""
ARGUMENTS = 160
"""Characters of what a call was made with."""
FEW, SAMPLE = 8, 40
"""Lines from which on a program is told by their number, and those that show that it is one."""
READ = 20_000
"""Characters of one result that are looked at."""
CELLS = ("|", "\t")
"""Marks between the cells of a table's head."""
FAILED = "failed: "
_TELLING = re.compile(r"error|fail|exception|passed|success|denied|not found", re.IGNORECASE)
_MARK = re.compile(r"\W*$|\[(?:…|\.\.\.|full output)|\(\d+ more ")
"""A ruler, or what says that something was left out."""
_NOTE, _GAP = re.compile(r"\s*\[(?:…|full output)"), re.compile(r"\[… (\d+) lines?\b")
_LEFT_OUT = re.compile(r"\[… \d|^[\w./-]+:(?:\d+:)?\S", re.MULTILINE)
"""How many lines or sentences are missing, or a hit of a search: no JSON in few words has these."""
_ERROR = re.compile(r"\W*(?:\w*error|fatal|failed|\w*exception)\b", re.IGNORECASE)
_CALL = re.compile(rf"(([\w.:-]+)\(.*?\)) → ({FAILED})?")


def call_line(made: ToolCall, result: ToolResult | None) -> str:
    """A call with what it gave."""
    text = f"{made.name}({_arguments(made)})"
    if result is None:
        return text
    failed = is_failure(result, made)
    outcome = _outcome(result.text[:READ], failed)
    return f"{text} → {FAILED if failed and not is_error(outcome) else ''}{outcome}"


def old_calls(lines: Sequence[str]) -> set[int]:
    """Places of lines of calls that were made again later, of which the later line says all that
    is: of a call that reads, the newest answer; of one that failed, whatever came of the next."""
    old = set[int]()
    answered, failed = set[str](), set[str]()
    for place in reversed(range(len(lines))):
        if (match := _CALL.match(lines[place])) is None:
            continue
        call, name, mark = match.groups()
        has_failed = mark is not None or is_error(lines[place][match.end() :])
        known = answered | failed if has_failed else answered
        if "…" in call:
            continue  # what it was made with is not told whole
        if call in known and (has_failed or tells_states(name)):
            old.add(place)
        (failed if has_failed else answered).add(call)
    return old


def is_call_line(line: str) -> bool:
    """Whether a line of a summary is a call with what it gave: one thing, however many sentences
    stand in it."""
    return _CALL.match(line) is not None


def is_error(outcome: str) -> bool:
    """Whether what came of a call begins as an error does."""
    return _ERROR.match(outcome) is not None


def _arguments(made: ToolCall) -> str:
    """The short values of a call's arguments, such as paths and ids, or the beginning of what it
    has: what was written stands in the file, or comes back."""
    every = different_values(made.arguments)
    short = [value for value in every if not value.endswith("…")]
    is_less = bool(short) and len(short) < len(every) and tells_states(made.name)
    return beginning(", ".join([*(short or every[:1]), *["…"] * is_less]), ARGUMENTS)


def _outcome(text: str, failed: bool) -> str:
    """What a result says in a line: the values of JSON, how many lines a program has, the line that
    tells how it went, the rows of a table, or its beginning."""
    value = loaded(text)
    if value is None and text.lstrip()[:1] in ("{", "["):  # it may be spread over lines
        value = loaded(without_blanks(text))
    if value is not None and (rows := json_rows(value)):
        return beginning(rows, ROWS)
    if is_page(text):
        return page_line(text, PAGE)
    lines = [line for one in text.split("\n") if not _MARK.match(line := one.strip())]
    if not failed and len(lines) > FEW and is_code(lines[:SAMPLE]):
        return f"{_line_count(text)} lines"
    if telling := _telling(lines, failed):
        return beginning(telling, TEXT_LINE)
    every = " ".join(" | ".join(lines).split()) or "nothing"
    if len(lines) > 2 and is_in_columns(lines[:SAMPLE]):
        return table_line(text, TABLE)
    is_table = len(lines) > 1 and any(mark in lines[0] for mark in CELLS)
    if END_NOTE.search(text) and not _LEFT_OUT.search(text):
        return beginning(every, ROWS)  # JSON, of which the lines that there was room for are left
    if len(every) <= TEXT_LINE or is_table:
        return beginning(every, TABLE)
    return beginning(lines[0], TEXT_LINE)


def _telling(lines: Sequence[str], failed: bool) -> str:
    """The last line that tells how it went; of what failed, the last of an error, where one does:
    among tests that passed it is what counts."""
    telling = [line for line in lines if _TELLING.search(line)]
    errors = [line for line in telling if severity(line) == 0] if failed else []
    return (errors or telling or [""])[-1]


def _line_count(text: str) -> int:
    """Lines of a text, those with them that were left out of it."""
    shown = sum(not _NOTE.match(line) for line in text.rstrip().split("\n"))
    return shown + sum(int(number) for number in _GAP.findall(text))
