"""Agents that speak in summaries while the context is full
(cooling-and-forgetting.md#summary-constraint), for those who pass messages on themselves; in a
spec: `C.summary_constraint`."""

from typing import Any

from contextwright.atoms.compress.summary_constraint import refuse_no_shares, room_for
from contextwright.engine.door import SessionLike, SpecLike, snapshot_of
from contextwright.engine.one_call import compile
from contextwright.engine.run_tasks import TaskGenerator, adrive, run_tasks
from contextwright.engine.shorten_text import TIMEOUT_S, Wanted, answering, shortening
from contextwright.errors import ModelError, SpecError, is_number
from contextwright.render.target import target
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot
from contextwright.tokens.counter import counter_for, named_counter
from contextwright.tokens.models import model_info

UNLIMITED = 1_000_000_000
"""Tokens of a window that nothing is dropped for: pressure may be over 1."""


def pressure(
    session: SessionLike,
    *,
    model: str | None = None,
    window: int | None = None,
    spec: SpecLike | None = None,
) -> float:
    """How full the context is: tokens of what would be sent, of those of the window.

    Args:
        model: whose tokenizer and window it is; by default `o200k_base`, and then a `window`.
        window: in tokens; by default the model's.
        spec: what would be sent; by default the whole conversation.

    Raises:
        ModelError: neither a known model nor a window. SessionError: no session.
    """
    room = window or (model_info(model).window if model else 0)
    if not is_number(room) or room < 1:
        raise ModelError(
            "no window to measure against", where="pressure(...)", fix="give model= or window="
        )
    counter = counter_for(model) if model else named_counter("o200k_base")
    whole = target(model or "gpt-5", window=UNLIMITED, reserved_output=0, counter=counter)
    snapshot = snapshot_of(session, "pressure(session)")
    if not snapshot.exchange_count:
        return 0.0
    return compile(snapshot, spec, target=whole).tokens / room


class SummaryConstraint:
    """Messages between agents in short once the context is full.

    Args:
        pressure_threshold: pressure, 0 to 1, from which on messages are compressed.
        compression_ratio: of a message's tokens; at least 16 stay.
        summarizer: who summarizes, as `Cooled` takes a radiator; by default the embedded model.
            Where it fails, hangs or says too much: whole sentences from the beginning.
        model, window: for the pressure of a session; `model` also counts the tokens.
        timeout_s: seconds that the summarizer may take.

    Raises:
        SpecError: a threshold or a ratio that is no share.
    """

    def __init__(
        self,
        pressure_threshold: float = 0.8,
        compression_ratio: float = 0.2,
        summarizer: Any = None,
        *,
        model: str | None = None,
        window: int | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        refuse_no_shares(pressure_threshold, compression_ratio, "SummaryConstraint(...)")
        self.pressure_threshold = pressure_threshold
        self.compression_ratio = compression_ratio
        self.summarizer = summarizer
        self.model, self.window = model, window
        self._models = answering(summarizer, timeout_s=timeout_s)
        self._count = (counter_for(model) if model else named_counter("o200k_base")).count

    def __repr__(self) -> str:
        return f"SummaryConstraint({self.pressure_threshold:g}, {self.compression_ratio:g})"

    async def maybe_compress(
        self, message: str, current_pressure: float | Session | Snapshot
    ) -> str:
        """The message, in short if the pressure is at or over the threshold.

        Args:
            current_pressure: from 0 to 1, or a session, whose pressure is measured.
        """
        return await adrive(self._compressing(message, current_pressure), self._models, "")

    def compress_now(self, message: str, current_pressure: float | Session | Snapshot) -> str:
        """`maybe_compress` for callers without an event loop."""
        return run_tasks(self._compressing(message, current_pressure), self._models, "")

    def _compressing(self, message: str, current: float | Session | Snapshot) -> TaskGenerator[str]:
        if isinstance(current, Session | Snapshot):
            current = pressure(current, model=self.model, window=self.window)
        arguments: Any = (message, current)
        if not isinstance(arguments[0], str) or not is_number(arguments[1]):
            raise SpecError(
                f"a {type(message).__name__} at a pressure of {type(current).__name__}",
                where="maybe_compress(message, current_pressure)",
                fix="give a text, and a number from 0 to 1 or a session",
            )
        if current < self.pressure_threshold:
            return message
        room = room_for(self._count(message), self.compression_ratio)
        (short,) = yield from shortening([Wanted(message, room)], self._count)
        return short.text
