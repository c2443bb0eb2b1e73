"""Sentences that hold from where they are said on: what must be, what must not, what was decided.

By rules, in English: a sentence of another language is none.
"""

import re

from contextwright.memo.ownership import cached_text
from contextwright.text.sentences import sentences

MAX_SENTENCE = 300
"""Characters of a sentence that may be one: what is longer is a text that somebody pasted."""
MAX_DIRECTIVES = 600
"""Characters that one message's may have together."""
_RULES = re.compile(
    r"\b(?:must|mustn['\u2019]t|never|always|from now on|in (?:the )?future|at all costs"
    r"|whatever happens|no matter what|under no circumstances|not allowed|forbidden|prohibited"
    r"|required to|no (?:more|less|fewer) than|at (?:most|least)|make sure|be sure|keep in mind"
    r"|(?:i|we) (?:prefer|insist|only want)|hard limit|constraint|requirement)\b"
    r"|^(?:and |but |also |so )?(?:please )?(?:do not|don['\u2019]t|only|avoid|remember|stick to"
    r"|use|keep)\b",
    re.IGNORECASE,
)
_NO_RULE = re.compile(
    r"\b(?:i|we)(?:['\u2019]ll| will) (?:be sure|make sure|keep|remember)\b|\bthere must be\b"
    r"|\bto (?:be|make) sure\b|\b(?:requirement|constraint)s\b",
    re.IGNORECASE,
)
"""A promise, a guess, what somebody wishes to be sure of, and talk of rules."""
_DECISIONS = re.compile(
    r"\b(?:decided|decision|agreed|settled on|going with|go with|chosen|let['\u2019]s use"
    r"|we(?:['\u2019]ll| will| shall) (?:use|keep|stay))\b",
    re.IGNORECASE,
)
_HINTS = ("deci", "agreed", "settled on", "chosen", "s use")
"""What a wording of a decision has, in ASCII and in small letters, beside those with two words."""
_RULE_HINTS = (
    "must", "never", "always", "from now on", "future", "at all costs", "whatever happens",
    "no matter what", "under no circum", "not allowed", "forbidden", "prohibited", "required to",
    "ore than", "less than", "ewer than", "at most", "at least", "e sure", "keep", "prefer",
    "insist", "only", "hard limit", "constraint", "requirement", "do not", "don't", "avoid",
    "remember", "stick to",
)  # fmt: skip
_says_use = re.compile(r"\buse\b").search
"""What every wording of a rule has, or this."""


def _has_decision_hint(small: str) -> bool:
    if any(map(small.__contains__, _HINTS)):
        return True
    if " with" in small and ("go with" in small or "going with" in small):
        return True
    return "we" in small and ("we'll " in small or "we will " in small or "we shall " in small)


def _may_decide(text: str) -> bool:
    """Whether a look at each sentence can find a decision; told at a tenth of its cost."""
    if not text.isascii():
        return True
    return _has_decision_hint(text.lower())


def _may_rule(text: str) -> bool:
    """Whether it can find a rule or a decision."""
    if not text.isascii():
        return True
    small = text.lower()
    if any(map(small.__contains__, _RULE_HINTS)) or _has_decision_hint(small):
        return True
    return "use" in small and _says_use(small) is not None


def directives(text: str, role: str = "user") -> tuple[str, ...]:
    """The sentences of a message that hold from there on, in their order, while they are few.

    Args:
        role: who says it: a user's wishes are rules, of an assistant only decisions are told.
    """
    # most messages hold neither, and are not worth an entry in what is remembered
    may_hold = _may_rule(text) if role == "user" else _may_decide(text)
    return _lasting(text, role) if may_hold else ()


def _says_rule(sentence: str) -> bool:
    return _RULES.search(sentence) is not None and (
        _RULES.search(_NO_RULE.sub("", sentence)) is not None
    )


@cached_text
def _lasting(text: str, role: str) -> tuple[str, ...]:
    decides = role != "user" or _may_decide(text)
    lasting: list[str] = []
    left = MAX_DIRECTIVES
    for sentence in sentences(text):
        if len(sentence) > min(left, MAX_SENTENCE) or sentence.endswith("?"):
            continue
        is_rule = role == "user" and _says_rule(sentence)
        if is_rule or (decides and _DECISIONS.search(sentence)):
            lasting.append(sentence)
            left -= len(sentence)
    return tuple(lasting)
