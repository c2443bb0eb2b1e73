"""A schema filled by rules, each for one type of field and with its evidence: a value that is said
for the field's name, or that a call was made with.

What no rule finds is left out, or is an empty text or list: nobody said it, which is not 0 and not
`false`. The rules do not guess: a wrong value is worse than none.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any, TypeVar

import msgspec

from contextwright.models.embedded.field_forms import (
    AMOUNT,
    DEADLINE,
    EMAIL,
    GOES_ON,
    ID,
    NAME,
    NO_VALUE,
    SCALE,
    form_of,
)
from contextwright.models.embedded.near_duplicates import same
from contextwright.models.embedded.statements import CALL, Statement
from contextwright.spec.schema import problems
from contextwright.text.search_terms import every_stem, stem, words

T = TypeVar("T")
MAX_ITEMS = 8
"""Sentences of a list field, the newest: the rules find more than a list should name."""
MAX_DEPTH = 3
"""Objects in objects that are filled: a schema may contain itself."""
MAX_VALUE_WORDS = 6
"""Words of a value that has no form of its own."""
_DESCRIBED = "issue problem request goal"
"""Fields for which the user's first words do."""
_CUES = {
    "decision": "decided agreed chose approved settled",
    "issue problem": "error failed problem issue broken wrong bug crash complained",
    "unresolved open": "? open unresolved unclear pending todo",
    "question": "?",
    "step attempt tried": "tried ran checked restarted attempted tested updated installed reset",
    "recommended recommendation": "recommend suggest advise",
    "constraint": "must only least most without cannot limit deadline never",
    "requirement": "need want must require",
    "preference": "prefer like rather love",
    "finding conclusion cause": "found shows result caused revealed because",
}
"""What a sentence has that belongs into a field, by the words of its name."""
_OF_USER = "constraint requirement preference"
"""Fields that only the user's own sentences fill."""
_OF_CALLS = "step attempt tried"
"""Fields that are filled by what was called."""
_MOODS = {
    "negative": "angry frustrat upset annoy unaccept terribl worst disappoint furious ridicul",
    "positive": "thank great happy love excellent perfect appreciat glad",
}
_NEGATED = re.compile(r"\b(?:not|no|never|without)\b|n['\u2019]t\b", re.IGNORECASE)
_UNSURE = re.compile(
    r"\b(?:if|whether|later|decide|unless|maybe|perhaps|please (?:provide|confirm|let|share|tell)"
    r"|could you|can you|would you|may i|need your|provide)\b",
    re.IGNORECASE,
)
"""What asks for a value, or leaves it open."""
_MARKUP = re.compile(r"[*`]+|(?:^|(?<=\s))#+ |^\s*(?:[-+\u2022]|\d{1,2}[.)])\s+")
_MARKS = "*`#"
"""One of these is in every text with markup that does not begin with it."""
_BEGINS = frozenset("-+\u2022")
_OF_ID = re.compile(r"\b(\w+)[ _](?:id|number|code)\b", re.IGNORECASE)
"""Whose id is spoken of."""
_GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|day|evening)|thanks|ok)\b[^.!?]{0,20}[.!?]?$", re.IGNORECASE
)


def record(
    schema: str, stated: list[Statement], called: Mapping[str, Any], previous: str
) -> dict[str, Any]:
    """The record that a schema describes, what is new before what was known.

    Args:
        schema: JSON Schema of an object, as text.
        stated: what was said, with what was called.
        called: the arguments of calls by name, the newest values.
        previous: the record before, as JSON text.
    """
    root: dict[str, Any] = msgspec.json.decode(schema) if schema else {}
    shape = root if "properties" in root else {**_plain(root, root), "$defs": root.get("$defs", {})}
    known = _known(previous)
    evidence = FieldEvidence(tuple(map(_without_markup, stated)), called)
    return _object(shape, evidence, known if isinstance(known, Mapping) else {}, shape)


def _without_markup(each: Statement) -> Statement:
    text = each.text.strip()
    first = text[:1]
    if first in _BEGINS or first.isdigit() or any(map(text.__contains__, _MARKS)):
        text = _MARKUP.sub("", each.text).strip()
    return each if text == each.text else msgspec.structs.replace(each, text=text)


def missing(schema: str, record: Mapping[str, Any]) -> list[str]:
    """The names of a schema's fields that a record leaves empty."""
    shape = msgspec.json.decode(schema) if schema else {}
    named = _plain(shape, shape).get("properties", {})
    return [name for name in named if record.get(name) in (None, "", [], {})]


class FieldEvidence(msgspec.Struct, frozen=True):
    """What was said, markup left out, and the arguments of calls by name."""

    stated: tuple[Statement, ...]
    called: Mapping[str, Any]

    def newest(self, value_in: Callable[[Statement], T | None]) -> T | None:
        """What is there first, from the newest statement on: in no question, and in none that
        asks for a value."""
        for each in reversed(self.stated):
            if each.speaker == CALL or each.text.endswith("?"):
                continue
            value = value_in(each)
            if value is not None and not _UNSURE.search(each.text):  # hardly any has a value
                return value
        return None


