"""Whether an answer only says that something was heard: what it answers was no task then, and holds
on, in whatever words it was said."""

import re
from collections.abc import Iterable

from contextwright.text.foreign_wordings import sounds_lasting
from contextwright.text.languages import is_foreign
from contextwright.text.remarks import asks, parts_of, tells_news
from contextwright.text.search_terms import STOP, content_words
from contextwright.text.wordings import any_of

MAX_ECHO = 60
"""Characters of an answer that says nothing but a part of what it answers."""
MAX_ANSWER, MAX_STATEMENT = 160, 300
"""Characters of an answer that says no more than that, and of what it answers."""
LEAST_WORDS, LEAST_PASSED = 2, 3
"""Words that tell something, at least, in what is worth being remembered, and where nobody said
that it was heard."""
_END = r"(?![\w'])[\s,.!;:\u2014\u2013-]*"
_PHRASES = (
    "(?:duly |well |this is |that is )?noted", "understood", "acknowledged", "ack", "confirmed",
    "recorded", "got (?:it|that)", "gotcha", "roger(?: that)?", "copy(?: that)?", "ok(?:ay)?",
    "sure(?: thing)?", "al+ ?right", "very well", "yes", "yep", "yeah", "right", "good", "great",
    "perfect", "fine", "agreed", "makes sense", "sounds good", "fair enough", "of course",
    "absolutely", "certainly", "will do", "no problem", "good to know", "i (?:understand|see)",
    "thanks", "thank you",
    # German, Dutch
    "(?:ist )?(?:verstanden|notiert|vermerkt|gemerkt)", "alles klar", "in ordnung", "geht klar",
    "klar", "gut", "mache? ich", "wird gemacht", "merke ich mir", "zur kenntnis genommen",
    "(?:ich )?habe? (?:ich )?(?:es |das |mir )*(?:notiert|verstanden|vermerkt|gemerkt)",
    "begrepen", "(?:is )?genoteerd", "duidelijk", "oké", "prima", "akkoord", "is goed", "helder",
    "komt goed", "ik onthoud het",
    # French
    "(?:c'est |bien )?(?:compris|noté|entendu|reçu)", "d'accord", "très bien", "parfait",
    "ça marche", "je (?:note|comprends|prends note)", "j'ai (?:noté|compris)",
    "je m'en souviendrai",
    # Spanish, Portuguese
    "(?:queda )?(?:entendido|anotado|comprendido)", "de acuerdo", "vale", "claro", "perfecto",
    "muy bien", "tomo nota", "lo (?:tengo|tendré) en cuenta", "recibido", "combinado", "certo",
    "beleza", "pode deixar", "perfeito", "registrado", "compreendido", "está bem", "tá bom",
    # Italian
    "(?:ho )?capito", "ricevuto", "va bene", "d'accordo", "perfetto", "(?:tutto )?chiaro",
    "annotato", "(?:ne )?prendo nota", "preso nota",
    # Polish, Swedish, Danish
    "zrozumiano", "zrozumiałem", "zrozumiałam", "rozumiem", "jasne", "zanotowan[eo]",
    "zanotował[ae]m", "w porządku", "dobrze", "przyj[ąę]ł[ae]m", "zapamiętam", "zapisane", "zgoda",
    "oczywiście", "förstått", "uppfattat", "noterat", "okej", "forstået", "noteret",
    # Russian, Turkish
    "понял", "поняла", "понятно", "хорошо", "принято", "ясно", "учту", "записала?", "запомнила?",
    "запомню", "ладно", "договорились", "принял[аи]?", "отлично",
    "anladım", "anlaşıldı", "tamam(?:dır)?", "not (?:aldım|edildi)", "peki", "elbette", "kaydettim",
    "olur", "tabii", "dikkate alacağım",
)  # fmt: skip
"""What says in English, or in another language that is written with blanks, that something was
heard."""
_SIGNS = (
    "好的", "好[，。！]", "明白了", "明白", "收到", "知道了", "没问题", "沒問題", "记住了",
    "記住了",
    "记下了", "記下了", "已记录", "已記錄", "已记下", "清楚了", "了解しました", "了解です",
    "了解了", "了解", "承知しました", "承知いたしました", "承知です", "かしこまりました",
    "わかりました", "分かりました", "メモしました", "覚えておきます", "はい[、。]", "네[,. ]",
    "알겠습니다", "알겠어요", "확인했습니다", "메모했습니다", "기록했습니다", "기억하겠습니다",
    "유의하겠습니다",
)  # fmt: skip
_HEARD = any_of((
    rf"^(?:(?:{'|'.join(sorted(_PHRASES, key=len, reverse=True))}){_END})+",
    rf"^(?:(?:{'|'.join(_SIGNS)})[\s，。、！,.!]*)+",
))  # fmt: skip
_WHOLLY_HEARD = any_of((
    rf"(?:^|(?<=, ))(?:{'|'.join(sorted(_PHRASES, key=len, reverse=True))}|nice)(?=[,.;!]|$)",
))  # fmt: skip
"""The same between two stops, wherever it stands."""
_KEEPS = (
    "remember|keep|bear|respect|follow|stick|note|honou?r|avoid|make sure|ensure|use|only|always"
    "|wait|hold off|never|treat|stay|leave|adhere|comply|mind|be careful|take (?:that|it|this|note)"
)
_PROMISE = any_of((
    rf"^(?:(?:i|we)(?:'ll| will)?|will|i'm going to) (?:{_KEEPS})\b",
    r"^(?:(?:i|we) (?:won't|will not)|won't|will not)\b",
    r"^(?:i've|i have) (?:noted|made a note|written (?:that|it) down|updated my notes)\b",
    r"^for (?:letting me know|telling me|clarifying|the (?:heads[- ]up|clarification|info\w*))\b",
))  # fmt: skip
"""That one goes by it."""
_GOES_BY_IT = re.compile(
    r"\b(?:nicht|kein\w*|nie|merke|beachte|halte|berücksichtig\w*|hinterkopf|daran"  # German
    r"|niet|geen|nooit|rekening|houd\w*|onthoud\w*"  # Dutch
    r"|ne|n['\u2019]y|pas|jamais|garde|tien\w*|respecter\w*|tête|conformer\w*|souviendrai"  # French
    r"|no|nunca|cuenta|respetar\w*|presente|recordar\w*"  # Spanish
    r"|não|conta|respeitar\w*|lembrar\w*|seguir\w*|mente"  # Portuguese
    r"|non|mai|conto|rispetter\w*|ricorder\w*|atterrò|attengo"  # Italian
    r"|pamięta\w*|uwzględni\w*|trzymał\w*|stosował\w*|zapamięta\w*|nigdy"  # Polish
    r"|inte|minns|ikke|husker"  # Swedish, Danish
    r"|не|никогда|учту|запомн\w*|учитывать|помнить|виду"  # Russian
    r"|\w+[ae]y?(?:eceğim|acağım)|dikkat\w*|hatırla\w*|unutma\w*|uyacağım|aklımda)\b"  # Turkish
    r"|[不别記记注守照]|ません|ない|覚え|従い|気をつけ|念頭|않|기억|유의|지키|따르|명심",
    re.IGNORECASE,
)
"""What is said in another language of what one goes by, or of what one does not do."""
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


