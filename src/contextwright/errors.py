"""Every error of the package, one tree.

ContextwrightError
├── SpecError            a spec that means nothing: a wrong pipe, an option out of range
│   └── UnknownWord      `C` or `S` has no such word; names those like it
├── SessionError         a session that cannot be read
│   ├── UnknownFormat    no importer knows this input
│   ├── MalformedRecord  a record breaks its format: file, line, field
│   ├── EncodingError    bytes that are not UTF-8
│   ├── SizeLimit        too large or nested too deep; names the limit
│   └── LossyFormat      a format without a place for what a session says, asked to lose nothing
├── ModelError           an unknown model or counter
├── StepError            a step without what a pack needs, or too large: restate or split it
├── PremiseError         a question takes for granted what is not so; names the evidence
├── BudgetError          what must stay does not fit; names the blocks and their tokens
│   ├── ContextOverflowError  the provider refused what was sent, and no smaller request can be made
│   └── SessionBudgetError    a session was billed what it may be
├── ProtectionError      a step touched what no step may touch: a bug in the word it names
├── RefError             a ref that does not resolve, or may not
├── RenderError          a request that its provider would refuse
│   └── NotInThisFormat  what is asked of a pack, packs of its format do not have
├── ReplayError          a pack that cannot be rebuilt byte for byte
├── StoreError           a store that cannot be read or written
│   ├── WriteConflict    another writer was faster, or an id is taken: load and try again
│   ├── StoreBusy        another process holds it: try again later
│   ├── StoreFull        no room on the disk, or none allowed
│   ├── ReadOnlyStore    it can be read and not written
│   ├── CorruptData      what is stored is not what was written; names the row or the file
│   └── NewerSchema      written by a newer version of this package
├── PatternError         a redaction pattern that cannot be run safely
├── ProxyError           the proxy can not be started, or a request that it does not take
├── RedactionError       what finds names failed: a text that was not searched is not sent
├── CopyError            what belongs to its process can not be copied or pickled
└── MissingExtra         an optional package is not installed, or does not fit; names the command

    try:
        pack = compile(session, spec, model="gpt-5")
    except ContextwrightError as error:
        print(error.what, error.where, error.fix)
"""

from collections.abc import Iterable
from numbers import Real
from typing import Any, ClassVar


class ContextwrightError(Exception):
    """What is wrong, where, and what to do.

    Args:
        what: the problem, in one sentence.
        where: file, line, event id, field or place in the spec.
        fix: what the reader can do about it.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        self.what = what
        self.where = where
        self.fix = fix
        super().__init__(what)

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  at:  {self.where}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[Any, ...]:
        # a kind with arguments of its own is not called again where it is unpickled
        return _unpickled, (type(self), self.args, self.__dict__)

    def as_dict(self) -> dict[str, str | None]:
        """The error as plain data, for `--json`."""
        return {
            "error": type(self).__name__,
            "what": self.what,
            "where": self.where,
            "fix": self.fix,
        }


def _unpickled(
    kind: type[ContextwrightError], arguments: tuple[Any, ...], fields: dict[str, Any]
) -> ContextwrightError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(fields)
    return error


def is_number(value: object) -> bool:
    """Whether a value given by a user is a number that can be compared: no text, no truth value,
    no `nan`."""
    return isinstance(value, Real) and not isinstance(value, bool) and value == value


class SpecError(ContextwrightError):
    """A spec that means nothing: a wrong pipe, an option out of range, an unknown atom."""

    exit_code = 3


class UnknownWord(SpecError, AttributeError):
    """`C` or `S` has no such word. Also an AttributeError, as `hasattr` expects."""


class SessionError(ContextwrightError):
    """A session that cannot be read."""

    exit_code = 4


class UnknownFormat(SessionError):
    """No importer knows this input."""


class MalformedRecord(SessionError):
    """A record breaks its format. `where` names file, line, event and field."""


class EncodingError(SessionError):
    """Bytes that are not UTF-8. `where` names file, line and byte."""


class SizeLimit(SessionError):
    """An input larger, or nested deeper, than the named limit."""


class LossyFormat(SessionError):
    """A session can not be written in a format without a loss, and none was allowed.

    Args:
        losses: what would be lost; of each the event, the part and what becomes of it.
    """

    exit_code = 16

    def __init__(self, what: str, losses: tuple[Any, ...], **place: str) -> None:
        super().__init__(what, **place)
        self.losses = losses


class ModelError(ContextwrightError):
    """An unknown model, counter or provider."""

    exit_code = 5


class StepError(ContextwrightError):
    """A step that no pack can be built for: incomplete, or larger than the window."""

    exit_code = 12


class BudgetError(ContextwrightError):
    """What must stay does not fit the budget. Names the blocks and their tokens."""

    exit_code = 6


class ContextOverflowError(BudgetError):
    """The provider refused a request for its length, and there is no smaller one; names both
    sizes."""


class SessionBudgetError(BudgetError):
    """A threshold of a session's budget ends its turns; names what was spent and the limits."""


