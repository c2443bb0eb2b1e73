"""What a user decides by an answer: "So Drizzle.", "yes, but only on weekdays", "fine by me". It
says nothing without what was asked, or told, in front of it, and is told with the gist of that.

By structure, in whatever language: an agent asks or tells something, and what the user says next is
short, or begins with a few words that choose, asks nothing, and tells nothing new that has a mark
of an identifier: that would be what was asked for. Where all that the agent says then is that it
was heard, it may say anything of what was asked: what to do instead, or when, is no task then.
"""

import re

from contextwright.memo.ownership import cached_text
from contextwright.text.acknowledgement import promises
from contextwright.text.cut import beginning
from contextwright.text.directives import directives, is_rule
from contextwright.text.end_sentences import QUESTION, begins_work, ends_something, names_in
from contextwright.text.remarks import asks, parts_of, tells_news
from contextwright.text.search_terms import STOP, content_words
from contextwright.text.sentences import sentences

MAX_ANSWER, MAX_WORDS = 60, 8
"""Characters and words of an answer that only chooses, at most."""
MAX_REASON = 240
"""Characters of one that begins with a choice, and says more behind it: a condition, a reason."""
MAX_TOLD = 400
"""Characters of what an agent tells that a user agrees to: more is a report."""
TELLING = 4
"""Words that tell something, at least, in what a user may agree to."""
OFFERED = 2
"""The same where there is something to choose from."""
FEW_WORDS = 5
"""Words of one that has none of the question's: "nah", "the latter", "die zweite"."""
OBJECT = 2
"""Words that tell something, at least, of what a task is about, beside its first."""
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
_EITHER = re.compile(r"[^\W\d]\W*\s(?:or|oder|ou|oppure|lub|veya|или)\s", re.IGNORECASE)
"""The same as far as it is no word of another language."""
_PAUSE = re.compile(r"[,.;:!]\s+|\s+[-\u2013\u2014]\s+|[\uff0c\u3002\u3001\uff01]")
"""What stands behind a choice where more is said."""
_YES_OR_NO = re.compile(
    r"(?:(?:h+m+|u[hm]+|well|oh|ah|ugh|god|actually|sorry)\b[,.!\u2026 ]*)*"
    r"(?:nah|nope|not|never ?mind|(?:i'd |i would |we'd |we would )(?:rather|prefer)|rather not"
    r"|no(?=\W*$|[,.;:!]| [-\u2013\u2014] "
    r"| (?:let|we|i|it|that|this|you|use|just|do|leave|please|not|way|but|and|only)\b)"
    r"|better not|only (?:if|when)|unless|as long as|yes|yep|yeah|yup|ok|okay|sure|fine|right"
    r"|agreed|good|sounds good|all right|alright"
    r"|nein|ja|doch|lieber|nee|non|oui|plut\u00f4t|s\u00ed|si|mejor|vale|n\u00e3o|sim|melhor|meglio"
    r"|nie|tak|nej|\u043d\u0435\u0442|\u0434\u0430|hay\u0131r|evet)(?![\w'])",
    re.IGNORECASE,
)
"""What an answer to a proposal begins with: yes, no, or on which condition."""
_CONCEDES = re.compile(
    r"[,.;!] (?:but |so |then )*(?:fine|ok|okay|alright|all right|agreed|sure)(?=[,.!]|$| then\b)",
    re.IGNORECASE,
)
"""That one agrees behind what one thinks of it: "more than I thought, but fine"."""
_THANKS = re.compile(r"\b(?:thank\w*|thx|bye|goodbye|welcome)\b", re.IGNORECASE)
_MARKED = re.compile(r"\S*[\d@#_/\\]\S*")
_COUNT = re.compile(r"\d{1,2}(?!\w)")
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


@cached_text
def reported_gist(text: str) -> str:
    """What a message that asks nothing tells at its end, in a line; empty where it is a report, or
    says hardly more than that something was heard."""
    text = text.strip()
    if len(text) > MAX_TOLD or question_gist(text):
        return ""
    least = OFFERED if _EITHER.search(text) is not None else TELLING
    if len({*content_words(text)} - STOP) < least:
        return ""
    gist = ""
    for one in reversed(sentences(text)):
        line = " ".join(one.split())
        if gist and len(line) + 1 + len(gist) > GIST:
            break
        gist = f"{line} {gist}" if gist else beginning(line, GIST)
    return gist


def answered_gist(text: str, answer: str, *, acts: bool = False, is_heard: bool = False) -> str:
    """The gist of what an agent asked or told, where all that a user says next is what they choose
    of it, or that they agree; else empty.

    Args:
        acts: as of `is_choice`. is_heard: whether all that the agent said then is that it was
            heard.
    """
    if len(answer) > MAX_REASON:
        return ""
    if gist := question_gist(text):
        is_answer = is_choice(answer, text, acts=acts) or (is_heard and is_of(answer, gist))
        return gist if is_answer else ""
    gist = reported_gist(text)
    is_row = not acts and _COUNT.match(answer) is not None and _has_rows(text)
    is_answer = agrees(answer, text, acts=acts) or (is_row and is_choice(answer, text))
    is_short = _is_short(answer) or _CONCEDES.search(answer) is not None
    is_answer = is_answer or (is_heard and is_short and is_of(answer, gist))
    return gist if gist and is_answer else ""


