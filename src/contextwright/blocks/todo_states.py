"""The to-do lists of a conversation: what exchanges say of them, and what each holds by then."""

from collections.abc import Callable, Sequence

import msgspec

from contextwright.blocks.block import Block
from contextwright.memo.ownership import cached_text
from contextwright.session.event import ToolCall, ToolResult
from contextwright.text.todo_lists import TodoList, TodoUpdate, is_todo_tool, list_key, todo_update

SEEN = 512
"""Newest exchanges with calls of such tools that are looked at: an item that a list was given in
one, and that none of so many later ones names, is old."""


class TodoState(msgspec.Struct, frozen=True):
    """A list as the last of some exchanges leaves it.

    Args:
        places: the exchanges that made it, from the last one on that wrote all of it.
        number: which of the updates of the last one changed it last.
        whole: whether that wrote all of it.
    """

    list: TodoList
    places: tuple[int, ...]
    number: int
    whole: bool

    @property
    def key(self) -> str:
        """What names it."""
        return list_key(self.list.tool)


def todo_states(
    blocks: Sequence[Block], places: Sequence[int], owner_of: Callable[[Block], str]
) -> list[TodoState]:
    """The lists behind the last of these exchanges, the one that was changed last first.

    Args:
        places: exchanges that call such tools, ascending.
        owner_of: gives the name of an exchange's agent, where its list is told with one.
    """
    changes: dict[str, list[tuple[int, int, str, TodoUpdate]]] = {}
    for at in places[-SEEN:]:
        owner = owner_of(blocks[at])
        for number, update in enumerate(todo_updates(blocks[at])):
            if update is None:
                continue
            tool = f"{update.tool} ({owner})" if owner else update.tool
            key = list_key(tool)
            if update.whole:
                changes[key] = []
            changes.setdefault(key, []).append((at, number, tool, update))
    return sorted(map(_state, changes.values()), key=lambda one: (-one.places[-1], -one.number))


def _state(changes: Sequence[tuple[int, int, str, TodoUpdate]]) -> TodoState:
    """A list of its changes: place, number, tool and what each says."""
    places, _, _, updates = zip(*changes, strict=True)
    _, number, tool, newest = changes[-1]
    return TodoState(
        TodoList(tool).after(*updates), tuple(dict.fromkeys(places)), number, newest.whole
    )


def calls_todo_tool(block: Block) -> bool:
    """Whether an exchange calls a tool that is named for things to do."""
    return block.has_calls and any(is_todo_tool(call.name) for call in block.calls)


@cached_text
def todo_updates(block: Block) -> tuple[TodoUpdate | None, ...]:
    """What each of its calls says of a list; None for one that says nothing, or did not go well."""
    results = {result.call_id: result for result in block.results}
    return tuple(update_by(call, results.get(call.id)) for call in block.calls)


def update_by(call: ToolCall, result: ToolResult | None) -> TodoUpdate | None:
    """What a call says of a list; None where it says nothing of one, or did not go well."""
    if result is None or result.status != "ok" or not is_todo_tool(call.name):
        return None
    return todo_update(call.name, call.arguments, result.text)
