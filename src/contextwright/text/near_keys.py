"""Keys under which equal texts meet."""

import re
from hashlib import sha256

_SPACE = re.compile(r"\s+")


def exact_key(text: str) -> str:
    """sha256 of a text with its white space folded."""
    return sha256(_SPACE.sub(" ", text).strip().encode("utf-8", "surrogatepass")).hexdigest()
