"""Sentences that hold from where they are said on: what must be, what must not, what was decided.

By wordings: most of English, the plain ones of Dutch, French, German, Italian, Portuguese, Russian
and Spanish, of Chinese, Japanese and Korean. A sentence of another language is none.
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
    r"^[ \t]*(?:\d{2,}[:|]|\d[:|](?! [A-Z])|[{}]|\"[^\"\n]*\"\s*:|<!--|//|/\*|\*/).*$",
    re.MULTILINE,
)
"""A line of a program, of its output or of a page: what it says is no rule of who pasted it."""
_DECISIONS = re.compile(
    r"\b(?:decided|decision|agreed|settled on|going with|go with|chosen|let['\u2019]s use"
    r"|we(?:['\u2019]ll| will| shall) (?:use|keep|stay))\b",
    re.IGNORECASE,
)
_RULES_ELSEWHERE = re.compile(
    r"\b(?:"
    # German, Dutch
    r"niemals|immer|auf (?:keinen|jeden) fall|ab (?:jetzt|sofort)|von nun an|künftig|muss"
    r"|müssen|(?:darf|dürfen) (?:nicht|kein|keine|nur)|verboten|nicht erlaubt|höchstens"
    r"|mindestens|spätestens|bitte (?:kein|keine|nie|nicht|nur)|ich bevorzuge|wir bevorzugen"
    r"|altijd|nooit|moet|moeten|vanaf nu|verboden|mag (?:niet|geen)"
    # French
    r"|jamais|toujours|il faut|doit|doivent|devez|à partir de maintenant|désormais"
    r"|dorénavant|interdite?s?|en aucun cas|au plus|au moins|je préfère"
    # Spanish, Portuguese, Italian
    r"|nunca|jamás|siempre|debe|deben|debes|de ahora en adelante|a partir de (?:ahora|agora)"
    r"|prohibid[oa]s?|en ningún caso|como (?:máximo|mínimo)|al menos|prefiero|por favor,? no"
    r"|sempre|deve|devem|proibid[oa]s?|em hipótese alguma|no (?:máximo|mínimo)|pelo menos"
    r"|prefiro|devono|d['\u2019]ora in poi|vietat[oaie]|in nessun caso|al massimo|almeno|preferisco"
    r"|non \w+ mai"
    # Russian
    r"|никогда|всегда|долж(?:ен|на|но|ны)|нельзя|запрещено|не более)\b"
    r"|^(?:ne |n['\u2019])\w+(?:-\w+)? pas\b",
    re.IGNORECASE,
)
"""Those of other languages that are written with blanks; the rest stand in words as they are."""
_EAST_ASIAN_RULES = (
    "必须", "必須", "务必", "務必", "不要", "不得", "不许", "不許", "不准", "禁止", "绝不", "絕不",
    "绝对不", "永远不", "永遠不", "总是", "總是", "始终", "始終", "一律", "从现在起", "從現在起",
    "千万别", "最多", "至少", "不超过", "不能超过", "只能",
    "必ず", "絶対に", "決して", "ないでください", "しないこと", "てはいけ", "てはなら",
    "なければなら", "今後は", "これからは", "常に", "以内に",
    "반드시", "절대", "금지", "하지 마", "지 마세요", "항상", "앞으로는", "지금부터", "해야 합니다",
    "하면 안",
)  # fmt: skip
_DECISIONS_ELSEWHERE = re.compile(
    r"\b(?:entschieden|geeinigt|wir (?:nehmen|verwenden|bleiben)|nehmen wir|besloten|afgesproken"
    r"|décidé|convenu|prenons|gardons|decidido|decidimos|acordamos|acordado|quedamos en"
    r"|vamos con|combinamos|vamos usar|deciso|concordato|usiamo"
    r"|решили|договорились)\b",
    re.IGNORECASE,
)
_EAST_ASIAN_DECISIONS = (
    "决定", "決定", "就用", "商定", "说好", "說好", "決めた", "決めました", "にします",
    "にしましょう", "결정", "정했", "하기로",
)  # fmt: skip
_WORD = re.compile("[a-z]+")
_RULE_WORDS = frozenset(_WORD.findall(
    "must mustn should shouldn shall never always future costs whatever circumstances allowed"
    " forbidden prohibited allergic required exceed prefer insist constraint requirement budget"
    " deadline limit maximum minimum only avoid remember stick stay use keep"
))  # fmt: skip
_RULE_PHRASES = (
    "from now on", "no matter what", "off limits", "off-limits", "e sure", "in mind", "do not",
    "don't", "at most", "at least", "more than", "less than", "fewer than", "later than",
    "longer than", "earlier than",
)  # fmt: skip
_DECISION_WORDS = frozenset(("decided", "decision", "agreed", "settled", "chosen"))
_DECISION_PHRASES = ("go with", "going with", "let's use", "we'll ", "we will ", "we shall ")
_WORDS_ELSEWHERE = frozenset(_WORD.findall(
    "niemals immer fall jetzt sofort nun muss darf verboten erlaubt mindestens bitte bevorzuge"
    " bevorzugen altijd nooit moet moeten nu mag jamais toujours faut doit doivent devez interdit"
    " interdite interdits interdites aucun plus moins pas nunca siempre debe deben debes adelante"
    " partir prohibido prohibida prohibidos prohibidas menos prefiero favor sempre deve devem"
    " proibido proibida proibidos proibidas pelo prefiro devono poi vietato vietata vietati vietate"
    " nessun massimo almeno preferisco mai entschieden geeinigt wir besloten afgesproken convenu"
    " prenons gardons decidido decidimos acordamos acordado quedamos vamos combinamos deciso"
    " concordato usiamo"
))  # fmt: skip
"""Of every wording in ASCII a word, or how it stands in small letters."""


def _may_be_elsewhere(text: str) -> bool:
    """Whether it may have a wording of another language than English."""
    return not text.isascii() or not _WORDS_ELSEWHERE.isdisjoint(_WORD.findall(text.lower()))


def _may_hold(text: str, words: frozenset[str], phrases: tuple[str, ...]) -> bool:
    if not text.isascii():
        return True
    small = text.lower()
    if not words.isdisjoint(_WORD.findall(small)):
        return True
    return any(map(small.__contains__, phrases))


_MAY_DECIDE = _DECISION_WORDS | _WORDS_ELSEWHERE
_MAY_RULE, _ALL_PHRASES = _RULE_WORDS | _MAY_DECIDE, (*_RULE_PHRASES, *_DECISION_PHRASES)


def _may_decide(text: str) -> bool:
    """Whether a look at each sentence can find a decision; told at a tenth of its cost."""
    return _may_hold(text, _MAY_DECIDE, _DECISION_PHRASES)


def _may_rule(text: str) -> bool:
    """Whether it can find a rule or a decision."""
    return _may_hold(text, _MAY_RULE, _ALL_PHRASES)


def directives(text: str, role: str = "user") -> tuple[str, ...]:
    """The sentences of a message that hold from there on, in their order, while they are few.

    Args:
        role: who says it: a user's wishes are rules, of an assistant only decisions are told.
    """
    # most messages hold neither, and are not worth an entry in what is remembered
    may_hold = _may_rule(text) if role == "user" else _may_decide(text)
    return _lasting(text, role) if may_hold else ()


def _says_rule(sentence: str, is_english: bool) -> bool:
    if _RULES.search(sentence) and _RULES.search(_NO_RULE.sub("", sentence)):
        return True
    return not is_english and _has_wording(sentence, _RULES_ELSEWHERE, _EAST_ASIAN_RULES)


def _says_decision(sentence: str, is_english: bool) -> bool:
    if _DECISIONS.search(sentence):
        return True
    return not is_english and _has_wording(sentence, _DECISIONS_ELSEWHERE, _EAST_ASIAN_DECISIONS)


def _has_wording(sentence: str, words: re.Pattern[str], signs: tuple[str, ...]) -> bool:
    """Whether it says one of these, of languages that are written with blanks, or without."""
    return any(map(sentence.__contains__, signs)) or words.search(sentence) is not None


@cached_text
def _lasting(text: str, role: str) -> tuple[str, ...]:
    decides = role != "user" or _may_decide(text)
    is_english = not _may_be_elsewhere(text)
    lasting: list[str] = []
    left = MAX_DIRECTIVES
    for sentence in sentences(_PASTED.sub("", text) if role == "user" else text):
        if len(sentence) > min(left, MAX_SENTENCE) or sentence.endswith(("?", "\uff1f")):
            continue
        if sentence.startswith(("```", "~~~")):  # a program
            continue
        is_rule = role == "user" and _says_rule(sentence, is_english)
        if is_rule or (decides and _says_decision(sentence, is_english)):
            lasting.append(sentence)
            left -= len(sentence)
    return tuple(lasting)
