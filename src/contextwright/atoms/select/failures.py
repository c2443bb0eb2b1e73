"""`C.failures()`: what went wrong before, so that it is not done again
(phased-injection.md#past-failures)."""

from itertools import chain
from typing import ClassVar

from contextwright.blocks.block import Block, Blocks
from contextwright.blocks.escape import turn_mark
from contextwright.blocks.layering import CacheClass, Layer
from contextwright.blocks.ref import event_ref
from contextwright.errors import SpecError
from contextwright.session.call_kind import call_kind, call_kinds
from contextwright.session.event import ToolCall
from contextwright.session.exchange import Exchange
from contextwright.session.failure import is_failure
from contextwright.session.state import RESOLVED_PREFIX
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.ranges import Ranges, ValueRange
from contextwright.text.cut import cut
from contextwright.text.json_fields import load_json

PAGE = 256
"""Exchanges in which a later call of the same tool is looked for at once: it is near, or never."""
MESSAGE_TOKENS = 40
"""Tokens of what stays of an error's own words."""


class Failures(Atom, frozen=True, kw_only=True):
    """A block for each of the newest failed tool executions of finished turns: which call, what it
    said, whether a later call of its kind succeeded and with what, or how it was settled.

    Args:
        n: how many.
    """

    word: ClassVar[str] = "failures"
    kind: ClassVar[Kind] = Kind.SOURCE
    verb: ClassVar[Verb] = Verb.SELECT
    ranges: ClassVar[Ranges] = {"n": ValueRange(1, 10)}

    n: int = 5

    def __post_init__(self) -> None:
        if self.n < 1:
            raise SpecError(f"n is {self.n}", where=repr(self), fix="give at least 1")

    def bring(self, inputs: Inputs) -> Blocks:
        """The blocks, oldest first."""
        snapshot = inputs.snapshot
        stop = max(snapshot.preamble, snapshot.turn_start(snapshot.turn))
        failed = snapshot.newest_failed(self.n, snapshot.preamble, stop)
        return tuple(self._block(exchange, stop, inputs) for exchange in failed)

    def _block(self, failed: Exchange, stop: int, inputs: Inputs) -> Block:
        lines: list[str] = []
        for call in failed.calls:
            result = failed.results.get(call.id)
            if result is not None and not is_failure(result, call):
                continue
            message = inputs.clean(result.text) if result is not None else "no result"
            message = " ".join(message.split())
            message = cut(message, MESSAGE_TOKENS, "head", inputs.count, marker="...")
            arguments = _short_arguments(call.arguments, inputs)
            line = f"{turn_mark(failed.turn)}{call.name} {arguments}: {message}"
            lines.append(line + _settled(call, failed, stop, inputs))
        return Block(
            id=f"failure:{failed.first.id}",
            source="failures",
            layer=Layer.MEMORY,
            text="\n".join(lines),
            cache=CacheClass.DYNAMIC,
            ref=event_ref(failed.first.id),
            lineage=failed.ids,
        )


def _settled(call: ToolCall, failed: Exchange, stop: int, inputs: Inputs) -> str:
    """What became of a failed call before the exchange `stop`; empty where nothing did."""
    kind, snapshot = call_kind(call), inputs.snapshot
    pages = range(failed.index + 1, stop, PAGE)
    for exchange in chain.from_iterable(
        snapshot.exchanges_with("tool", call.name, at, min(at + PAGE, stop)) for at in pages
    ):
        for later in exchange.calls:
            result = exchange.results.get(later.id)
            if result is None or kind not in call_kinds(later) or is_failure(result, later):
                continue
            better = _short_arguments(later.arguments, inputs) or "the same call"
            return f" \u2014 later it worked with {better}"
    why = inputs.snapshot.state.get(RESOLVED_PREFIX + failed.first.id)
    return f" \u2014 settled: {inputs.clean(str(why))}" if why else ""


def _short_arguments(arguments: str, inputs: Inputs) -> str:
    """A call's arguments in few words; redacted first: a secret cut in two is found no more."""
    loaded = load_json(inputs.clean(arguments))
    values = loaded.items() if isinstance(loaded, dict) else ()
    text = ", ".join(f"{name} {' '.join(str(value).split())}" for name, value in values)
    return f"({inputs.clean(text)[:80]})" if text else ""
