"""What a step knows of its conversation by its definition: each question looks at all exchanges.
`compiler.steps.history` answers the same from what it has looked at before."""

from collections import Counter
from types import SimpleNamespace

from contextwright.compiler.steps import history, late_ends
from contextwright.compiler.steps.directive_places import (
    SPEAKERS,
    choices_at,
    conditions_at,
    directives_at,
    foreign_at,
    passed_over_at,
    remarks_at,
)
from contextwright.compiler.steps.exchange_features import about, calls_of, ids_in, words_of
from contextwright.compiler.steps.newer_calls import ACTION, STATE, subjects_of
from contextwright.text.directive_wordings import RULES
from contextwright.text.end_messages import NAME, RARE
from contextwright.text.end_sentences import (
    is_asked_in,
    is_news_of,
    label_of,
    names_in,
    proper_names,
    says_end,
    tells_news_with,
    tells_of,
)
from contextwright.text.request_ends import ANYTHING, LOOKED_AT
from contextwright.text.search_terms import STOP, content_words
from contextwright.text.task_statuses import LONGEST, gives_end, task_label


class HistoryFromScratch:
    """Of the exchanges that a request has, with those on whose results a later one holds.

    Args:
        known: what is older than this exchange is not asked what it says.
    """

    def __init__(self, blocks, repeated, known):
        self.blocks, self.known = blocks, known
        self.uses = SimpleNamespace(first=known)
        self.repeats = SimpleNamespace(is_repeated=lambda at, stop: at in repeated)
        self.newer = self
        self.outdated = outdated_places(blocks, known)
        self.users = [at for at, block in enumerate(blocks) if block.role == "user"]

    def is_outdated(self, block, at, stop):
        return at in self.outdated

    def newest_settings(self, upto):
        """What was set anew since earlier exchanges set it, and not since, the newest first."""
        set_by = {}
        for at, block in enumerate(self.blocks):
            for subject in subjects_of(block) if at >= self.known and not block.failed else ():
                if subject[0] == STATE:
                    set_by.setdefault(subject, []).append(at)
        last = {places[-1] for places in set_by.values() if len(places) > 1}
        return sorted((at for at in last if at < upto), reverse=True)

    def _lasting(self, wording_at, upto, held, first=0):
        """The newest first, and of those of one wording the newest."""
        stop = len(self.blocks)
        wordings = [wording_at(self.blocks, at, stop) for at in range(stop)]
        return [
            at
            for at in reversed(range(first, upto))
            if at not in held and wordings[at] and wordings[at] not in wordings[at + 1 :]
        ]

    def _reach(self, upto):
        near = [at for at in self.users if at < upto][-history.REMARKS_REACH :]
        return (near or self.users or [0])[0]

    def directives(self, blocks, upto, held):
        return self._lasting(directives_at, upto, held)

    def passed_over(self, blocks, upto, held):
        return self._lasting(passed_over_at, upto, held, self._reach(upto))

    def choices(self, blocks, upto, held):
        return self._lasting(choices_at, upto, held, self._reach(upto))

    def remarks(self, blocks, upto, held):
        return self._lasting(remarks_at, upto, held, self._reach(upto))

    def foreign(self, blocks, upto, held):
        return self._lasting(foreign_at, upto, held, self._reach(upto))

    def conditions(self, blocks, upto, held):
        first = max(self.known, upto - history.CONDITIONS_REACH)
        return self._lasting(conditions_at, upto, held, first)

    def first_user(self, upto, held):
        return next((at for at in self.users if at < upto and at not in held), None)

    def users_behind(self, at, most):
        return [one for one in self.users if one > at][:most]

    def end_of_turn(self, at, upto, held):
        last = (self.users_behind(at, 1) or [len(self.blocks)])[0] - 1
        return (last,) if at < last < upto and last not in held else ()

    def requests(self, upto, held):
        places = (at for at in reversed(self.users) if at < upto and at not in held)
        return [(at, *self.end_of_turn(at, upto, held)) for at in places]

    def task_turn(self, upto, held):
        if not self.users or self.users[0] not in held:
            return None
        last = self.end_of_turn(self.users[0], upto, held)
        return (self.users[0], *last) if last and last[0] > self.users[0] + 1 else None

    def todo_places(self, stop):
        return [at for at, block in enumerate(self.blocks) if history.calls_todo_tool(block)]

    def _later(self, at, speakers=SPEAKERS):
        """Who says what behind an exchange."""
        behind = enumerate(self.blocks[at + 1 :], at + 1)
        return [(n, words_of(one), one.role) for n, one in behind if one.role in speakers]

    def end_of(self, blocks, request, at):
        later = self._later(at)
        ends = [(n, text) for n, text, role in later if says_end(request, text, role)]
        names = {*names_in(request), *proper_names(request), *filter(None, [label_of(request)])}
        named = [n for n, text in ends if any(name in text.casefold() for name in names)]
        if ends:
            return named[-1] if named else ends[0][0]
        label = task_label(request)
        given = (
            n
            for n in reversed(range(at + 1, len(blocks)))
            if label and gives_end(label, [text for text, _ in self._short_results(n)])
        )
        return next(given, None)

    def last_status_of(self, blocks, request, at):
        following = self.users_behind(at, 1)
        places = range(following[0] + 1, len(self.blocks)) if following else ()
        named = {
            n: {name for pair in self._short_results(n) for text in pair for name in names_in(text)}
            for n in places
        }
        counts = Counter(name for names in named.values() for name in names)
        own = {name for name in names_in(request) if counts[name] <= late_ends.COMMON}
        return max((n for n in places if named[n] & own), default=None)

    def _short_results(self, at):
        """The short results of an exchange, each with what was asked for, if that is short."""
        return [
            (call.result, call.arguments if len(call.arguments) <= LONGEST else "")
            for call in calls_of(self.blocks[at])
            if len(call.result) <= LONGEST
        ]

    def last_word_on(self, blocks, request, at):
        later = self._later(at)
        return max((n for n, text, role in later if tells_of(request, text, role)), default=None)

    def news_of(self, blocks, statement, at):
        later = self._later(at, ("user",))
        return max((n for n, text, _ in later if is_news_of(statement, text)), default=None)

    def last_by_rare_word(self, blocks, statement, at, *, by_users=False):
        texts = [{*content_words(text[:LOOKED_AT])} for _, text, _ in self._later(at)]
        words = {*content_words(statement)} - STOP - ANYTHING - RULES.words
        counts = {
            word: sum(word in one for one in texts)
            for word in words
            if len(word) >= NAME and not word.isdigit()
        }
        rare = {word for word, count in counts.items() if 0 < count <= RARE}
        later = self._later(at, ("user",)) if by_users else self._later(at)
        telling = (
            n for n, text, _ in later if tells_news_with(rare, statement, text, in_few=by_users)
        )
        return max(telling, default=None)

    def is_asked_for(self, blocks, text, at):
        before = (words_of(self.blocks[one]) for one in self.users if one < at)
        return any(is_asked_in(text, words) for words in before)


