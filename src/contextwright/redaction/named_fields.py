"""Redaction by the name of a field: in JSON, whole or within other text, and in `key: value` text.

A name matches at any depth, whatever its case and separators: `credit_card` is `creditCard`. A
dotted name, `user.ssn`, is the end of a path; list positions are no part of it.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from contextwright.errors import SpecError
from contextwright.redaction.json_walk import FieldWalk, Named, Path, plain_key
from contextwright.redaction.key_values import PairValues, key_pattern
from contextwright.redaction.operators import REPLACE, Operator, Replacement, disjoint, put

_OPENING = re.compile(r"[{\[]")
_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}")
MAX_NESTED = 8
"""JSON in strings of JSON: each level doubles its backslashes, so more are no document."""


@lru_cache(maxsize=256)
def field_paths(fields: tuple[str, ...]) -> tuple[Path, ...]:
    """The ends of the paths that names of fields stand for, without case and separators.

    Raises:
        SpecError: a field without a name.
    """
    paths = tuple(tuple(plain_key(part) for part in field.split(".")) for field in fields)
    for field, path in zip(fields, paths, strict=True):
        if not all(path):
            raise SpecError(
                f"{field!r} is no field", where="redact(fields=...)", fix="'ssn', or 'user.ssn'"
            )
    return paths


def redact_json_text(
    text: str, fields: Sequence[str], operator: Operator = REPLACE
) -> tuple[str, int]:
    """`text` with the values of these fields replaced, and how many were.

    In JSON, wherever it stands in the text, and also cut off, only the values change; all other
    bytes stay. In other text, `key: value` and `key=value` lose what follows, to the end of the
    line or to the next pair on it; a key of YAML without a value, the lines that are deeper.
    Redacting the result again changes nothing.

    Raises:
        SpecError: a field without a name.
    """
    spans = field_spans(text, tuple(fields), operator)
    return put(text, spans), len(spans)


def field_spans(
    text: str, fields: tuple[str, ...], operator: Operator, path: Path = (), depth: int = 0
) -> list[Replacement]:
    """Where the values of these fields are, and what stands there instead.

    Args:
        path: of the value of JSON that the text is.
        depth: in how many strings of JSON the text stands.
    """
    wanted = field_paths(fields)
    key_of = key_pattern(fields)
    # most texts name no field: then nothing is read
    if not fields or not (key_pattern(fields, bare=True).search(text) or _ESCAPED.search(text)):
        return []

    def inside(inner: str, here: Path) -> list[Replacement]:
        return field_spans(inner, fields, operator, here, depth + 1) if depth < MAX_NESTED else []

    named, values = Named(wanted, operator, inside), PairValues(text, operator)
    size = len(text.rstrip())
    spans: list[Replacement] = []
    place = read = 0  # up to where values were replaced, and up to where JSON was read
    key = key_of.search(text)
    opening = _OPENING.search(text)
    while key or opening:
        if opening and (not key or opening.start() < key.start()):
            walk = FieldWalk(text, named, size, path)
            complete = walk.read(opening.start())
            spans += walk.spans
            read = max(walk.place, opening.end())
            place = read if complete else opening.end()
            opening = _OPENING.search(text, read)
        elif key:
            start, end, instead = values.value_at(key)
            if instead:
                spans.append((start, end, instead))
            place = max(end, key.end())
            if opening and opening.start() < place:
                opening = _OPENING.search(text, max(place, read))
        if not key or key.start() < place:
            key = key_of.search(text, place) if key else None
    return disjoint(spans)
