"""A schema filled by rules: `X: Y`, `my X is Y`, amounts and dates near a field's name.

What is not found is left out, or empty where the schema wants it: the rules do not guess.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from contextwright.models.embedded.near_duplicates import same
from contextwright.models.embedded.statements import Statement
from contextwright.spec.schema import problems
from contextwright.text.search_terms import stem, words

MAX_ITEMS = 8
"""Sentences of a list field, the newest: the rules find more than a list should name."""
MAX_DEPTH = 3
"""Objects in objects that are filled: a schema may contain itself."""
_AMOUNT = re.compile(r"(?<![\w-])(?:[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+]?\d+(?:\.\d+)?)")
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_GOES_ON = re.compile(
    r"\s+(?:and|but)\s+(?:i|we|my|our|it|the|please)\b.*|\s+(?:now|today|please|thanks)$",
    re.IGNORECASE | re.DOTALL,
)
_SCALE = {"k": 1_000, "thousand": 1_000, "m": 1_000_000, "million": 1_000_000}
_TIME = re.compile(
    r"\b(?:by|until|before|within|in|next|due)\s+[^,;.!?]{3,40}|\b\d{4}-\d\d-\d\d\b|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b",
    re.IGNORECASE,
)
_PATTERNS = (
    (frozenset({"email", "mail"}), _EMAIL),
    (frozenset({"timelin", "deadlin", "date", "due"}), _TIME),
)
"""Fields whose value has a form of its own, by the stems of their names."""
_DESCRIBED = {"issu", "problem", "descript", "request", "goal", "topic", "stat", "summary"}
"""Fields for which the user's first words do."""
_NEGATED = re.compile(r"\b(?:not|no|never|without)\b|n't\b", re.IGNORECASE)
_CUES = {
    "decision": "decid agre chose choos approv go with settl",
    "issue": "error fail problem issu broken wrong bug crash charg complain",
    "unresolved": "? open unresolv still unclear pend todo wait",
    "question": "?",
    "step": "tri ran check restart attempt test updat instal reset verif",
    "attempt": "tri ran check restart attempt test reset verif",
    "action": "should recommend need pleas next refund escalat issu",
    "recommend": "should recommend suggest propos",
    "constraint": "must only least most without cannot limit deadlin never",
    "requirement": "need want must requir should",
    "preference": "prefer like want rather lov",
    "finding": "found show result caus reveal",
    "fact": "is are was were",
    "timeline": "by until week month deadlin",
    "deadline": "by until deadlin due",
    "budget": "$ budget cost price",
}
_MOODS = {
    "negative": "angry frustrat upset annoy unaccept terribl worst disappoint furious ridicul",
    "positive": "thank great happy love excellent perfect appreciat glad",
}


def record(schema: str, stated: list[Statement], previous: str) -> dict[str, Any]:
    """The record that a schema describes, what is new before what was known."""
    root: dict[str, Any] = msgspec.json.decode(schema) if schema else {}
    shape = root if "properties" in root else {**_plain(root, root), "$defs": root.get("$defs", {})}
    known = _known(previous)
    filled = _object(shape, stated, known if isinstance(known, Mapping) else {}, shape)
    return filled if not problems(filled, shape) else _empty(shape, shape)


def _object(
    shape: Mapping[str, Any],
    stated: list[Statement],
    known: Mapping[str, Any],
    root: Mapping[str, Any],
    depth: int = 0,
) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    for name, field in shape.get("properties", {}).items():
        field = _followed(field, root)
        value = _value(name, _plain(field, root), stated, known.get(name), root, depth)
        if value is not None and not problems(value, field):
            filled[name] = value
        elif name in known and not problems(known[name], field):
            filled[name] = known[name]
        elif name in shape.get("required", ()):
            filled[name] = _empty(field, root)
    return filled


def _value(
    name: str,
    field: Mapping[str, Any],
    stated: list[Statement],
    known: Any,
    root: Mapping[str, Any],
    depth: int,
) -> Any:
    if "enum" in field:
        return _mentioned(field["enum"], stated)
    match field.get("type"):
        case "object" if depth < MAX_DEPTH:
            before = known if isinstance(known, Mapping) else {}
            return _object(field, stated, before, root, depth + 1) or None
        case "number" | "integer" as kind:
            return _number(name, stated, whole=kind == "integer")
        case "boolean":
            return _switch(name, stated)
        case "array" if _plain(field.get("items", {}), root).get("type", "string") == "string":
            listed: list[Any] = known if isinstance(known, list) else []
            before = [item for item in listed if isinstance(item, str)]
            return _sentences(name, stated, before) or None
        case "string":
            return _text(name, stated, known if isinstance(known, str) else "")
        case _:
            return None


def _text(name: str, stated: list[Statement], known: str) -> str | None:
    """A value stated for the field; else the known one; else a sentence that sounds like it."""
    stems = _stems(name)
    if "sentiment" in name or "mood" in name:
        return _mood(stated)
    for each in reversed(stated):
        value = None if each.text.endswith("?") else _named(name, each.text)
        if value:
            return value
    users = [each for each in stated if each.speaker == "user"]
    for names, pattern in _PATTERNS:
        matches = (pattern.search(each.text) for each in reversed(users) if stems & names)
        for match in filter(None, matches):
            return match[0].strip()
    if known:
        return known
    if stems & _DESCRIBED:
        return next((each.text for each in users or stated), None)
    return next(reversed(_sentences(name, stated, [])), None)


