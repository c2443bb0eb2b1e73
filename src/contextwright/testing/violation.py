"""A broken rule, and the decorator that gives a suite's test the name of its rule."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import pytest

P = ParamSpec("P")


class RuleViolation(AssertionError):
    """A rule that is broken.

    Args:
        rule: its name.
        subject: what breaks it: a word's code, the class of a store, the name of a format.
        place: event, session, test, or place in a request.
        what: what is wrong there.
    """

    def __init__(self, rule: str, subject: str, place: str, what: str) -> None:
        self.rule = rule
        self.subject = subject
        self.place = place
        self.what = what
        super().__init__(f"{rule}: {subject} at {place}: {what}")


def keeps(rule: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Give a test of a suite the name of its rule: whatever goes wrong in it, an assertion, an
    error that did not come, one that should not have come, is a `RuleViolation`."""

    def named(test: Callable[P, None]) -> Callable[P, None]:
        @wraps(test)
        def check(*arguments: P.args, **options: P.kwargs) -> None:
            try:
                test(*arguments, **options)
            except (RuleViolation, pytest.skip.Exception):
                raise
            except (Exception, pytest.fail.Exception) as error:
                subject = _subject(*arguments[1:], *options.values())
                what = str(error).partition("\n")[0] or type(error).__name__
                raise RuleViolation(rule, subject, test.__name__, what) from error

        check.rule = rule  # pyright: ignore[reportAttributeAccessIssue]
        return check

    return named


def _subject(*fixtures: Any) -> str:
    """The class of the first fixture that is no plain value."""
    plain = (str, bytes, int, float)
    named = [type(one).__name__ for one in fixtures if not isinstance(one, plain)]
    return named[0] if named else "-"