def promises(answer: str) -> bool:
    """Whether an answer says that one goes by what was said: "OK, I'll keep it that way."."""
    answer = answer.strip()
    heard = _HEARD.match(answer)
    return _PROMISE.match(answer[heard.end() :] if heard is not None else answer) is not None


def acknowledges(answer: str, statement: str) -> bool:
    """Whether an answer says of a statement that it was heard, and no more: "Understood.", "Noted,
    I won't touch it", or what was said again."""
    answer = answer.strip()
    if len(answer) > MAX_ANSWER:
        return False
    heard = _HEARD.match(answer)
    rest = answer[heard.end() :] if heard is not None else answer
    if _PROMISE.match(rest) is not None:
        return "?" not in rest
    if heard is None:
        return _echoes(answer, statement)
    if _MORE.search(rest) is not None or "\uff1f" in rest:
        return False
    if is_foreign(statement):
        return not rest or sounds_lasting(statement) or _GOES_BY_IT.search(rest) is not None
    more = {*content_words(rest)} - STOP
    return 2 * len(more - {*content_words(statement)}) <= len(more)


_TELLS = re.compile(
    r"\b(?:it|that|there|i|we|is|are|was|were|has|have|had|did)\b|['\u2019]s\b", re.IGNORECASE
)
"""Words of an answer that tells something by itself."""


def _echoes(answer: str, statement: str) -> bool:
    """Whether a few words say nothing but a part of a statement, and that it was heard: "40, ok.",
    "Two at most". Of a task it might be said that it is done."""
    if len(answer) > MAX_ECHO or "\n" in answer or answer.endswith(("?", "\uff1f", "\u2026")):
        return False
    if _TELLS.search(answer) is not None:  # "It is 11." is what came of weighing crate 11
        return False
    words = {*content_words(_WHOLLY_HEARD.sub(" ", answer))} - STOP
    if not words or not words <= {*content_words(statement)}:
        return False
    return not is_foreign(statement) and not any(map(asks, parts_of(statement)))


def begins_so(answer: str) -> bool:
    """Whether an answer begins by saying that something was heard, whatever it says behind that."""
    return _HEARD.match(answer.strip()) is not None


def may_hold(statement: str) -> bool:
    """Whether what was answered so may be worth remembering: it is short, asks nothing, and says
    more than thanks."""
    return _is_short(statement) and len(_telling_words(statement)) >= LEAST_WORDS


def _is_short(statement: str) -> bool:
    """Whether it is short, and asks nothing."""
    is_question = "?" in statement or "\uff1f" in statement
    return len(statement) <= MAX_STATEMENT and not is_question


def is_passed_over(statement: str, answers: Iterable[str], calls: Iterable[str] = ()) -> bool:
    """Whether nothing came of what a user said in a row, in whatever words: it asks for nothing,
    and what was said and called next has none of its words. A task would be worked on.

    Args:
        answers: what an agent said next, message by message. calls: the arguments of its calls,
            which are asked for last.
    """
    statement = statement.strip()
    # of many rows it is what a program prints; what asks for something is told in English alone
    if "\n" in statement or not _is_short(statement):
        return False
    words = _telling_words(statement)
    if len(words) < LEAST_PASSED or is_foreign(statement):
        return False
    if not _has_none_of(words, answers):  # few get further
        return False
    parts = parts_of(_HEARD.sub("", statement))
    if any(map(asks, parts)):
        return False
    laid_down = " ".join(one for one in parts if not tells_news(one))
    return len(_telling_words(laid_down)) >= LEAST_PASSED and _has_none_of(words, calls)


def _has_none_of(words: set[str], texts: Iterable[str]) -> bool:
    return all(words.isdisjoint(content_words(one)) for one in texts)


def _telling_words(statement: str) -> set[str]:
    return {*content_words(_COURTESY.sub("", statement))} - STOP
