"""What a user asked for, told with what came of it: without it, what is done would look as if it
were still to do."""

from collections.abc import Iterable

from contextwright.compiler.steps.exchange_features import identifiers, says_nothing
from contextwright.compiler.steps.note_builder import UNTOLD, NoteBuilder
from contextwright.text.search_terms import content_words

OUTCOMES = 16
"""Exchanges at each end of a turn that are looked through for what came of its request."""


def tell_requests(note: NoteBuilder, room: int) -> None:
    """What the user asked for, each with what came of it: without it, what is done would look as
    if it were still to do. The task stands in front of a note: only what came of it is told."""
    scope = note.scope
    turn = scope.history.task_turn(scope.upto, scope.held)
    # behind words nothing in front of an origin is looked at
    if turn and (turn[0] >= scope.history.uses.first or not scope.inputs.goes_by_log):
        outcome = _outcome(note, *turn)
        if outcome is not None:
            note.put(outcome, "line")
    for request, *last in scope.history.requests(scope.upto, scope.held):
        taken = put_with_outcome(note, request, last, "line", room)
        if taken is None:
            return
        room -= taken


def put_with_outcome(
    note: NoteBuilder, request: int, last: Iterable[int], form: str, room: int
) -> int | None:
    """The tokens of a request and of what came of it, if they have room, and then stand; None where
    they have none.

    Args:
        last: what stands in front of what the user said next, if it may be told.
    """
    outcomes = (_outcome(note, request, end) for end in last)
    forms = dict.fromkeys((at for at in outcomes if at is not None), "line") | {request: form}
    if (end := note.untold_end(request)) is not None:
        forms[end] = note.form_of_end(end)
    # a rule is a part of what may hold
    more = [
        (at, f)
        for at, f in forms.items()
        if note.forms.get(at) in UNTOLD or f in {"remark", "whole"}
    ]
    tokens = sum(note.more(*pair) for pair in more)
    if tokens > room:
        return None
    for pair in more:
        note.put(*pair)
    note.units.append(len(note.forms))
    return tokens


def _outcome(note: NoteBuilder, request: int, last: int) -> int | None:
    """Of what the assistant said in a turn the line that names most of what was asked for, of these
    an answer rather than words beside calls, and the newest: an agent that goes on with other work
    does not end a turn with what came of its request. None where nobody said anything."""

    def names(at: int) -> tuple[int, int, bool]:
        text, is_answer = note.words(at, "line"), not note.block(at).has_calls
        return len(things & {*identifiers(text)}), len(words & {*content_words(text)}), is_answer

    line = note.words(request, "line")
    things, words = {*identifiers(line)}, {*content_words(line)}
    turn = range(request + 1, last + 1)
    edges = {*turn[:OUTCOMES], *turn[-OUTCOMES:]} - note.scope.held
    answers = {at for at in edges if note.block(at).role == "assistant"}
    ends = answers if says_nothing(note.block(last)) else {last} | answers
    return max(ends, key=lambda at: (names(at), at), default=None)
