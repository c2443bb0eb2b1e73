"""What is no text: named, with its size and a digest, so that two are told apart."""

import re
from hashlib import sha256

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{120,}={0,2}")
_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+);base64,")
_MAGIC = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
    "UEsDB": "application/zip",
    "H4sI": "application/gzip",
}
"""How base64 of well-known formats begins."""
CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd]")
"""What no text has: control characters but for line ends and escapes, and what stands for bytes
that could not be decoded."""

LEAST = 32
"""Characters of a text below which it is named as it is."""


def binary_label(text: str) -> str:
    """The name of a text that is base64 or bytes; empty for one that can be read in part."""
    if len(text) < LEAST:
        return ""
    bare = text.strip()
    uri = _DATA_URI.match(bare)
    body = bare[uri.end() :] if uri else bare
    packed = "".join(body.split())
    if _BASE64.fullmatch(packed) and (uri or _looks_packed(body, packed)):
        begins = next((kind for magic, kind in _MAGIC.items() if packed.startswith(magic)), "")
        kind = uri[1] if uri else begins or "base64"
        return (
            f"[{kind}, {len(packed) * 3 // 4} bytes as base64, sha256 {_digest(text)} … left out]"
        )
    if len(bare) >= LEAST and len(CONTROL.findall(bare)) * 10 > len(bare):
        return f"[binary, {len(bare)} characters, sha256 {_digest(text)} … left out]"
    return ""


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _looks_packed(body: str, packed: str) -> bool:
    """Whether letters mix as in base64: long lines, capitals, small ones and digits."""
    longest = max(map(len, body.split()))
    kinds = (str.isupper, str.islower, str.isdigit)
    return longest >= 60 and all(
        sum(map(is_kind, packed[:400])) * 25 >= min(400, len(packed)) for is_kind in kinds
    )
