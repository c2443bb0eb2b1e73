"""What the arguments of a call hold, and whose words each of them are."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from contextwright.adapters.wrap.agent_names import MACHINES, ROLES, SYSTEMS, USERS, WHO
from contextwright.adapters.wrap.bare_text import is_prose
from contextwright.adapters.wrap.cool_conversation import size_of
from contextwright.adapters.wrap.foreign_messages import HELD, ForeignMessages, conversation_in
from contextwright.adapters.wrap.tree import field, is_record, is_text, walk
from contextwright.formats.dump import Path
from contextwright.formats.record_copies import is_list
from contextwright.tokens.counter import Counter

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

    def keeps(self, path: Path) -> bool:
        """Whether what stands there stays word for word."""
        names = {name for kind, name in path if kind != "item" and isinstance(name, str)}
        if self.context:
            return not names & self.context
        return bool(names & (self.user | USERS | SYSTEMS))

    def holds_question(self, path: Path) -> bool:
        """Whether the user's question stands there."""
        return any(name in self.user | USERS for kind, name in path if kind != "item")


class Slot(msgspec.Struct, frozen=True, eq=False):
    """A text or a conversation among the arguments.

    Args:
        value: the text, the messages, or the record that stays.
        tokens: of all of it; `held` of them stay in any case.
        bare: whether it is all that the call was given, a question at its end perhaps.
        talk: the conversation, for messages.
    """

    kind: Literal["text", "talk", "kept"]
    path: Path
    value: Any
    tokens: int
    held: int
    bare: bool = False
    talk: ForeignMessages | None = None


def slots_in(values: Mapping[str, Any], names: Names, counter: Counter) -> list[Slot]:
    """Every text and every conversation among the arguments."""
    talks: dict[int, ForeignMessages] = {}

    def is_leaf(value: Any) -> bool:
        if is_text(value):
            return True
        if isinstance(value, str):
            return False
        talk = conversation_in(value)
        if talk is not None:
            talks[id(value)] = talk
        return talk is not None or _is_users(value)

    leaves = list(walk(values, (), is_leaf, _is_machines))
    has_question = any(names.holds_question(path) for path, _ in leaves)
    alone = sum(isinstance(leaf, str) for _, leaf in leaves) == 1
    out: list[Slot] = []
    for path, value in leaves:
        keep = names.keeps(path)
        if isinstance(value, str):
            bare = len(path) == 1 and not has_question and not names.context
            small = not alone and counter.count(value) <= LEAST
            keep = keep or small or (len(path) > 1 and not is_prose(value))
            out.append(_text_slot(path, value, counter, keep=keep, bare=bare))
        elif id(value) in talks:
            out.append(_talk_slot(path, value, talks[id(value)], counter, keep=keep))
        else:
            texts = [text for _, text in walk(value, (), is_text, _is_machines)]
            tokens = sum(map(counter.count, texts))
            out.append(Slot("kept", path, value, tokens, tokens))
    return out


def _text_slot(path: Path, value: str, counter: Counter, *, keep: bool, bare: bool) -> Slot:
    tokens = counter.count(value)
    return Slot("kept" if keep else "text", path, value, tokens, tokens if keep else 0, bare)


def _talk_slot(
    path: Path, value: Any, talk: ForeignMessages, counter: Counter, *, keep: bool
) -> Slot:
    tokens, held = size_of(talk, counter)
    keep = keep or (not is_list(value) and any(event.role in HELD for event in talk.events))
    kind, held = ("kept", tokens) if keep else ("talk", held)
    return Slot(kind, path, value, tokens, held, talk=talk)


def _is_users(value: Any) -> bool:
    """Whether a record of any other form says that the user said it."""
    if not is_record(value):
        return False
    speakers = (field(value, name) for name in WHO)
    return any(isinstance(who, str) and ROLES.get(who.lower()) == "user" for who in speakers)


def _is_machines(path: Path) -> bool:
    return bool(path) and path[-1][0] != "item" and path[-1][1] in MACHINES


def question_in(slots: Sequence[Slot], names: Names) -> str:
    """What the user asks among the arguments: what the rest is read for."""
    texts = [s.value for s in slots if isinstance(s.value, str) and names.holds_question(s.path)]
    return "\n".join(texts)[:MOST_ASKED]
