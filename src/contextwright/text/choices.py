"""What a user decides by a short answer: "So Drizzle.", "the second one", "nah". It says nothing
without what was asked in front of it, and is told with the gist of that.

By structure, in whatever language: an agent asks, and what the user says next is short, asks
nothing, and tells nothing new that has a mark of an identifier: that would be what was asked for.
"""

import re

from contextwright.memo.ownership import cached_text
from contextwright.text.cut import beginning
from contextwright.text.end_sentences import QUESTION
from contextwright.text.search_terms import STOP, content_words
from contextwright.text.sentences import sentences

MAX_ANSWER, MAX_WORDS = 60, 8
"""Characters and words of an answer that only chooses, at most."""
FEW_WORDS = 5
"""Words of one that has none of the question's: "nah", "the latter", "die zweite"."""
GIST = 200
"""Characters of what a question was about."""
OPTION, OPTIONS = 48, 6
"""Characters of each thing to choose from, where they are in rows, and how many are told."""
BEHIND = 2
"""Sentences behind a question that do not ask, at most."""
_OPTION = re.compile(r"^\s*(?:[-*\u2022]|\(?(?:\d{1,2}|[A-Za-z])[.):])\s+(\S.*)$", re.MULTILINE)
_IN_A_ROW = re.compile(r"(?<!\S)\(?(?:1[.)].*\s\(?2|A[.):].*\sB|a\).*\sb)[.):]\s", re.DOTALL)
_OR = re.compile(
    r"[^\W\d]\W*\s(?:or|oder|ou|o|oppure|of|lub|czy|albo|eller|veya|ya da|yoksa|или|либо)\s"
    r"|还是|還是|それとも|または|아니면|또는|혹은",
    re.IGNORECASE,
)
"""What stands between things to choose from, where they are not in rows."""
_MARKED = re.compile(r"\S*[\d@#_/\\]\S*")
_CAPITAL = re.compile(r"(?<=\S )[^\W\d_a-z]\w+")
"""What names something, behind the first word."""


@cached_text
def question_gist(text: str) -> str:
    """What a message asks at its end, in a line with what there is to choose from; empty where it
    asks nothing."""
    text = text.strip()
    if not any(mark in text[-2 * GIST :] for mark in QUESTION):
        return ""
    parts = [" ".join(one.split()) for one in sentences(text)]
    last = next((n for n in range(len(parts) - 1, -1, -1) if _asks(parts[n])), None)
    if last is None or last < len(parts) - 1 - BEHIND:
        return ""
    line = " ".join(text.split())
    if len(line) <= GIST:
        return line
    options = [beginning(" ".join(one.split()), OPTION) for one in _OPTION.findall(text)]
    gist = beginning(parts[last], GIST)
    if 1 < len(options) <= OPTIONS:
        return f"{' / '.join(options)}: {gist}"
    for before in reversed(parts[:last]):
        if len(before) + 1 + len(gist) > GIST:
            break
        gist = f"{before} {gist}"
    return gist


def is_choice(answer: str, question: str, *, acts: bool = False) -> bool:
    """Whether a user's words only choose of what was asked in front of them: most of them stand in
    the question, or they are too few to tell anything else.

    Args:
        acts: whether the agent went to work then. What was a plain question is a task by that.
    """
    answer = answer.strip()
    if not answer or len(answer) > MAX_ANSWER or "\n" in answer or answer.endswith(QUESTION):
        return False
    count = len(answer.split())
    if count > MAX_WORDS:
        return False
    small = question.casefold()
    new = (*_MARKED.findall(answer), *_CAPITAL.findall(answer))
    if any(one.strip(".,!;:").casefold() not in small for one in new):
        return False
    words = {*content_words(answer)} - STOP
    shared = words.intersection(content_words(question))
    if count > FEW_WORDS:
        return 2 * len(shared) > len(words)
    return bool(shared) or not acts or offers_several(question)


def offers_several(question: str) -> bool:
    """Whether a question names things to choose from."""
    is_list = len(_OPTION.findall(question)) > 1 or _IN_A_ROW.search(question) is not None
    return is_list or _OR.search(question) is not None


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \"')*_\u201d\u00bb").endswith(QUESTION)
