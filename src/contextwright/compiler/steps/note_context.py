"""What stands around what a user said, without which it says nothing, or would look as if it were
still to do: what it goes on from, and what came next."""

from contextwright.compiler.steps.directive_places import words_at
from contextwright.compiler.steps.exchange_features import words_of
from contextwright.compiler.steps.note_builder import NoteBuilder
from contextwright.session.inline_thinking import without_thinking
from contextwright.text.acknowledgement import MAX_ECHO, MAX_STATEMENT, acknowledges
from contextwright.text.choices import question_gist
from contextwright.text.corrections import corrects
from contextwright.text.end_sentences import (
    QUESTION,
    begins_work,
    ends_something,
    names_in,
    proper_names,
)
from contextwright.text.remarks import parts_of
from contextwright.text.search_terms import STOP, content_words

PROMPT = 3
"""Words with which an agent bids a user go on, at most: "Yes?", "What about it?"."""
SUBJECT = 3
"""Words of a question that names nothing which tell what it is about, at least."""


def ends_next(note: NoteBuilder, at: int) -> int | None:
    """The answer next to what a user chose, where it says that something is done by that."""
    if at + 1 >= note.scope.stop:
        return None
    role, answer = words_at(note.scope.blocks, at + 1)
    answer, choice = without_thinking(answer), words_of(note.block(at))
    if role != "assistant" or not (ends_something(answer, role) or _tells_of(answer, choice)):
        return None
    return at + 1


def _tells_of(answer: str, choice: str) -> bool:
    """Whether a few words tell something of what a user named: then it was a task."""
    if len(answer) > MAX_ECHO or begins_work(answer) or acknowledges(answer, choice):
        return False
    return not names_in(answer).isdisjoint(names_in(choice))


def asked_before(note: NoteBuilder, at: int) -> int | None:
    """The question of a user that an agent's words answer, where these have no word of it: what a
    user chooses then is of that."""
    if at < 1 or note.block(at - 1).role != "user":
        return None
    request = words_of(note.block(at - 1)).strip()
    if not request.endswith(QUESTION) or len(request) > MAX_STATEMENT:
        return None
    words = {*content_words(request)} - STOP
    if len(words) < SUBJECT and not (names_in(request) or proper_names(request)):
        return None
    shares = not words.isdisjoint(content_words(note.words(at, "question")))
    return None if shares else at - 1


def begun_by(note: NoteBuilder, at: int) -> int | None:
    """What a user said in front of an agent's few words that they go on from behind these: they
    correct it, or the agent bade them go on. It says what is meant."""
    if at < 2 or note.untold(at - 2) is None:
        return None
    first, between, last = (note.block(one) for one in (at - 2, at - 1, at))
    if (first.role, between.role, last.role) != ("user", "assistant", "user") or between.has_calls:
        return None
    answer = words_of(between).strip()
    is_prompt = len(answer.split()) <= PROMPT and answer.endswith(QUESTION)
    goes_on = len(answer) <= MAX_ECHO and (is_prompt or corrects(words_of(last)))
    return at - 2 if goes_on and len(words_of(first)) <= MAX_STATEMENT else None


def answered_before(note: NoteBuilder, at: int) -> int | None:
    """The agent's words between what a user said and what they go on with, where these tell
    something: what is done by them would look as if it were still to do."""
    request, answer = (words_of(note.block(one)).strip() for one in (at - 2, at - 1))
    is_heard = answer.endswith(QUESTION) or acknowledges(answer, request)
    return None if is_heard else note.untold(at - 1)


def was_begun(note: NoteBuilder, at: int) -> bool:
    """Whether the answer next to what a user said is that it is begun: then it was a task, in
    whatever words."""
    if at + 1 >= note.scope.stop:
        return False
    role, answer = words_at(note.scope.blocks, at + 1)  # no block is made of it
    return role == "assistant" and begins_work(without_thinking(answer))


def work_next(note: NoteBuilder, at: int, words: str) -> int | None:
    """The calls next to a sentence in which a user says nothing else, where they are of it: then it
    was a task, in whatever words."""
    if at + 1 >= note.scope.stop or not note.scope.blocks[at + 1].has_calls:
        return None
    if words != words_of(note.block(at)).strip() or len(parts_of(words)) > 1:
        return None
    who, before = words_at(note.scope.blocks, at - 1) if at else ("", "")
    if who == "assistant" and question_gist(before):  # what answers it is no task
        return None
    calls = " ".join(call.arguments for call in note.block(at + 1).calls)
    shares = not ({*content_words(calls)} - STOP).isdisjoint(content_words(words))
    return at + 1 if shares else None
