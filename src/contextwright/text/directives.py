"""Sentences that hold from where they are said on: what must be, what must not, what was decided.

By wordings: those of English, and the plain ones of ten other languages. A sentence of another
language is none.
"""

import re
from collections.abc import Iterable, Iterator

from contextwright.memo.ownership import cached_text
from contextwright.text import foreign_wordings
from contextwright.text.corrections import ASKS, corrections, corrects, may_correct
from contextwright.text.directive_wordings import DECISIONS, NO_RULE, RULES
from contextwright.text.pasted_text import own_words
from contextwright.text.remarks import parts_of
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
    """The sentences of a message that hold from there on, in their order, while they are few; all
    of a short one of a user that corrects what was said before.

    Args:
        role: who says it: a user's wishes are rules, of an assistant only decisions are told.
    """
    # most messages hold neither, and are not worth an entry in what is remembered
    small, by_user = small_text(text), role == "user"
    is_worded = (
        DECISIONS.may_be_in(small) or (by_user and RULES.may_be_in(small)) or _may_be_foreign(small)
    )
    own = own_words(text) if by_user else ""
    is_changed = by_user and may_correct(own, small if own is text else None)
    return _lasting(text, role, is_worded, is_changed) if is_worded or is_changed else ()


def is_rule(sentence: str) -> bool:
    """Whether a user's sentence has the words of a rule or a decision, whatever it corrects."""
    return _holds(sentence, "user")


def _may_be_foreign(small: SmallText) -> bool:
    return not small.text.isascii() or not foreign_wordings.WORDS.isdisjoint(small.words)


@cached_text
def _lasting(text: str, role: str, is_worded: bool, is_changed: bool) -> tuple[str, ...]:
    """The same of a message that has words of rules and decisions, or of corrections."""
    lasting: list[str] = []
    left, own = MAX_DIRECTIVES, own_words(text)
    for sentence in _sentences(text, own, role) if is_worded else ():
        if len(sentence) > min(left, MAX_SENTENCE) or sentence.endswith(ASKS):
            continue
        if sentence.startswith(("```", "~~~")):  # a program
            continue
        if _holds(sentence, role):
            lasting.append(sentence)
            left -= len(sentence)
    changes = corrections(own) if is_changed else ()
    if changes == (own,) and not any(map(corrects, lasting)):
        return changes
    more = [one for one in changes if one != own and not any(one in rule for rule in lasting)]
    return tuple(sorted((*lasting, *more), key=text.find)) if more else tuple(lasting)


def _sentences(text: str, own: str, role: str) -> Iterable[str]:
    return _spoken(_PASTED.sub("", own)) if role == "user" else sentences(text)


def _spoken(text: str) -> Iterator[str]:
    """A user's sentences. Who writes no capitals ends each at the same mark: a question behind
    others is one by itself, and so is each where together they would be too long."""
    for sentence in sentences(text):
        if sentence.endswith(ASKS) or len(sentence) > MAX_SENTENCE:
            yield from parts_of(sentence)
        else:
            yield sentence


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
