"""A list of messages as a session, and back: which of them stay, with which texts."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from contextwright.adapters.wrap.parsed_message import Piece, Said, as_one, said, without, written
from contextwright.blocks.block import Block, Blocks
from contextwright.session.event import AnyPart, Event, Role, Text, Thinking, ToolCall, ToolResult

OVERHEAD = 4
"""Tokens of a message beside what it says, as OpenAI's formats have it."""
HELD = frozenset({"user", "system"})
"""Whose words stay."""
Count = Callable[[str], int]


class Talk(msgspec.Struct, frozen=True, eq=False):
    """Messages and the events that they are.

    Args:
        told: what each message says.
        events: in order. What the user or the system said is pinned: it stays, word for word.
        homes: by event id, the messages that it is of.
        pieces: by event id, what its parts are made of: place of the message, and piece.
    """

    messages: Sequence[Any]
    told: tuple[Said, ...]
    events: tuple[Event, ...]
    homes: dict[str, tuple[int, ...]]
    pieces: dict[str, list[tuple[int, Piece]]]

    def cost(self, block: Block, count: Count) -> int:
        """Tokens of the messages that a block is of; one that others share is counted for each,
        since it may stay for each of them."""
        messages = sum(len(self.homes[id]) for id in block.lineage)
        return OVERHEAD * messages + sum(
            count(text)
            for message in block.messages
            for part in message.parts
            for text in _of(part)
        )


def _of(part: AnyPart) -> tuple[str, ...]:
    if isinstance(part, Text | Thinking):
        return (part.text,)
    if isinstance(part, ToolResult):
        return (part.name, part.text)
    return (part.name, part.arguments) if isinstance(part, ToolCall) else ()


def tokens_of(messages: Sequence[Any], count: Count) -> int:
    """Tokens of messages: all that is said, calls and reasoning included, but no pictures."""
    total = 0
    for message in messages:
        found = said(message)
        pieces = found.pieces if found is not None else ()
        total += OVERHEAD + sum(count(piece.text) + count(piece.name) for piece in pieces)
    return total


def held_tokens(messages: Sequence[Any], count: Count) -> int:
    """Tokens of what the user and the system said: what no cooling changes."""
    total = 0
    for message in messages:
        found = said(message)
        pieces = found.pieces if found is not None else ()
        held = [piece.text for piece in pieces if piece.role in HELD]
        total += OVERHEAD * bool(held) + sum(map(count, held))
    return total


def read(messages: Sequence[Any]) -> Talk:
    """The messages as events."""
    told = tuple(found for message in messages if (found := said(message)) is not None)
    builder = _Builder()
    for place, found in enumerate(told):
        builder.take(place, found)
    events = tuple(builder.event(id) for id in builder.roles)
    homes = {id: tuple(places) for id, places in builder.homes.items()}
    return Talk(messages, told, events, homes, builder.pieces)


class _Builder:
    """The events so far, by their ids."""

    def __init__(self) -> None:
        self.roles: dict[str, Role] = {}
        self.homes: dict[str, list[int]] = {}
        self.pieces: dict[str, list[tuple[int, Piece]]] = {}
        self._authors: dict[str, str] = {}
        self._open = ""
        self._used: Counter[str] = Counter()
        self._waiting: dict[str, deque[tuple[str, str]]] = {}

    def take(self, place: int, found: Said) -> None:
        """One message: an event for each speaker, and one for each result."""
        answer = self._open if found.joins and self._open else f"m{place}"
        pieces = [self._with_own_id(piece, answer) for piece in found.pieces]
        if answer != f"m{place}":
            self.homes[self._open].append(place)
            self.pieces[self._open] += [(place, piece) for piece in pieces]
            return
        groups: list[tuple[Role, list[Piece]]] = []
        for piece in pieces:
            if groups and piece.kind != "result" and groups[-1][0] == piece.role:
                groups[-1][1].append(piece)
            else:
                groups.append((piece.role, [piece]))
        if not groups:
            groups.append((found.role, []))
        for n, (role, pieces) in enumerate(groups):
            id = f"m{place}" if n == 0 else f"m{place}.{n}"
            self.roles[id] = role
            self.homes[id] = [place]
            self.pieces[id] = [(place, piece) for piece in pieces]
            self._authors[id] = found.author
        self._open = f"m{place}" if found.joins else ""

    def _with_own_id(self, piece: Piece, answer: str) -> Piece:
        """A call, and its result, by an id that no other call has: Gemini names no ids, and some
        models count from 0 in every answer. Such results come in the order of their calls.

        Args:
            answer: the event that the piece is in; what an earlier one left open stays so.
        """
        waiting = self._waiting.setdefault(piece.id, deque())
        if piece.kind == "call":
            n = self._used[piece.id]
            self._used[piece.id] += 1
            own = f"{piece.id}~{n}" if n else piece.id
            if waiting and waiting[0][0] != answer:
                waiting.clear()
            waiting.append((answer, own))
        elif piece.kind == "result" and waiting:
            own = waiting.popleft()[1]
        else:
            return piece
        return msgspec.structs.replace(piece, id=own)

    def event(self, id: str) -> Event:
        """The event of this id."""
        role = self.roles[id]
        parts = tuple(_part(piece) for _, piece in self.pieces[id])
        author = self._authors[id]
        return Event(id=id, role=role, parts=parts, author=author, pinned=role in HELD)


