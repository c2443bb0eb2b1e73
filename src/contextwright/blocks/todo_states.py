"""The to-do lists of a conversation: what exchanges say of them, and what each holds by then."""

from collections.abc import Callable, Iterator, Sequence

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
    states: dict[str, TodoState] = {}
    for at in places[-SEEN:]:
        owner = owner_of(blocks[at])
        for number, update in enumerate(todo_updates(blocks[at])):
            if update is None:
                continue
            tool = f"{update.tool} ({owner})" if owner else update.tool
            known = states.get(list_key(tool))
            before = known.places if known is not None and not update.whole else ()
            items = known.list.items if known is not None else ()
            changed = TodoList(tool, items).after(update)
            state = TodoState(changed, tuple(dict.fromkeys((*before, at))), number, update.whole)
            states[state.key] = state
    return sorted(states.values(), key=lambda state: (-state.places[-1], -state.number))


def calls_todo_tool(block: Block) -> bool:
    """Whether an exchange calls a tool that is named for things to do."""
    return block.has_calls and any(is_todo_tool(call.name) for call in tool_calls_of(block))


@cached_text
def todo_updates(block: Block) -> tuple[TodoUpdate | None, ...]:
    """What each of its calls says of a list; None for one that says nothing, or did not go well."""
    results = {result.call_id: result for result in block.results}
    return tuple(update_by(call, results.get(call.id)) for call in tool_calls_of(block))


def update_by(call: ToolCall, result: ToolResult | None) -> TodoUpdate | None:
    """What a call says of a list; None where it says nothing of one, or did not go well."""
    if result is None or result.status != "ok" or not is_todo_tool(call.name):
        return None
    return todo_update(call.name, call.arguments, result.text)


def tool_calls_of(block: Block) -> Iterator[ToolCall]:
    """Its calls, as they came."""
    for message in block.messages:
        for part in message.parts:
            if isinstance(part, ToolCall):
                yield part