def _object(
    shape: Mapping[str, Any],
    evidence: FieldEvidence,
    known: Mapping[str, Any],
    root: Mapping[str, Any],
    depth: int = 0,
) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    for name, field in shape.get("properties", {}).items():
        field = _followed(field, root)
        plain = _plain(field, root)
        value = _value(name, plain, evidence, known.get(name), root, depth)
        if value is not None and not problems(value, field):
            filled[name] = value
        elif name in known and not problems(known[name], field):
            filled[name] = known[name]
        elif name in shape.get("required", ()) and plain.get("type") in {"string", "array"}:
            if "enum" not in plain and "const" not in plain:
                filled[name] = "" if plain["type"] == "string" else []
    return filled


def _value(
    name: str,
    field: Mapping[str, Any],
    evidence: FieldEvidence,
    known: Any,
    root: Mapping[str, Any],
    depth: int,
) -> Any:
    if "const" in field:
        return field["const"]
    if "enum" in field:
        return _mentioned(field["enum"], evidence)
    kind = field.get("type")
    if kind in {"string", "number", "integer", "boolean"}:
        called = evidence.called.get(_folded(name))
        if called is not None and not problems(called, field):
            return called
    match kind:
        case "object" if depth < MAX_DEPTH:
            before = known if isinstance(known, Mapping) else {}
            return _object(field, evidence, before, root, depth + 1)
        case "number" | "integer":
            return _number(name, evidence, whole=kind == "integer")
        case "boolean":
            return _switch(name, evidence)
        case "array" if _plain(field.get("items", {}), root).get("type", "string") == "string":
            listed: list[Any] = known if isinstance(known, list) else []
            before = [item for item in listed if isinstance(item, str)]
            return _sentences(name, evidence, before) or None
        case "string":
            return _text(name, evidence, known if isinstance(known, str) else "")
        case _:
            return None


def _text(name: str, evidence: FieldEvidence, known: str) -> str | None:
    """A value said for the field, or the known one; for a field that describes, a sentence."""
    stems = _stems(name)
    if "sentiment" in name or "mood" in name:
        return _mood(evidence)
    form = form_of(name)
    if named := evidence.newest(partial(_named, name, form)):
        return named
    if form and (value := _replied(name, form, evidence)):
        return value
    if form in {EMAIL, DEADLINE} and (value := evidence.newest(partial(_value_of_form, form))):
        return value
    if known or form:
        return known or None
    if stems & _stems(_DESCRIBED):
        users = (each.text for each in evidence.stated if each.speaker in {"user", ""})
        return next((text for text in users if not _GREETING.match(text)), None)
    return next(reversed(_sentences(name, evidence, [])), None)


@lru_cache(256)
def _first_word(name: str) -> str:
    """What every text has that names a field, in ASCII and in small letters."""
    first = re.split(r"[_\s]+", name.strip("_"))[0].lower()
    return first if first.isascii() else ""


@lru_cache(256)
def _naming(name: str, form: str) -> re.Pattern[str]:
    """Finds what a text names a field's value by."""
    plain = r"[\s_-]*".join(map(re.escape, re.split(r"[_\s]+", name.strip("_"))))
    is_value = r"\s*(?::|=|\bis\b(?! not)(?: now)?|\bare\b|\bwas\b)\s*"
    if not form:
        anything = r"((?:[^,;.!?\n]|[,;.!?](?=\S)){1,80})"
        return re.compile(rf"\b{plain}{is_value}{anything}", re.IGNORECASE)
    of = re.escape(re.split(r"[_\s]+", name)[0]) if len(_stems(name)) > 1 else plain
    bare = rf"|\b{of}\s+(?:#|no\.? )?" if form == ID else ""
    return re.compile(rf"(?:\b{plain}{is_value}{bare})(?P<value>{form})", re.IGNORECASE)


def _value_of_form(form: str, each: Statement) -> str | None:
    """A value of the form that the user said."""
    match = re.search(form, each.text, re.IGNORECASE) if each.speaker == "user" else None
    return match[0].strip() if match else None


def _named(name: str, form: str, each: Statement) -> str | None:
    """Y of `X: Y`, `X is Y`, `my X is Y`; of an order's id also that of `order A17`."""
    text, begins = each.text, _first_word(name)
    if text.isascii() and begins not in text.lower():
        return None
    if form:
        if each.speaker not in {"user", ""} and form == NAME:
            return None
        match = _naming(name, form).search(each.text)
        return (match["value"].strip().removeprefix("#") or None) if match else None
    if each.speaker == "assistant":  # it may say anything of anything
        return None
    match = _naming(name, "").search(each.text)
    value = GOES_ON.sub("", match[1]).strip(" \"'") if match else ""
    is_short = 0 < len(value.split()) <= MAX_VALUE_WORDS
    return value if is_short and not NO_VALUE.match(value) else None


