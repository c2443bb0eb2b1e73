"""Words that look at each exchange alone, in front of one that asks a model about many of them."""

from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

from contextwright.blocks.block import Blocks
from contextwright.session.exchange import Exchange


class FrontWords(NamedTuple):
    """What stands between the conversation and who asks about it. What they leave of an exchange
    follows from it, so whether a model has read it is told without making it.

    Args:
        code: the words as code. left_of: what they leave of exchanges that a source brings.
    """

    code: str
    left_of: Callable[[list[Exchange], str], Blocks]

    def name(self, digest: bytes) -> bytes:
        """A name for what they leave of an exchange with this digest."""
        return sha256(self.code.encode() + digest).digest()
