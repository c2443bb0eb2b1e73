"""Calls of our own tools in a model's answer: held back from the client, and answered here.

One class a provider: it reads an answer, event by event or whole, gives what the client may see,
and makes the body by which the upstream goes on.
"""

from typing import Protocol

import msgspec

from contextwright.formats.fields import Json, object_if
from contextwright.serve.inner_requests import InnerRefusal


class HeldCall(msgspec.Struct, frozen=True):
    """A call of one of our tools.

    Args:
        arguments: as JSON text.
    """

    id: str
    name: str
    arguments: str


class HeldAnswer(Protocol):
    """One answer of an upstream, and what of it is held back."""

    def event(self, raw: bytes, data: Json) -> bytes:
        """What the client sees of an event."""
        ...

    def whole(self, answer: Json) -> Json:
        """What the client sees of an answer that is no stream, with what it saw before."""
        ...

    def refused(self, refusal: InnerRefusal) -> bytes:
        """The event by which the provider's streams end where they fail."""
        ...

    def calls(self) -> list[HeldCall]:
        """The calls that are answered here; none where the client has calls to answer too."""
        ...

    def body(self, sent: Json, answers: list[str]) -> Json:
        """The body by which the upstream goes on."""
        ...

    def next(self, *, goes_on: bool) -> "HeldAnswer":
        """For the answer to that body, in the same stream.

        Args:
            goes_on: whether calls in that one are answered too.
        """
        ...


def arguments_object(text: str) -> Json:
    """The arguments of a call, an empty object where they are none."""
    try:
        return object_if(msgspec.json.decode(text or "{}"))
    except (msgspec.DecodeError, RecursionError):
        return {}
