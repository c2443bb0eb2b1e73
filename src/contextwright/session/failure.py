"""Whether a tool failed.

A provider's flag decides where there is one. Formats without a flag, OpenAI's above all, leave the
text: exit codes, and the shapes in which shells, test runners, languages, HTTP and JSON APIs say
that they failed. The first word alone says nothing: a page about errors is no error.
"""

import re
from typing import Any

from contextwright.memo.ownership import cached_text
from contextwright.session.call_kind import kind_of
from contextwright.session.event import ToolCall, ToolResult
from contextwright.session.json_text import json_value

HEAD, TAIL = 2_000, 2_000
"""Characters at both ends that are looked at: a failure is said first or last."""
MAX_JSON = 20_000
"""Characters of JSON that is read whole; an error is shorter."""

_BEGINS = re.compile(
    r"\s*(?:\{\s*\"error\"\s*:\s*(?:\"[^\"]|\{\s*\")|(?:error|fatal|failure|exception|failed)\s*(?::(?!\s*\d+\s*$)|!|$)"
    r"|error (?:executing|calling|invoking|running|parsing|reading|opening|while|during|in tool"
    r"|occurred|code|\d{3,5}\b)"
    r"|(?:failed|unable) to [a-z]+"
    r"|(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)\b(?:\s*[:(]|\s*$)"
    r"|traceback \(most recent call last\)|<tool_use_error>|mcp error|panic: "
    r"|http(?:/[\d.]+)? (?:error:? )?[45]\d\d\b|[45]\d\d (?:client|server) error\b"
    r"|(?:400 bad request|401 unauthorized|403 forbidden|404 not found|429 too many"
    r"|500 internal server|502 bad gateway|503 service))",
    re.IGNORECASE | re.MULTILINE,
)
"""How a text begins that says nothing else."""
_EXIT = re.compile(
    r"^\W*(?:process |command |program )?(?:exited with (?:exit )?(?:code|status)|exit(?:ed)?"
    r"[ _-]?(?:code|status)|return ?code|exitcode)\W{1,3}(-?\d+)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What a command ended with, as shells' tools say it."""
_SHELL = re.compile(
    r"^(?:[\w./-]*(?:bash|zsh|sh|fish|dash|ksh|env|sudo)|[\w./-]+): (?:line )?(?:\d+: )?"
    r"(?:[^\n:]{1,200}: )?(?:command not found|not found|permission denied|no such file or"
    r" directory|is a directory|not a directory|operation not permitted|cannot execute)\b[^\n]*$"
    r"|^zsh: command not found: \S+$|^permission denied\W*$"
    r"|^make(?:\[\d+\])?: \*\*\* |^npm ERR! |^fatal: |^error(?:\[E\d+\])?: (?!\d+\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""Lines of commands that did not run, or gave up."""
_TESTS = re.compile(
    r"^=+ .*\b[1-9]\d* (?:failed|errors?)\b.* in [\d.:]+ ?m?s.*=*$"
    r"|^[1-9]\d* failed\b(?:, \d+ \w+)*(?: in [\d.]+s)?$"
    r"|^FAILED (?:\(|\S+(?:::|\.py\b))|^(?:ERROR|FAIL): \w+ \(|^--- FAIL: |^FAIL\s+\S+"
    r"|^tests?:? +[1-9]\d* failed|^test result: FAILED|^\s+[1-9]\d* failing$"
    r"|^BUILD FAIL(?:ED|URE)\b|^\[ERROR\] BUILD",
    re.IGNORECASE | re.MULTILINE,
)
"""Summaries of test runners and builds: pytest, unittest, go, cargo, jest, mocha, gradle, maven."""
_TRACE = re.compile(
    r"^Traceback \(most recent call last\):|^thread '.*' panicked at|^panic: ", re.MULTILINE
)
_RAISED = re.compile(
    r"^(?:\w+\.)*\w*(?:Error|Exception|Interrupt|Exit)\b[^\n]*\s*\Z|^\w+ \d+ \[|^note: run with",
    re.MULTILINE,
)
_SAYING = frozenset(
    {"success", "ok", "succeeded", "is_error", "isError", "exit_code", "exitCode", "returncode",
     "return_code", "metadata", "error", "exception", "errors", "status", "status_code",
     "statusCode", "code"}
)  # fmt: skip
"""Fields by which a JSON answer says what became of the call; most have none of them."""


def is_failure(result: ToolResult, call: ToolCall | None = None) -> bool:
    """Whether a tool failed: its status says so, or its text has the shape of a failure.

    Args:
        result: what it gave.
        call: what asked for it: what a file or a page says about failures is none.
    """
    if result.status != "ok" or call is None:
        return has_failed(result)
    return has_failed(result, reads=kind_of(call.name, call.arguments).reads)


def has_failed(result: ToolResult, *, reads: bool = False) -> bool:
    """As `is_failure`, of a call of which is known whether it reads what others wrote."""
    return outcome_fails(result.status, result.text, reads)


def outcome_fails(status: str, text: str, reads: bool) -> bool:
    """As `has_failed`, of a result's status and its text."""
    return status == "error" or (status == "ok" and text_fails(text, reads))


@cached_text
def text_fails(text: str, read: bool = False) -> bool:
    """Whether a text has the shape of a failure.

    Args:
        text: what a tool gave.
        read: whether it is what others wrote: only what a tool says in place of it counts then.
    """
    stripped = text.strip()
    if not stripped:
        return False
    if stripped[0] in "{[" and (answer := _of_json(stripped)) is not None:
        return answer
    head = stripped[:HEAD]
    if _BEGINS.match(head) and (not read or "\n" not in stripped):
        return True
    if read:
        return _SHELL.fullmatch(stripped) is not None
    tail = stripped[-TAIL:]
    codes = [int(match[1]) for match in (*_EXIT.finditer(head), *_EXIT.finditer(tail))]
    if codes:
        return any(codes)
    ends = "\n".join((*head.splitlines()[:2], *tail.splitlines()[-4:]))
    if _SHELL.search(ends) or _TESTS.search(tail):
        return True
    return _TRACE.search(text) is not None and _RAISED.search(tail) is not None


def _of_json(text: str) -> bool | None:
    """What a JSON answer says; None where it is no JSON object that says anything."""
    if len(text) > MAX_JSON:
        return None
    try:
        value: Any = json_value(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or _SAYING.isdisjoint(value):
        return False
    for name in ("success", "ok", "succeeded"):
        if value.get(name) is False:
            return True
    if value.get("is_error") is True or value.get("isError") is True:
        return True
    codes = [value.get(name) for name in ("exit_code", "exitCode", "returncode", "return_code")]
    meta = value.get("metadata")
    codes.append(meta.get("exit_code") if isinstance(meta, dict) else None)
    if any(isinstance(code, int) and not isinstance(code, bool) and code for code in codes):
        return True
    if str(value.get("status", "")).casefold() == "error":
        return True
    return _says_error(value)


def _says_error(value: dict[str, Any]) -> bool:
    for name in ("error", "exception"):
        reason = value.get(name)
        if reason is True or (isinstance(reason, (str, dict)) and reason):
            return True
    errors = value.get("errors")
    if isinstance(errors, list) and errors and not value.get("data"):
        return True
    for name in ("status", "status_code", "statusCode", "code"):
        code = value.get(name)
        if (
            isinstance(code, int)
            and 400 <= code < 600
            and ("message" in value or "detail" in value)
        ):
            return True
    return False
