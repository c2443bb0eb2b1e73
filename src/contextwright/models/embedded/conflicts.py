"""Contradictions by rules: the same thing is said to be two things. Finds few of them."""

from typing import Any

from contextwright.blocks.block import Block
from contextwright.models.embedded.statements import said_in
from contextwright.text.stated_values import Claim, claims, clash


def conflicts(blocks: tuple[Block, ...]) -> list[dict[str, Any]]:
    """Pairs of places whose blocks say different things of one subject, with what they say."""
    said: dict[tuple[str, ...], tuple[int, Claim, str]] = {}
    found: list[dict[str, Any]] = []
    for place, block in enumerate(blocks):
        for one in said_in(block, place):
            for claim in claims(one.text):
                known = said.get(claim.subject)
                if known is not None and known[0] != place and clash(known[1], claim):
                    found.append(
                        {
                            "first": known[0],
                            "second": place,
                            "what": f"{known[2]} / {one.text}"[:300],
                        }
                    )
                said[claim.subject] = (place, claim, one.text)
    return found
