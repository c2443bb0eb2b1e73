"""What an atom takes and gives. Kinds, not verbs, decide what a pipe means."""

from enum import Enum


class Verb(Enum):
    """How users find an atom: the five operations (context-algebra.md#five-operations)."""

    SELECT = "select"
    COMPRESS = "compress"
    WRITE = "write"
    BUDGET = "budget"
    PROTECT = "protect"


class Kind(Enum):
    """What an atom takes and gives."""

    SOURCE = "source"
    """Snapshot to blocks: `C.from_state("intent")`."""
    REFINER = "source or refiner"
    """A source by itself, a filter after a pipe: `C.window(n=5)`, `C.select(...)`."""
    TRANSFORM = "transform"
    """Blocks to blocks, of the term it stands behind: `C.compact()`."""
    ASSEMBLY = "assembly transform"
    """Blocks to blocks, of everything to its left: `C.redact(...)`."""
    TERMINAL = "terminal"
    """Blocks to blocks, once, last: `C.budget(...)`."""
    WRITER = "writer"
    """Writes before or after the turn, adds nothing to the context: `C.capture(...)`."""


BARE = {Kind.TRANSFORM, Kind.ASSEMBLY, Kind.TERMINAL}
"""What means nothing without something to its left."""

BLOCK_SCOPED = {Kind.REFINER, Kind.TRANSFORM}
"""What applies to the last term of an open union."""
