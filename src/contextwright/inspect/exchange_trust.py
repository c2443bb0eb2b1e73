"""Whose words a block of messages holds: the least trusted of them, as the page names it."""

from contextwright.session.exchange import Exchange

_OF_ROLE = {"system": "operator", "user": "user", "assistant": "assistant", "tool": "tool"}
_LEAST_LAST = tuple(_OF_ROLE.values())


def exchange_trust(exchange: Exchange) -> str:
    """The trust of an exchange: from who runs the agent to what a tool brought."""
    words = {"tool" if event.results else _OF_ROLE[event.role] for event in exchange.events}
    return max(words, key=_LEAST_LAST.index)
