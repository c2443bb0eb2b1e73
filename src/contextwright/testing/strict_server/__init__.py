"""A scripted model behind a provider that refuses what the real one refuses.

    from contextwright.testing.strict_server import StrictServer, call

    with StrictServer([call("read", path="a.py"), "done"], window=12_000) as server:
        client = OpenAI(base_url=f"{server.url}/v1", api_key="none")

OpenAI Chat Completions and Responses, Anthropic Messages and Gemini, on a port of this machine,
so that every client and every framework can be pointed at it. Each request is held to the
provider's executable rules, to its fields, to its signatures and to a window; a refusal has the
provider's own words and status. It needs nothing beyond the standard library.
"""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.testing.strict_server.reply import (
        Reply,
        ReplyCall,
        StrictRequest,
        call,
        calls,
    )
    from contextwright.testing.strict_server.server import Rejection, StrictServer

_HOMES = {
    "Rejection": "server",
    "Reply": "reply",
    "ReplyCall": "reply",
    "StrictRequest": "reply",
    "StrictServer": "server",
    "call": "reply",
    "calls": "reply",
}
"""Imported when they are first named."""

__all__ = ["Rejection", "Reply", "ReplyCall", "StrictRequest", "StrictServer", "call", "calls"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
