"""The to-do lists of a conversation: which exchanges change one, and what each holds by then."""

from collections.abc import Sequence

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.todo_updates import todo_updates
from contextwright.compiler.other_agents import is_of_another
from contextwright.compiler.steps.exchange_features import words_of
from contextwright.memo.ownership import cached_text
from contextwright.text.todo_lists import TodoList, TodoUpdate, list_key

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


@cached_text
def is_only_todo(block: Block) -> bool:
    """Whether an exchange does no more than change lists: what a list holds tells all of it."""
    updates = todo_updates(block)
    return not words_of(block).strip() and all(update and update.is_all for update in updates)


def progress(update: TodoUpdate | None) -> str:
    """A call that wrote all of a list, in the few words that hold whatever became of it since;
    empty for any other."""
    if update is None or not (update.whole and update.is_all):
        return ""
    return f"{update.tool} {TodoList('', update.items).progress}"


def todo_states(blocks: Sequence[Block], places: Sequence[int], agent: str) -> list[TodoState]:
    """The lists behind the last of these exchanges, the one that was changed last first.

    Args:
        places: exchanges that call such tools, ascending.
        agent: whose request it is: another's list is told with its name.
    """
    states: dict[str, TodoState] = {}
    for at in places[-SEEN:]:
        owner = f" ({blocks[at].author})" if is_of_another(blocks[at], agent) else ""
        for number, update in enumerate(todo_updates(blocks[at])):
            if update is None:
                continue
            known = states.get(list_key(update.tool + owner))
            before = known.places if known is not None and not update.whole else ()
            items = known.list.items if known is not None else ()
            changed = TodoList(update.tool + owner, items).after(update)
            state = TodoState(changed, tuple(dict.fromkeys((*before, at))), number, update.whole)
            states[state.key] = state
    return sorted(states.values(), key=lambda state: (-state.places[-1], -state.number))
