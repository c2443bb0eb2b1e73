"""What the server needs of a provider's interface; one file each."""

from collections.abc import Iterator
from typing import Any, Protocol

from contextwright.testing.strict_server.billing import Billed
from contextwright.testing.strict_server.refusal import RefusedRequest
from contextwright.testing.strict_server.reply import Reply

Event = tuple[str | None, dict[str, Any] | str]
"""One event of a stream: its name where the provider names it, and its data."""
Issued = dict[str, str]
"""What the server signed: the signature to a hash of what it stands for."""


class ProviderApi(Protocol):
    """A provider's interface: which requests it takes, and how it answers."""

    name: str

    def check(self, body: dict[str, Any], issued: Issued, bound: bool) -> None:
        """Refuse what the provider would refuse.

        Args:
            body: the request.
            issued: what was signed before.
            bound: whether signatures hold only behind the prefix that they were made behind.

        Raises:
            RefusedRequest: with the provider's words.
        """
        ...

    def units(self, body: dict[str, Any]) -> list[Any]:
        """The parts of the request in the order in which they are cached."""
        ...

    def texts(self, body: dict[str, Any]) -> list[str]:
        """All texts of the conversation."""
        ...

    def tools(self, body: dict[str, Any]) -> list[str]:
        """The names of the tools."""
        ...

    def overflow(self, tokens: int, window: int) -> RefusedRequest:
        """The provider's words for a request that does not fit."""
        ...

    def error(self, refusal: RefusedRequest) -> dict[str, Any]:
        """The body of a refusal."""
        ...

    def answer(
        self, body: dict[str, Any], reply: Reply, billed: Billed, issued: Issued
    ) -> dict[str, Any]:
        """The body of an answer."""
        ...

    def events(self, body: dict[str, Any], answer: dict[str, Any]) -> Iterator[Event]:
        """The same answer as a stream."""
        ...


def strings(value: Any, *keys: str) -> Iterator[str]:
    """All texts under the given keys, wherever they stand."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in keys and isinstance(item, str):
                yield item
            else:
                yield from strings(item, *keys)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item, *keys)
