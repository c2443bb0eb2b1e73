"""Turn-taking for the providers that want it: a user first and last, neighbours merged."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from contextwright.blocks.block import Message
from contextwright.blocks.escape import section
from contextwright.formats.fields import object_if
from contextwright.memo.by_identity import NEWEST, same_beginning
from contextwright.memo.ownership import owned_table
from contextwright.render.draft import BlockCalls, RequestDraft
from contextwright.render.insertion import Insertion
from contextwright.render.message_layout import Layout
from contextwright.render.renderer import Renderer
from contextwright.render.source_wires import SourceWire
from contextwright.render.target import Target
from contextwright.render.wire import Count, Wire, texts
from contextwright.session.event import AnyPart


def earlier(sign: str) -> str:
    """The user's turn in front of an assistant's."""
    return section("Earlier messages are not shown.", source="engine", sign=sign)


def nothing_new(sign: str) -> str:
    """The user's turn behind an assistant's."""
    return section("There is no new message from the user.", source="engine", sign=sign)


class MergedTurns(NamedTuple):
    """The messages of a request whose neighbours of one role are one, to go on from.

    Args:
        pairs: what they were made of. starts: where each begins in these.
        marks: what is listed of each that was several, else None.
    """

    pairs: tuple[tuple[str, Wire], ...]
    starts: list[int]
    wires: list[Wire]
    marks: list[Insertion | None]

    def end(self, place: int) -> int:
        """Where a message ends in what they were made of; -1 where there is none."""
        if place >= len(self.starts):
            return -1
        return self.starts[place + 1] if place + 1 < len(self.starts) else len(self.pairs)


NO_TURNS = MergedTurns((), [], [], [])


class AlternatingRenderer(Renderer):
    """A renderer of messages of a user and an assistant in turn, each a list of parts.

    Attributes:
        body: the key of a message that holds its parts.
        assistant: the assistant's role.
        result_key: a key of a part, or its `type`, by which results of tools are known.
    """

    body: str = "content"
    assistant: str = "assistant"
    result_key: str

    def text_part(self, text: str) -> Wire:
        """A text as a part of a message."""
        return {"text": text}

    def message_parts(
        self, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
    ) -> list[Wire]:
        """The parts of a message as they are sent; none of the system's is asked for."""
        raise NotImplementedError

    def message_wires(
        self, message: Message, where: str, calls: BlockCalls, draft: RequestDraft, target: Target
    ) -> Iterator[Wire]:
        """A message with its parts; none where nothing of it is sent."""
        if message.role == "system":
            text = "\n".join(texts(message))
            parts = [self.text_part(draft.system_text(text, where))] if text else []
        else:
            parts = self.message_parts(message, where, calls, draft)
        if message.role == "user" and not parts:
            parts = [self.text_part(draft.empty(where))]
        if parts:
            role = self.assistant if message.role == "assistant" else "user"
            yield {"role": role, self.body: parts}

    def measure_part(self, part: Wire, count: Count) -> int:
        """Tokens of a part of a message."""
        raise NotImplementedError

    def measure_wire(self, wire: Wire, count: Count) -> int:
        """Tokens of a message."""
        parts = sum(self.measure_part(part, count) for part in self.parts_in(wire))
        return self.overhead.message + parts

    def part_wires(
        self, part: AnyPart, message: Message, where: str, calls: BlockCalls, draft: RequestDraft
    ) -> list[Wire]:
        """A part of a message."""
        alone = msgspec.structs.replace(message, parts=(part,))
        return self.message_parts(alone, where, calls, draft)

    def begins_anew(self, wire: Any) -> bool:
        """Whether it is the assistant's, which answers no call."""
        return object_if(wire).get("role") == self.assistant

    def margin(self, target: Target) -> int:
        """A user's turn at the beginning and at the end."""
        turns = sum(self.section_cost(note(target.sign), target) for note in (earlier, nothing_new))
        return super().margin(target) + turns

    def turns(
        self, layout: Layout, target: Target, draft: RequestDraft
    ) -> tuple[list[Wire], Wire | None]:
        """The conversation and the tail, and the part that holds the tail, if there is one."""
        pairs, sources = self.conversation(layout, target, draft), target.sources
        if sources is not None:
            pairs = joined(pairs, self.body)
        if not pairs and not layout.tail and sources is not None and sources.body.is_request:
            return [], None  # the caller's own body says nothing either
        first, last = sources.ends() if sources is not None else (-1, -1)
        if not pairs or (_role(pairs[0][1]) != "user" and _place(pairs[0][1]) != max(0, first)):
            pairs.insert(0, self._note(earlier(draft.sign), "start", draft))
        wires = self._merged(pairs, draft)
        tail = self.text_part(draft.joined(layout.tail, "tail")) if layout.tail else None
        if tail is not None:
            self._add_tail(wires, tail)
        elif _role(wires[-1]) == self.assistant and _place(wires[-1]) != max(0, last):
            wires.append(self._note(nothing_new(draft.sign), "end", draft)[1])
        return wires, tail

    def _note(self, text: str, where: str, draft: RequestDraft) -> tuple[str, Wire]:
        def made(text: str) -> tuple[str, Wire]:
            return "", {"role": "user", self.body: [self.text_part(text)]}

        draft.put("turn_note", where, text)
        table = owned_table(("turn notes", type(self)), brief=True)
        return made(text) if table is None else table.remembered(text, made)

    def parts_in(self, wire: Wire) -> list[Wire]:
        """The parts of a message; of one whose body is a text, the text as a part."""
        parts = wire.get(self.body)
        if isinstance(parts, str):
            return [self.text_part(parts)]
        return list(parts or ())

    def _merged(self, pairs: list[tuple[str, Wire]], draft: RequestDraft) -> list[Wire]:
        """Neighbours of one role as one message, but for those that came as two. The messages are
        the objects of the request before, as far as both have the same neighbours."""
        table = owned_table(("merged turns", type(self)), brief=True)
        before: MergedTurns = (table.known(NEWEST) if table is not None else None) or NO_TURNS
        same = same_beginning(before.pairs, pairs)
        # what is new may belong to the last one that is the same
        stand = max(0, bisect_left(before.starts, same) - 1)
        merged, marks, starts = (before.wires[:stand], before.marks[:stand], before.starts[:stand])
        start = before.starts[stand] if stand < len(before.starts) else 0
        groups: list[list[str]] = []
        for place, (event_id, wire) in enumerate(pairs[start:], start):
            last = merged[-1] if groups else None
            if last is not None and _role(last) == _role(wire) and not _came_apart(last, wire):
                both = [*self.parts_in(last), *self.parts_in(wire)]
                merged[-1] = {**last, self.body: both}
                groups[-1].append(event_id)
            else:
                merged.append(wire)
                groups.append([event_id])
                starts.append(place)
        if before.end(stand) == (starts[stand + 1] if len(groups) > 1 else len(pairs)) <= same:
            merged[stand] = before.wires[stand]
        marks += map(_mark_of, groups)
        if table is not None:
            table[NEWEST] = MergedTurns(tuple(pairs), starts, merged, marks)
        draft.inserted.extend(filter(None, marks))
        return list(merged)

    def _add_tail(self, wires: list[Wire], tail: Wire) -> None:
        """The DYNAMIC text at the very end: in front of the user's own words where those are
        last, behind the results of tools otherwise."""
        if _role(wires[-1]) != "user":
            wires.append({"role": "user", self.body: [tail]})
            return
        parts = self.parts_in(wires[-1])
        results = [part for part in parts if self.result_key in (part.get("type"), *part)]
        own = [part for part in parts if part not in results]
        wires[-1] = {**wires[-1], self.body: [*results, tail, *own]}


