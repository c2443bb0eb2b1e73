"""What a question takes for granted: `why did the server crash?` says that it did.

English question words with an auxiliary, and the document's `how do I fix`. Other questions and
other languages are a model's to read.
"""

import re
from collections.abc import Iterator

from contextwright.premises.findings import Presupposition, PresuppositionKind
from contextwright.retrieval.plain_forms import plain_stems
from contextwright.text.search_terms import STOP
from contextwright.text.sentences import sentences

MAX_PRESUPPOSITIONS = 6
"""A message's last questions count: they are what it is about."""
MAX_QUESTION = 400
"""Characters of a question that are looked at: more is pasted text."""

_GENERIC = frozenset(
    plain_stems(
        """amount answer ask asked according cause date day describe description exact feature feel
        felt get go happen hour kind long make many mention mentioned minute month much name never
        number often part person place reason say said sort specific specifically thing think
        thought time times type week which year"""
    )
)
"""Words that say what is asked for, and nothing of what is taken for granted."""
_BE = r"is|are|was|were"
_AUXILIARY = rf"(?:did|does|do|{_BE}|has|have|had)(?:n['\u2019]?t)?"
_QUESTION = re.compile(
    rf"\b(?P<asks>why|when|where|whom?|(?:how|whose|what|which)"
    rf"(?P<topic>(?:\s+(?!{_AUXILIARY}\b|I\b|you\b|we\b|they\b|s?he\b|it\b|the\b|my\b)"
    rf"[\w'\u2019-]+){{0,5}}?))\s+(?P<aux>{_AUXILIARY})\s+(?P<rest>[^?]+)",
    re.IGNORECASE,
)
_OPEN = re.compile(r"\b(?:would|could|should|might|can|shall|will)\b", re.IGNORECASE)
"""What would be, or might be, is not taken for granted."""
_SUBJECT = re.compile(r"^(?P<asks>who|what|which)\b(?P<rest>\s+[^?]+)", re.IGNORECASE)
_CONTRACTED = re.compile(r"\b(who|what|where|when|why|how)['\u2019]s\b", re.IGNORECASE)
_FIX = re.compile(
    r"\bhow (?:do|can|should|to)\s*(?:i|we|you)?\s*(?:fix|repair|solve|resolve|debug)\s+"
    r"(?P<rest>[^?]+)",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"^(?:i|we|you|one)\b", re.IGNORECASE)
"""`how do I reset it` asks for a way, and takes nothing for granted."""
_STATED = re.compile(
    r"\b(?i:the fact that|given that|now that|how come|why)\s+"
    r"(?P<rest>(?:(?:the|my|your|our|his|her|their|its|this|that|it|he|she|they|we|you|I)\b|[A-Z])"
    r"[^?,;]+)"
)
"""A clause that stands as a statement."""
_DETERMINER = (
    r"(?:the|a|an|my|your|our|his|her|their|its|this|that|these|those|some|any|all|no|not|never)\b"
)
_OPENS_SUBJECT = re.compile(rf"(?i:{_DETERMINER}|(?:i|you|he|she|it|we|they|there)\b)|[A-Z`\"'\d]")
_PRONOUN = re.compile(r"(?:i|you|he|she|it|we|they|there)$", re.IGNORECASE)
_PARTICIPLE = re.compile(r"\b\w+(?:ed|ing)\b|\b(?:held|made|built|sold|bought|done)\b")
_NOT = re.compile(r"n['\u2019]t\b|\b(?:d(?:id|o|oes)nt|not|never)\b", re.IGNORECASE)
_ENDS_CLAUSE = re.compile(
    rf"{_DETERMINER}|(?:in|on|at|to|for|from|with|about|by|as|after|before|during|when|so|too|it|me|us|him|them)$",
    re.IGNORECASE,
)


def extract_premises(question: str) -> tuple[Presupposition, ...]:
    """What a message's questions take for granted, in their order, none within another."""
    # WHO SHOUTS names nobody
    message = question.lower() if question.isupper() else question
    presuppositions = [
        each
        for sentence in sentences(message)
        for part in re.split(r"(?<=\?)|,?\s+and\s+(?=(?:why|how|when|where|what|who)\b)",
                             sentence[:MAX_QUESTION])
        for each in _presuppositions(" ".join(part.split()), asks=sentence.endswith("?"))
    ]  # fmt: skip
    return tuple(_distinct(presuppositions)[-MAX_PRESUPPOSITIONS:])