def outdated_places(blocks, known):
    """Exchanges from `known` on of which later ones say anew all that they say."""
    subjects = [subjects_of(block) for block in blocks]

    def says_anew(at, subject):
        newer = [one for one in range(at + 1, len(blocks)) if subject in subjects[one]]
        if blocks[at].failed:
            return bool(newer)
        return subject[0] != ACTION and any(not blocks[one].failed for one in newer)

    return {
        at
        for at in range(known, len(blocks))
        if subjects[at] and all(says_anew(at, subject) for subject in subjects[at])
    }


def names_of(block):
    return {*about(block), *(word for one in block.results for word in ids_in(one.text))}


def ranks(blocks, known):
    """Minus where each was used last, of how many the rarest name for it may be, its place."""
    newest, uses = {}, [0] * len(blocks)
    counts = Counter(name for block in blocks[known:] for name in names_of(block))
    for at in range(len(blocks) - 1, -1, -1):
        for key in about(blocks[at]) if at >= known else ():
            newest.setdefault(key, at)
        names = newest.keys() & names_of(blocks[at]) if at >= known else ()
        used = max([at, *(newest[name] for name in names)])
        rarest = (counts[name] for name in names if newest[name] == used)
        uses[at] = -used, min(rarest, default=0), at
    return uses
