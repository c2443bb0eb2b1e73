"""What logs share that begin alike."""

from typing import Any


class Family:
    """What a log shares with those that begin as it does; it lives as long as one of them."""

    answers: Any = None  # by models, what they answered for these logs (engine.prepare)
