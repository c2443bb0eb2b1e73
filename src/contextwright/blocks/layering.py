"""What a block is for, how long its bytes stay the same, and whose words it holds."""

from enum import IntEnum
from functools import cached_property


class Layer(IntEnum):
    """The purpose of a block, most stable first (context-packs.md#layers)."""

    SYSTEM = 0
    TASK = 1
    TOOLS = 2
    EVIDENCE = 3
    MEMORY = 4
    CONVERSATION = 5
    SLACK = 6

    @cached_property
    def label(self) -> str:
        """The name as manifests and tables show it."""
        return self.name.lower()


class CacheClass(IntEnum):
    """How long a block's bytes stay the same (phased-injection.md#phases); falls along the
    request."""

    STABLE = 0
    SESSION = 1
    DYNAMIC = 2

    @cached_property
    def label(self) -> str:
        """The name as manifests and tables show it."""
        return self.name.lower()


ARCHIVE = 4
"""The tier of what is in no request, and is had by its ref."""


class Trust(IntEnum):
    """Whose words a text holds (rules.md#trust): the least trusted of all that it was made of.

    `FOREIGN` is anybody's: what tools, files, memories, users and agents said, and what the state
    holds, for any of them may have put it there. `OPERATOR` is the spec's author, who alone speaks
    in the system role.
    """

    FOREIGN = 0
    OPERATOR = 1
