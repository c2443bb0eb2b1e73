"""What a framework's hook of ours shows of its context."""

from typing import Any

from contextwright.adapters.port import ContextPort


class ContextOwner:
    """A hook that stands on a port.

    Attributes:
        port: the adapter's.
    """

    port: ContextPort

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.port.context!r}>"

    @property
    def context(self) -> Any:
        """The context: its newest pack, session and manifest."""
        return self.port.context
