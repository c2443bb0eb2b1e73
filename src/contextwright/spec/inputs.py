"""All that may be read while assembling."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec

from contextwright.blocks.block import Block, Blocks, Message
from contextwright.blocks.of_exchange import HISTORY
from contextwright.blocks.protection import Protection
from contextwright.blocks.read_back_tools import is_reading
from contextwright.errors import RefError
from contextwright.redaction.detector import NO_PORTS, RedactionPorts
from contextwright.session.event import Event, Tool
from contextwright.session.exchange import Exchange
from contextwright.session.snapshot import Snapshot
from contextwright.spec.front_words import FrontWords
from contextwright.spec.held_places import HeldPlaces
from contextwright.spec.logged_prefix import LoggedPrefix
from contextwright.spec.memo import Memo
from contextwright.spec.saved_fold import SavedFold
from contextwright.spec.section_costs import SectionCosts
from contextwright.spec.task import NO_ANSWERS, Answer, Answers, AskedTasks, TakenAnswers, Task
from contextwright.tokens.model_rules import StepPrices

if TYPE_CHECKING:
    from contextwright.spec.expr import Atom
    from contextwright.spec.word_roles import Guard


def _no_markers(_: Blocks) -> int:
    return 0


class Inputs(msgspec.Struct, frozen=True, eq=False):
    """What a compile depends on, and nothing else does.

    Args:
        snapshot: the session at one position.
        count: tokens of a text for the target. count_in_passing: the same of one that is made,
            tried and let go of: what it was is not remembered.
        cost: tokens that a block adds to the request, overheads included, without markers that it
            shares with others.
        markers: tokens of those that these blocks share.
        event_cost: as `cost` of an exchange as it came, told from its events; None where these
            can not tell it.
        counter_id: names the counter; part of every memo key that holds token counts.
        sign: what marked sections carry in messages.
        read: the text behind a ref; a `RefError` where there is none, or it may not be read.
        now_ms: milliseconds since 1970 where a rule needs a clock; None where none was given.
        memo: what earlier compiles of this session worked out.
        agent: the agent that the request is for; names scopes such as notes.
        protection: what must stay.
        settled: the first exchange that is not history yet.
        start: the first exchange that words are given which look at a block alone; what lies
            before it is certain to be dropped by the limit, but for what something holds.
        resumes: whether nothing that lies before `start` is given, as it was decided before.
        behind_step: whether what lies before `start` is what a step of the limit left, and is not
            given.
        idle: exchanges of which words in front of another make nothing: the limit drops them.
        oldest: the first exchange that is not too old for the spec: of those before it, the first
            word of each term leaves what something holds, whatever stands behind it.
        is_sole: whether no two terms of the spec may bring the same.
        windows: the first exchange of each `C.window` in the spec.
        tools: what may be called, before any scope.
        available_tools: those, and what this provider can not be sent.
        required: state keys that the spec needs to bring what it names.
        framed: whether texts stand as sections in the newest user message.
        tells_sources: whether what brought an exchange is sent with it, and counted, as in a text.
        shows_refs: whether what was shortened is sent with its refs.
        dry: whether nobody sees what comes out once something was asked, so that no way without
            an answer has to be found.
        guards: what the spec redacts by from all that is brought.
        clean: a text without what the spec redacts: what a model may read of it.
        clean_name: an id or a name that the engine adds, without what any term redacts.
        ports: what the application gives redactions.
        mapping: words between the log and the limit, where all that the limit is given of the
            conversation is what they make of each exchange alone (`Traits.maps`).
        lessens: whether one word alone stands there instead, which makes each exchange as short as
            it can once all of them are more than its own limit (`Shortener`).
        in_front: those that the blocks of one who asks about many passed before.
        answers: what models answered before.
        asked: collects the tasks that have no answer yet, by fingerprint.
        used: collects the answers that were taken.
        wrote: collects the state keys that the spec's writers would set before the turn.
        notes: collects what a reader of the manifest should know.
        cost_id: names what `cost` depends on.
        step_prices: what moving a cached prefix costs, and what staying does.
        folds: what compactions decided before. folded: collects what they decide now.
        undecided: collects the words that what lies before `start` might change.
        stepped: collects how many steps each word with a limit has taken, where one stands.
    """

    snapshot: Snapshot
    count: Callable[[str], int]
    count_in_passing: Callable[[str], int]
    cost: Callable[[Block], int]
    counter_id: str
    read: Callable[[str], str]
    now_ms: int | None
    memo: Memo
    protection: Protection
    settled: int
    markers: Callable[[Blocks], int] = _no_markers
    event_cost: "Callable[[Sequence[Event]], int | None] | None" = None
    start: int = 0
    resumes: bool = False
    behind_step: bool = False
    idle: frozenset[int] = frozenset()
    oldest: int = 0
    is_sole: bool = False
    agent: str = ""
    windows: tuple[int, ...] = ()
    tools: tuple[Tool, ...] = ()
    available_tools: tuple[Tool, ...] = ()
    required: tuple[str, ...] = ()
    framed: bool = False
    tells_sources: bool = False
    shows_refs: bool = True
    dry: bool = False
    guards: "tuple[Guard, ...]" = ()
    clean: Callable[[str], str] = str
    clean_name: Callable[[str], str] = str
    ports: RedactionPorts = NO_PORTS
    mapping: "tuple[Atom, ...]" = ()
    lessens: bool = False
    in_front: FrontWords | None = None
    answers: Answers = NO_ANSWERS
    asked: AskedTasks = msgspec.field(default_factory=AskedTasks)
    used: TakenAnswers = msgspec.field(default_factory=dict)
    wrote: dict[str, Any] = {}
    sign: str = ""
    notes: list[str] = []
    cost_id: str = ""
    step_prices: Callable[[], StepPrices] = StepPrices
    folds: tuple[SavedFold, ...] = ()
    folded: list[SavedFold] = []
    undecided: list[str] = []
    stepped: dict[object, int] = {}

    @property
    def goes_by_log(self) -> bool:
        """Whether a fold tells where its steps begin anew by what came, as it is given less."""
        return self.lessens or bool(self.mapping)

    def section_costs(self, blocks: Blocks = ()) -> SectionCosts:
        """What blocks add to these, and free of them, one by one, with the markers they share."""
        return SectionCosts(self.cost, self.markers, blocks, refs=self.shows_refs)

    def resolve(self, ref: str) -> str | None:
        """The text behind a ref; None where it is not to be had, and a note says why."""
        try:
            return self.read(ref)
        except Exception as error:  # noqa: BLE001 -- a store of the user's may raise anything
            why = error.what if isinstance(error, RefError) else f"{type(error).__name__}: {error}"
            note = f"{ref[:120]} is not expanded: {why[:200]}"
            if note not in self.notes:
                self.notes.append(note)
            return None

    def ask(self, task: Task) -> Answer | None:
        """The answer to a task; None where it was not prepared, and then it is asked for."""
        answer = self.answers.get(task)
        if answer is None:
            self.asked.add(task.fingerprint, task)
        else:
            self.take(answer)
        return answer

    def take(self, answer: Answer) -> None:
        """Write down that an answer was taken."""
        self.used[answer.key] = answer

    def ask_again(
        self,
        tasks: Sequence[Task | None],
        fingerprints: Sequence[str],
        answers: Sequence[Answer | None],
    ) -> None:
        """Ask, as `ask` does, what was asked before.

        Args:
            tasks: None for one that has its answer.
            fingerprints: what names each. answers: what was answered to each.
        """
        if all(answers):
            self.used.update({one.key: one for one in answers if one is not None})
            return
        for task, fingerprint, answer in zip(tasks, fingerprints, answers, strict=True):
            if answer is not None:
                self.take(answer)
            elif task is not None:
                self.asked.add(fingerprint, task)

    def after(self, times: int) -> "Inputs":
        """The inputs for what depends on a step before which tasks were asked so many times: if
        that step still waits for an answer, what is asked here would be asked of the wrong blocks,
        and is not written down."""
        is_answered = self.asked.times == times
        return self if is_answered else msgspec.structs.replace(self, asked=AskedTasks())

    def held_places(self, by: Any, blocks: Blocks, *, unsettled: bool = False) -> set[int]:
        """The places of the blocks that may not be dropped.

        Args:
            by: whoever asks, of one sequence of blocks.
            unsettled: of those too that have not settled yet.
        """
        with self._places(by, blocks) as places:
            count = self.snapshot.exchange_count
            held = places.held(self.protection, count)
            return held | places.of(range(self.settled, count)) if unsettled else held

    def whole_places(self, by: Any, blocks: Blocks) -> set[int]:
        """The places of the exchanges that may not be shortened because of when they were; what a
        block itself holds it by says `whole_of_its_own`. `by` as for `held_places`."""
        with self._places(by, blocks) as places:
            held = self.protection.held_exchanges(self.snapshot.exchange_count)
            return places.of((*held, *self.reading()))

    @contextmanager
    def _places(self, by: Any, blocks: Blocks) -> Generator[HeldPlaces]:
        # of a conversation in two parts each has its own: they follow one another in turn
        first = (blocks[0].source, blocks[0].order <= self.snapshot.preamble) if blocks else ()
        with self.memo.growing(("held places", by, *first), HeldPlaces) as places:
            places.follow(blocks)
            yield places

    def digests(self, blocks: Blocks) -> tuple[bytes, ...]:
        """A hash of what each block says, whoever brought it."""
        return self.memo.map("digest", blocks, _digest)

    def names(self, blocks: Blocks) -> tuple[bytes, ...]:
        """By what is told whether each was read before: a hash of what it says, or, behind words
        that look at each exchange alone, of what it was."""
        front = self.in_front
        if front is None:
            return self.digests(blocks)
        orders = [block.order for block in blocks if block.order >= 0]
        logged = self.digests(self.readable(self.snapshot.exchanges_at(orders)))
        known = map(front.name, logged)
        texts = iter(self.digests(tuple([block for block in blocks if block.order < 0])))
        return tuple([next(known if block.order >= 0 else texts) for block in blocks])

    def costs(self, blocks: Blocks) -> tuple[int, ...]:
        """Tokens that each block adds to the request."""
        return self.memo.column(("costs", self.cost), blocks, self.cost)

    @property
    def window(self) -> int | None:
        """The first exchange of the widest window: what `before_window` is before."""
        return min(self.windows, default=None)

    def blocks(self, exchanges: list[Exchange], source: str) -> tuple[Block, ...]:
        """The raw blocks of exchanges, brought by `source`."""
        return brought_by(source, exchanges, self.memo)

    def readable(self, exchanges: list[Exchange]) -> Blocks:
        """What a word reads of exchanges that it is not given: as they stand in the log, without
        what the spec redacts."""
        return self.cleaned(self.memo.blocks(exchanges))

    def cleaned(self, blocks: Blocks) -> Blocks:
        """Blocks without what the spec redacts from all that is brought."""
        for guard in self.guards:
            blocks = guard.apply(blocks, self)
        return blocks

    def until(self, stop: int, source: str) -> Blocks:
        """The raw blocks of the conversation up to an exchange: the very same object as long as
        nothing of them has changed, so that what was made of it need not be made again."""
        snapshot = self.snapshot
        if not snapshot.begins_log or stop >= snapshot.exchange_count:
            return self.blocks(snapshot.exchanges(snapshot.preamble, stop), source)
        with self.memo.growing(("prefix", source), LoggedPrefix) as prefix:
            return prefix.until(stop, snapshot, lambda some: self.blocks(some, source))

    def asks_log(self, word: "Atom") -> bool:
        """Whether a word asks the log about exchanges that it is not given: one that knows them by
        it (`Traits.view`), of a compile that begins later. Any other was given all it looks at."""
        return self.start > self.snapshot.preamble and word.traits.view == "log"

    def conversation(self, source: str) -> tuple[Block, ...]:
        """The raw blocks of the conversation: all from `start` on, and what is held of those
        before, unless that was decided. Nor is given what is too old."""
        first = self.snapshot.preamble
        return self.brought(first, max(first, self.start, self.oldest), source)

    def held_before(self, start: int) -> list[int]:
        """The exchanges that something holds where a compile begins behind them."""
        snapshot, first = self.snapshot, self.snapshot.preamble
        if start <= first:
            return []
        pinned = snapshot.exchanges_with("pinned", "yes", first, start)
        indices = {exchange.index for exchange in pinned} | self.protection.exchanges
        # in a turn the user's words go last: those of the turn that `start` divides
        indices.add(snapshot.turn_start(snapshot.log.turn_of(start)))
        return [index for index in sorted(indices) if first <= index < start]

    def newest(self, first: int, source: str) -> tuple[Block, ...]:
        """The raw blocks of the conversation from an exchange on: what `conversation` has of them,
        however old they are."""
        return self.brought(first, max(first, self.start), source)

    def held_within(self, first: int, stop: int) -> list[int]:
        """Places of the exchanges from `first` up to `stop` that may not be dropped."""
        pinned = self.snapshot.exchanges_with("pinned", "yes", first, stop)
        held = set(self.protection.held_exchanges(self.snapshot.exchange_count))
        held.update([exchange.index for exchange in pinned])
        return sorted(at for at in held if first <= at < stop)

    def brought(self, first: int, start: int, source: str) -> tuple[Block, ...]:
        """The raw blocks of all from `start` on, and of what is held from `first` up to there."""
        snapshot = self.snapshot
        newest = snapshot.exchanges(start)
        if self.resumes or start == first:
            return self.blocks(newest, source)
        held = [at for at in self.held_before(start) if at >= first]
        return self.blocks([*snapshot.exchanges_at(held), *newest], source)

    def unsure(self, word: str) -> None:
        """A word that goes by the tokens of all was given too few to tell: unless these were all,
        the compile looks further back, and what came of this look is thrown away."""
        if self.start > self.snapshot.preamble:
            self.undecided.append(word)

    def age(self, block: Block) -> int:
        """How far back a block is, in turns, or in exchanges of a turn that is long
        (`Snapshot.age`); 0 outside the conversation."""
        return 0 if block.order < 0 else self.snapshot.age(block.order, block.turn)

    def reading(self) -> frozenset[int]:
        """Places of the exchanges in which the agent read back what it still works with: shortened
        now, it would be read again, and again (rules.md#refs)."""
        unsettled = self.snapshot.exchanges(self.settled, self.protection.edge)
        read = (one for one in unsettled if any(map(is_reading, one.calls)))
        return frozenset(exchange.index for exchange in read)

    def rewritten(
        self,
        key: Any,
        blocks: Blocks,
        change: Callable[[Block], Block],
        *,
        before: int | None = None,
    ) -> Blocks:
        """`change` of every block that may be shortened, from memory where it was made before. Of
        what is too new to be changed nothing is made: it may never have to be.

        Args:
            key: holds all that `change` depends on beside the block and the counter.
            before: the first exchange that is too new to be changed; that of the live edge, or,
                by default, the first that has not settled.
        """
        stop = self.settled if before is None else before
        old = tuple([block for block in blocks if block.order < stop])
        made = iter(self.memo.map((key, self.counter_id), old, change))
        stays, read = self.protection.whole_reason, self.reading()
        out: list[Block] = []
        for block in blocks:
            new = next(made) if block.order < stop else block
            out.append(block if new is block or stays(block) or block.order in read else new)
        return tuple(out)


def brought_by(source: str, exchanges: list[Exchange], memo: Memo) -> tuple[Block, ...]:
    """The raw blocks of exchanges, brought by `source`."""
    raw = memo.blocks(exchanges)
    if source == HISTORY:
        return raw
    return memo.map(("source", source), raw, partial(with_source, source=source))


def with_source(block: Block, source: str) -> Block:
    """The block as brought by another term."""
    return msgspec.structs.replace(block, source=source)


def _digest(block: Block) -> bytes:
    return digest_of(block.messages, block.text)


def digest_of(messages: Sequence[Message], text: str = "") -> bytes:
    """A hash of what a block says that has these messages, or this text."""
    return sha256(msgspec.json.encode((messages, text))).digest()
