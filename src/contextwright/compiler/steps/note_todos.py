"""The to-do lists that an agent keeps, as a note tells them: each as it is by then, and none of the
calls that led there, whose items look open that are done."""

from collections.abc import Iterator, Sequence

import msgspec

from contextwright.blocks.block import Block
from contextwright.blocks.todo_states import TodoState, todo_states, todo_updates
from contextwright.compiler.other_agents import is_of_another
from contextwright.compiler.steps.exchange_features import words_of
from contextwright.compiler.steps.note_builder import NoteBuilder, NoteScope
from contextwright.compiler.steps.note_pages import id_in_parts
from contextwright.memo.ownership import cached_text
from contextwright.spec.inputs import Inputs
from contextwright.text.one_voice import in_one_voice

TODOS, LEAST_TODOS, LEAST_SHARE = 12, 200, 30
"""Percent of a note for such lists; tokens that they may have of a small one, and percent of it at
most: what is to be done is what an agent goes on from."""
MANY = 3
"""Lists that a note tells."""


class ToldTodos(msgspec.Struct, frozen=True, array_like=True):
    """A list in a note: the one that these exchanges made, and that of the last of them this update
    changed, in so many tokens at most."""

    places: tuple[int, ...]
    number: int
    tokens: int


@cached_text
def is_only_todo(block: Block) -> bool:
    """Whether an exchange does no more than change lists: what a list holds tells all of it."""
    updates = todo_updates(block)
    return not words_of(block).strip() and all(update and update.is_all for update in updates)


def states_at(blocks: Sequence[Block], places: Sequence[int], agent: str) -> list[TodoState]:
    """The lists behind the last of some exchanges, another agent's under its name."""
    return todo_states(
        blocks, places, lambda block: block.author if is_of_another(block, agent) else ""
    )


def tell_todos(note: NoteBuilder, room: int) -> list[tuple[ToldTodos, str]]:
    """The lists whose newest state is not in sight, those that were changed last first.

    Args:
        room: tokens of the note.
    """
    scope, pairs = note.scope, list[tuple[ToldTodos, str]]()
    every = scope.history.todo_places(scope.stop)
    places = [at for at in every if at < scope.upto]
    note.silent = {at for at in places if is_only_todo(scope.blocks[at])} - scope.held
    room = max(room * TODOS // 100, min(LEAST_TODOS, room * LEAST_SHARE // 100))
    for state in _out_of_sight(scope, places, every[len(places) :])[:MANY]:
        todo = ToldTodos(state.places, state.number, min(room, note.left) - 1)
        if text := _text(state, todo.tokens, scope.blocks, scope.page, scope.inputs):
            pairs.append((todo, text))
            tokens = scope.inputs.count(text) + 1
            room, note.left = room - tokens, note.left - tokens
    return pairs


def _out_of_sight(scope: NoteScope, places: Sequence[int], newer: Sequence[int]) -> list[TodoState]:
    """The lists of which no exchange shows all that they hold.

    Args:
        places: exchanges that the note stands for. newer: others.
    """
    blocks, agent = scope.blocks, scope.inputs.agent
    shown = {state.key for state in states_at(blocks, newer, agent) if state.whole}
    states = states_at(blocks, places, agent)
    return [
        state
        for state in states
        if state.key not in shown and not (state.whole and state.places[-1] in scope.held)
    ]


def told_todos(
    todos: Sequence[ToldTodos], blocks: Sequence[Block], page: int, inputs: Inputs
) -> Iterator[str]:
    """Lists as a note tells them."""
    for todo in todos:
        last = todo.places[-1], todo.number
        states = states_at(blocks, todo.places, inputs.agent)
        state = next(one for one in states if (one.places[-1], one.number) == last)
        yield _text(state, todo.tokens, blocks, page, inputs)


def _text(state: TodoState, tokens: int, blocks: Sequence[Block], page: int, inputs: Inputs) -> str:
    """A list in so many tokens, behind the id of what changed it last; empty without room."""
    block = blocks[state.places[-1]]
    name = f"{id_in_parts(block, page, inputs)} " if inputs.shows_refs else ""
    text = state.list.line(tokens, lambda text: inputs.count(name + text))
    return name + in_one_voice(text, first=True) if text else ""