def _replied(name: str, form: str, evidence: FieldEvidence) -> str | None:
    """The one value of the form in what the user replied, where the field was asked for last."""
    stems, is_asked, value = _stems(name), False, None
    for each in evidence.stated:
        others = {stem(word.casefold()) for word in _OF_ID.findall(each.text)} - stems
        if each.speaker == "assistant":
            asks = each.text.endswith("?") or bool(_UNSURE.search(each.text))
            is_asked = is_asked or (asks and stems <= _text_stems(each.text) and not others)
        elif each.speaker == "user" and is_asked and not others:
            matches = {match[0] for match in re.finditer(form, each.text, re.IGNORECASE)}
            value = matches.pop().strip().removeprefix("#") if len(matches) == 1 else value
            is_asked = False
    return value


def _number(name: str, evidence: FieldEvidence, *, whole: bool) -> float | int | None:
    split = [re.escape(word) for word in re.split(r"[_\s]+", name.strip("_"))]
    plain = r"[\s_-]*".join(split)
    last = split[-1] if len(split[-1]) > 3 else plain
    is_value = r"\s*(?::|=|\bis\b|\bof\b|\bwas\b|\bto\b|\bat\b)?\s*"
    nearly = r"(?:now |about |around |up to |only )*[$\u20ac\u00a3]?"
    before = rf"\b(?:{plain}|{last}){is_value}{nearly}"
    patterns = (rf"{before}{AMOUNT}", rf"{AMOUNT}\s*(?:\w+ )?{last.rstrip('s')}s?\b")
    return evidence.newest(partial(_amount, patterns, whole))


def _amount(patterns: tuple[str, ...], whole: bool, each: Statement) -> float | int | None:
    for pattern in patterns:
        match = re.search(pattern, each.text, re.IGNORECASE)
        if match is None:
            continue
        value = float(match[1].replace(",", "")) * SCALE.get((match[2] or "").casefold(), 1)
        if not whole or value.is_integer():
            return int(value) if value.is_integer() else value
    return None


def _switch(name: str, evidence: FieldEvidence) -> bool | None:
    """Whether the user wants, or has, what the whole name says."""
    stems = _stems(name)

    def value_in(each: Statement) -> bool | None:
        is_named = each.speaker in {"user", ""} and stems and stems <= _text_stems(each.text)
        return not _NEGATED.search(each.text) if is_named else None

    return evidence.newest(value_in)


def _sentences(name: str, evidence: FieldEvidence, before: list[str]) -> list[str]:
    """The sentences that belong to a field, by the words of its name; of steps, the calls."""
    named = _stems(name)
    kinds = [key for key in _CUES if _stems(key) & named]
    cues = {cue for key in kinds for cue in _text_stems(_CUES[key])}
    is_of_user, is_of_calls = _stems(_OF_USER) & named, _stems(_OF_CALLS) & named
    listed = list(before)
    for each in evidence.stated if cues or is_of_calls else ():
        if each.speaker == CALL:
            belongs = bool(is_of_calls)
        else:
            belongs = not is_of_user or each.speaker in {"user", ""}
            belongs = belongs and each.text[:1] not in "{[<"
            belongs = belongs and (each.text.endswith("?") <= ("?" in cues))
            belongs = belongs and not cues.isdisjoint(_text_stems(each.text))
        if belongs and not any(same(each.text, other) for other in listed):
            listed.append(each.text)
    return listed[-MAX_ITEMS:]


def _mentioned(options: list[Any], evidence: FieldEvidence) -> Any:
    """The one option that the newest statement of the user names, if it names one."""
    texts = {option: option.replace("_", " ") for option in options if isinstance(option, str)}

    def value_in(each: Statement) -> Any:
        if each.speaker in {"user", ""} and not _NEGATED.search(each.text):
            plain = [one for one, text in texts.items() if _has(text, each.text)]
            if len(plain) == 1:
                return plain[0]
        return None

    return evidence.newest(value_in)


def _has(name: str, text: str) -> bool:
    return bool(re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE))


def _mood(evidence: FieldEvidence) -> str:
    heard = [each.text.casefold() for each in evidence.stated if each.speaker == "user"]
    bad, good = (sum(cue in text for text in heard for cue in _MOODS[mood].split())
                 for mood in ("negative", "positive"))  # fmt: skip
    return "neutral" if bad == good else "negative" if bad > good else "positive"


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _stems(name: str) -> set[str]:
    return {stem(word) for word in words(name.replace("_", " "))}


def _text_stems(text: str) -> set[str]:
    return every_stem(text) | {sign for sign in "?$" if sign in text}


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


def _known(previous: str) -> Any:
    try:
        return msgspec.json.decode(previous) if previous else {}
    except (msgspec.DecodeError, RecursionError):
        return {}
