"""What a question takes for granted, by patterns: `why did the server crash?` says that it did.

English only. A question about what would be, or whether something is, takes little for granted.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec

from contextwright.premises.clauses import split
from contextwright.retrieval.stems import stems
from contextwright.text.search_terms import STOP, words
from contextwright.text.sentences import sentences

PremiseKind = Literal["event", "exists", "has", "problem", "before"]

MOST = 6
"""Premises of a message; its last questions count."""
LONGEST = 400
"""Characters of a question that are looked at: more is pasted text."""


class Premise(msgspec.Struct, frozen=True):
    """Something that a question takes for granted.

    Args:
        text: it as a sentence.
        subject: whom or what it is said of, in the question's words; empty where that is open.
        what: its telling words, without endings, as an index has them.
        kind: `event`, it is or was so; `exists`; `has`, someone has it; `problem`, something is
            wrong with it; `before`, it was so before.
        negated: whether it says that something is not so.
    """

    text: str
    subject: str = ""
    what: tuple[str, ...] = ()
    kind: PremiseKind = "event"
    negated: bool = False


_ASKED = frozenset(
    stems(
        """amount answer ask asked according date day describe description exact feature feel
        felt get go happen hour kind long many mention mentioned minute month much name
        number often part person place reason say said sort specific specifically thing think
        thought time times type week which year"""
    )
)
"""Words that say what is asked for, and nothing of what is taken for granted."""
_NEGATIONS = frozenset(stems("never neither nor"))
"""What says that something is not so says nothing of what that is."""
_FALSE_NOT = re.compile(r"\b(?:\w+n['\u2019]t|not|never|no longer)\b", re.IGNORECASE)
_LEAD = re.compile(
    r"^(?:(?:hi|hello|hey|please|so|and|but|also|ok|okay|well|thanks|sorry)\b[,!. ]*"
    r"|(?:can|could|would|will) you (?:please )?(?:tell|explain|remind|show|say)"
    r"(?: to)?(?: me| us)?\b[, ]*"
    r"|(?:do you (?:know|remember)|tell me|remind me|explain|i(?:'d| would) like to know"
    r"|i (?:wonder|want to know|need to know)|any idea|according to [^,]{1,40},"
    r"|(?:in|on|at|during|after|before) [^,?]{1,60},)[, ]*)+",
    re.IGNORECASE,
)
_WH = (
    r"(?P<wh>why|how come|since when|how|when|where|who|whom|whose|what|which"
    r"|(?:in|on|at|for|to|with|from|since|until|during|around|about|by|of|under) (?:what|which"
    r"|whom|how))"
)
_AUX = (
    r"(?P<aux>did|does|do|is|are|was|were|has|have|had|will|didn['\u2019]?t|doesn['\u2019]?t"
    r"|don['\u2019]?t|isn['\u2019]?t|aren['\u2019]?t|wasn['\u2019]?t|weren['\u2019]?t"
    r"|hasn['\u2019]?t|haven['\u2019]?t|hadn['\u2019]?t|won['\u2019]?t|can['\u2019]?t)"
)
_INVERTED = re.compile(
    rf"^{_WH}\b(?P<asked>(?:\s+(?!(?:did|do|does|is|are|was|were|has|have|had|will)\b)[^\s?]+)"
    rf"{{0,9}}?)\s+{_AUX}\s+(?P<rest>[^?]+)",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    rf"^(?:{_WH}\b(?:\s+(?!(?:did|do|does|is|are|was|were|has|have|had|will)\b)[^\s?]+){{0,9}}?\s+)?"
    r"(?:would|could|should|might|(?-i:may)|can|shall)\b",
    re.IGNORECASE,
)
_SHORT = re.compile(r"\b(who|what|where|when|why|how)['\u2019]s\b(?=\s)", re.IGNORECASE)
_ASKS_FOR = re.compile(
    r"(?!.*\b(?:i|you|he|she|it|we|they|when|that|who|because|if)\b)(?!\w+ed\b)", re.IGNORECASE
)
"""What may stand between `what` and its verb: a thing that is asked for, no clause."""
_HOW_MUCH = re.compile(r"(?!(?:the|my|your|our|his|her|their|its|this|that|a|an)\b)[a-z]", re.ASCII)
_BEGINS = re.compile(
    r"(?:(?:the|a|an|my|your|our|his|her|their|its|this|that|these|those|all|both|i|you|he|she|it|"
    r"we|they|there|any|some|each|every|no)\b|[A-Z`\"'\d])"
)
"""How a subject begins; anything else behind `were` is what was done."""
_DONE = re.compile(r"\b\w+(?:ed|ing|en)\b|\b(?:held|made|built|sold|bought|set|put|left)\b")
_SUBJECT = re.compile(r"^(?P<wh>who|what|which)\b(?P<rest>\s+[^?]+)", re.IGNORECASE)
_OPENS = (
    r"(?:the|my|your|our|his|her|their|its|this|that|it|he|she|they|we|you|i|I|[A-Z][\w'\u2019]*)\b"
)
"""How the subject of a clause begins, in small letters; any name."""
_EMBEDDED = re.compile(rf"\b(?P<wh>(?i:why|how come|how|when|where))\s+(?P<rest>{_OPENS}[^?]*)")
_FIX = re.compile(
    r"\b(?:how (?:do|can|could|would|should|to)\s*(?:i|we|you|one)?|what (?:fixes|would fix))\s*"
    r"(?:best |quickly )?(?P<verb>fix|repair|solve|resolve|debug|troubleshoot"
    r"|get rid of|work around)\s+"
    r"(?P<rest>[^?]+)",
    re.IGNORECASE,
)
_GIVEN = re.compile(
    r"\b(?:the fact that|given that|now that|considering that|considering|seeing that|since"
    r"|even though|although|because|ever since|after|before|when|once|while)\s+"
    rf"(?P<rest>{_OPENS}[^?,;]+)"
)
_FACT = re.compile(r"\bthe fact that\s+(?P<rest>[^?,;]+)", re.IGNORECASE)
_STILL = re.compile(
    rf"^(?:{_AUX})\s+(?P<rest>[^?]*?\b(?:still|again|any ?more|any longer|stop|stopped|continue"
    r"|keep|resume)\b[^?]*)",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"\b(?:still|again|any ?more|any longer|continue to|continue|keep|resume)\b", re.IGNORECASE
)
_STOPPED = re.compile(r"\b(?:stop(?:ped)?|quit)\s+(?=\w+ing\b)", re.IGNORECASE)
_OWNED = re.compile(
    r"\b(?P<owner>my|your|our|his|her|their|[A-Z][\w-]*['\u2019]s|[A-Z][\w-]*s['\u2019])\s+"
    r"(?P<thing>(?:[\w-]+\s+){0,2}?[\w-]+)"
    r"(?=\s*(?:[?,.;]|$|\s(?:is|are|was|were|has|have|had|do|does|did|will|would|in|on|at|for|to"
    r"|from|with|of|by|about|after|before|during|and|or|that|who|which|when|since|like|be|not|so"
    r"|as)\b))"
)
_OF = re.compile(
    r"^(?!.*\b(?i:my|your|our|his|her|their)\b|.*['\u2019]s\b.*\bof\b)"
    r"(?P<head>[^?]*?\b[a-z][\w-]*)\s+of\s+(?P<rest>[^?]+)$"
)
_NOT_NAMES = re.compile(
    r"^\w+\b|\b(?:Jan|Febr)uary|March|April|May|June|July|August|\w+(?:mber|ober)|\w+day\b"
)
"""Capitals that name nobody."""
_CODE = re.compile(
    r"`(?P<quoted>[^`\n]{2,80})`"
    r"|(?P<bare>\b\w*[a-z]\w*(?:Error|Exception|Warning)\b|\b[\w/-]+\.(?:py|js|ts|tsx|go|rs|java|"
    r"json|ya?ml|toml|sql|html|css|md|sh|txt|csv)\b|\bv?\d+\.\d+(?:\.\d+)+\b|\b[A-Z]{1,6}-?\d{2,}\b"
    r"|#\d{2,}\b)"
)


def extract_premises(question: str) -> tuple[Premise, ...]:
    """What a message's questions take for granted, each once, in their order; nothing where
    nothing is asked."""
    found: list[Premise] = []
    for asked in _questions(question):
        found += _of(asked)
    return tuple(_distinct(found)[-MOST:])


def _questions(message: str) -> list[str]:
    """The questions of a message; what begins like one may lack its mark."""
    found: list[str] = []
    # WHO SHOUTS names nobody
    message = message.lower() if message.isupper() else message
    for sentence in sentences(message):
        for piece in re.findall(r"[^?]+\??", sentence[:LONGEST]):
            plain = _SHORT.sub(r"\1 is", _LEAD.sub("", " ".join(piece.split())))
            begins = re.match(rf"(?:{_WH})\b", plain, re.IGNORECASE)
            if piece.endswith("?") or begins or _FIX.search(plain) or _FACT.search(plain):
                parts = re.split(r",?\s+and\s+(?=(?:why|how|when|where|what|who)\b)", plain)
                found += [part.strip(" ?.!,") for part in parts]
    return [one for one in found if one]


def _of(question: str) -> Iterator[Premise]:
    fixed = _FIX.search(question)
    if fixed:
        rest = fixed["rest"].strip(" .!")
        yield _premise(f"there is a problem with {rest}", rest, rest, "problem")
    elif not _HYPOTHETICAL.match(question):
        yield from _clause(question)
    for owned in _OWNED.finditer(question):
        owner, thing = owned["owner"], owned["thing"]
        holder = _holder(owner, _named(_NOT_NAMES.sub("", question[: owned.start()])))
        if words(thing) and words(thing)[0] not in STOP:
            has = "have" if holder in {"I", "you", "we", "they"} else "has"
            yield _premise(f"{holder} {has} {thing}", holder, f"{owner} {thing}", "has")
    given = _FACT.search(question) or _GIVEN.search(question)
    if given:
        yield from _stated(given["rest"])
    for code in _CODE.finditer(question):
        name = code["quoted"] or code["bare"]
        yield _premise(f"{name} exists", name, name, "exists")


def _clause(question: str) -> Iterator[Premise]:
    still = _STILL.match(question)
    if still:
        subject, predicate = split(_CUE.sub("", still["rest"]), bare=_is_do(still["aux"]))
        yield _before(subject, _positive(still["aux"]), predicate)
        return
    inverted, asked = _INVERTED.match(question), _SUBJECT.match(question)
    if inverted and _is_inverted(inverted):
        yield from _inverted(inverted)
    elif asked:
        who = {"who": "someone", "which": "some"}.get(asked["wh"].casefold(), "something")
        rest = asked["rest"].strip()
        yield _premise(f"{who} {rest}", _named(rest), rest, "event")
    else:
        embedded = _EMBEDDED.search(question)
        if embedded:
            yield from _stated(embedded["rest"])


def _is_inverted(match: re.Match[str]) -> bool:
    """Whether subject and verb have changed places: `why did he go`, not `why he went`."""
    wh, asked = match["wh"].casefold(), match["asked"].strip()
    if not asked:
        return True
    if wh == "how":
        return bool(_HOW_MUCH.match(asked)) and bool(_ASKS_FOR.match(asked))
    return wh not in {"why", "when", "where", "who", "how come"} and bool(_ASKS_FOR.match(asked))


def _before(subject: str, aux: str, predicate: str) -> Premise:
    """`do you still V`, `why did you stop V-ing`: it was so."""
    stopped = _STOPPED.search(predicate)
    predicate = _STOPPED.sub("", predicate)
    said = _sentence(subject, "had been" if stopped else aux, predicate, False)
    return _premise(f"{said}, before this", subject, f"{subject} {predicate}", "before")


def _inverted(match: re.Match[str]) -> Iterator[Premise]:
    """`why did X do Y`, `what kind of Z does X have`, `who is X`, `which Z were stolen`."""
    wh, aux, rest = match["wh"].casefold(), match["aux"], match["rest"].strip(" .!")
    asked = match["asked"].strip()
    negated = bool(_FALSE_NOT.search(aux))
    subject, predicate = split(rest, bare=_is_do(aux))
    if wh == "how" and asked.casefold() in {"do", "to"}:
        return
    if aux.casefold() in {"is", "are", "was", "were"}:
        if asked and not _BEGINS.match(rest):
            yield _premise(f"some {asked} {aux} {rest}", _named(rest), f"{asked} {rest}", "event")
            return
        if not predicate or (_is_phrase(wh, rest) and (wh != "how" or not asked)):
            yield _existing(asked, rest, plural=aux.casefold() in {"are", "were"})
            return
    if _STOPPED.match(predicate):
        yield _before(subject, aux, predicate)
        return
    said = _sentence(subject, aux, predicate, negated)
    about = re.sub(r"^(?:kind|type|sort|name|many|much|often|long)s?(?: of)?\b", "", asked).strip()
    if about:
        said += f" {about}" if " " not in predicate else f" ({about})"
    negated = negated or bool(_FALSE_NOT.search(predicate))
    yield _premise(said, subject, f"{asked} {rest}", "event", negated=negated)


def _existing(asked: str, phrase: str, *, plural: bool) -> Premise:
    """What is named is there: of `the capital of Atlantis`, Atlantis."""
    of = _OF.match(phrase)
    plain = phrase.removeprefix("the ")
    if of and words(of["rest"]):
        plain = of["rest"]
    about = f"{asked} {phrase}" if not of else f"{asked} {plain}"
    there = "exist" if plural and not of else "exists"
    return _premise(f"{plain} {there}", _named(plain) or plain, about, "exists")


def _is_phrase(wh: str, rest: str) -> bool:
    """Whether what follows `is` only names something: nothing is said of it."""
    if wh in {"where", "when", "how"}:
        return not _DONE.search(rest)
    if wh not in {"what", "who", "which"}:
        return False
    if re.search(r"\b(?:\w+ing|excited|able|going|known|called|made)\b", rest):
        return False
    return bool(re.match(r"(?:the|a|an|my|your|our|his|her|their|its)\b|.*['\u2019]s?\s", rest))


def _stated(clause: str) -> Iterator[Premise]:
    """A clause that stands as a statement."""
    plain = clause.strip(" .!?,")
    if len(plain.split()) < 2:
        return
    negated = bool(_FALSE_NOT.search(plain))
    subject = split(plain, bare=False)[0]
    yield _premise(plain, subject, plain, "event", negated=negated)


def _sentence(subject: str, aux: str, predicate: str, negated: bool) -> str:
    aux = aux.casefold()
    if aux == "do" and not negated:
        return " ".join(filter(None, (subject, predicate)))
    if negated:
        aux = re.sub(r"n['\u2019]?t$", "", aux).replace("ca", "can").replace("wo", "will") + " not"
    return " ".join(filter(None, (subject, aux, predicate)))


def _premise(
    text: str, subject: str, about: str, kind: PremiseKind, *, negated: bool = False
) -> Premise:
    what = tuple(dict.fromkeys(word for word in stems(about) if _tells(word)))
    return Premise(" ".join(text.split())[:LONGEST], subject, what, kind, negated)


def _tells(word: str) -> bool:
    if word in _ASKED or word in _NEGATIONS or word in STOP:
        return False
    return len(word) > 1 or not word.isalpha()


def _distinct(premises: list[Premise]) -> list[Premise]:
    """Without those that say nothing, and those that another says with more words."""
    kept: list[Premise] = []
    for place, one in enumerate(premises):
        mine = set(one.what)
        wider = any(
            mine < set(other.what) or (mine == set(other.what) and at < place)
            for at, other in enumerate(premises)
            if at != place and other.negated == one.negated
        )
        if mine and not wider:
            kept.append(one)
    return kept


def _named(text: str) -> str:
    """The first name in a text."""
    found = re.search(r"\b[A-Z][\w-]+(?:['\u2019]s\b)?", text)
    return re.sub(r"['\u2019]s$", "", found[0]) if found else ""


def _holder(owner: str, before: str) -> str:
    """Who has it; `his` and `her` are the one's who was named before."""
    plain = {"my": "I", "your": "you", "our": "we"}
    others = {"his": "he", "her": "she", "their": "they"}
    if owner.casefold() in others:
        return before or others[owner.casefold()]
    return plain.get(owner.casefold()) or re.sub(r"['\u2019]s$|['\u2019]$", "", owner)


def _is_do(aux: str) -> bool:
    return bool(re.match(r"d(?:o|id|oes)(?:n['\u2019]?t)?$|will|won|can", aux, re.IGNORECASE))


def _positive(aux: str) -> str:
    return re.sub(r"n['\u2019]?t$", "", aux)
