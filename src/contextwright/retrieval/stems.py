"""Words as an index has them: English ones without what follows their root."""

from unicodedata import combining, normalize

from contextwright.memo.ownership import cached_text
from contextwright.text.search_terms import content_words, stem

ROOT = 6
"""Letters of a longer English word that are compared: `organization` meets `organizing`. Evidence
within 2,000 tokens of questions about long conversations (LoCoMo): .860 with the whole stem, .867
with 6 letters, .871 with 5; but 6 tell more words apart."""


@cached_text
def stems(text: str) -> tuple[str, ...]:
    """The telling words of a text, English ones without what follows their root."""
    return tuple(_root(word) for word in content_words(text))


@cached_text
def _root(word: str) -> str:
    if not word.isascii():
        # `école` meets `ecole`; marks that are letters' own in other scripts are left
        bare = "".join(sign for sign in normalize("NFD", word) if not combining(sign))
        word = stem(bare) if bare.isascii() else word
    return word[:ROOT] if len(word) > ROOT and word.isascii() and word.isalpha() else word
