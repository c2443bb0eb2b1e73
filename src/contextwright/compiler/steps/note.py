"""Which exchanges a note tells, and in how many words: those that were used last, while there is
room."""

from collections.abc import Iterator

import msgspec

from contextwright.blocks.block import Block
from contextwright.compiler.steps.exchange_features import calls_of
from contextwright.compiler.steps.file_states import FileState, ToldFile, file_states, told_file
from contextwright.compiler.steps.forms import CALLS, NEVER, WORDS
from contextwright.compiler.steps.note_builder import UNTOLD, NoteBuilder, NoteScope
from contextwright.compiler.steps.note_requests import tell_requests
from contextwright.compiler.steps.note_rules import tell_what_holds
from contextwright.compiler.steps.note_todos import ToldTodos, tell_todos
from contextwright.compiler.steps.shown_text import ShownText
from contextwright.text.json_rows import loaded

INDEX = 50
"""Percent of a note, beside rules and decisions, for the identifiers of what it does not tell."""
BARE = 60
"""Percent of a note for each exchange in its fewest words, before any is told in more."""
FIRST = 15
"""Percent of a note up to which the task's first words stand in it whole."""
REQUESTS = 6
"""Percent of a note for what else the user said and what came of it, the newest first: what was
asked for tells what the calls were for. On recorded sessions it wins one later call of 130 whose
values are in sight in a talk with many users, and loses five of 356 in a coding session."""
FILES, FILES_FROM = 65, 1_500
"""Percent of a note for what the files hold by now that the agent edits, from so many tokens on
that it has beside rules and requests: an edit names the lines that it replaces, word for word, but
what was done is told first."""
FILE_SHARE = 60
"""Percent of what is left of that for one file, at most."""
LEAST_FILE = 40
"""Tokens below which no file is told."""
SPOKEN = 200
"""Tokens of a note up to which the assistant's words get what identifiers and results did not
need. With 300, recorded service sessions cost half a percent more for no call more that can be
answered, with 500 recorded tool sessions 3 percent."""


class NoteContent(msgspec.Struct, frozen=True):
    """What a note tells.

    Args:
        forms: places and forms of exchanges.
        index: identifiers of the rest, with their places.
        todos: the lists of what is to be done. files: what the files hold by now.
    """

    forms: tuple[tuple[int, str], ...] = ()
    index: tuple[tuple[str, int], ...] = ()
    todos: tuple[ToldTodos, ...] = ()
    files: tuple[ToldFile, ...] = ()


