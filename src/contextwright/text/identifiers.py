"""What a later call is likely to need out of a text: identifiers, numbers, paths, names."""

import re
from functools import cache
from itertools import compress

from contextwright.text.unspaced_scripts import word_flags

_FILES = "py|js|ts|tsx|json|md|txt|csv|html|yaml|yml|toml|sql|go|rs|java|c|h"
_ENTITIES = (
    (":", r"https?://[^\s\"'<>()\[\]]{1,300}"),
    ("@", r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"),
    ("/\\", r"(?:[A-Za-z]:\\|~?/|\.{1,2}/)[\w.@%+-]{1,80}(?:[/\\][\w.@%+-]{1,80}){0,20}"),
    ("/", r"[\w-]{1,80}(?:/[\w.-]{1,80}){1,20}"),
    ("-", r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"),
    ("-", r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?)?"),
    ("$€£", r"[$€£]\s?\d[\d,]{0,20}(?:\.\d{1,6})?"),
    (".", rf"\b[A-Za-z_][\w-]{{0,60}}\.(?:{_FILES})\b"),
    ("", r"\b[A-Za-z]{0,12}[-_#]?\d[\w.:%-]{0,60}"),
    ("_", r"\b[A-Za-z]\w{0,60}_\w{1,60}\b"),
    ("", r"\b[A-Z][a-z0-9]{1,40}(?:[A-Z][a-z0-9]{1,40}){1,6}\b"),
    ("", r"\b[A-Z][A-Z0-9]{2,20}\b"),
    ('"', r"\"[^\"\n]{2,60}\""),
)
"""Signs one of which each has in it, if any, and what it is: of two at one place the first."""


IDENTIFIER = (
    r"(?<!/)(?<![\w.-](?=[\w.-]))[\w.-]*+(?:/++[\w.-]++)++|\b\w++(?:[.:-]\w++)++"
    r"|\b(?=\w[^\W_]*+_\w)\w++|\b(?=[^\Wa-z]*+[a-z][^\WA-Z]*+[A-Z])\w++|\b(?=[^\W\d]*+\d)\w++"
)
"""The expression of a path, of words with marks between them, of one with capitals or digits
within. It tries a run of signs once, from its beginning, so that time grows with the text."""
READ = 50_000
"""Characters that are looked at: enough to fill any excerpt, and bounded in time."""


def entities(text: str, limit: int = 200) -> tuple[str, ...]:
    """The first `limit` different ones, in the order in which they appear. Linear time."""
    head, entities = text[:READ], dict[str, None]()
    may_stand = [_may_stand(signs, head) for signs, _ in _ENTITIES]
    for match in _entity(word_flags(head), *may_stand).finditer(head):
        entity = match[0].strip('"').rstrip(".,;:")
        if entity:
            entities[entity] = None
            if len(entities) >= limit:
                break
    return tuple(entities)


def _may_stand(signs: str, text: str) -> bool:
    return not signs or any([sign in text for sign in signs])  # noqa: C419


@cache
def _entity(flags: re.RegexFlag, *may_stand: bool) -> re.Pattern[str]:
    """Those that may stand in a text: of each that may not, every word would be tried."""
    return re.compile("|".join(compress([one for _, one in _ENTITIES], may_stand)), flags)
