"""Words that others call at moments of their own: a contract for each role. `spec.terminal` has
the one of limits."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import msgspec

from contextwright.blocks.block import Block, Blocks
from contextwright.redaction.detector import NO_PORTS, RedactionPorts
from contextwright.redaction.wire_data import Cleaner, TextCleaner
from contextwright.session.event import Event, Tool
from contextwright.session.exchange import Exchange
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom
from contextwright.spec.inputs import Inputs
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.log_part import Span
from contextwright.spec.task import TaskGenerator


class Guard(Atom, frozen=True, kw_only=True):
    """Keeps something out of every request: it runs on blocks as they are brought, so that no
    step sees what it removes, and again on what the steps made. Other words of the kind ASSEMBLY
    run once, when all blocks are there."""

    kind: ClassVar[Kind] = Kind.ASSEMBLY
    verb: ClassVar[Verb] = Verb.PROTECT

    @property
    def covers(self) -> tuple[str, ...]:
        """Patterns that it keeps out, by the names of `redaction.patterns`."""
        return ()

    def cleaned(self, text: str, ports: RedactionPorts = NO_PORTS) -> str:
        """A text without what it keeps out: what a model or a store may be given.

        Args:
            ports: what the application gives redactions.
        """
        raise NotImplementedError(f"{self.word} cleans no text")

    def cleaner(self, ports: RedactionPorts = NO_PORTS) -> Cleaner:
        """The same for JSON data around a request's texts (`redaction.wire_data`)."""
        return TextCleaner(lambda text: self.cleaned(text, ports))

    def cleaned_id(self, id: str, ports: RedactionPorts = NO_PORTS) -> str:
        """An id or a name, or another one for it if what it keeps out is in it."""
        return id

    def cleaned_tool(self, tool: Tool, ports: RedactionPorts = NO_PORTS) -> Tool:
        """A tool without what it keeps out."""
        return tool


class ConversationWindow(Atom, frozen=True, kw_only=True):
    """Keeps the newest of the conversation; `before_window` is what is older than the widest."""

    def start(self, snapshot: Snapshot) -> int:
        """The first exchange in it."""
        raise NotImplementedError(f"{self.word} does not say where it begins")

    @property
    def strides(self) -> bool:
        """Whether its beginning moves now and then, not with each turn or exchange."""
        return False

    def is_filled(self, newest: Sequence[Exchange]) -> bool:
        """Whether what it keeps of exchanges that end with these does not depend on those before,
        of a window that does not stride; False where that can not be told of these alone."""
        return False


class Shortener(Atom, frozen=True, kw_only=True):
    """Drops nothing, so that what it leaves at least may be more than its limit: its steps
    (`Traits.stepped`) go by that."""

    kind: ClassVar[Kind] = Kind.TRANSFORM
    verb: ClassVar[Verb] = Verb.COMPRESS

    def least(self, block: Block, inputs: Inputs) -> int:
        """Tokens that it leaves of a block, once nothing holds the block any more; they follow
        from the block alone."""
        raise NotImplementedError(f"{self.word} does not say what it leaves")

    def least_of_events(self, events: Sequence[Event], inputs: Inputs) -> int | None:
        """As `least` of an exchange as it came, told from its events; None where its block has to
        be made to tell."""
        return None

    def shortest(self, blocks: Blocks, inputs: Inputs) -> Blocks:
        """The blocks, each as short as it makes any: what it leaves where that of everything is
        over its limit. It looks at each of them alone."""
        raise NotImplementedError(f"{self.word} does not say what it leaves")


class Divided(Atom, frozen=True, kw_only=True):
    """Makes of the conversation what it makes of its two parts, in front of a place and behind it,
    one behind the other; of what lies in front the same at every turn, until the place moves."""

    divides: ClassVar[str] = "history"
    """What the conversation's blocks are brought by, with nothing to the left of the word."""

    def divides_at(self, inputs: Inputs, tokens: Callable[[int], int]) -> int:
        """The first exchange behind the place, which has not moved since the turn before more often
        than rarely; 0 where there is none.

        Args:
            tokens: what the conversation up to an exchange takes, but for the newest; a look-up.
        """
        raise NotImplementedError(f"{self.word} does not say where it divides")

    def is_whole(self, made: Blocks, newer: Blocks, inputs: Inputs) -> bool:
        """Whether what it made of what lies in front holds beside what is newer."""
        return True


class DividedLog(Divided, frozen=True, kw_only=True):
    """A word that is `Divided`, and tells what it makes of what lies in front from the log: where
    the place moves, it looks at what came between.

    Attributes:
        chooses: whether that is some of the exchanges, as they are, and nothing for the others.
    """

    chooses: ClassVar[bool] = False

    def front_of_log(
        self, stop: int, source: str, inputs: Inputs, tokens: Callable[[int], int]
    ) -> "OfLog | None":
        """What it makes of the conversation in front of an exchange; None where it has to be given
        the blocks.

        Args:
            source: what brings the conversation.
            tokens: what the conversation up to an exchange takes, but for the newest; a look-up.
        """
        raise NotImplementedError(f"{self.word} does not say what it makes of the log")


