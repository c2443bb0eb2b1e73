"""What holds on of what a note stands for: rules and decisions, then what else a user said beside a
request; each while there is room, the newest first."""

from collections.abc import Iterable
from itertools import chain, islice

from contextwright.compiler.steps.exchange_features import words_of
from contextwright.compiler.steps.forms import entries, entry
from contextwright.compiler.steps.note_builder import LASTING, UNTOLD, NoteBuilder, NoteScope
from contextwright.compiler.steps.note_context import (
    answered_before,
    asked_before,
    begun_by,
    ends_next,
    was_begun,
    work_next,
)
from contextwright.compiler.steps.note_requests import put_with_outcome
from contextwright.session.inline_thinking import without_thinking
from contextwright.text.acknowledgement import begins_so
from contextwright.text.corrections import TERSE, corrects
from contextwright.text.directives import directives, obliges_to_do
from contextwright.text.end_sentences import ends_something, names_in
from contextwright.text.foreign_wordings import sounds_lasting
from contextwright.text.request_ends import NEXT, is_called_off, is_done, may_end
from contextwright.text.search_terms import content_words

DIRECTIVES = 33
"""Percent of a note for what holds from where it was said on, rules and decisions, the newest
first. What it takes is taken from lines of calls, of which a session has more."""
SPARED, SPARED_SHARE = 1_200, 85
"""Tokens that these may have of a note with little room, and percent of that room at most: some
eighty of them, each behind its id, which a long talk may have, are worth more than a few lines of
calls. With 700 and 66, of 20 rules and 20 decisions planted in a recorded coding session 16 and 18
outlived 29 steps at 8,000 tokens, with 900 and 70 13 and 13 at 5,000, and with 900 of sixty in a
talk with customers one was lost; now all do, and where a recorded session has fewer, its requests
are the same."""
RULES_SPARED = 1_700
"""The same of rules and decisions alone: where users lay down so many, each of them is worth more
than what was done."""
FOREIGN_SPARED = 2_400
"""The same with what was said in other languages than English, where requests stand among it with
what came of them."""
RULES_NOTE = 4_000
"""Tokens of a note that has room for so many."""
HOLDS_SHARE = 70
"""Percent of it that these take, and what a user says beside requests; what was said later of it,
and that a task is over, stands with it."""
REMARKS_FROM = 550
"""Tokens of a note from which on what a user said beside a request has the room that rules and
decisions leave: with it, notes of 500 tokens lose two calls of 581 in recorded service sessions,
larger ones none."""
REMARKS_SPARED, REMARKS_SHARE = 2_400, 60
"""Tokens of a note that these have beside, and percent of it at most: in a talk in which rules and
requests stand together, half of what holds is one."""
LONG_RULE = 40
"""Tokens of the longest rule that is told before others that are older: where tools answer in the
user's name, a page of a manual or of code has words of a rule as well. With any length, of the 20
and 20 planted in six sessions of a coding agent without function calls 5 and 4 were left."""
SENTENCE = 8
"""Tokens that a rule or a decision needs at least."""
SAID_AGAIN = 60
"""Percent of the words of what a tool lays down with which an agent behind it tells it."""
MISSES, LAST, WORDINGS = 16, 32, 512
"""Rules and decisions without room after which no more are looked at, how many are looked at that
come last, and how many there are at most."""