class ProtectionError(ContextwrightError):
    """A step dropped, shortened or rewrote what must stay. Raised in tests only: elsewhere the
    step is undone for that block, and the manifest says so."""

    exit_code = 14


class RefError(ContextwrightError):
    """A ref that does not resolve, or that may not be followed from here."""

    exit_code = 7


class RenderError(ContextwrightError):
    """A request that its provider would refuse."""

    exit_code = 8


class NotInThisFormat(RenderError, AttributeError):
    """What is asked of a pack, packs of its format do not have. Also an AttributeError, as
    `hasattr` expects."""


class ReplayError(ContextwrightError):
    """A pack that cannot be rebuilt byte for byte. Names the first difference."""

    exit_code = 9


class PremiseError(ContextwrightError):
    """A question takes for granted what is not so. `what` names it and why, `where` the refs of
    what stands against it, `fix` what is known instead."""

    exit_code = 13


class StoreError(ContextwrightError):
    """A store that cannot be read or written."""

    exit_code = 10


class WriteConflict(StoreError):
    """Another writer was faster, or the id is taken by something else. Nothing was written: load
    what is there now, and try again."""


class StoreBusy(StoreError):
    """Another process holds the store for longer than was waited. Nothing was written; the same
    call may be tried again."""


class StoreFull(StoreError):
    """There is no room to write: a full disk, a quota, a limit of the file's size. Nothing was
    written; the same call may be tried again when there is."""


class ReadOnlyStore(StoreError):
    """A store that this process may read and not write. Nothing was written."""


class CorruptData(StoreError):
    """What is stored is not what was written: a hash does not match, a row is missing, a file is
    damaged. `where` names it; `ctx verify` finds all of it."""


class NewerSchema(StoreError):
    """A file that a newer version of this package wrote."""


class RedactionError(ContextwrightError):
    """A detector failed: what was not searched is not sent."""


class ProxyError(ContextwrightError):
    """The proxy can not be started, or refuses a request: one that could mean two things, that is
    too large, or that names no one who may send it."""

    exit_code = 15


def address_error(error: Exception, host: str, port: int) -> ProxyError:
    """The refusal of an address at which no server can listen, as the system says it."""
    return ProxyError(
        f"can not listen there: {getattr(error, 'strerror', None) or error}",
        where=f"{host}:{port}",
        fix="choose another port (0 is any that is free) or another host",
    )


class PatternError(SpecError):
    """A redaction pattern that cannot be run in linear time."""


class CopyError(ContextwrightError, TypeError):
    """What belongs to its process can not be copied or pickled. Also a TypeError, as `pickle` and
    `copy` give it."""


class MissingExtra(ContextwrightError):
    """An optional package is not installed, or in a version that does not fit.

    Args:
        package: what could not be imported.
        extra: the extra of contextwright that brings it.
        unfit: the version that is installed, and what it lacks; empty where none is.
    """

    exit_code = 11

    def __init__(self, package: str, extra: str, *, unfit: str = "") -> None:
        super().__init__(
            f"{package} {unfit}" if unfit else f"{package} is not installed",
            # a newer version of ours for a framework that is too new, a newer one for one too old
            fix=f"pip install {'--upgrade ' if unfit else ''}'contextwright[{extra}]'",
        )


def nearest(name: str, known: Iterable[str]) -> str:
    """The fix for a misspelt name: the nearest known ones, or all."""
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=3)
    if close:
        return f"did you mean {' or '.join(close)}?"
    return f"known: {', '.join(sorted(known))}"
