"""What a user pastes into a message for the model to read: passages that a program found, documents
in tags, a context above a question. It is not what the user says: it lays down nothing, and where a
message is told in a line, the question is."""

import re

from contextwright.memo.ownership import cached_text

LEAST = 200
"""Characters of a message from which on it may hold something pasted."""
_TAGS = (
    "passages?|documents?|doc|docs|contexts?|sources?|chunks?|excerpts?|articles?|pages?|results?"
    "|search_results?|retrieved_\\w+|files?|file_contents?|emails?|transcripts?|logs?|outputs?"
    "|snippets?|references?|evidence|knowledge|quotes?|paste"
)
_tagged = re.compile(rf"^[ \t]*<({_TAGS})(?:[ \t][^<>\n]*)?>", re.MULTILINE | re.IGNORECASE)
_above = re.compile(
    r"^[ \t#*]*(?:(?:the |some )?(?:relevant|retrieved|following|search|background|reference) )*"
    r"(?:contexts?|passages?|sources?|documents?|excerpts?|results?|chunks?|information|knowledge)"
    r"\b[^\n:.?]{0,40}:[ \t*]*$",
    re.MULTILINE | re.IGNORECASE,
)
"""A line above what was found."""
_below = re.compile(
    r"^[ \t#*]*(?:(?:the |my |user(?:'s)? |current |new )*)"
    r"(?:questions?|query|queries|requests?|tasks?|instructions?|message|input)\b[^\n:]{0,20}:",
    re.MULTILINE | re.IGNORECASE,
)
"""What stands in front of what is asked, below it."""


def own_words(text: str) -> str:
    """What the user says in a message, without what was pasted; all of it where nothing else is
    left."""
    return _own_words(text) if len(text) >= LEAST else text


@cached_text
def _own_words(text: str) -> str:
    if "<" not in text and _below.search(text) is None:
        return text
    rest = _without_contexts(_without_tagged(text))
    if len(rest) == len(text):
        return text
    return "\n".join(line for line in rest.splitlines() if line.strip()) or text


def _without_tagged(text: str) -> str:
    pieces: list[str] = []
    at = 0
    unclosed: set[str] = set()
    while (match := _tagged.search(text, at)) is not None:
        tag = match[1]
        stop = -1 if tag in unclosed else text.find(f"</{tag}>", match.end())
        if stop < 0:
            unclosed.add(tag)
            pieces.append(text[at : match.end()])
            at = match.end()
            continue
        pieces.append(text[at : match.start()])
        at = stop + len(tag) + 3
    return "".join([*pieces, text[at:]])


def _without_contexts(text: str) -> str:
    """Without what stands between a line that says that a context follows and a question."""
    above = _above.search(text)
    if above is None:
        return text
    below = [match.start() for match in _below.finditer(text, above.end())]
    # the last: what was found may hold others
    return text[: above.start()] + text[below[-1] :] if below else text
