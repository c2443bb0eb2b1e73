"""The token budget of one request, explicit and queryable (message-compiler.md#token-budget)."""

import msgspec


class ContextBudget(msgspec.Struct, frozen=True):
    """How full the context window is, in tokens.

    Args:
        window: the model's context window.
        used: what the request takes.
        reserved_output: kept free for the answer.
        reserved_system: kept free for what others add: a framework's own instruction.
        soft_threshold: from here on a compaction is due.
    """

    window: int
    used: int
    reserved_output: int
    reserved_system: int
    soft_threshold: int

    def remaining(self) -> int:
        """Tokens still free behind the reserves; never negative."""
        return max(0, self.window - self.used - self.reserved_output - self.reserved_system)

    def over_soft_threshold(self) -> bool:
        """True from where a compaction is due."""
        return self.used >= self.soft_threshold
