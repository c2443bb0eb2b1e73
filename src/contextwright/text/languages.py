"""In which language something is said: in English, whose wordings tell what it means, or in
another, which is told by its commonest words and by its letters."""

from contextwright.memo.ownership import cached_text
from contextwright.text.wordings import small_text

_ENGLISH = frozenset({
    "the", "is", "are", "and", "of", "with", "we", "our", "my", "you", "it", "that", "this", "for",
    "not", "be", "have", "has", "to", "from", "they",
})  # fmt: skip
"""Words of which an English message has one: of a text without them nobody knows whether it is."""
_OTHERS = small_text(
    # German
    "der das und ist nicht ich wir mit ein eine einen einem einer auf dem des sie es bitte auch"
    " aus bei nach wie noch nur wenn aber oder sind wird werden haben kein keine mir mich uns unser"
    " unsere dass zum zur vor dann immer nie jetzt schon bis gibt mal bleibt gut nichts"
    " alles ohne mach warum heute"
    # Dutch
    " het een niet van dat op te zijn voor maar ook als bij naar uit ik je wij ons onze deze wordt"
    " worden moet graag alleen geen wel nog nooit altijd heeft hebben gaan toch komt rond wat tot"
    # French
    " le la les un une de en et pas je vous nous pour dans que qui sur elle ne aux du avec sont"
    " mais ou cette ces peu votre notre nos mon mes toi moi si sans tout fait faire peux peut"
    # Spanish
    " el del por con una lo su sus pero como para este esta esto ese esa hay muy sin sobre cuando"
    " nuestro nuestra mi tu ser puedes puede favor nada queda toques uses"
    # Portuguese
    " os uma na ao pra mas mais isso esse essa foi pelo pela seu sua meu minha ele ela tem"
    " tudo aqui da das dos fica nem"
    # Italian
    " il di che non per sono della dei gli nel nella alla al anche questo questa quello ci ho"
    " abbiamo suo puoi dal dalla sul sulla tutti tutto solo niente nemmeno dentro"
    # Polish
    " nie jest na jak po od dla czy tylko przez mnie nam nasz nasza jeszcze tego przed ma"
    # Turkish
    " bu ile ama gibi daha mi mu ben biz sen siz bana bize kadar sonra yok olarak olan"
    # Swedish, Danish, Norwegian
    " och att som av jag inte vi ett og ikke er jeg af kan skal"
    # Czech, Romanian, Indonesian
    " ale nebo nu este pentru cu yang dan untuk dengan ini itu tidak saya kami ada akan jangan"
).words
"""Words of other languages in Latin letters; none of them is common in English."""
LATIN, SIGN = 60, 3
"""Percent of a text's letters in Latin script below which its script tells its language, and how
many letters a sign of Chinese, Japanese or Korean counts as."""


def is_english(text: str) -> bool:
    """Whether a text's words are English."""
    return _votes(text) > 0


def is_foreign(text: str) -> bool:
    """Whether they are of another language: of a few words, such as a program's call, nobody
    knows."""
    return _votes(text) < 0


@cached_text
def _votes(text: str) -> int:
    """How many more words it has that are English than words of other languages."""
    small = small_text(text)
    if text.isascii():
        return len(small.words & _ENGLISH) - len(small.words & _OTHERS)
    letters = [sign for sign in text if sign.isalpha()]
    latin = [sign for sign in letters if sign < "\u0250" or "\u1e00" <= sign < "\u1f00"]
    others = sum(SIGN if sign > "\u2e80" else 1 for sign in letters) - len(latin)
    if len(latin) * 100 < LATIN * (len(latin) + others):
        return -1
    words = frozenset("".join(s if s.isalpha() else " " for s in small.text).split())
    votes = len(words & _ENGLISH) - len(words & _OTHERS)
    return votes or -any(not sign.isascii() for sign in latin)
