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
_NUMBER = r"(?:\d|an? |one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|once|twice)"
_RULES = re.compile(
    r"\b(?:must|mustn['\u2019]t|should (?:not|only)|shouldn['\u2019]t|shall|never|always"
    r"|from now on|at all costs|whatever happens|no matter what|under no circumstances"
    r"|not allowed|forbidden|prohibited|off[- ]limits|allergic|required to|make sure|be sure"
    r"|no (?:more|less|fewer|later|longer|earlier) than|not (?:to )?exceed|keep in mind"
    r"|(?:i|we) (?:prefer|insist|only want)|hard limit|constraint|requirement"
    r"|(?:budget|deadline|limit|maximum|minimum) (?:is|of))\b"
    rf"|\bat (?:most|least) {_NUMBER}"
    r"|^(?:and |but |also |so )?(?:please )?(?:do not|don['\u2019]t|only|avoid|remember|stick to"
    r"|stay (?:under|below|within)|use|keep|in (?:the )?future)\b"
    r"|\bplease\b.* in (?:the )?future\b",
    re.IGNORECASE,
)
_PAST = (
    r"(?:been|had|got|gone|done|made|said|felt|thought|known|knew|seen|saw|left|lost|found|met"
    r"|heard|taken|told|given|was|were|did|would|could|\w{2,}ed)"
)
"""A verb that tells what was."""
_NO_RULE = re.compile(
    r"\b(?:"
    # a promise, and what somebody wishes to be sure of
    r"(?:i|we)(?:['\u2019]ll| will) (?:be sure|make sure|keep|remember|always|never)"
    r"|to (?:be|make) sure"
    # a guess
    rf"|there must be|must(?:['\u2019]ve| have) {_PAST}"
    r"|must be (?:so|such|really|very|pretty|quite|awesome|amazing|great|nice|cool|fun|tough|hard)"
    r"|(?:you|that|i) must (?:really|love|enjoy|feel|look|sound|mean|admit|say|confess)|a must"
    # what was, what somebody is like, and what one says by the way
    rf"|(?<!\bis )(?<!\bare )(?<!\bbe )(?:always|never) {_PAST}"
    r"|(?:always|never) (?:know|there for|here for|mind|seems|makes|good|great|nice|fun|\w+ing)"
    r"|(?:['\u2019](?:ve|m|s|d|re)|am|have|has|had|was|were|been|as|he|she|they|it|who|there)"
    r" (?:always|never)(?! (?:to|ok|okay|allowed|acceptable)\b)"
    r"|can always|shouldn['\u2019]t (?:say|have|be (?:a|an|any|too))|how \w+ (?:it|that|this) must"
    # talk of rules
    r"|(?:requirement|constraint)s|requirement already|never[- ]ending|will be required to"
    r")\b"
    r"|^(?:just )?keep (?:it up|up|going|at it|on|learning|trying|(?:me|us|you) posted|in touch)\b"
    r"|^(?:don['\u2019]t|do not) (?:worry|know|think|believe|get me wrong|give up|mention it)\b",
    re.IGNORECASE,
)
"""What has the wording of a rule, and is none."""
_PASTED = re.compile(
    r"^[ \t]*(?:\d{2,}[:|]|\d[:|](?! [A-Z])|[{}]|\"[^\"\n]*\"\s*:|<!--|```|//|/\*|\*/).*$",
    re.MULTILINE,
)
"""A line of a program, of its output or of a page: what it says is no rule of who pasted it."""
_DECISIONS = re.compile(
    r"\b(?:decided|decision|agreed|settled on|going with|go with|chosen|let['\u2019]s use"
    r"|we(?:['\u2019]ll| will| shall) (?:use|keep|stay))\b",
    re.IGNORECASE,
)
_HINTS = ("deci", "agreed", "settled on", "chosen", "s use")
"""What a wording of a decision has, in ASCII and in small letters, beside those with two words."""
_RULE_HINTS = (
    "must", "should", "shall", "never", "always", "from now on", "future", "at all costs",
    "whatever happens", "no matter what", "under no circum", "not allowed", "forbidden",
    "prohibited", "off", "allergic", "required to", "ore than", "less than",
    "ewer than", "later than", "nger than", "lier than", "exceed", "at most", "at least",
    "e sure", "keep", "prefer", "insist", "only", "hard limit", "constraint", "requirement",
    "budget ", "deadline ", "limit ", "imum ", "do not", "don't", "avoid", "remember", "stick to",
    "stay ",
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
    for sentence in sentences(_PASTED.sub("", text) if role == "user" else text):
        if len(sentence) > min(left, MAX_SENTENCE) or sentence.endswith("?"):
            continue
        is_rule = role == "user" and _says_rule(sentence)
        if is_rule or (decides and _DECISIONS.search(sentence)):
            lasting.append(sentence)
            left -= len(sentence)
    return tuple(lasting)
