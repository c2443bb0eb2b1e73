"""Who says a line of a note or of a summary: a user, the assistant, or an assistant with its name
where several agents speak. What another agent said, an agent would else take for its own words."""

import re

UNNAMED = frozenset({"", "assistant", "model"})
"""How formats without names call whoever speaks."""
NAMED_ASSISTANT = r"assistant [\w.-]{1,64}"
"""An assistant with its name, as in `assistant planner: The plan has three steps.`"""
_ODD = re.compile(r"[^\w.-]+")


def assistant_with_name(author: str) -> str:
    """What stands in front of an agent's words and the colon."""
    name = _ODD.sub("_", author)[:64]
    return "assistant" if author in UNNAMED else f"assistant {name}"


def is_another(author: str, agent: str) -> bool:
    """Whether an author is an agent other than this one."""
    return bool(agent) and author not in UNNAMED | {agent}
