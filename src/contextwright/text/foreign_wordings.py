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
_LASTING = re.compile(
    r"\b(?:"
    # German
    r"nie|nur|nicht mehr|maximal|max|höchstens|in zukunft|ab heute|soll(?:en|te|ten)? nicht|tabu"
    r"|bleib(?:t|en)|lass(?:t|en sie)?|schreibgeschützt|lieber|freigabe|freigeben|ausnahmslos"
    r"|grundsätzlich|regel|frag(?:t|en sie)? mich|bevor|ohne rücksprache|kein(?:e|en)? |pflicht"
    r"|verwirf|verworfen|beschlossen|beschluss|dabei bleib\w*|abgelehnt|genehmigt|gewählt"
    r"|vom tisch|gestrichen|statt"
    # Dutch
    r"|alleen|uitsluitend|maximaal|voortaan|met rust|niet meer|mogen|liever|goedgekeurd"
    r"|afgewezen|knoop|van de baan|geschrapt|gekozen|kiezen|houden (?:we|het)|blijft|blijven|eerst"
    r"|laat|geen|regel|in plaats van"
    # French
    r"|ne|n|uniquement|seulement|maximum|maximale?|obligatoire(?:ment)?|lecture seule|règle|laisse"
    r"|laissez|avant (?:de|d)|plutôt|validé|approuvé|refusé|rejeté|retenu|tranché|choisi|garde"
    r"|reste(?:nt)?|abandonne|abandonné|oublie|au lieu|on part sur|pas de|aucune?|systématiquement"
    # Spanish
    r"|sólo|solo|solamente|únicamente|máximo|máx|tienen? que|hay que|regla|deja|dejen|antes de"
    r"|mejor|aprobado|aprobó|rechazado|rechazó|elegimos|elegido|descartad[oa]|nos quedamos|queda"
    r"|quedan|sin (?:excepción|cambios)|en vez de|no \w+(?:es|as|en|an)|ningun[oa]?|ningún|nada de"
    # Portuguese
    r"|só|somente|apenas|tem que|têm que|regra|deixe|deixa|daqui (?:pra|para) frente|fica|ficam"
    r"|aprovou|aprovado|recusou|rejeitado|escolhemos|escolhido|descartad[oa]|vamos de|ficou"
    r"|sem (?:exceção|alterações)|em vez de|não \w+(?:e|a|em|am)|nenhum|nenhuma"
    # Italian
    r"|soltanto|solamente|massimo|regola|lascia|lasciate|prima di|bisogna|meglio|approvato"
    r"|respinto|scelto|scartato|escluso|restiamo|rimane|resta|teniamo|andiamo (?:con|su)|niente"
    r"|senza eccezioni|invece di|non \w+(?:are|ere|ire|ate|ete|ite)|nessun[oa]?|sempre"
    # Polish
    r"|nigdy|zawsze|tylko|wyłącznie|maks\w*|od (?:teraz|dziś|dzisiaj)|odtąd|musi|muszą|trzeba"
    r"|należy|wolno|zakaz|zasada|zostaw\w*|zanim|najpierw|bez zmian|wolę|zatwierdz\w+|odrzuc\w+"
    r"|wybr\w+|odpada|decyzja|zdecydowa\w+|ustal\w+|bierzemy|zostaje\w*|rezygnuj\w+|zamiast"
    r"|nie \w+(?:j|uj|aj|ij|yj)|żadn\w+|co najmniej|najwyżej"
    # Russian
    r"|только|лишь|максимум|впредь|отныне|надо|нужно|сначала|прежде|правило|оставь(?:те)?"
    r"|остаётся|остается|без изменений|утвердил\w*|отклонил\w*|выбрал\w*|берём|берем|отказ\w+"
    r"|остановились|не \w+(?:й|йте|ь|ьте)|с этого момента|не больше|не меньше|лучше|вместо"
    # Turkish
    r"|asla|sadece|yalnızca|artık|bundan (?:sonra|böyle)|en (?:fazla|az)|her zaman|daima|yasak"
    r"|kural|zorunda|gerek\w*|salt okunur|önce|karar\w*|onayla\w*|reddet\w*|seçtik|vazgeç\w*"
    r"|kalsın|kalacak|yerine|tercih|sakın|\w+m[ae](?:yın|yin|yınız|yiniz)|dokunma|değiştirme"
    r"|kullanma|hiçbir"
    r")\b|^(?:regel|règle|regla|regra|regola|zasada|kural|правило)\b",
    re.IGNORECASE,
)
_LASTING_SIGNS = (
    # Chinese
    "别", "別", "勿", "不可", "不能", "只", "仅", "僅", "以后", "以後", "今后", "今後",
    "以内", "以內", "之前先", "统一", "統一", "优先", "優先", "保持", "上限", "都要", "一定",
    "得先", "批准", "否决", "敲定", "定了", "选了", "選了", "选定", "不用", "放弃", "放棄",
    "改成", "改用", "维持", "維持", "而不是", "规则", "規則", "原则", "原則", "应该", "應該",
    # Japanese
    "ないで", "だけ", "のみ", "まで", "以下", "前に", "禁止", "統一", "固定", "触ら",
    "こと。", "必須", "ルール", "承認", "却下", "採用", "見送", "やめ", "残し", "残す",
    "そのまま", "優先", "ではなく", "決まり", "選び",
    # Korean
    "마세요", "말아", "말 것", "말고", "마라", "꼭", "만 ", "이내", "이하", "먼저", "전에",
    "읽기 전용", "유지", "규칙", "통일", "그대로", "승인", "거절", "반려", "선택", "골랐",
    "빼기로", "쓰기로", "대신", "않", "확정",
)  # fmt: skip
"""Wordings of rules and decisions beside the plain ones, some of which stand in requests as well:
a message that has one is told before others."""
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


def sounds_lasting(text: str) -> bool:
    """Whether it has a wording that rules or decisions have, and perhaps a request as well."""
    if says_rule(text) or says_decision(text):
        return True
    return _has_wording(text, _LASTING, _LASTING_SIGNS)


def _has_wording(sentence: str, words: re.Pattern[str], signs: tuple[str, ...]) -> bool:
    """Whether it says one of these, of languages that are written with blanks, or without."""
    return any(map(sentence.__contains__, signs)) or words.search(sentence) is not None