def _named(name: str, text: str) -> str | None:
    """Y of `X: Y`, `X is Y`, `my X is Y`."""
    plain = r"[\s_-]*".join(map(re.escape, re.split(r"[_\s]+", name.strip("_"))))
    match = re.search(
        rf"\b{plain}\s*(?::|=|\bis\b|\bare\b)\s*((?:[^,;.!?\n]|[,;.!?](?=\S)){{1,80}})",
        text,
        re.IGNORECASE,
    )
    return _GOES_ON.sub("", match[1]).strip() if match else None


def _number(name: str, stated: list[Statement], *, whole: bool) -> float | int | None:
    stems = _stems(name) | ({"$"} if _stems(name) & {"budget", "cost", "pric", "amount"} else set())
    for each in reversed(stated):
        if not (stems & _text_stems(each.text)):
            continue
        for result in sorted(_AMOUNT.finditer(each.text), key=_distance(name, each.text)):
            unit = re.match(r"\s?([a-zA-Z]+)", each.text[result.end() :])
            scale = _SCALE.get(unit[1].casefold(), 1) if unit else 1
            value = float(result[0].replace(",", "")) * scale
            if not whole or value.is_integer():
                return int(value) if value.is_integer() else value
    return None


def _distance(name: str, text: str) -> Callable[[re.Match[str]], int]:
    """How far a match is from the nearest word of a field's name."""
    folded = text.casefold()
    result = (re.finditer(re.escape(word[:5]), folded) for word in words(name) if word)
    places = [match.span() for matches in result for match in matches] or [(0, 0)]

    def away(amount: re.Match[str]) -> int:
        return min(max(amount.start() - end, start - amount.end()) for start, end in places)

    return away


def _switch(name: str, stated: list[Statement]) -> bool | None:
    stems = _stems(name)
    for each in reversed(stated):
        if stems & _text_stems(each.text) and not each.text.endswith("?"):
            return not _NEGATED.search(each.text)
    return None


def _sentences(name: str, stated: list[Statement], before: list[str]) -> list[str]:
    """The sentences that a field's name, or what goes with it, points to."""
    wanted = _stems(name)
    cues = {cue for key, line in _CUES.items() if stem(key) in wanted for cue in line.split()}
    cues |= wanted
    result = list(before)
    for each in stated:
        stems = _text_stems(each.text)
        if each.text[:1] in "{[<" or not stems & cues:
            continue
        if not any(same(each.text, other) for other in result):
            result.append(each.text)
    return result[-MAX_ITEMS:]


def _mentioned(options: list[Any], stated: list[Statement]) -> Any:
    names = {each.casefold().replace("_", " "): each for each in options if isinstance(each, str)}
    texts = (each.text.casefold() for each in reversed(stated))
    return next((names[name] for text in texts for name in names if name in text), None)


def _mood(stated: list[Statement]) -> str:
    heard = [each.text.casefold() for each in stated if each.speaker == "user"]
    bad, good = (sum(cue in text for text in heard for cue in _MOODS[mood].split())
                 for mood in ("negative", "positive"))  # fmt: skip
    return "neutral" if bad == good else "negative" if bad > good else "positive"


def _stems(name: str) -> set[str]:
    return {stem(word) for word in words(name.replace("_", " "))}


def _text_stems(text: str) -> set[str]:
    return {stem(word) for word in words(text)} | {sign for sign in "?$" if sign in text}


def _followed(field: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The field, or what it refers to; one that refers to itself asks for anything."""
    for _ in range(20):
        name = str(field.get("$ref", "")).rpartition("/")[2]
        if not name:
            return field
        field = root.get("$defs", {}).get(name, {})
    return {}


def _plain(field: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The field without its null option; the first option where there are several."""
    field = _followed(field, root)
    for option in field.get("anyOf") or field.get("oneOf") or ():
        if option.get("type") != "null":
            field = _followed(option, root)
            break
    kinds = field.get("type")
    if not isinstance(kinds, list):
        return field
    kind = next((kind for kind in kinds if kind != "null"), "null")
    return {**field, "type": kind}


def _empty(field: Mapping[str, Any], root: Mapping[str, Any], depth: int = 0) -> Any:
    """The empty value that a schema allows."""
    field = _followed(field, root)
    if "const" in field or field.get("enum"):
        return field.get("const", (field.get("enum") or [None])[0])
    options = field.get("anyOf") or field.get("oneOf")
    if options:
        nothing = any(option.get("type") == "null" for option in options)
        return None if nothing or depth > 20 else _empty(options[0], root, depth + 1)
    kind = field.get("type")
    if isinstance(kind, list):
        kind = "null" if "null" in kind or not kind else kind[0]
    if kind == "object":
        named, wanted = field.get("properties", {}), field.get("required", ())
        return {
            name: _empty(named.get(name, {}), root, depth + 1) for name in wanted if depth <= 20
        }
    empty = {"string": "", "array": [], "number": 0, "integer": 0, "boolean": False}
    return empty.get(str(kind))


def _known(previous: str) -> Any:
    try:
        return msgspec.json.decode(previous) if previous else {}
    except (msgspec.DecodeError, RecursionError):
        return {}