class Indexed(Atom, frozen=True, kw_only=True):
    """Finds what it brings by what the log's indexes say of each exchange. As one of several terms
    it brings all of that, wherever a compile begins."""

    def matching(self, start: int, stop: int, inputs: Inputs) -> list[Exchange]:
        """The exchanges from `start` up to `stop` that it brings."""
        raise NotImplementedError(f"{self.word} does not say what it finds")

    def bring_newest(self, window: ConversationWindow, inputs: Inputs) -> Blocks | None:
        """Of what it brings no more than a window behind it asks for, and what must stay; None
        where that is for all of it to tell."""
        return None


class Standing(Atom, frozen=True, kw_only=True):
    """Leaves of what has settled the same at every turn, whatever came since, though it looks at
    more than one exchange. Of a compile that goes on from the one before it is given the exchanges
    from `Inputs.start` on, and asks the log about those before."""

    def stands_by(self, inputs: Inputs) -> object | None:
        """What it goes by beside the exchanges: as long as that is the same, what it left stands;
        None where it may leave anything of them."""
        raise NotImplementedError(f"{self.word} does not say what it goes by")


class Abstract(Atom, frozen=True, kw_only=True):
    """Leaves each exchange in its place, and puts in place of what it takes out of one a ref to its
    whole: what it shortened says what no other exchange does, unless that quotes it."""

    def is_long(self, block: Block, inputs: Inputs) -> bool:
        """Whether it shortens an exchange that nothing holds whatever that says; told at once."""
        return False

    def least_of(self, block: Block, inputs: Inputs) -> Block:
        """A block that takes no more than what it leaves of an exchange; the exchange itself where
        it leaves that as it is."""
        return msgspec.structs.replace(block, messages=())


class OldestFirst(Atom, frozen=True, kw_only=True):
    """Leaves the oldest exchanges that fit, of equal scores, beside those that must stay."""


class Recogniser(Atom, frozen=True, kw_only=True):
    """Leaves out exchanges that say what another one does."""

    def key_of(self, inputs: Inputs) -> Callable[[Block], str] | None:
        """What is equal for exchanges that say the same; None where it goes by more than that."""
        raise NotImplementedError(f"{self.word} does not say what is the same")


class OfLog(NamedTuple):
    """What a word made of the log.

    Args:
        blocks: what it brings. spans: the exchanges that the summary among them stands for.
        tokens: what these took.
    """

    blocks: Blocks
    spans: tuple[Span, ...] = ()
    tokens: int = 0


class LogReader(Atom, frozen=True, kw_only=True):
    """With nothing to its left it stands on the conversation up to an exchange, as the log has it,
    and is given none of it: it looks at what came since it was last asked."""

    def of_log(self, inputs: Inputs, tokens: Callable[[int], int]) -> OfLog | None:
        """What it makes of that; None where it has to be given the blocks.

        Args:
            tokens: what the conversation up to an exchange takes, but for the newest; a look-up.
        """
        raise NotImplementedError(f"{self.word} does not say what it makes of the log")


class LogSelector(Atom, frozen=True, kw_only=True):
    """Chooses among the conversation by what the log tells of it: behind the whole of it, it is
    given none of it."""

    def authors(self) -> tuple[str, ...]:
        """The authors that it names."""
        return ()

    def chosen(self, inputs: Inputs, source: str) -> Blocks | None:
        """The blocks that it leaves of the whole conversation, as `apply` does; None where it has
        to be given them.

        Args:
            source: what brings the conversation.
        """
        raise NotImplementedError(f"{self.word} does not say what it chooses")


class ToolScope(Atom, frozen=True, kw_only=True):
    """Limits the tools that are sent."""

    def scope(self, snapshot: Snapshot) -> frozenset[str] | None:
        """The names in scope; None for all."""
        raise NotImplementedError(f"{self.word} has no scope of tools")


class RecordedTurn(msgspec.Struct, frozen=True, eq=False):
    """A turn that is over, for what is written of it.

    Args:
        snapshot: the session with the answer in it.
        agent: whose words are noted; any agent's where it is empty.
        clean: a text without what the spec redacts.
        put: stores bytes under a name and gives their ref; None where there is no store.
    """

    snapshot: Snapshot
    agent: str
    clean: Callable[[str], str]
    put: Callable[[bytes, str], str] | None = None


class Writer(Atom, frozen=True, kw_only=True):
    """Writes to the state, before the turn or after it, and adds nothing to the context."""

    kind: ClassVar[Kind] = Kind.WRITER
    verb: ClassVar[Verb] = Verb.WRITE

    @property
    def before_turn(self) -> bool:
        """Whether its keys are written when the agent sees its context."""
        return False

    def before(self, snapshot: Snapshot) -> dict[str, Any]:
        """The state keys to set before the turn, for which nobody is asked."""
        return {}

    def after(self, turn: RecordedTurn) -> TaskGenerator[dict[str, Any]]:
        """The state keys to set after the turn. A generator: it yields tasks for models, and is
        sent their answers."""
        yield from ()
        return {}
