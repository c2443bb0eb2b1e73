"""What an agent really sent, call by call: its tokens, and its price by the rules of the cache."""

from typing import Any

import msgspec

from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.conversation_sums import PICO, input_price
from contextwright.formats.message_list import message_list
from contextwright.formats.read_messages import read_list
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.spec.inputs import Memo
from contextwright.tokens.models import ModelInfo, known_model
from contextwright.traces.call_mark import CallMark, TraceRecord
from contextwright.traces.later_values import request_text
from contextwright.words import C

_FAR = 1 << 40
"""A window that nothing fills: what was sent was sent."""


class SentRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One request of an agent's.

    Args:
        tokens: of the request, counted as the target counts. cached: of these, read from a cache.
        cost: microdollars; 0 where no price is known.
        text: all of its texts; None where it is everything that had happened.
    """

    tokens: int
    cached: int
    cost: int
    text: str | None = None


class SentRequests:
    """The requests of a session's agent, one after the other.

    Args:
        record: what the session keeps of its export; None where its calls were sent everything.
    """

    def __init__(self, session: Session, target: Target, record: TraceRecord | None) -> None:
        self._session = session
        self._target = msgspec.structs.replace(target, window=_FAR, reserved_output=0)
        self._record = record
        self._info = known_model(target.model)
        self._before_ms: int | None = None
        self._before_tokens = 0
        self._before_messages: list[Any] | None = None

    def priced(self, mark: CallMark, everything: int) -> SentRequest:
        """The request of a call.

        Args:
            everything: tokens of a request with all that had happened.
        """
        messages = self._messages(mark)
        tokens = everything if messages is None else self._count(messages)
        shared = self._shared(mark, messages)
        rules = self._target.cache_rules
        read = 0 if self._expired(mark, rules.ttl_s) else min(rules.readable(shared), tokens)
        written = tokens - read if tokens >= rules.minimum else 0
        self._before_ms, self._before_tokens = mark.time_ms, tokens
        self._before_messages = messages
        text = None if messages is None else request_text(messages)
        return SentRequest(
            tokens=tokens,
            cached=read,
            cost=request_cost(self._info, tokens, read, written),
            text=text,
        )

    def _messages(self, mark: CallMark) -> list[Any] | None:
        """What the call was sent; None for everything."""
        if mark.sent is None or self._record is None:
            return None
        known = self._record.messages
        return [known[one] if isinstance(one, int) else one for one in mark.sent]

    def _count(self, messages: list[Any]) -> int:
        session = read_list(message_list(messages, "a recorded request"), None).session
        session.tools = self._session.tools
        compiler = SpecCompiler(C.default(), memo=Memo())
        return compiler.compile(session.snapshot(), self._target).manifest.tokens

    def _shared(self, mark: CallMark, messages: list[Any] | None) -> int:
        """Tokens that it begins with as the request before did: all of that one, or by the share of
        its bytes."""
        if not mark.lost:
            return self._before_tokens
        before = self._before_messages or messages
        if not mark.shared or before is None:
            return 0
        part = len(msgspec.json.encode(before[: mark.shared]))
        return self._before_tokens * part // max(1, len(msgspec.json.encode(before)))

    def _expired(self, mark: CallMark, ttl_s: int) -> bool:
        then, now = self._before_ms, mark.time_ms
        return then is not None and now is not None and now - then > ttl_s * 1000


def request_cost(info: ModelInfo | None, tokens: int, read: int, written: int) -> int:
    """Microdollars of a request's input; 0 where no price is known."""
    return input_price(info, tokens, read, written) // PICO
