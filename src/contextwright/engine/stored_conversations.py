"""What providers keep of conversations whose requests hold only what is new: how many tokens, by
their bills."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from contextwright.errors import BudgetError, SessionBudgetError
from contextwright.session.log import Log
from contextwright.tokens.usage import Usage

MOST = 4096
"""Answers and conversations whose size is remembered; the one noted longest ago goes first."""
_CHAINS = ("previous_response_id", "conversation")


class StoredConversations:
    """Tokens that a provider puts in front of a request that goes on from what it keeps, by the id
    of the answer or of the conversation. Nobody here can shorten them, so they count within the
    limit of the request. What another process was billed is not known before the next bill."""

    def __init__(self) -> None:
        self._tokens: dict[tuple[str, str], int] = {}
        self._fixed: WeakKeyDictionary[Log, int] = WeakKeyDictionary()

    def sent(self, log: Log, fixed: int) -> None:
        """A request of these messages was made.

        Args:
            fixed: tokens of its instruction and tools, which every request has.
        """
        self._fixed[log] = fixed

    def note(self, log: Log, fields: Mapping[str, Any], usage: Usage, tenant: str) -> None:
        """Take the bill of the answer to it.

        Args:
            fields: of the request's body.
            tenant: whose it is.
        """
        before = max(0, usage.context - self._fixed.get(log, 0))
        tokens = before + max(0, usage.output - usage.reasoning)
        for id in filter(None, (usage.response_id, _id(fields.get("conversation")))):
            self._tokens.pop((tenant, id), None)
            self._tokens[tenant, id] = tokens
        while len(self._tokens) > MOST:
            self._tokens.pop(next(iter(self._tokens)), None)

    def tokens(self, fields: Mapping[str, Any], tenant: str) -> int:
        """What stands in front of a request; 0 where nothing does, where that is not known, and
        where the provider itself shortens it."""
        if fields.get("truncation") == "auto" or fields.get("context_management"):
            return 0
        ids = (_id(fields.get(name)) for name in _CHAINS)
        return max((self._tokens.get((tenant, id), 0) for id in ids), default=0)


@contextmanager
def naming_stored(fields: Mapping[str, Any], tokens: int) -> Generator[None]:
    """Say of a request that does not fit what of it the provider keeps.

    Args:
        tokens: as far as they are known.

    Raises:
        BudgetError: with the way that works.
    """
    chain = next((name for name in _CHAINS if fields.get(name)), "")
    try:
        yield
    except BudgetError as error:
        if not chain or isinstance(error, SessionBudgetError):
            raise
        known = f", {tokens:,} tokens by its bill," if tokens else ""
        raise type(error)(
            f"the provider keeps what came before{known} and nobody here can shorten that: "
            f"{error.what}",
            where=f"the body's {chain}",
            fix=f"send the whole conversation in each request, without {chain}; with a framework "
            "that is an option of its own, such as store=False (docs/how-to/frameworks.md)",
        ) from error


def _id(chain: Any) -> str:
    """The id of a conversation, which may stand in an object."""
    value = chain.get("id") if isinstance(chain, Mapping) else chain
    return str(value or "")
