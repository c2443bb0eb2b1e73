"""What the arguments of a call hold, and whose words each of them are."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from contextwright.adapters.wrap.agent_names import MACHINES, ROLES, SYSTEMS, USERS, WHO
from contextwright.adapters.wrap.bare_text import is_prose
from contextwright.adapters.wrap.parsed_message import is_conversation, said
from contextwright.adapters.wrap.talk import Count, held_tokens, tokens_of
from contextwright.adapters.wrap.tree import Path, is_record, is_text, parts_of, walk

LEAST = 16
"""Tokens of a text among others that is a label rather than context."""

MOST_ASKED = 2_000
"""Characters of a question that say what it is about."""


class Names(msgspec.Struct, frozen=True):
    """Which arguments and fields are whose.

    Args:
        user: the user's, beside those that are known to be.
        context: the only ones that may be shortened; where there are none, all but the user's.
    """

    user: frozenset[str] = frozenset()
    context: frozenset[str] = frozenset()

    def kept(self, path: Path) -> bool:
        """Whether what stands there stays word for word."""
        names = {name for kind, name in path if kind != "item" and isinstance(name, str)}
        if self.context:
            return not names & self.context
        return bool(names & (self.user | USERS | SYSTEMS))

    def asked(self, path: Path) -> bool:
        """Whether the user's question stands there."""
        return any(name in self.user | USERS for kind, name in path if kind != "item")


class Found(msgspec.Struct, frozen=True, eq=False):
    """A text or a conversation.

    Args:
        tokens: of all of it; `held` of them stay in any case.
        bare: whether it is all that the call was given, a question at its end perhaps.
    """

    kind: Literal["text", "talk", "message", "kept"]
    path: Path
    value: Any
    tokens: int
    held: int
    bare: bool = False


def found_in(given: Mapping[str, Any], names: Names, count: Count) -> list[Found]:
    """Every text and every conversation among the arguments."""
    leaves = list(walk(given, (), _is_leaf, _is_machines))
    asked = any(names.asked(path) for path, _ in leaves)
    alone = sum(isinstance(leaf, str) for _, leaf in leaves) == 1
    return [found for leaf in leaves for found in _found(*leaf, names, count, asked, alone)]


def _found(
    path: Path, value: Any, names: Names, count: Count, asked: bool, alone: bool
) -> Iterator[Found]:
    kept = names.kept(path)
    if isinstance(value, str):
        bare = len(path) == 1 and not asked and not names.context
        small = not alone and count(value) <= LEAST
        kept = kept or small or (len(path) > 1 and not is_prose(value))
        tokens = count(value)
        held = tokens if kept else 0
        yield Found("kept" if kept else "text", path, value, tokens, held, bare)
        return
    if isinstance(value, list | tuple):
        held = held_tokens(value, count)
        tokens = tokens_of(value, count)
        yield Found("kept" if kept else "talk", path, value, tokens, tokens if kept else held)
        return
    message = said(value)
    kept = kept or message is None or message.role in {"user", "system"}
    texts = [text for _, text in walk(value, (), is_text, _is_machines)]
    tokens = tokens_of([value], count) if message is not None else sum(map(count, texts))
    held = tokens if kept else 0
    yield Found("kept" if kept else "message", path, value, tokens, held)


def _is_leaf(value: Any) -> bool:
    if is_text(value) or is_conversation(value):
        return True
    if isinstance(value, str | tuple | list):
        return False
    return said(value) is not None or _is_users(value)


def _is_users(value: Any) -> bool:
    """Whether a record of any other form says that the user said it."""
    if not is_record(value):
        return False
    named = (dict(parts_of(value)).get((kind, name)) for kind in ("key", "attr") for name in WHO)
    return any(isinstance(who, str) and ROLES.get(who.lower()) == "user" for who in named)


def _is_machines(path: Path) -> bool:
    return bool(path) and path[-1][0] != "item" and path[-1][1] in MACHINES


def asked_in(found: list[Found], names: Names) -> str:
    """What the user asks among the arguments: what the rest is read for."""
    texts = [one.value for one in found if isinstance(one.value, str) and names.asked(one.path)]
    return "\n".join(texts)[:MOST_ASKED]
