"""`C.write_notes(key)`: what an agent said becomes notes for later
(context-algebra.md#writing-notes)."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, Literal

import msgspec

from contextwright.atoms.select.from_state import label, plain_text
from contextwright.blocks.block import Block
from contextwright.session.event import Event
from contextwright.session.inline_thinking import agent_words
from contextwright.session.snapshot import Snapshot
from contextwright.session.state import NOTES_PREFIX, check_key
from contextwright.spec.task import Answer, Task, TaskGenerator
from contextwright.spec.word_roles import RecordedTurn, Writer

NotesStrategy = Literal["append", "replace", "merge", "checklist"]
_BOX = re.compile(r"\s*+(?:(?:[-*+]|[0-9]{1,3}[.)])\s*+)?\[([ xX])\]\s*(\S.*)")
_BULLET = re.compile(r"\A\s*(?:[-*+•]|[0-9]{1,3}[.)])\s+")


class WriteNotes(Writer, frozen=True, kw_only=True):
    """After the turn, what this agent said last is written to the notes of a key.

    What was noted from an event is noted once, however often the turn is recorded.

    Args:
        key: kept under the state key `_notes_{key}`.
        strategy: `append` an item; `replace` them all, an object or list as such; `merge` by a
            model, nothing twice; `checklist`, tick and add the `[x]` and `[ ]` lines.
        model: who merges; empty for the engine's.
    """

    word: ClassVar[str] = "write_notes"

    key: str = "default"
    strategy: NotesStrategy = "append"
    model: str = ""

    def __post_init__(self) -> None:
        check_key(self.key)

    def written(self) -> tuple[str, ...]:
        """The notes' key."""
        return (NOTES_PREFIX + self.key,)

    def after(self, turn: RecordedTurn) -> TaskGenerator[dict[str, Any]]:
        """The notes, merged by a model where the strategy says so."""
        task = self.task(turn.snapshot, turn.agent, turn.clean)
        answer = (yield (task,))[0] if task is not None else None
        return self.writes(turn.snapshot, turn.agent, answer, turn.clean)

    def task(
        self, snapshot: Snapshot, agent: str = "", clean: Callable[[str], str] = str
    ) -> Task | None:
        """What a model is asked: to merge; None where nothing has to be merged.

        Args:
            clean: a text without what the spec redacts.
        """
        event = said_last(snapshot, agent)
        before = items_of(snapshot.state.get(NOTES_PREFIX + self.key))
        if self.strategy != "merge" or event is None or not before or _noted(before, event):
            return None
        return Task(
            kind="merge",
            model=self.model,
            previous=clean("\n".join(f"- {item['text']}" for item in before)),
            blocks=(
                Block(id=event.id, source=event.speaker, text=clean(agent_words(event.parts))),
            ),
            source=event.id,
        )

    def writes(
        self,
        snapshot: Snapshot,
        agent: str = "",
        answer: Answer | None = None,
        clean: Callable[[str], str] = str,
    ) -> dict[str, Any]:
        """The state change; empty where there is nothing new.

        Args:
            agent: whose words are noted; any agent's where it is empty.
            answer: the merged notes.
            clean: a text without what the spec redacts.
        """
        event = said_last(snapshot, agent)
        stored = NOTES_PREFIX + self.key
        before = items_of(snapshot.state.get(stored))
        if event is None or _noted(before, event):
            return {}
        text = clean(agent_words(event.parts))
        if self.strategy == "checklist":
            ticked = _ticked(before, text)
            return {stored: ticked} if ticked != before else {}
        if self.strategy == "replace":
            return {stored: _structured(text) or [_item(event, text)]}
        if self.strategy == "merge" and answer is not None:
            lines = [_BULLET.sub("", line, count=1).strip() for line in answer.value.splitlines()]
            merged = [{"text": line} for line in lines if line]
            return {stored: [*merged[:-1], {**merged[-1], "event": event.id}]} if merged else {}
        return {stored: [*before, _item(event, text)]}


def said_last(snapshot: Snapshot, agent: str) -> Event | None:
    """The newest words of an agent in the running turn; of any agent where none is named."""
    for exchange in reversed(snapshot.exchanges(snapshot.turn_start(snapshot.turn))):
        event = exchange.first
        is_theirs = not agent or event.author in {"", agent}
        if event.role == "assistant" and is_theirs and agent_words(event.parts):
            return event
    return None


def items_of(notes: Any) -> list[dict[str, Any]]:
    """Notes as items with a `text`, however they were written."""
    if notes is None or notes == "":
        return []
    if isinstance(notes, Mapping):
        sections: Mapping[str, Any] = notes  # pyright: ignore[reportUnknownVariableType]
        return [{"text": f"{label(name)}: {plain_text(value)}"} for name, value in sections.items()]
    listed: list[Any] = notes if isinstance(notes, list) else [notes]  # pyright: ignore
    return [
        dict(item) if isinstance(item, Mapping) and "text" in item else {"text": plain_text(item)}  # pyright: ignore
        for item in listed
    ]


def _item(event: Event, text: str) -> dict[str, Any]:
    item = {"text": text, "event": event.id}
    if event.time_ms:
        moment = datetime.fromtimestamp(event.time_ms / 1000, UTC)
        item["time"] = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return item


def _noted(items: list[dict[str, Any]], event: Event) -> bool:
    return any(item.get("event") == event.id for item in items)


def _structured(text: str) -> Any:
    """The object or list that a text is, if it is one."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _ticked(before: list[dict[str, Any]], text: str) -> list[dict[str, Any]]:
    """The items, ticked or unticked by the boxes of a text, and its new ones."""
    items = [dict(item) for item in before]
    places = {_same(str(item["text"])): place for place, item in enumerate(items)}
    for line in text.splitlines():
        match = _BOX.fullmatch(line)
        if not match:
            continue
        name, done = match[2].strip(), match[1] != " "
        if _same(name) in places:
            items[places[_same(name)]]["done"] = done
        else:
            places[_same(name)] = len(items)
            items.append({"text": name, "done": done})
    return items


def _same(text: str) -> str:
    return " ".join(text.removeprefix("[x]").removeprefix("[ ]").casefold().split())
