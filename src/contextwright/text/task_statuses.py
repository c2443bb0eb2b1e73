"""Whether a tool's result says that a task with a label is over: its status stands behind it."""

import re
from collections.abc import Iterable

from contextwright.text.end_sentences import label_of

LONGEST = 600
"""Characters of a result that may be of one task's status: a longer one is a list, or a page."""
NEAR = 160
"""Characters behind a label in which its status stands."""
_TICKET = re.compile(r"(?<![\w-])[A-Z]{2,10}-\d{1,6}(?![\w-])")
_OVER = (
    r"done|completed?|finished|closed|resolved|cancell?ed|abandoned|withdrawn|not_planned"
    r"|won'?t[ _]?(?:do|fix)"
)
_STATUS = re.compile(
    rf"\b(?:not (?:yet )?\w+|(?P<over>{_OVER})|pending|in[ _-]progress|open|reopened|todo"
    r"|to[ _]do|blocked|waiting)\b(?![-_]\d)",
    re.IGNORECASE,
)
"""Of which the last one of a task counts: `in_progress -> done`."""
_ends_in = re.compile(_OVER).search


def task_label(request: str) -> str:
    """What a request is called: `todo-12`, `task 4`, in small letters; empty where it is not."""
    ticket = _TICKET.search(request)
    return ticket[0].casefold() if ticket is not None else label_of(request)


def may_give_ends(text: str) -> bool:
    """Whether a result may say that a task is over, whatever it says of others."""
    return len(text) <= LONGEST and _ends_in(text.casefold()) is not None


def gives_end(label: str, results: Iterable[str]) -> bool:
    """Whether one of some results says that the task with a label is over."""
    return any(_over_in(behind) for text in results for behind in _behind(label, text.casefold()))


def _behind(label: str, small: str) -> Iterable[str]:
    """What stands behind each place of a label, in its row or its part of a list."""
    for place in re.finditer(rf"(?<![\w-]){re.escape(label)}(?![\w-])", small):
        rest = small[place.end() : place.end() + NEAR]
        yield re.split(r"[\n}]", rest, maxsplit=1)[0]


def _over_in(text: str) -> bool:
    statuses = tuple(_STATUS.finditer(text))
    return bool(statuses) and statuses[-1]["over"] is not None
