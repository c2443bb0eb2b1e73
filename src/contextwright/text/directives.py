"""Sentences that hold from where they are said on: what must be, what must not, what was decided.

By wordings: those of English, and the plain ones of ten other languages. A sentence of another
language is none.
"""

import re

from contextwright.memo.ownership import cached_text
from contextwright.text import foreign_wordings
from contextwright.text.directive_wordings import DECISIONS, NO_RULE, RULES
from contextwright.text.pasted_text import own_words
from contextwright.text.sentences import sentences
from contextwright.text.wordings import SmallText, small_text

MAX_SENTENCE = 300
"""Characters of a sentence that may be one: what is longer is a text that somebody pasted."""
MAX_DIRECTIVES = 900
"""Characters that one message's may have together."""
_PASTED = re.compile(
    r"^[ \t]*(?:\d{2,}[:|]|\d[:|](?! [A-Z])|[{}]|\"[^\"\n]*\"\s*:|<!--|//|/\*|\*/).*$",
    re.MULTILINE,
)
"""A line of a program, of its output or of a page: what it says is no rule of who pasted it."""


def directives(text: str, role: str = "user") -> tuple[str, ...]:
    """The sentences of a message that hold from there on, in their order, while they are few.

    Args:
        role: who says it: a user's wishes are rules, of an assistant only decisions are told.
    """
    # most messages hold neither, and are not worth an entry in what is remembered
    return _lasting(text, role) if _may_hold(text, role) else ()


def _may_hold(text: str, role: str) -> bool:
    small = small_text(text)
    may_hold = DECISIONS.may_be_in(small) or _may_be_foreign(small)
    return may_hold or (role == "user" and RULES.may_be_in(small))


def _may_be_foreign(small: SmallText) -> bool:
    return not small.text.isascii() or not foreign_wordings.WORDS.isdisjoint(small.words)


@cached_text
def _lasting(text: str, role: str) -> tuple[str, ...]:
    lasting: list[str] = []
    left = MAX_DIRECTIVES
    for sentence in sentences(_PASTED.sub("", own_words(text)) if role == "user" else text):
        if len(sentence) > min(left, MAX_SENTENCE) or sentence.endswith(("?", "\uff1f")):
            continue
        if sentence.startswith(("```", "~~~")):  # a program
            continue
        if _holds(sentence, role):
            lasting.append(sentence)
            left -= len(sentence)
    return tuple(lasting)


def _holds(sentence: str, role: str) -> bool:
    small, by_user = small_text(sentence), role == "user"
    if by_user and RULES.is_in(sentence, small, NO_RULE):
        return True
    if DECISIONS.is_in(sentence, small):
        return True
    if not _may_be_foreign(small):
        return False
    return (by_user and foreign_wordings.says_rule(sentence)) or foreign_wordings.says_decision(
        sentence
    )
