"""The steps of a conversation, one after the other, as its requests were made.

A request was made in front of every message of the assistant; so the steps follow from the log
alone, and a replay takes the same ones. They go on where they stopped: a request costs what is
new, whether the steps before it were taken here or read from where they were saved.
"""

from collections.abc import Sequence
from itertools import compress, count
from operator import is_not
from sys import getsizeof

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.compiler.steps.conversation_digest import ConversationDigest, stands_as_logged
from contextwright.compiler.steps.decide import (
    NOTHING,
    Decisions,
    Economy,
    due_at,
    plan_fold,
    plan_shrink,
    weigh_newest,
)
from contextwright.compiler.steps.exchange_features import says_nothing
from contextwright.compiler.steps.file_states import SEEN
from contextwright.compiler.steps.first_look import told_origins
from contextwright.compiler.steps.fold_record import (
    FoldRecord,
    decisions_in,
    fold_key,
)
from contextwright.compiler.steps.history import History
from contextwright.compiler.steps.known_prefix import KnownPrefix, LoggedBlocks, known_by
from contextwright.compiler.steps.note_block import (
    first_noted,
    note_block,
    pays,
    spare,
    told_as,
    with_note,
    with_plan,
)
from contextwright.compiler.steps.origins import Origins
from contextwright.compiler.steps.request_tokens import Counted, request_tokens
from contextwright.compiler.stood_for import NoteLineage
from contextwright.session.event_index import HARNESS
from contextwright.session.state import resolved_in
from contextwright.spec.inputs import Inputs
from contextwright.spec.saved_fold import SavedFold, SavedPrefix

OFTEN = 16
"""Whether shortening early pays is looked at whenever a sixteenth of the exchanges is new."""
STATES = 8
"""States that are kept: results that come late change the conversation behind the newest."""


class FoldState(msgspec.Struct, frozen=True):
    """What holds for the requests in front of the exchanges from `since` to `place`."""

    since: int = 0
    place: int = 0
    decisions: Decisions = NOTHING


NO_STATE = FoldState()


