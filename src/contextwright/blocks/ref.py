"""Recovery references: where the whole of a shortened thing can be read again."""

from typing import Literal
from urllib.parse import quote, unquote

import msgspec

from contextwright.errors import RefError

Scheme = Literal["event", "artifact", "state", "file", "https"]
SCHEMES: tuple[str, ...] = ("event", "artifact", "state", "file", "https")
MAX_REF = 2048
"""Characters of a ref: what a URL may have in common clients."""


class Ref(msgspec.Struct, frozen=True):
    """A scheme and a path; `str()` gives the ref as text.

    `event://ID` is an event of the session at hand, `event://ID#0` the result of its first
    call, `event://ID#.1` its second part where that is a picture or a file, `event://ID#0.1` the
    second of the result's, `event://FIRST#..LAST` all from one event to another,
    `artifact://PATH` or `artifact://sha256/HEX` a stored artifact, `state://KEY` a state
    key. `file` and `https` resolve only where a root or a host was allowed.
    """

    scheme: Scheme
    path: str
    part: str = ""

    def __str__(self) -> str:
        text = f"{self.scheme}://{_quoted(self.path)}"
        return f"{text}#{_quoted(self.part)}" if self.part else text


_SAFE = "/:@!$&'()*+,;=-._~"


def _quoted(text: str) -> str:
    return text if text.isalnum() and text.isascii() else quote(text, safe=_SAFE)


def event_ref(event_id: str, call: int | None = None) -> str:
    """The ref of an event, or of the result of one of its calls, counted from 0, as text."""
    is_plain = event_id.isalnum() and event_id.isascii()
    ref = f"event://{event_id if is_plain else _quoted(event_id)}"
    return ref if call is None else f"{ref}#{call}"


def range_ref(first: str, last: str) -> str:
    """The ref of all that happened from one event to another, as text."""
    return event_ref(first) if first == last else str(Ref("event", first, f"..{last}"))


def parse_ref(text: str) -> Ref:
    """Read a ref.

    Raises:
        RefError: no text, no known scheme, no path, or longer than 2,048 characters.
    """
    is_text = isinstance(text, str)  # pyright: ignore[reportUnnecessaryIsInstance] -- a model's
    scheme, separator, rest = text.partition("://") if is_text else ("", "", "")
    if not separator or len(text) > MAX_REF or scheme not in SCHEMES or not rest:
        forms = "event://ID, artifact://PATH, state://KEY, file://PATH or https://HOST/PATH"
        raise RefError(
            "this is not a ref",
            where=repr(text)[:82],
            fix=f"a ref reads {forms}, such as event://e7",
        )
    path, _, part = rest.partition("#")
    if scheme == "https":
        return Ref("https", rest)
    return Ref(scheme, unquote(path), unquote(part))  # type: ignore[arg-type]