def _mark_of(group: list[str]) -> Insertion | None:
    ids = tuple(dict.fromkeys(filter(None, group)))
    return Insertion("merged", ids[0], ids=ids) if len(ids) > 1 else None


def joined(pairs: list[tuple[str, Wire]], body: str) -> list[tuple[str, Wire]]:
    """With what came in one message of a body in one message again.

    Args:
        body: the key of a message that holds its parts.
    """
    out: list[tuple[str, Wire]] = []
    for event_id, wire in pairs:
        before = out[-1][1] if out else None
        if (
            not isinstance(wire, SourceWire)
            or not isinstance(before, SourceWire)
            or before.source is not wire.source
        ):
            out.append((event_id, wire))
        else:
            out[-1] = out[-1][0], _one_of(before, wire, body)
    return out


def _one_of(before: SourceWire, wire: SourceWire, body: str) -> SourceWire:
    places = before.places | wire.places
    touched = before.touched or wire.touched
    source = before.source
    if not touched and len(places) == len(source.parts):
        return SourceWire(source.data, source, places)
    return SourceWire({**before, body: [*before[body], *wire[body]]}, source, places, touched=True)


def _role(wire: Wire) -> Any:
    return wire.get("role", "user")


def _place(wire: Wire) -> int:
    """Where a message stood in its body; -1 for another."""
    return wire.source.at if isinstance(wire, SourceWire) else -1


def _came_apart(before: Wire, wire: Wire) -> bool:
    """Whether these two stood behind each other, as two."""
    return _place(before) >= 0 and _place(wire) == _place(before) + 1
