"""Who does what in a question's words: subject and predicate, by word lists. It guesses."""

import re

_DETERMINERS = frozenset(
    re.findall(
        r"\w+",
        """a an all any both each every her his its my no our some that the their these this
        those your""",
    )
)
_PRONOUNS = frozenset(re.findall(r"\w+", "he i it she that there they this those these we you"))
_JOINS = frozenset(re.findall(r"\w+", "of and or"))
_VERBS = frozenset(
    re.findall(
        r"\w+",
        """accept achieve add adopt agree allow announce appear apply approve arrive ask attend
        be become begin believe book break bring build buy call cancel care carry cause
        celebrate change charge choose claim collect come commit compile complete consider
        contact contain continue cook cost crash create criticize cut decide delete deliver
        deploy describe develop disappear discuss do donate draw drop eat emphasize encounter
        encourage end engage enjoy expect explain face fail fall feel fill find finish fit
        fix fly follow forget freeze gain get give go grow handle hang happen hate have hear
        help hide hold hope host impact implement improve include inspire install introduce
        invest join keep know lead learn leave let like listen live look lose love make
        manage mean meet mention merge motivate move name need notice offer open order
        overcome own paint pass pay perform plan play post practice prefer prepare promise
        propose provide push put quit raise reach read realize receive recommend record
        reduce refund refuse reject remember remove renew renovate replace report research
        respond restart return rise run say search see seem sell send serve set share show
        sign sing slow spend stand start stay stop struggle study suggest support symbolize
        take talk teach tell think throw time travel try turn understand update use visit
        volunteer wait walk want watch wear win wish wonder work write""",
    )
)
"""Base forms of verbs that are asked of; any other word may be a noun."""
_NAME = re.compile(r"[A-Z\u00c0-\u00de][\w'\u2019-]*$")
_OWNS = re.compile(r"['\u2019]s$|s['\u2019]$")
_NEGATIONS = frozenset({"not", "never"})
_NUMBERED = re.compile(r"^(?=.*[A-Za-z#])(?=.*\d)")
_BEHIND = re.compile(r"\w+(?:ed|ing|en)$|(?:not|in|on|at|to|for|from|with|about|by|so|too|very)$")
"""What stands behind a subject and `was`, `has` or nothing."""
WORD = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|[^\s,;]+[,;]?")


def split(clause: str, *, bare: bool) -> tuple[str, str]:
    """Subject and predicate of what stands behind `did`, `is` or `will`.

    Args:
        bare: whether the predicate begins with a verb's base form, as after `did`.
    """
    words: list[str] = WORD.findall(clause)
    at = _subject(words, bare=bare)
    return " ".join(words[:at]).strip(" ,;"), " ".join(words[at:]).strip(" ,;")


def _subject(words: list[str], *, bare: bool) -> int:
    """How many words the subject has."""
    if not words:
        return 0
    if words[0].casefold() in _PRONOUNS and words[0].casefold() not in {"that", "this", "those"}:
        return 1
    at = _phrase(words, 0, bare=bare)
    while at + 1 < len(words) and words[at].casefold() in _JOINS:
        at = _phrase(words, at + 1, bare=bare)
    return at


def _phrase(words: list[str], at: int, *, bare: bool) -> int:
    """The place behind a noun phrase: names with what they own, or a determiner and nouns."""
    start = at
    while at < len(words):
        word = words[at]
        if word[-1] in ",;":
            return at + 1
        owner = bool(_OWNS.search(word))
        named = bool(_NAME.match(word)) or word[0] in '`"'
        if named and not owner:
            at += 1
            while at < len(words) and _NAME.match(words[at]) and not _OWNS.search(words[at - 1]):
                at += 1
                if _OWNS.search(words[at - 1]):
                    break
            if at <= len(words) and not _OWNS.search(words[at - 1]):
                return at
            continue
        if owner or word.casefold() in _DETERMINERS:
            at += 1
            continue
        return _nouns(words, at, bare=bare)
    return max(at, start + 1)


def _nouns(words: list[str], at: int, *, bare: bool) -> int:
    """The place behind the nouns that begin here: one at least, up to what must be the verb."""
    # `did order 48213 ship`; but `is the budget 5000`
    while at + 1 < len(words) and (
        _NUMBERED.search(words[at + 1]) or (bare and words[at + 1].isdigit())
    ):
        at += 1
    for place in range(at + 1, min(at + 4, len(words))):
        word = words[place].casefold().strip(",;")
        verb = word in _VERBS if bare else _BEHIND.match(word)
        if verb or word in _NEGATIONS:
            return place
    return at + 1