class Fold:
    """The steps of one conversation, as far as they were taken."""

    def __init__(self) -> None:
        self.economy: Economy | None = None
        self.blocks: list[Block] = []
        self.settled: tuple[str, ...] = ()
        self.states: list[FoldState] = []
        self.history = History()
        self.origins = Origins()
        self.origin = 0  # of the newest request
        self.digest = ConversationDigest()
        self.note: tuple[Block, Block] | None = None
        self.lineage = NoteLineage()
        self.prefix: KnownPrefix | None = None
        self.noted: KnownPrefix | None = None  # up to the newest step
        self.released = 0  # the exchange behind the last whose block is not held any more
        self.counted = Counted()  # under the newest decisions
        self.recorded = FoldRecord()

    @property
    def held_bytes(self) -> int:
        """About what it holds beside the log."""
        own = getsizeof(self.counted.placed)
        return own + self.history.held_bytes + self.lineage.held_bytes + self.origins.held_bytes

    def decisions(
        self, newer: Sequence[Block], economy: Economy, inputs: Inputs, known: int = 0
    ) -> Decisions:
        """What holds for the request with these exchanges.

        Args:
            newer: all but the first `known`, which are those of the last time.
        """
        self._change(newer, known, economy, inputs)
        blocks, stop = self.blocks, len(self.blocks)
        state = self.states[-1] if self.states else self._saved(blocks, inputs)
        origin = self.origins.newest(blocks, stop, economy.space, inputs)
        if origin != self.origin:
            self.counted = Counted()  # what later results repeat begins with an origin
        self.origin = origin
        self.history.begin(self.origins.before(self.origin))
        if self.origin > state.place:
            state = FoldState(self.origin, self.origin, self._begun(economy, inputs))
            self._add(state)
        counted = self.counted
        for place in range(state.place + 1, stop + 1):
            if place == stop or blocks[place].role == "assistant":
                decisions = self._next(blocks, place, state.decisions, economy, inputs, counted)
                since = state.since if decisions is state.decisions else place
                state = FoldState(since, place, decisions)
                self._add(state)
        return self._with_note(state, economy, inputs)

    def _with_note(self, state: FoldState, economy: Economy, inputs: Inputs) -> Decisions:
        """The decisions of the newest request, whose note is sent: that of all since its step."""
        planned = state.decisions
        noted = with_note(self.blocks, planned, economy, self.history, inputs)
        if noted is planned:
            return planned
        for at, one in enumerate(self.states):  # the next request may go on from an earlier one
            self.states[at] = msgspec.structs.replace(one, decisions=told_as(one.decisions, noted))
        decisions = self.states[-1].decisions
        if self.counted.decisions is planned:
            self.counted.decisions = decisions
        return decisions

    def begin(
        self, saved: SavedFold, conversation: Blocks, economy: Economy, inputs: Inputs
    ) -> bool:
        """Go on from what was saved of this log, without a look at what it knows; False where it
        does not prove to be of it.

        Args:
            conversation: what a compile looked at.
        """
        known = known_by(saved, inputs)
        if inputs.snapshot.preamble + known.place != known.stop:
            return False
        self._begin(known, conversation, economy, inputs)
        return self._saved(self.blocks, inputs, known) is not NO_STATE

    def begin_first(
        self, known: KnownPrefix, conversation: Blocks, economy: Economy, inputs: Inputs
    ) -> bool:
        """Begin with what the log tells of a prefix of it, without a look at its blocks; False
        where steps are decided by them."""
        task = self._begin(known, conversation, economy, inputs)
        self.origins = told_origins(known, task, economy.space, inputs)
        origin = self.origins.newest(self.blocks, len(self.blocks), economy.space, inputs)
        return self.origins.before(origin) >= known.place

    def _begin(
        self, known: KnownPrefix, conversation: Blocks, economy: Economy, inputs: Inputs
    ) -> Block | None:
        """Have the blocks of a prefix made of the log when they are asked for. Gives the task, if
        it is there: it may stand shortened."""
        self.__init__()  # what it knew begins elsewhere, where it had looked at all
        snapshot, order = inputs.snapshot, inputs.protection.task
        self.blocks, self.prefix = LoggedBlocks(known.place), known
        in_prefix = (block for block in conversation if block.order == order < known.stop)
        if (task := next(in_prefix, None)) is not None:
            self.blocks[order - snapshot.preamble] = task
        ids = snapshot.log.exchange_ids(snapshot.preamble, known.stop)
        self.lineage.begin(known.place, ids)
        newer = tuple(block for block in conversation if block.order >= known.stop)
        self._change(newer, known.place, economy, inputs)
        self.history.begin_logged(known.place, snapshot)
        return task

    @property
    def needs_log(self) -> bool:
        """Whether blocks are missing: what was made of them holds while the log begins so."""
        return isinstance(self.blocks, LoggedBlocks) and self.blocks.has_gaps

    def release(self, inputs: Inputs) -> None:
        """Hold no longer the blocks of exchanges in front of the origin before, and of those in
        which steps look for files: hardly any step asks for one of them, and then the log has it.
        The task may stand shortened."""
        prefix = self.prefix
        if prefix is None or inputs.goes_by_log:
            return
        upto = self.states[-1].decisions.upto if self.states else 0
        stop = min(self.origins.before(self.origin), prefix.place, upto - SEEN)
        if stop <= self.released:
            return
        if not isinstance(self.blocks, LoggedBlocks):
            self.blocks = LoggedBlocks(0, self.blocks)
            self.read_from(inputs)
        self.blocks.release(self.released, stop, inputs.protection.task - inputs.snapshot.preamble)
        self.released = stop

    def read_from(self, inputs: Inputs | None) -> None:
        """Whose log it reads from what it did not look at, and what was said behind words."""
        if inputs is not None and inputs.mapping and not isinstance(self.blocks, LoggedBlocks):
            self.blocks = LoggedBlocks(0, self.blocks)
        if isinstance(self.blocks, LoggedBlocks):
            self.blocks.read_from(inputs)

    def _change(self, newer: Sequence[Block], known: int, economy: Economy, inputs: Inputs) -> None:
        """Forget the steps that were taken for other exchanges than these, or in another room."""
        self.read_from(inputs)
        settled = resolved_in(inputs.snapshot.state)
        same = known + _common(self.blocks[known:], newer)
        self.history.forget(self.blocks, same)
        self.digest.forget(same)
        self.origins.forget(same)
        self.lineage.forget(same)
        if same < self.counted.at:
            self.counted = Counted()
        if self.noted is not None and same < self.noted.place:
            self.noted = None  # words made something else of what stood as the log has it
        if economy != self.economy or settled != self.settled:
            self.states.clear()
            self.origins = Origins()
            self.counted = Counted()
        self.economy, self.settled = economy, settled
        self.blocks[same:] = newer[same - known :]
        blocks = self.blocks
        while self.states and not (
            self.states[-1].place <= same and _is_request(blocks, self.states[-1].place)
        ):
            state = self.states.pop()
            if state.since < state.place:
                self.states.append(msgspec.structs.replace(state, place=state.since))
            self.counted = Counted()  # what comes next is a request that ends before its own
        if not self.origins.reaches(self.states[-1].place if self.states else 0):
            self.origins = Origins()  # they began with what was saved, which is of another one

    def _saved(
        self, blocks: Sequence[Block], inputs: Inputs, known: KnownPrefix | None = None
    ) -> FoldState:
        """What was saved of this conversation; the beginning, where nothing proves to be of it.

        Args:
            known: a prefix that nobody looks at, of whichever conversation it was saved.
        """
        key, economy, own = self._key(inputs), self.economy, None
        assert economy is not None
        for saved in sorted(inputs.folds, key=lambda saved: -saved.place):
            if known is not None and (own := known.as_saved(saved, inputs)) is None:
                continue
            try:
                if saved.key == key and self._is_of(saved, blocks, inputs):
                    decisions = decisions_in(saved, blocks)
                    if saved.plan is not None:
                        note = note_block(blocks, decisions, saved.plan.step, economy, inputs)
                        decisions = msgspec.structs.replace(decisions, note=note)
                    self._add(FoldState(saved.place, saved.place, decisions))
                    if not self.origins.has_begun:
                        self.origins.begin(
                            saved.place,
                            saved.origin,
                            saved.origin_before,
                            saved.passed,
                            saved.turns,
                        )
                    self.prefix = own or self.prefix
                    return self.states[-1]
            except (IndexError, KeyError, StopIteration):
                continue  # it names what is not there
        return NO_STATE

    def _is_of(self, saved: SavedFold, blocks: Sequence[Block], inputs: Inputs) -> bool:
        prefix, known = saved.prefix, self.prefix
        is_whole = inputs.start <= inputs.snapshot.preamble
        if prefix is not None and (is_whole or known is None or known.saved != prefix):
            if not stands_as_logged(blocks, prefix, inputs):
                return False
        return (
            saved.digest == saved.digested().digest
            and 0 < saved.place <= len(blocks)
            and _is_request(blocks, saved.place)
            and saved.content == self._content(saved.place, saved.origin_before, prefix, inputs)
        )

    def _key(self, inputs: Inputs) -> str:
        assert self.economy is not None
        return fold_key(self.economy, self.settled, inputs)

    def record(
        self, decisions: Decisions, prefix: SavedPrefix | None, scope: str, inputs: Inputs
    ) -> SavedFold:
        """What holds for the request with these exchanges, as it is saved.

        Args:
            prefix: what of them stands as the log has it.
            scope: names the limit and the target.
        """
        blocks = self.blocks
        before, content = self.origins.before(self.origin), ""
        if not self.origins.goes_on:  # who reads it would begin them anew
            content = self._content(len(blocks), before, prefix, inputs)
        return msgspec.structs.replace(
            self.recorded.of(decisions, blocks),
            place=len(blocks),
            key=self._key(inputs),
            content=content,
            scope=scope,
            prefix=prefix,
            origin=self.origin,
            origin_before=before,
            passed=self.origins.passed(self.origin, len(blocks)),
            turns=self.origins.turns(self.origin, len(blocks)),
        ).digested()

    def _content(self, stop: int, before: int, prefix: SavedPrefix | None, inputs: Inputs) -> str:
        """Names what the exchanges before `stop` say. Behind words what lies in front of the origin
        `before` is named by the log alone: nothing is decided by what they make of it.

        Args:
            prefix: what stands as the log has it.
        """
        if inputs.goes_by_log and prefix is None and before:
            prefix = SavedPrefix(before, inputs.snapshot.preamble + before, 0, 0, 0)
        return self.digest.before(self.blocks, stop, inputs, prefix)

    def _add(self, state: FoldState) -> None:
        if self.states and self.states[-1].decisions is state.decisions:
            self.states[-1] = state
        else:
            self.states.append(state)
            del self.states[:-STATES]

    def _next(
        self,
        blocks: Sequence[Block],
        stop: int,
        decisions: Decisions,
        economy: Economy,
        inputs: Inputs,
        counted: Counted,
    ) -> Decisions:
        """The decisions for the request with the exchanges before `stop`."""
        due = self._due(blocks, stop, economy)
        if request_tokens(blocks, stop, decisions, inputs, counted) > due:
            return self._folded(blocks, stop, decisions, economy, inputs)
        new = stop - decisions.checked
        repeats, costs = self.history.repeats, counted.costs
        if economy.eager and stop == len(blocks):  # a few with each request, not all with one
            weigh_newest(blocks, stop, decisions, repeats, costs, inputs)
        if economy.eager and new * OFTEN > stop - decisions.upto:
            made = plan_shrink(blocks, stop, decisions, repeats, costs, economy.prices, inputs)
            if made is not None:
                return msgspec.structs.replace(made, checked=stop)
            counted.decisions = msgspec.structs.replace(decisions, checked=stop)
            return counted.decisions
        return decisions

    def _due(self, blocks: Sequence[Block], stop: int, economy: Economy) -> int:
        """Tokens of a request with the exchanges before `stop` above which a step is due."""
        newest = stop - 1
        if newest <= self.origin or not blocks[newest].by_user:
            return economy.space
        turns = self.origins.turns(self.origin, newest)
        return due_at(economy, self.origins.passed(self.origin, newest) // turns if turns else 0)

    def _begun(self, economy: Economy, inputs: Inputs) -> Decisions:
        """The decisions for the request at the newest origin, of nothing but its exchanges. Their
        steps are numbered from its place on, which is more than all before can have been; their
        pages begin with the origin before it: none of those that a note names is older."""
        before = self.origins.before(self.origin)
        pages = (0, before) if before else ()
        nothing = Decisions(upto=before, pages=pages, steps=self.origin - 1)
        return self._folded(self.blocks, self.origin, nothing, economy, inputs)

    def _folded(
        self,
        blocks: Sequence[Block],
        stop: int,
        decisions: Decisions,
        economy: Economy,
        inputs: Inputs,
    ) -> Decisions:
        """A step of the request with the exchanges before `stop`."""
        made = plan_fold(blocks, stop, decisions, economy, self.history, inputs)
        made = msgspec.structs.replace(made, checked=stop)
        bare = msgspec.structs.replace(made, plan=None)
        noted = with_plan(blocks, made, economy, self.history, inputs)
        if noted.plan is None:
            return bare
        if not pays(blocks, noted, inputs):
            return msgspec.structs.replace(bare, upto=0, pages=())
        most = economy.space
        # a note gives way to the newest result, where that is what it takes
        fits = request_tokens(blocks, stop, noted, inputs, Counted()) - spare(noted) <= most
        stays = fits or request_tokens(blocks, stop, bare, inputs, Counted()) > most
        return noted if stays else bare

    def sent(self, decisions: Decisions, inputs: Inputs) -> Blocks:
        """The conversation as it is sent. What stands in front of the first exchange that is
        told, the task above all, keeps its place: a new note leaves its bytes alone."""
        blocks = self.blocks
        held = [at for at in decisions.held if at < decisions.upto]
        first = self._first_words(decisions, inputs)
        note = (self._whole(blocks, decisions),) if decisions.note is not None else ()
        request_tokens(blocks, len(blocks), decisions, inputs, self.counted)
        newer = self.counted.placed
        front = tuple(blocks[at] for at in held if at < first)
        return (*front, *note, *(blocks[at] for at in held if at > first), *newer)

    def _first_words(self, decisions: Decisions, inputs: Inputs) -> int:
        """The first exchange that the note stands for and in which somebody says something: what a
        harness says in front of the task is not told."""
        first, snapshot, blocks = first_noted(decisions), inputs.snapshot, self.blocks
        if snapshot.log.ends("kind", HARNESS, snapshot.position) is None:
            return first
        held = set(decisions.held)
        noted = (at for at in range(first, decisions.upto) if at not in held)
        return next((at for at in noted if not says_nothing(blocks[at])), first)

    def _whole(self, blocks: Sequence[Block], decisions: Decisions) -> Block:
        """The note with the ids of all that it stands for."""
        note = decisions.note
        assert note is not None
        if self.note is None or self.note[0] is not note:
            lineage = self.lineage.of(blocks, decisions.upto, decisions.held)
            self.note = note, msgspec.structs.replace(note, lineage=lineage)
        return self.note[1]


def _is_request(blocks: Sequence[Block], place: int) -> bool:
    """Whether a request ended in front of this place."""
    return place == len(blocks) or blocks[place].role == "assistant"


def _common(one: Sequence[Block], other: Sequence[Block]) -> int:
    """How many blocks they begin with that are the same."""
    others = compress(count(), map(is_not, one, other))
    most = min(len(one), len(other))
    return next((place for place in others if one[place] != other[place]), most)