def _presuppositions(part: str, *, asks: bool) -> Iterator[Presupposition]:
    part = _CONTRACTED.sub(r"\1 is", part).strip(" ?.!,")
    question = _QUESTION.search(part)
    if (
        not asks
        and not (question and question.start() == 0)
        and not part.lower().startswith("how ")
    ):
        return
    fix, stated = _FIX.search(part), _STATED.search(part)
    if fix:
        yield _made(f"there is a problem with {fix['rest']}", fix["rest"], "problem")
    elif stated and not (question and question.start() == stated.start()):
        yield _made(stated["rest"], stated["rest"], "event")
    elif question and not _OPEN.search(part[: question.start("aux")]):
        yield from _of_question(question)
    elif (subject := _SUBJECT.match(part)) and not _OPEN.search(part):
        who = {"who": "someone", "which": "some"}.get(subject["asks"].casefold(), "something")
        yield _made(f"{who} {subject['rest']}", subject["rest"], "event")


def _of_question(match: re.Match[str]) -> Iterator[Presupposition]:
    """`why did X do Y`, `what Z does X have`, `who is X`, `which Z were stolen`."""
    asks, aux, rest = match["asks"].split()[0].casefold(), match["aux"].casefold(), match["rest"]
    topic = re.sub(r"^(?:kind|type|sort)s? of ", "", (match["topic"] or "").strip())
    if asks == "how" and not topic and aux == "do" and _HOW_TO.match(rest):
        return
    if topic and not _OPENS_SUBJECT.match(rest):
        yield _made(f"some {topic} {aux} {rest}", f"{topic} {rest}", "event")
    elif re.match(_BE, aux) and asks != "why" and not _PARTICIPLE.search(rest):
        # of `the capital of Atlantis`, Atlantis
        named = rest if "'s " in rest else rest.rpartition(" of ")[2]
        yield _made(f"{named} exists", f"{topic} {named}", "exists")
    else:
        text = _sentence(aux, rest) + (f" ({topic})" if topic else "")
        yield _made(text, f"{topic} {rest}", "event")


def _sentence(aux: str, rest: str) -> str:
    """The auxiliary behind the subject."""
    split: list[str] = rest.split()
    at = _subject_length(aux, split)
    positive = re.sub(r"n['\u2019]?t$", "", aux)
    helper = positive if positive == aux else f"{positive} not"
    return " ".join([*split[:at], helper, *split[at:]])


def _subject_length(aux: str, split: list[str]) -> int:
    """Words of the subject, guessed: a pronoun, a name, or all before the last word of the first
    phrase. A wrong guess only reads badly."""
    end = next((n for n, word in enumerate(split) if n and _ENDS_CLAUSE.match(word)), len(split))
    if end < len(split) and split[end] in {"not", "never"}:
        return end
    if re.match(_BE, aux) and any(word[0].isdigit() for word in split[1:]):
        return next(n for n, word in enumerate(split) if n and word[0].isdigit())
    if _PRONOUN.match(split[0]):
        return 1
    if split[0].istitle() and len(split) > 1:
        names = next((n for n, word in enumerate(split) if not word[0].isupper()), 1)
        return names + split[names - 1].endswith(("'s", "\u2019s"))
    if re.match("d(?:o|id)", aux):
        return max(1, end - 1 - (split[end - 1].isdigit() and end > 2))
    participles = (n for n in range(1, end) if _PARTICIPLE.match(split[n]))
    return next(participles, max(1, end - (end == len(split))))


def _made(text: str, about: str, kind: PresuppositionKind) -> Presupposition:
    telling = (each for each in plain_stems(about) if each not in _GENERIC | STOP)
    terms = tuple(dict.fromkeys(each for each in telling if len(each) > 1 or not each.isalpha()))
    named = " ".join(text.split())[:MAX_QUESTION]
    return Presupposition(named, terms, kind, bool(_NOT.search(text)))


def _distinct(presuppositions: list[Presupposition]) -> list[Presupposition]:
    """Without those that say nothing, and those that another says with more words."""
    sets = [set(each.terms) for each in presuppositions]
    return [
        each
        for place, each in enumerate(presuppositions)
        if each.terms
        and not any(
            sets[place] < other or (sets[place] == other and at < place)
            for at, other in enumerate(sets)
        )
    ]