def tell_what_holds(
    note: NoteBuilder, room: int, share: int = SPARED_SHARE, remarks_from: int = REMARKS_FROM
) -> None:
    """Tell it in the first part of a note of so many tokens.

    Args:
        share: percent of it that all of it may have. remarks_from: tokens of a note from which on
            what is said beside a request is a part of it.
    """
    usual = directives_room(room, share=share)
    more = directives_room(room, RULES_SPARED, share) - usual
    left, ends = _tell_directives(note, usual + more, more)
    more, left = min(more, left), max(0, left - more)
    spare = _spare_room(note, room * share // 100, room, left)
    if more + left < LONG_RULE <= spare:  # some had no room, and are worth more than remarks
        part = spare // 3
        rest, late = _tell_directives(note, left + part, 0)
        ends += (at for at in late if at not in ends)
        left, spare = min(left, rest), spare - part + max(0, rest - left)
    if room >= remarks_from:
        scope = note.scope
        places = [*islice(scope.history.foreign(scope.blocks, scope.upto, scope.held), WORDINGS)]
        worded = [at for at in places if sounds_lasting(note.words(at, "remark"))]
        others = (at for at in places if at not in worded)
        foreign = max(0, directives_room(room, FOREIGN_SPARED, share) - usual - more)
        rest = _tell_foreign(note, worded, left + more + foreign)
        rest = _tell_foreign(note, others, rest)
        left, more = min(left, rest), min(more, max(0, rest - left))
        rest = _tell_remarks(note, left + spare, ends)
        left, spare = min(left, rest), max(0, rest - left)
    for at in ends:  # to go on without what is not to be done, nobody needs to know of it
        rest = left + spare - _put_with_news(note, at, "rule", left + spare)
        left, spare = min(left, rest), max(0, rest - left)
    left = _tell_settings(note, _tell_conditions(note, left))
    if room >= remarks_from:
        _tell_whole(note, left + spare)


def _spare_room(note: NoteBuilder, most: int, room: int, left: int) -> int:
    """Tokens that what is said beside a request may have beside those that rules leave, of `most`
    for all that holds."""
    free = most - (room - note.left) - left
    return max(0, min(REMARKS_SPARED, room * REMARKS_SHARE // 100, free))


def note_for_rules(scope: NoteScope, most: int) -> int:
    """Tokens that a note needs to tell what holds of what it stands for, `most` at most."""
    history, where, tokens = scope.history, (scope.blocks, scope.upto, scope.held), 0
    choices = [*islice(history.choices(*where), WORDINGS)]
    others = history.passed_over(*where)
    laid_down = chain(islice(history.directives(*where), WORDINGS), islice(others, WORDINGS))
    remarks = islice(history.remarks(*where), WORDINGS)
    foreign = islice(history.foreign(*where), WORDINGS)
    pairs = chain(
        chain.from_iterable(((at, "rule"), (at - 1, "question")) for at in choices),
        ((at, "rule") for at in laid_down if at not in choices),
        ((at, "remark") for at in chain(remarks, foreign)),
    )
    counted = dict[int, int]()
    known = {
        form: entries(form, scope.inputs, scope.page) for form in ("rule", "question", "remark")
    }
    for at, form in pairs:
        block = scope.blocks[at]
        line = known[form].get(block)
        if line is None:
            line = entry(block, form, scope.inputs, scope.page)
        more = line.tokens
        tokens += max(0, more - counted.get(at, 0))
        counted[at] = more
        if tokens * 100 > most * HOLDS_SHARE:
            return most
    return tokens * 100 // HOLDS_SHARE


def directives_room(room: int, spared: int = SPARED, share: int = SPARED_SHARE) -> int:
    """Tokens of a note's room for what holds from where it was said on, `spared` where they are
    `share` percent of it at most."""
    return max(room * DIRECTIVES // 100, min(spared, room * share // 100))


def _tell_directives(note: NoteBuilder, room: int, more: int) -> tuple[int, list[int]]:
    """What holds from where it was said on: what says so or was heard, and what nothing came of,
    the newest first; long wordings, and that a task is over, in what the others leave. The room
    that is left.

    Args:
        more: tokens of these that only short ones may have.
    """
    scope, last, ends, misses = note.scope, list[int](), list[int](), 0

    def put(at: int) -> int:
        """The tokens of a rule that has room, and then stands; 0 where it has none."""
        return _put_with_news(note, at, "rule", room)

    where = (scope.blocks, scope.upto, scope.held)
    choices = [*islice(scope.history.choices(*where), WORDINGS)]
    worded, others = scope.history.directives(*where), scope.history.passed_over(*where)
    for at in chain(islice(worded, WORDINGS), choices, islice(others, WORDINGS)):
        if at in note.forms:
            continue
        if room < SENTENCE or misses == MISSES:
            break
        if at in choices:
            taken = _put_choice(note, at, room)
            if taken or not _is_worded(note, at):  # what has a rule's words may stand by itself
                room, misses = room - taken, misses + (not taken)
                continue
        if _is_over(note, at, "rule"):
            continue
        if _ends_a_task(note, at):
            ends.append(at)
        elif note.entry(at, "rule").tokens > LONG_RULE:
            last.append(at)
        elif taken := put(at):
            room -= taken
        else:
            misses += 1
    rest, room = min(more, room), max(0, room - more)
    for at in last[:LAST]:
        room -= put(at)
    return rest + room, ends[:LAST]


def _put_choice(note: NoteBuilder, at: int, room: int) -> int:
    """The tokens of what a user chose, with what was asked and what came of it since, if they have
    room, and then stand; 0 where they have none: "the second one" says nothing by itself."""
    history, blocks, question = note.scope.history, note.scope.blocks, at - 1
    gist = note.words(question, "question")
    forms = {at: "whole"}
    if question not in note.scope.held and note.forms.get(question) in UNTOLD:
        forms[question] = "question"
    answer, is_worded = note.words(at, "whole"), _is_worded(note, at)
    since = (
        history.news_of(blocks, gist, at),
        history.end_of(blocks, gist, at),
        _news_of(note, at, "rule") if is_worded else history.end_of(blocks, answer, at),
        ends_next(note, at),
        asked_before(note, question),
        begun_by(note, at),
    )
    forms.update({one: "line" for one in map(note.untold, since) if one is not None})
    tokens = sum(note.more(one, form) for one, form in forms.items())
    if tokens > min(room, note.left):
        return 0
    note.forms.update(forms)
    note.units.append(len(note.forms))
    note.left -= tokens
    return tokens


def _ends_a_task(note: NoteBuilder, at: int) -> bool:
    """Whether what a user said is that something they asked for is over, or not to be done."""
    words, scope = note.words(at, "rule"), note.scope
    if note.block(at).role != "user" or not ends_something(words, "user"):
        return False
    return scope.history.is_asked_for(scope.blocks, words, at)


def _tell_whole(note: NoteBuilder, room: int) -> None:
    """The terse messages of which a part is told, and those that correct something, the newest
    first, whole and with what came of them: "teak is fine too, keep varnish" says what the rule is
    of, and an answer what "make it 6" was about."""
    lasting = [at for at, form in note.forms.items() if form in LASTING]
    for at in sorted(lasting, reverse=True):
        if room < SENTENCE:
            break
        statement = words_of(note.block(at))
        is_part = len(note.words(at, note.forms[at])) < len(statement)
        if is_part or corrects(statement):
            room -= _put_whole(note, at, room)


def _put_whole(note: NoteBuilder, at: int, room: int) -> int:
    """The tokens of a user's terse message with what came of it, if it has room, and then stands;
    0 where it has none, or says no more."""
    block = note.block(at)
    if block.role != "user" or len(words_of(block)) > TERSE:
        return 0
    last = note.scope.history.end_of_turn(at, note.scope.upto, note.scope.held)
    return put_with_outcome(note, at, last, "whole", room) or 0


def _tell_remarks(note: NoteBuilder, room: int, ends: list[int]) -> int:
    """What else a user said beside what they asked for, the newest first. The room that is left."""
    scope, misses = note.scope, 0
    for at in islice(scope.history.remarks(scope.blocks, scope.upto, scope.held), WORDINGS):
        if room < SENTENCE or misses == MISSES:
            break
        if at in ends or note.more(at, "remark") <= 0 or _is_over(note, at, "remark"):
            continue
        tokens = _put_with_news(note, at, "remark", room)
        room, misses = room - tokens, misses + (not tokens)
    return room


def _put_with_news(note: NoteBuilder, at: int, form: str, room: int) -> int:
    """The tokens of what holds, and of what the user said of it later, if they have room, and then
    stand; 0 where they have none. What was lifted would be taken for what holds."""
    tokens, most = note.more(at, form), min(room, note.left)
    if tokens > most:  # then nobody looks for what was said of it
        return 0
    news = note.untold(_news_of(note, at, form))
    tokens += 0 if news is None else note.more(news, "line")
    if tokens > most:
        return 0
    note.put(at, form)
    if news is not None:
        note.put(news, "line")
    begun, left = begun_by(note, at), note.left
    if begun is not None:
        before = [one for one in (begun, answered_before(note, at)) if one is not None]
        if sum(note.more(one, "line") for one in before) <= most - tokens:
            for one in before:
                note.put(one, "line")
    note.units.append(len(note.forms))
    return tokens + left - note.left


def _news_of(note: NoteBuilder, at: int, form: str) -> int | None:
    """Where something is said later of what holds: by the user, of what no wording tells by
    anybody; of a remark where it is over, by name. What stands beside it in its message does not
    count."""
    history, blocks, words = note.scope.history, note.scope.blocks, note.words(at, form)
    if note.block(at).role != "user":
        return None
    is_worded = form == "rule" and _is_worded(note, at)
    is_begun = was_begun(note, at) or (may_end(words) and obliges_to_do(words))
    end = history.end_of(blocks, words, at) if is_begun else None
    if end is None and not is_worded and was_begun(note, at):
        end = history.last_by_rare_word(blocks, words, at + 1)
    if form == "remark":
        end = _end_by_name(note, at, words) if end is None else end
        return work_next(note, at, words) if end is None else end
    if is_worded:
        news = history.news_of(blocks, words, at)
        if news is None:
            news = history.last_by_rare_word(blocks, words, at, by_users=True)
        return max((one for one in (end, news) if one is not None), default=None)
    last = history.last_word_on(blocks, words, at + 1)  # what is next says that it was heard
    return end if last is None else last


def _end_by_name(note: NoteBuilder, at: int, words: str) -> int | None:
    """Where something that has a name is over, or else is spoken of last by it."""
    if not (names := names_in(words)):
        return None
    history, blocks = note.scope.history, note.scope.blocks
    end = history.end_of(blocks, words, at)
    end = history.last_word_on(blocks, words, at) if end is None else end
    is_named = end is not None and not names.isdisjoint(names_in(words_of(note.block(end))))
    return end if is_named else None


def _tell_conditions(note: NoteBuilder, room: int) -> int:
    """What agents and tools laid down, the newest first. The room that is left."""
    scope, misses = note.scope, 0
    words = dict[int, set[str]]()
    for at in islice(scope.history.conditions(scope.blocks, scope.upto, scope.held), WORDINGS):
        if room < SENTENCE or misses == MISSES:
            break
        words[at] = {*content_words(note.entry(at, "condition").text)}
        if scope.is_outdated(at) or note.forms.get(at) not in UNTOLD:
            continue
        if len(words[at] & words.get(at + 1, set())) * 100 >= SAID_AGAIN * len(words[at]):
            continue
        tokens = note.more(at, "condition")
        if tokens <= room and note.put(at, "condition"):
            room -= tokens
        else:
            misses += 1
    return room


def _tell_settings(note: NoteBuilder, room: int) -> int:
    """What agents set anew, as it was set last, the newest first. The room that is left."""
    scope = note.scope
    for at in scope.history.newer.newest_settings(scope.upto):
        tokens = note.more(at, "line")
        if at in scope.held or note.forms.get(at) not in UNTOLD or tokens > room:
            continue
        if note.put(at, "line"):
            room -= tokens
    return room


def _tell_foreign(note: NoteBuilder, places: Iterable[int], room: int) -> int:
    """What a user said in another language than English, with what came of it. The room that is
    left."""
    scope, misses = note.scope, 0
    for at in places:
        if room < SENTENCE or misses == MISSES:
            break
        if note.more(at, "remark") <= 0:  # all of it is a rule
            continue
        last = scope.history.end_of_turn(at, scope.upto, scope.held)
        if _is_only_heard(note, at):
            last = ()
        taken = put_with_outcome(note, at, last, "remark", room)
        room, misses = room - (taken or 0), misses + (taken is None)
    return room


def _is_only_heard(note: NoteBuilder, at: int) -> bool:
    """Whether what has a rule's words was answered by no more than words that begin so."""
    if note.scope.history.users_behind(at, 1) != [at + 2] or note.block(at + 1).has_calls:
        return False
    is_heard = begins_so(without_thinking(note.block(at + 1).plain_text))
    return is_heard and sounds_lasting(note.words(at, "remark"))


def _is_worded(note: NoteBuilder, at: int) -> bool:
    """Whether a user's words, or an agent's, are those of a rule or a decision."""
    block = note.block(at)
    return bool(directives(words_of(block), block.role))


def _is_over(note: NoteBuilder, at: int, form: str) -> bool:
    """Whether what a user asked for, in the words of a rule or in others that were heard or may
    hold, was done, as the answer next to it or at the end of its turn says, or called off soon
    after."""
    scope = note.scope
    if note.block(at).role != "user":
        return False
    request, is_worded = note.words(at, form), _is_worded(note, at)
    if form == "rule" and not is_worded and note.end_of(at) is not None:
        return True
    if not may_end(request):
        return False
    users = scope.history.users_behind(at, NEXT)
    end = users[0] if users else scope.stop  # of the turn
    if is_worded:
        ends = {at + 1, end - 1} if at + 1 < end else set[int]()
    else:  # no wording says that it is a rule: what comes of it comes later
        ends = {one - 1 for one in users} | {one + 1 for one in users} | {end - 1}
    for place in (one for one in ends if at < one < scope.stop):
        answer = note.block(place)
        if answer.role != "assistant":
            continue
        answered = without_thinking(answer.plain_text)
        if is_done(request, answered, is_next=is_worded, is_worded=is_worded):
            return True
    return any(is_called_off(request, note.block(place).plain_text) for place in users)