def only_hears(answer: str) -> bool:
    """Whether an agent's few words say no more than that something was heard, in whatever words:
    they ask nothing, begin no work, and tell of nothing that is done."""
    if not _is_short(answer) or ends_something(answer, "assistant"):
        return False
    return not begins_work(answer) or promises(answer)


def is_of(answer: str, question: str) -> bool:
    """Whether what a user says, and was only heard, is of what was asked in front of it, or told:
    it begins by yes or no, has words of it, or chooses of what it offers; and it asks nothing."""
    answer = answer.strip()
    if "\n" in answer or any(one.endswith(QUESTION) for one in parts_of(answer)):
        return False
    if _THANKS.search(answer) is not None:
        return False
    small = answer.replace("\u2019", "'")
    if _YES_OR_NO.match(small) is not None or _CONCEDES.search(small) is not None:
        return True
    words, lays_down = {*content_words(answer)} - STOP, any(map(is_rule, sentences(answer)))
    shared = words & ({*content_words(question)} - STOP)
    if shared and (not lays_down or 2 * len(shared) >= len(words)):
        return True
    # what lays something down says by itself what holds, a task of other words what is to be done
    if lays_down or _is_other_task(answer, shared=False):
        return False
    return offers_several(question) and len(answer.split()) <= FEW_WORDS


def agrees(answer: str, report: str, *, acts: bool = False) -> bool:
    """Whether a user's few words say nothing but what they think of what an agent told.

    Args:
        acts: as of `is_choice`. What has words of what was told is a task by that.
    """
    if acts and not {*content_words(answer)}.isdisjoint({*content_words(report)} - STOP):
        return False
    if _THANKS.search(answer) is not None:
        return False
    if any(map(asks, parts_of(answer))) and (acts or not _points_back(answer)):
        return False
    return _is_short(answer) and not _tells_new(answer, report) and not directives(answer)


def _points_back(answer: str) -> bool:
    """Whether what asks for something does not say what it is about: "take it", "go for that"."""
    first, *behind = content_words(answer) or [""]
    return bool(first) and STOP.issuperset(behind) and not answer.rstrip().endswith(QUESTION)


def _is_other_task(answer: str, shared: bool) -> bool:
    """Whether an answer asks for something that is not what was asked about, and says what."""
    if shared or not asks(answer) or _YES_OR_NO.match(answer) is not None:
        return False
    return len({*content_words(answer)[1:]} - STOP) >= OBJECT


def is_choice(answer: str, question: str, *, acts: bool = False) -> bool:
    """Whether a user's words only choose of what was asked in front of them: most of them stand in
    the question, or they are too few to tell anything else; or they begin with such a choice, and
    ask for nothing behind it.

    Args:
        acts: whether the agent went to work then. What was a plain question is a task by that.
    """
    answer = answer.strip()
    if len(answer) > MAX_REASON or "\n" in answer or answer.endswith(QUESTION):
        return False
    if _only_chooses(answer, question, acts):
        return True
    first, *behind = _PAUSE.split(answer, maxsplit=1)
    if acts or not behind or len(first.split()) > FEW_WORDS:
        return False
    parts = parts_of(behind[0])
    if asks(first) or (any(map(asks, parts)) and not _is_one_of(first, question)):
        return False
    if any(map(tells_news, (first, *parts))) or not names_in(answer) <= names_in(question):
        return False
    return _only_chooses(first, question, acts) and not directives(answer)


def _is_one_of(answer: str, question: str) -> bool:
    """Whether an answer names what a question offers, or counts to it."""
    shared = not ({*content_words(answer)} - STOP).isdisjoint(content_words(question))
    return offers_several(question) and (shared or _COUNT.fullmatch(answer) is not None)


def _only_chooses(answer: str, question: str, acts: bool) -> bool:
    if not _is_short(answer):
        return False
    words = {*content_words(answer)} - STOP
    shared = words.intersection(content_words(question))
    is_long, is_one_of = len(answer.split()) > FEW_WORDS, offers_several(question)
    if _tells_new(answer, question, is_one_of, is_one_of and bool(shared)):
        return False
    if not is_one_of and _is_other_task(answer, bool(shared)):
        return False
    return 2 * len(shared) > len(words) if is_long else bool(shared) or not acts or is_one_of


def _is_short(answer: str) -> bool:
    answer = answer.strip()
    if not answer or len(answer) > MAX_ANSWER or "\n" in answer or answer.endswith(QUESTION):
        return False
    return len(answer.split()) <= MAX_WORDS


def _tells_new(answer: str, question: str, may_count: bool = False, may_name: bool = False) -> bool:
    """Whether an answer has a mark of an identifier, or a name, that was not asked about.

    Args:
        may_count: whether "2" may be the second thing. may_name: whether names are none of these,
            of what was asked about.
    """
    small = question.casefold()
    new = [*_MARKED.findall(answer), *(() if may_name else _CAPITAL.findall(answer))]
    bare = (one.strip(".,!;:").casefold() for one in new)
    return any(one not in small and not (may_count and _COUNT.fullmatch(one)) for one in bare)


def offers_several(question: str) -> bool:
    """Whether a question names things to choose from."""
    return _has_rows(question) or _OR.search(question) is not None


def _has_rows(text: str) -> bool:
    return len(_OPTION.findall(text)) > 1 or _IN_A_ROW.search(text) is not None


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \"')*_\u201d\u00bb").endswith(QUESTION)
