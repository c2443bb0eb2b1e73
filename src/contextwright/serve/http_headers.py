"""Headers of a request and its answer: what is passed on, what is ours, what means two things."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote_to_bytes

from contextwright.errors import ProxyError

Header = tuple[bytes, bytes]
"""A name in lower case, and its value, as they came."""

OWN = b"x-contextwright-"
_HOST = re.compile(r"(?:\[([^\]@]*)\]|([^:@\[\]]*))(?::\d*)?")
_MOST_CODED = 3
"""Times that a path is decoded: a server behind the upstream may do it again."""
_HOP_BY_HOP = frozenset({
    b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer",
    b"transfer-encoding", b"upgrade", b"proxy-authorization", b"proxy-authenticate",
})  # fmt: skip
_ONCE = (b"content-length", b"transfer-encoding", b"host", b"content-type", b"content-encoding")
_SET_ANEW = frozenset({b"host", b"content-length", b"expect"})
GZIP = ("gzip", "deflate", "x-gzip")
"""Codings that `zlib` reads."""
_READABLE = ("gzip", "deflate", "identity")
"""Codings of an answer that are read here, for the usage in it."""


def value_of(headers: Iterable[Header], name: bytes) -> str:
    """The first value of a header, as text; empty where there is none."""
    for key, value in headers:
        if key == name:
            return value.decode("latin-1").strip()
    return ""


def host_of(headers: Iterable[Header]) -> str:
    """The name by which a server is called, without its port."""
    named = _HOST.fullmatch(value_of(headers, b"host").lower())
    return (named[1] or named[2]) if named is not None else ""


def refuse_ambiguous(headers: Sequence[Header], target: bytes) -> None:
    """Refuse a request that two servers would read as two things, that chooses its server, or that
    wants to talk otherwise.

    Raises:
        ProxyError: names what is wrong with it.
    """
    names = [name for name, _ in headers]
    if b"transfer-encoding" in names and b"content-length" in names:
        _refuse("a body with both a length and a transfer coding", "transfer-encoding")
    if value_of(headers, b"transfer-encoding").lower() not in ("", "chunked"):
        _refuse("a transfer coding other than chunked", "transfer-encoding")
    for name in _ONCE:
        if names.count(name) > 1:
            _refuse("a header that may stand once stands twice", name.decode())
    if not target.startswith(b"/") or target.startswith((b"//", b"/\\")):
        _refuse("a request for another server: the upstream is set where the proxy is", "path")
    if b"#" in target:
        _refuse("a path with a fragment, which is for clients alone", "path")
    plain = target.partition(b"?")[0]
    for _ in range(_MOST_CODED):
        plain = unquote_to_bytes(plain).replace(b"\\", b"/")
        if any(part.partition(b";")[0] in (b".", b"..") for part in plain.split(b"/")):
            _refuse("a path that climbs out of the upstream's", "path")
        if any(sign < 0x20 or sign == 0x7F for sign in plain):
            _refuse("a path with signs that are no text", "path")
    if b"websocket" in value_of(headers, b"upgrade").lower().encode():
        what = "a websocket: bodies are passed on, and compiled, over HTTP alone"
        raise ProxyError(what, where="upgrade", fix="POST the same body to the same path")


def _refuse(what: str, where: str) -> None:
    raise ProxyError(what, where=where, fix="send a request that means one thing")


def forwarded_request(headers: Sequence[Header], *, readable: bool) -> list[Header]:
    """The headers that go upstream: all but this connection's and ours.

    Args:
        readable: whether an answer is wanted in a coding that is read here.
    """
    out = [pair for pair in _end_to_end(headers) if pair[0] not in _SET_ANEW]
    if not readable:
        return out
    return [
        (name, _readable(value)) if name == b"accept-encoding" else (name, value)
        for name, value in out
    ]


def forwarded_answer(headers: Sequence[Header]) -> list[Header]:
    """The headers that go back to the client."""
    return list(_end_to_end(headers))


def _end_to_end(headers: Sequence[Header]) -> Iterable[Header]:
    named = {
        each.strip().lower()
        for name, value in headers
        if name == b"connection"
        for each in value.split(b",")
    }
    for name, value in headers:
        if name not in _HOP_BY_HOP and name not in named and not name.startswith(OWN):
            yield name, value


def _readable(value: bytes) -> bytes:
    listed = [each.strip() for each in value.decode("latin-1").split(",")]
    known = [each for each in listed if each.partition(";")[0].lower() in _READABLE]
    return ", ".join(known or ["identity"]).encode("latin-1")


def own_headers(**values: object) -> list[Header]:
    """Headers that say what was done; those without a value are left out."""
    return [
        (OWN + name.replace("_", "-").encode(), _one_line(str(value)))
        for name, value in values.items()
        if value not in ("", None)
    ]


def _one_line(text: str) -> bytes:
    """A text as the value of a header: printable ASCII on one line."""
    line = " ".join(text.split())[:300]
    return "".join(sign if " " <= sign <= "~" else "?" for sign in line).encode("ascii")
