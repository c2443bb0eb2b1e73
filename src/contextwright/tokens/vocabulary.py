"""The exact vocabularies of OpenAI's models, shipped with the package: nothing is downloaded."""

from base64 import b64decode
from functools import cache
from gzip import decompress
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiktoken import Encoding

SHA256 = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
"""Of the uncompressed files, as tiktoken itself expects them."""

_SUFFIX = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
_UPPER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"
_LOWER = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
_PATTERNS = {
    "o200k_base": "|".join(
        (
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+{_SUFFIX}",
            rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*{_SUFFIX}",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            r"\s*[\r\n]+",
            r"\s+(?!\S)",
            r"\s+",
        )
    ),
    "cl100k_base": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
}


def raw_vocabulary(name: str) -> bytes:
    """The vocabulary file, uncompressed: a base64 token and its rank a line."""
    return decompress((files("contextwright.tokens") / "data" / f"{name}.tiktoken.gz").read_bytes())


@cache
def encoding(name: str) -> "Encoding":
    """The encoding of a vocabulary, built on first use (about a quarter of a second)."""
    from tiktoken import Encoding

    ranks: dict[bytes, int] = {}
    for line in raw_vocabulary(name).splitlines():
        token, _, rank = line.partition(b" ")
        ranks[b64decode(token)] = int(rank)
    return Encoding(name=name, pat_str=_PATTERNS[name], mergeable_ranks=ranks, special_tokens={})
