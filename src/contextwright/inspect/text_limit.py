"""How much text a page holds: the newest calls whole, the rest by digest, and how much that is."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

TEXTS = 20_000_000
"""Bytes of texts in a page: what a browser opens from a file without stalling."""
DIGEST = 16
"""Hexadecimal digits by which a text that is left out is known."""
NEVER = -1


def limited(data: dict[str, Any], most: int = TEXTS) -> dict[str, Any]:
    """A page's data with so many bytes of texts at most.

    Texts of the newest calls stay; each that does not fit is `{"left": characters, "sha256":
    digits}` in its place. `left` says how many are left out, their bytes, and how many of the
    newest calls are whole in every series.
    """
    texts: list[Any] = data["texts"]
    sizes = [_size(entry) for entry in texts]
    if sum(sizes) <= most:
        return data
    newest = _newest_calls(data)
    held, reached = set[int](), 0
    for number in sorted(range(len(texts)), key=lambda one: (-newest[one], -one)):
        entry = texts[number]
        over = [number] if isinstance(entry, str) else [number, entry[0]]
        more = sum(sizes[one] for one in over if one not in held)
        if reached + more <= most:
            held.update(over)
            reached += more
    out = [number for number in range(len(texts)) if number not in held]
    entries = [
        entry
        if number in held
        else {"left": len(whole := text_of(texts, number)), "sha256": digest_of(whole)}
        for number, entry in enumerate(texts)
    ]
    calls = len(data["calls"]["position"])
    broken = max((newest[number] for number in out), default=NEVER)
    left = {"texts": len(out), "bytes": sum(sizes[number] for number in out),
            "whole": calls - 1 - max(NEVER, broken), "held": reached}  # fmt: skip
    return {**data, "texts": entries, "left": left}


def text_of(texts: list[Any], number: int) -> str:
    """A text of the table; one that stands as edits, put together."""
    entry = texts[number]
    if isinstance(entry, str):
        return entry
    whole = text_of(texts, entry[0])
    return "".join(
        piece if isinstance(piece, str) else whole[piece[0] : piece[1]] for piece in entry[1:]
    )


def digest_of(text: str) -> str:
    """What a text is known by; half a character of a broken text counts as it stands."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST]


def _size(entry: Any) -> int:
    pieces = [entry] if isinstance(entry, str) else [one for one in entry if isinstance(one, str)]
    return sum(len(piece.encode("utf-8", "surrogatepass")) for piece in pieces)


def _newest_calls(data: dict[str, Any]) -> list[int]:
    """The newest call that shows each text, under any spec; of one that none does, `NEVER`."""
    newest = [NEVER] * len(data["texts"])
    for series in data["series"]:
        for call, part in _leaving(series["requests"]):
            _, _, _, text, original, *_ = data["parts"][part]
            for number in (text, original):
                if number >= 0:
                    newest[number] = max(newest[number], call)
    return newest


def _leaving(changes: list[list[Any]]) -> Iterator[tuple[int, int]]:
    """Every part of a series' requests with a call that has it, its last one among them."""
    items: list[int] = []
    for call, (head, middle, tail) in enumerate(changes):
        stop = len(items) - tail
        yield from ((call - 1, part) for part in items[head:stop] if part >= 0)
        items[head:stop] = middle
    yield from ((len(changes) - 1, part) for part in items if part >= 0)
