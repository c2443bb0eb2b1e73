"""What a user says in another language than English. Nobody tells there what is asked for from what
holds on, so that all of it but questions may hold, and stands with what came of it
(docs/adr/0184-in-other-languages-all-may-hold.md)."""

from contextwright.memo.ownership import cached_text
from contextwright.text.end_sentences import QUESTION
from contextwright.text.foreign_wordings import sounds_lasting
from contextwright.text.languages import is_foreign
from contextwright.text.search_terms import content_words
from contextwright.text.sentences import sentences

MAX_WHOLE, MAX_MESSAGE = 300, 1_200
"""Characters of a message that is told whole, and of one of which some sentences are: a longer one
is a page that somebody pasted, or a brief."""
LEAST_WORDS = 3
"""Words that tell something, at least: thanks are none."""
_TAIL = " \t\n.!\u3002)\"'"
"""What may stand behind a question's mark."""


@cached_text
def lasting_words(text: str) -> str:
    """What may hold of a user's message: all of a short one that is no question, of a longer one
    the sentences whose wording says that something holds; empty for one in English, or in few
    words."""
    if len(text) > MAX_MESSAGE or not is_foreign(text):
        return ""
    if len(text) <= MAX_WHOLE:
        return text if _may_hold(text) else ""
    lasting, left = list[str](), MAX_WHOLE
    for sentence in sentences(text):
        if len(sentence) < left and _may_hold(sentence) and sounds_lasting(sentence):
            lasting.append(sentence)
            left -= len(sentence) + 1
    return " ".join(lasting)


def _may_hold(text: str) -> bool:
    is_question = text.rstrip(_TAIL).endswith(QUESTION)
    return not is_question and len(content_words(text)) >= LEAST_WORDS
