"""How far a block is from its original."""

from enum import IntEnum
from functools import cached_property


class Fidelity(IntEnum):
    """Steps down from the original, each recorded. Order:
    context-algebra.md#compaction and #cascade."""

    PLACEHOLDER = 0
    TRUNCATED = 1
    SUMMARIZED = 2
    COMPACTED = 3
    RAW = 4

    @cached_property
    def label(self) -> str:
        """The name as manifests and tables show it."""
        return self.name.lower()
