"""An expression that a model wrote, run so that none can hang the agent."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from contextwright.errors import MissingExtra, PatternError
from contextwright.redaction.user_patterns import (
    MAX_PATTERN,
    compile_user_pattern,
    find_user_pattern,
)
from contextwright.text.line_matches import Find

TIMEOUT = 1.0
"""Seconds that an expression may take for a line where google-re2, which takes linear time, is not
installed."""


def find_by(pattern: str) -> Find:
    """A function that finds an expression in a line: by RE2, or by `regex` with a timeout.

    Raises:
        PatternError: no expression; or, when the function is called, one that takes too long.
    """
    try:
        return partial(find_user_pattern, compile_user_pattern(pattern))
    except MissingExtra:
        return _find_in_time(pattern)


def _find_in_time(pattern: str) -> Find:
    import regex

    if len(pattern) > MAX_PATTERN:
        raise _refused(f"a pattern of {len(pattern)} characters", pattern[:60])
    try:
        compiled: Any = regex.compile(pattern)
    except regex.error as error:
        raise _refused(f"no regular expression: {error}", pattern) from error

    def find(text: str) -> Iterator[tuple[int, int]]:
        try:
            for match in compiled.finditer(text, timeout=TIMEOUT):
                if match.end() > match.start():
                    yield match.span()
        except TimeoutError as error:
            raise _refused("this expression takes too long", pattern) from error

    return find


def _refused(what: str, pattern: str) -> PatternError:
    return PatternError(what, where=repr(pattern), fix="plain words, or a shorter expression")
