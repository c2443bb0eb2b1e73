"""What the scripted model replies, and what it sees of a request before it does."""

import json
from collections.abc import Callable
from typing import Any

import msgspec


class ReplyCall(msgspec.Struct, frozen=True):
    """A tool call of the scripted model.

    Args:
        name: the tool.
        arguments: its arguments.
        id: the call's id, unique within a server.
    """

    name: str
    arguments: dict[str, Any]
    id: str = ""

    @property
    def json(self) -> str:
        """The arguments as the provider writes them."""
        return json.dumps(self.arguments, ensure_ascii=False)


class Reply(msgspec.Struct, frozen=True):
    """One answer of the scripted model.

    Args:
        text: what it says.
        calls: the tools that it calls, several are parallel.
        thinking: its reasoning; it is signed, and the signature is checked when it comes back.
        cut: a stream breaks off after so many events, a plain answer comes not at all.
        held: it is not sent before the server's `release` is set: for cancellation.
        status: another than 200 is a fault of the provider's own, such as 503: no answer.
    """

    text: str = ""
    calls: tuple[ReplyCall, ...] = ()
    thinking: str = ""
    cut: int | None = None
    held: bool = False
    status: int = 200


class StrictRequest(msgspec.Struct, frozen=True):
    """A request that the server took, as the scripted model sees it.

    Args:
        body: the whole body, as it came.
        model: the model's name.
        texts: all texts of the conversation, results and the system's among them.
        tools: the names of the tools that may be called.
        tokens: how large it is, four characters a token.
        number: how many requests of this script were accepted before it.
        streamed: whether the answer is a stream.
    """

    body: dict[str, Any]
    model: str
    texts: tuple[str, ...]
    tools: tuple[str, ...]
    tokens: int
    number: int
    streamed: bool

    @property
    def text(self) -> str:
        """All texts, a line each."""
        return "\n".join(self.texts)


Line = Reply | str | Callable[[StrictRequest], Reply]
"""One line of a script: a reply, a text, or a function of the request."""


def call(name: str, **arguments: Any) -> Reply:
    """A reply that calls one tool."""
    return Reply(calls=(ReplyCall(name, arguments),))


def calls(*pairs: tuple[str, dict[str, Any]]) -> Reply:
    """A reply that calls several tools at once."""
    return Reply(calls=tuple(ReplyCall(name, arguments) for name, arguments in pairs))