def note_of(scope: NoteScope, room: int) -> NoteContent:
    """What a note tells in so many tokens."""
    first = next((at for at in range(scope.upto) if at not in scope.held), None)
    if room <= 0 or first is None:
        return NoteContent()
    note = NoteBuilder(scope, room)
    tell_what_holds(note, room)
    todos = tell_todos(note, room)
    tell_requests(note, room * REQUESTS // 100)
    files = _tell_files(note, max(0, note.left - FILES_FROM) * FILES // 100)
    index_tokens = note.left * INDEX // 100
    note.left -= index_tokens
    _tell_task(note, room)
    _tell_in_few_words(note)
    _tell_results(note)
    shown = [note.entry(at, form).text for at, form in sorted(note.forms.items())]
    shown += [text for _, text in (*todos, *files)]
    free = index_tokens + note.left
    index = _index(scope, ShownText((*shown, *_rest_of_request(scope))), free)
    note.left = free - sum(scope.inputs.count(f" {word}") for word, _ in index)
    _tell_words(note)
    return NoteContent(
        tuple(sorted(note.forms.items())),
        index,
        tuple(todo for todo, _ in todos),
        tuple(file for file, _ in files),
    )


def _rest_of_request(scope: NoteScope) -> Iterator[str]:
    """What the request says outside of the note: the instruction, what is held, and what is newer,
    its calls with their arguments."""
    snapshot = scope.inputs.snapshot
    for exchange in snapshot.exchanges(0, snapshot.preamble):
        yield from (event.text for event in exchange.events)
    held = (scope.blocks[at] for at in sorted(scope.held) if at < scope.upto)
    for block in (*held, *scope.blocks[scope.upto : scope.stop]):
        yield block.plain_text
        yield from (call.arguments for call in calls_of(block))


def _tell_task(note: NoteBuilder, room: int) -> None:
    """The first words of the user that the note stands for."""
    first = note.scope.history.first_user(note.scope.upto, note.scope.held)
    if first is not None:
        short = note.entry(first, "whole").tokens * 100 <= FIRST * room
        note.put(first, "whole" if short else "line")


def _tell_files(note: NoteBuilder, room: int) -> list[tuple[ToldFile, str]]:
    """What the files hold by now that the agent edits, those first that were touched last."""
    pairs: list[tuple[ToldFile, str]] = []
    scope, count = note.scope, note.scope.inputs.count
    for state in _files(scope):
        most = room * FILE_SHARE // 100
        if most < LEAST_FILE:
            break
        file = ToldFile(state.at, state.call, most)
        if text := told_file(state, most, count):
            pairs.append((file, text))
            tokens = count(text) + 1
            room, note.left = room - tokens, note.left - tokens
            note.in_files |= state.sources
    return pairs


def _files(scope: NoteScope) -> list[FileState]:
    """Files as the note's exchanges leave them, if the agent edits any."""
    states = file_states(scope.blocks, scope.upto)
    return states if any(state.edited for state in states) else []


def _tell_in_few_words(note: NoteBuilder) -> None:
    """As many as go into a part of the room."""

    def form_of(at: int) -> str:
        is_line = at in note.in_files or note.scope.is_outdated(at)
        return "bare" if note.block(at).results and not is_line else "line"

    def least_of(at: int) -> int:
        # its form is another once a later exchange says it anew; what is known of it is not
        forms = ("line", "bare") if note.block(at).results else ("line",)
        return min(note.entry(at, form).tokens for form in forms)

    least = note.left * (100 - BARE) // 100
    for at in note.fitting("few words", least_of):
        if note.left <= least:
            break
        if note.forms.get(at) in UNTOLD:
            note.put(at, form_of(at))


def _tell_results(note: NoteBuilder) -> None:
    """Results in more words, and more exchanges, while there is room."""

    def least(at: int) -> int:
        forms = ("line",) if note.block(at).results else _forms(note.block(at))
        return min(note.entry(at, form).tokens for form in forms)

    for at in note.fitting("any words", least):
        if note.forms.get(at) == "whole":
            continue
        for form in ("line",) if note.is_told_elsewhere(at) else _forms(note.block(at)):
            if note.forms.get(at) == form or note.put(at, form):
                break
    for _, _, at in note.in_order():
        if note.forms[at] == "short" and not note.is_told_elsewhere(at):
            if not _is_json(note.block(at)):
                note.put(at, "whole")


def _tell_words(note: NoteBuilder) -> None:
    """A talk is told in more than its first sentences. Where tools work, only up to a note that
    says something: room that nothing needs puts off the next step."""
    if any(note.block(at).results for at in note.forms):
        taken = sum(note.entry(at, form).tokens for at, form in note.forms.items())
        note.left = min(note.left, SPOKEN - taken)
    for form in WORDS:

        def size(at: int, form: str = form) -> int:
            return NEVER if note.is_told_elsewhere(at) else note.entry(at, form).tokens

        for at in note.fitting(form, size):
            if note.left <= 0:
                return
            if note.forms.get(at) != "whole" and not note.is_told_elsewhere(at):
                note.put(at, form)


def _index(scope: NoteScope, shown: ShownText, room: int) -> tuple[tuple[str, int], ...]:
    """Identifiers of what has no room in a note, those first that were used most and latest.

    Args:
        shown: what the request says anyway.
        room: tokens.
    """
    weights, tokens = scope.history.weights, scope.history.word_tokens
    weights.move(scope.blocks, scope.upto)
    index: list[tuple[str, int]] = []
    for word in weights.ranked():
        if shown.says(word):
            continue
        if word not in tokens:
            tokens[word] = scope.inputs.count(" " + word)
        room -= tokens[word]
        if room < 0:
            break
        index.append((word, weights.first(word)))
    return tuple(index)


def _forms(block: Block) -> tuple[str, ...]:
    """What is tried, the most words first."""
    if not block.results:
        return ("whole", "line") if block.role == "user" else ("line",)
    return tuple(reversed(CALLS))


def _is_json(block: Block) -> bool:
    return all(loaded(result.text) is not None for result in block.results)
