"""What google-adk tells an agent of another one's words, in a content of the user's role."""

import re
from collections.abc import Sequence

PREAMBLE = "For context:"
_QUOTATION = re.compile(
    r"(\[[^\]\n]*\][^\n]*\n<<<BEGIN_QUOTED_AGENT_CONTENT>>>\n)(.*)(\n<<<END_QUOTED_AGENT_CONTENT>>>)"
    r"|(\[[^\]\n]*\] [^\n:]*: ?)(.*)()",
    re.DOTALL,
)
_NEW = f"{PREAMBLE} below is a transcript of what another agent did"


def is_quoted(texts: Sequence[str]) -> bool:
    """Whether the texts of a content are another agent's, as google-adk quotes them; a user who
    begins with the same words is not taken for one."""
    if len(texts) < 2 or not (texts[0] == PREAMBLE or texts[0].startswith(_NEW)):
        return False
    return all(_QUOTATION.fullmatch(text) for text in texts[1:])


def unquoted(text: str) -> tuple[str, str, str]:
    """What stands around the words, and the words: before, words, after."""
    match = _QUOTATION.fullmatch(text)
    if match is None:
        return "", text, ""
    before, words, after = match.groups()[:3] if match[1] is not None else match.groups()[3:]
    return before, words, after
