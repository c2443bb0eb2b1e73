"""What a block is for, and how long its bytes stay the same."""

from enum import IntEnum


class Layer(IntEnum):
    """The purpose of a block, most stable first (context-packs.md#layers)."""

    SYSTEM = 0
    TASK = 1
    TOOLS = 2
    EVIDENCE = 3
    MEMORY = 4
    CONVERSATION = 5
    SLACK = 6

    @property
    def label(self) -> str:
        """The name as manifests and tables show it."""
        return self.name.lower()


class CacheClass(IntEnum):
    """How long a block's bytes stay the same (phased-injection.md#phases); falls along the
    request."""

    STABLE = 0
    SESSION = 1
    DYNAMIC = 2

    @property
    def label(self) -> str:
        """The name as manifests and tables show it."""
        return self.name.lower()
