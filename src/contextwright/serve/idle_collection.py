"""Collects cyclic garbage between calls: a whole collection takes as long as a call may.

What conversations hold is many small objects, and Python looks at all of them in the middle of
whatever call reaches its threshold.
"""

import gc

ENOUGH = 10
"""Collections of the middle generation after which a whole one is due, as Python has it."""
AT_LAST = 200
"""After so many it is made though calls are open."""
_NEVER = 1_000_000


def collect_between_calls() -> None:
    """From now on whole collections are left to `collect_if_idle`. For a process of its own."""
    gc.collect()
    gc.freeze()  # what was imported stays
    young, middle, _ = gc.get_threshold()
    gc.set_threshold(young, middle, _NEVER)


def collect_if_idle(open_calls: int) -> bool:
    """Make a whole collection where one is due and no call waits for it; whether one was made."""
    if gc.get_threshold()[2] != _NEVER:
        return False  # Python does it
    due = gc.get_count()[2]
    if due < ENOUGH or (open_calls and due < AT_LAST):
        return False
    gc.collect()
    return True
