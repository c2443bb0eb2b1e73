"""What a search found, as a file: the spec, how it did on sessions that the search never saw, and
the floors that `ctx check --against` holds."""

from pathlib import Path
from typing import Any

import msgspec

from contextwright.errors import SpecError
from contextwright.spec.codec import from_json
from contextwright.spec.expr import Expr
from contextwright.text.byte_order_mark import in_utf8
from contextwright.tune.session_sums import Interval
from contextwright.typed_decoding import decoder
from contextwright.whole_file import write_whole

SLACK = 0.005
"""By how much a figure may be worse than it was found: what a better estimate of tokens moves."""


class Tuned(msgspec.Struct, frozen=True, kw_only=True):
    """A spec and what it was measured at.

    Args:
        spec: as code. json: the same as data. beats: whether it beats the default; where it does
            not, it is the default. why: in a sentence.
        against: the default that it was held against, as code.
        budget, model, window: what it was measured with.
        sources: where the sessions were. sessions: how many the search saw, and how many it did
            not see.
        untouched: those that it did not see, by what their bytes are.
        tried: the spec that was measured, which is the one that was taken if one beats the default.
        candidates: how many were measured on these: of the difference, intervals are wider by it.
        measured: of these, every objective with its interval: of the default, of the spec, and
            the difference.
        floors: what must hold: `calls`, `values` and `prefix` at least, `cost` at most.
        trials: specs that were tried; pruned: of these, given up early.
    """

    spec: str
    json: dict[str, Any]
    beats: bool
    why: str
    against: str
    tried: str
    candidates: int
    budget: int
    model: str
    window: int | None
    sources: tuple[str, ...]
    sessions: tuple[int, int]
    untouched: tuple[str, ...]
    measured: dict[str, dict[str, Interval]]
    floors: dict[str, float]
    trials: int
    pruned: int
    version: str

    @property
    def expr(self) -> Expr:
        """The spec."""
        return from_json(msgspec.json.encode(self.json))

    def save(self, path: str | Path) -> None:
        """Write it as JSON that a person can read, and change."""
        text = msgspec.json.format(msgspec.json.encode(self), indent=2)
        write_whole(Path(path), text + b"\n")


def read_tuned(path: str | Path) -> Tuned:
    """A file of `Tuned.save`.

    Raises:
        SpecError: it is none.
    """
    try:
        return decoder(Tuned).decode(in_utf8(Path(path).read_bytes()))
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise SpecError(
            f"no file of a tuned spec: {getattr(error, 'strerror', None) or error}"[:300],
            where=str(path),
            fix="`ctx tune SESSIONS --budget N -o tuned.json` writes one",
        ) from error
