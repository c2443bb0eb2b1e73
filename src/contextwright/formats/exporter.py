"""Writing a session that holds odd things: a fault is named, whatever the format."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from contextwright.errors import ContextwrightError, SessionError
from contextwright.formats.single_results import with_single_results
from contextwright.session.session import Session

Written = TypeVar("Written", bound=Any)


def exporter(
    format: str, *, single_results: bool = True
) -> Callable[[Callable[[Session], Written]], Callable[[Session], Written]]:
    """A format's `write`, whose faults are a `SessionError`. What a session keeps of the file that
    it came from (`metadata[format]`, `extra[format]`) came through files itself: it may say
    anything.

    Args:
        single_results: whether it is given a message for each result of a tool.
    """

    def named(write: Callable[[Session], Written]) -> Callable[[Session], Written]:
        @wraps(write)
        def written(session: Session) -> Written:
            try:
                return write(with_single_results(session, format) if single_results else session)
            except ContextwrightError:
                raise
            except (LookupError, TypeError, AttributeError, ValueError, RecursionError) as error:
                raise SessionError(
                    f"this session can not be written as {format}: what it keeps of its file is "
                    f"damaged ({type(error).__name__}: {error})"[:300],
                    where=f"session {session.id!r}, metadata and extra under {format!r}",
                    fix="read the original file again, or remove these keys: then it is written "
                    "as one that came from elsewhere",
                ) from error

        return written

    return named
