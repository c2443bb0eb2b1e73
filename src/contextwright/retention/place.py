"""What forgetting asks of a place: to list, to give whole, to remove, to put back, to erase."""

from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from typing import Any, Protocol

import msgspec

from contextwright.retention.subject_matcher import Theirs


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something that may be forgotten, as a policy sees it.

    Args:
        id: names it in its place.
        text: what is scored and counted; empty for bytes.
        kind: note, fact, memory kinds, answer, item kinds, artifact, blob, session.
        scope: whose it is.
        part_of: what it is a part of, such as the session of a note; a target that means the
            whole means the part.
        time_ms, used_ms: when it was written and last used, in milliseconds since 1970; None
            where nobody knows.
        tier: 1 critical to 4 archive; 0 where none was set, which counts as 2.
        stays: why it stays whatever a policy says, such as an open item of a checklist.
        follows: goes with the last thing that refers to it, as bytes do with their names.
        whole: no policy has it, only what is in it: a session.
        known_as: paths of the refs that mean it, without `artifact://`.
        refs: paths of the artifacts that it refers to.
        size: bytes.
    """

    id: str
    text: str = ""
    kind: str = ""
    scope: str = ""
    part_of: str = ""
    time_ms: int | None = None
    used_ms: int | None = None
    uses: int = 0
    tier: int = 0
    pinned: bool = False
    stays: str = ""
    follows: bool = False
    whole: bool = False
    known_as: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    size: int = 0


class Record(msgspec.Struct, frozen=True):
    """A whole thing, as its place can put it back."""

    id: str
    body: bytes

    @property
    def digest(self) -> str:
        """The sha256 of the body."""
        return sha256(self.body).hexdigest()


class Touched(msgspec.Struct, frozen=True):
    """What an erasure did in one place.

    Args:
        removed, rewritten: how many things.
    """

    removed: int = 0
    rewritten: int = 0


class Place(Protocol):
    """Where something is kept that may be forgotten.

    `remove`, `put_back`, `erase` and `scrub` are idempotent: after a crash they are done again.
    """

    name: str
    path: str
    """Its file; empty where it has none of its own."""
    beyond: str
    """What an erasure does not reach here, as a sentence; may be empty."""

    def rows(self) -> list[Row]:
        """All that is there."""
        ...

    def take(self, ids: Collection[str]) -> list[Record]:
        """Those that are there of these, whole; the place stays as it is."""
        ...

    def remove(self, records: Sequence[Record]) -> None:
        """Remove what is there as it was taken; what was changed since stays."""
        ...

    def put_back(self, records: Sequence[Record]) -> list[str]:
        """Put back what is not there; the ids of those that are there now as they were taken."""
        ...

    def touched(self, theirs: Theirs) -> list[Row]:
        """What an erasure would change or remove."""
        ...

    def erase(self, theirs: Theirs) -> Touched:
        """Remove what is a person's, rewrite what names the person."""
        ...

    def scrub(self) -> None:
        """Leave nothing of what was removed in the place's files."""
        ...


Score = Callable[[str], float]
"""How much a text matters, 0 to 1."""


class Scorer(Protocol):
    """Scores texts, as a `SalienceScorer` does."""

    def score(self, content: str) -> float:
        """How much a text matters, 0 to 1."""
        ...


def scoring(salience: Score | Scorer | None) -> Score | None:
    """The callable of a scorer."""
    score: Any = getattr(salience, "score", None)
    return salience if score is None else score  # type: ignore[return-value]
