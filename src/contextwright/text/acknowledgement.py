"""Whether an answer only says that something was heard: what it answers was no task then, and holds
on, in whatever words it was said."""

from contextwright.text.search_terms import STOP, content_words
from contextwright.text.wordings import any_of

MAX_ANSWER, MAX_STATEMENT = 160, 300
"""Characters of an answer that says no more than that, and of what it answers."""
LEAST_WORDS = 2
"""Words that tell something, at least, in what is worth being remembered."""
_END = r"(?![\w'])[\s,.!;:\u2014\u2013-]*"
_PHRASES = (
    "(?:duly |well |this is |that is )?noted", "understood", "acknowledged", "ack", "confirmed",
    "recorded", "got (?:it|that)", "gotcha", "roger(?: that)?", "copy(?: that)?", "ok(?:ay)?",
    "sure(?: thing)?", "al+ ?right", "very well", "yes", "yep", "yeah", "right", "good", "great",
    "perfect", "fine", "agreed", "makes sense", "sounds good", "fair enough", "of course",
    "absolutely", "certainly", "will do", "no problem", "good to know", "i (?:understand|see)",
    "thanks", "thank you",
    "verstanden", "alles klar", "notiert", "in ordnung", "geht klar", "begrepen", "genoteerd",
    "duidelijk", "compris", "noté", "d'accord", "entendu", "entendido", "anotado", "de acuerdo",
    "vale", "combinado", "capito", "ricevuto", "va bene", "понял", "поняла", "понятно", "хорошо",
)  # fmt: skip
"""What says in English, or in another language that is written with blanks, that something was
heard."""
_SIGNS = (
    "好的", "明白了", "明白", "了解しました", "了解", "收到", "知道了", "承知しました",
    "わかりました", "알겠습니다",
)  # fmt: skip
_HEARD = any_of((
    rf"^(?:(?:{'|'.join(_PHRASES)}){_END})+",
    rf"^(?:(?:{'|'.join(_SIGNS)})[\s，。、！,.!]*)+",
))  # fmt: skip
_KEEPS = (
    "remember|keep|bear|respect|follow|stick|note|honou?r|avoid|make sure|ensure|use|only|always"
    "|never|treat|stay|leave|adhere|comply|mind|be careful|take (?:that|it|this|note)"
)
_PROMISE = any_of((
    rf"^(?:(?:i|we)(?:'ll| will)?|will|i'm going to) (?:{_KEEPS})\b",
    r"^(?:(?:i|we) (?:won't|will not)|won't|will not)\b",
    r"^(?:i've|i have) (?:noted|made a note|written (?:that|it) down|updated my notes)\b",
    r"^for (?:letting me know|telling me|clarifying|the (?:heads[- ]up|clarification|info\w*))\b",
))  # fmt: skip
"""That one goes by it."""
_MORE = any_of((
    r"\?|…$|\b(?:please|let me|one moment|hold on|working on|on it|done|finished|right away)\b",
    r"\b(?:i've|i have|has|have|had|was|were|been|did|here (?:is|are)|here's)\b(?! not)",
    r"\b(?:pass|passes|fails?|issued|anything else|goodbye|bye)\b",
    r"\b\w+ing (?:it|them|that|this|now)\b|\bnow[.!]*$",
))  # fmt: skip
"""What an answer says that asks for something, begins to work, tells what it did, or ends a talk;
and one that was cut."""
_COURTESY = any_of((
    r"\b(?:thanks?(?: you)?|thank|bye|goodbye|hello|hi|hey|great|perfect|awesome|cool|nice)\b",
    r"\b(?:lot|helped|help|good (?:morning|evening|day|night|luck)|have a \w+ \w+)\b",
    r"\b(?:much|appreciate[ds]?|it)\b",
))  # fmt: skip


def acknowledges(answer: str, statement: str) -> bool:
    """Whether an answer says of a statement that it was heard, and no more: "Understood.", "Noted,
    I won't touch it", or what was said again."""
    answer = answer.strip()
    if len(answer) > MAX_ANSWER:
        return False
    heard = _HEARD.search(answer)
    rest = answer[heard.end() :] if heard is not None else answer
    if _PROMISE.search(rest) is not None:
        return "?" not in rest
    if heard is None or _MORE.search(rest) is not None:
        return False
    more = {*content_words(rest)} - STOP
    return 2 * len(more - {*content_words(statement)}) <= len(more)


def may_hold(statement: str) -> bool:
    """Whether what was answered so may be worth remembering: it is short, asks nothing, and says
    more than thanks."""
    if len(statement) > MAX_STATEMENT or "?" in statement or "\uff1f" in statement:
        return False
    return len({*content_words(_COURTESY.sub("", statement))} - STOP) >= LEAST_WORDS
