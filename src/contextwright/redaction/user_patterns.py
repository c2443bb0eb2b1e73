"""Expressions of a user, on RE2 and nothing else: linear time whatever is written in them."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from contextwright.errors import MissingExtra, PatternError

MAX_PATTERN = 2_000
"""Characters of an expression."""
_MAX_MEMORY = 2 << 20
"""Bytes RE2 may use for one expression, a quarter of its default: `a{1000}` takes some 50 KB."""

_SURROGATES = re.compile("[\ud800-\udfff]")

# What RE2 says, what it means, what to write instead.
_LACKS = (
    ("(?=", "look-ahead", "match the whole value, with what follows it"),
    ("(?!", "negative look-ahead", "say what may follow: a character class or `\\b`"),
    ("(?<", "look-behind", "match what comes before too, or use `\\b`"),
    ("(?>", "atomic groups", "(?:...): RE2 does not backtrack, atomic groups are not needed"),
    ("(?P=", "back-references", "write the repeated part out again"),
    ("(?P", "back-references", "write the repeated part out again"),
    ("invalid escape sequence: \\Z", "`\\Z`", "`\\z` is the end of the text"),
    ("invalid escape sequence", "this escape", "`\\1` to `\\9` are back-references: write it out"),
    ("bad repetition operator", "possessive repetition", "one `+` or `*`: RE2 does not backtrack"),
    ("invalid repetition size", "repetitions above 1000", "{n,} or at most {1000} in all"),
    ("too large", "expressions this large", "smaller repetitions, or several patterns"),
)


@lru_cache(maxsize=256)
def compile_user_pattern(source: str) -> Any:
    """The expression as an RE2 object.

    Raises:
        PatternError: too long, malformed, or with something RE2 lacks because it cannot be run in
            linear time. MissingExtra: google-re2 is not installed.
    """
    if len(source) > MAX_PATTERN:
        raise PatternError(
            f"a pattern of {len(source)} characters, at most {MAX_PATTERN} are allowed",
            where=repr(source[:60] + "..."),
            fix="several shorter patterns",
        )
    try:
        import re2  # pyright: ignore[reportMissingTypeStubs]
    except ImportError as error:
        raise MissingExtra("google-re2", "redact") from error
    engine: Any = re2
    options = engine.Options()
    options.never_capture = True
    options.log_errors = False
    options.max_mem = _MAX_MEMORY
    try:
        return engine.compile(source, options)
    except (engine.error, UnicodeEncodeError) as error:
        raise _refused(source, error) from error


def find_user_pattern(regex: Any, text: str) -> Iterator[tuple[int, int]]:
    """The spans of an RE2 object in `text` that are not empty."""
    # RE2 reads UTF-8, which has no lone surrogates.
    for match in regex.finditer(_SURROGATES.sub("\ufffd", text)):
        start, end = match.span()
        if end > start:
            yield start, end


def _refused(source: str, error: Exception) -> PatternError:
    message = error.args[0] if error.args else ""
    reason = message.decode(errors="replace") if isinstance(message, bytes) else str(message)
    for sign, lacks, fix in _LACKS:
        if sign in reason:
            what = f"RE2, which runs patterns in linear time, has no {lacks}: {reason}"
            return PatternError(what, where=repr(source), fix=fix)
    return PatternError(
        f"no regular expression of RE2: {reason}",
        where=repr(source),
        fix="https://github.com/google/re2/wiki/Syntax",
    )
