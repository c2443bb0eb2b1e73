"""Keys under which equal texts meet."""

from hashlib import sha256


def exact_key(text: str) -> str:
    """sha256 of a text with its white space folded."""
    return sha256(" ".join(text.split()).encode("utf-8", "surrogatepass")).hexdigest()