def _part(piece: Piece) -> AnyPart:
    if piece.kind == "call":
        return ToolCall(id=piece.id, name=piece.name, arguments=piece.text)
    if piece.kind == "result":
        return ToolResult(call_id=piece.id, name=piece.name, content=(Text(text=piece.text),))
    if piece.kind == "thinking":
        return Thinking(text=piece.text)
    return Text(text=piece.text)


class Outcome(msgspec.Struct, frozen=True, eq=False):
    """What became of a talk.

    Args:
        messages: those that stay, the very same objects where nothing changed.
        changed: place of a message, piece, new text.
        gone: places of the messages that are left out, and all that they said.
    """

    messages: list[Any]
    changed: list[tuple[int, Piece, str]]
    gone: list[tuple[int, str]]


def outcome(
    talk: Talk, before: Blocks, after: Blocks, polish: Callable[[str, str], str]
) -> Outcome:
    """The messages of the blocks that stay, with the texts that they have now.

    Args:
        polish: from an old and a new text to the one that is sent.
    """
    stay = {id for block in after for id in block.lineage}
    lost = {id for block in before for id in block.lineage} - stay
    changed = [
        (place, piece, polish(piece.text, text))
        for block in after
        for place, piece, text in _changes(talk, block)
    ]
    gone: dict[int, list[Piece]] = {}
    for id in lost:
        for place, piece in talk.pieces[id]:
            gone.setdefault(place, []).append(piece)
        for place in talk.homes[id]:
            gone.setdefault(place, [])
    held = {place for id in stay for place, _ in talk.pieces[id]}
    held |= {place for id in stay for place in talk.homes[id]}
    texts: dict[int, dict[Piece, str]] = {}
    for place, piece, text in changed:
        texts.setdefault(place, {})[piece] = text
    messages: list[Any] = []
    last = -1
    for place, message in enumerate(talk.messages):
        if place in gone and place not in held:
            continue
        message = written(message, texts[place]) if place in texts else message
        message = without(message, gone[place]) if place in gone else message
        if messages and place - last > 1:
            messages[-1:] = as_one(messages[-1], message)
        else:
            messages.append(message)
        last = place
    left_out = [(place, _whole(talk, place, gone[place])) for place in sorted(gone)]
    return Outcome(messages, changed, left_out)


def _whole(talk: Talk, place: int, gone: list[Piece]) -> str:
    """What is left out of a message, as text."""
    pieces = gone or talk.told[place].pieces
    return "\n".join(f"{piece.name} {piece.text}".strip() for piece in pieces)


def _changes(talk: Talk, block: Block) -> list[tuple[int, Piece, str]]:
    """The pieces of a block that say something else now."""
    results = {
        piece.id: (place, piece)
        for id in block.lineage
        for place, piece in talk.pieces[id]
        if piece.kind == "result"
    }
    found: list[tuple[int, Piece, str]] = []
    for message in block.messages:
        own = talk.pieces.get(message.event_id, [])
        for n, part in enumerate(message.parts):
            home = results.get(part.call_id) if isinstance(part, ToolResult) else None
            if isinstance(part, Text) and n < len(own):
                home = own[n]
            if home is None or not isinstance(part, Text | ToolResult):
                continue
            if part.text != home[1].text:
                found.append((*home, part.text))
    return found
