"""How other languages than English say that something holds from then on: the plain wordings of
Dutch, French, German, Italian, Portuguese, Russian and Spanish, of Chinese, Japanese and Korean."""

import re

from contextwright.text.wordings import small_text

_RULES = re.compile(
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
"""Of languages that are written with blanks; the signs below stand in a sentence as they are."""
_RULE_SIGNS = (
    "必须", "必須", "务必", "務必", "不要", "不得", "不许", "不許", "不准", "禁止", "绝不", "絕不",
    "绝对不", "永远不", "永遠不", "总是", "總是", "始终", "始終", "一律", "从现在起", "從現在起",
    "千万别", "最多", "至少", "不超过", "不能超过", "只能",
    "必ず", "絶対に", "決して", "ないでください", "しないこと", "てはいけ", "てはなら",
    "なければなら", "今後は", "これからは", "常に", "以内に",
    "반드시", "절대", "금지", "하지 마", "지 마세요", "항상", "앞으로는", "지금부터", "해야 합니다",
    "하면 안",
)  # fmt: skip
_DECISIONS = re.compile(
    r"\b(?:entschieden|geeinigt|wir (?:nehmen|verwenden|bleiben)|nehmen wir|besloten|afgesproken"
    r"|décidé|convenu|prenons|gardons|decidido|decidimos|acordamos|acordado|quedamos en"
    r"|vamos con|combinamos|vamos usar|deciso|concordato|usiamo"
    r"|решили|договорились)\b",
    re.IGNORECASE,
)
_DECISION_SIGNS = (
    "决定", "決定", "就用", "商定", "说好", "說好", "決めた", "決めました", "にします",
    "にしましょう", "결정", "정했", "하기로",
)  # fmt: skip
WORDS = small_text(
    "niemals immer fall jetzt sofort nun muss darf verboten erlaubt mindestens bitte bevorzuge"
    " bevorzugen altijd nooit moet moeten nu mag jamais toujours faut doit doivent devez interdit"
    " interdite interdits interdites aucun plus moins pas nunca siempre debe deben debes adelante"
    " partir prohibido prohibida prohibidos prohibidas menos prefiero favor sempre deve devem"
    " proibido proibida proibidos proibidas pelo prefiro devono poi vietato vietata vietati vietate"
    " nessun massimo almeno preferisco mai entschieden geeinigt wir besloten afgesproken convenu"
    " prenons gardons decidido decidimos acordamos acordado quedamos vamos combinamos deciso"
    " concordato usiamo"
).words
"""A word of every wording in ASCII, in small letters."""


def says_rule(sentence: str) -> bool:
    """Whether a sentence says what must be, or what must not."""
    return _has_wording(sentence, _RULES, _RULE_SIGNS)


def says_decision(sentence: str) -> bool:
    """Whether it says what was decided."""
    return _has_wording(sentence, _DECISIONS, _DECISION_SIGNS)


def _has_wording(sentence: str, words: re.Pattern[str], signs: tuple[str, ...]) -> bool:
    """Whether it says one of these, of languages that are written with blanks, or without."""
    return any(map(sentence.__contains__, signs)) or words.search(sentence) is not None
