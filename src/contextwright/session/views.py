"""Two readings of the one log (document 002): the clean conversation, and the reasoning."""

from contextwright.session.exchange import Exchange
from contextwright.session.snapshot import Snapshot


def conversation_view(snapshot: Snapshot) -> list[Exchange]:
    """What was said: system, user, and the assistant's outcomes, without the tool trace."""
    return [exchange for exchange in snapshot.exchanges() if not _is_trace(exchange)]


def reasoning_view(snapshot: Snapshot) -> list[Exchange]:
    """Everything, with the tool trace: what a model reasons over."""
    return snapshot.exchanges()


def _is_trace(exchange: Exchange) -> bool:
    return bool(exchange.calls) or exchange.mark == "orphan"
