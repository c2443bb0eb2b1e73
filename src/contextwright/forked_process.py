"""What a forked process begins anew: it has the locks of the one before, and none of the threads
that hold them."""

import os
from typing import Protocol
from weakref import WeakSet


class Renewed(Protocol):
    """What holds a lock for long, or waits for another thread."""

    def renew(self) -> None:
        """Begin anew, as the only thread there is."""
        ...


_RENEWED: "WeakSet[Renewed]" = WeakSet()


def renewed_in_a_fork(owner: Renewed) -> None:
    """Have `owner.renew()` called in each process that is forked off this one while it lives."""
    _RENEWED.add(owner)


def _renew() -> None:
    for owner in list(_RENEWED):
        owner.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
