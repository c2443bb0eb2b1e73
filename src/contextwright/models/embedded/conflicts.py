"""Contradictions by rules: two values stated of one subject. Finds few of them."""

from typing import Any

from contextwright.blocks.block import Block
from contextwright.models.embedded.statements import statements_in
from contextwright.text.stated_values import Claim, claims, clash


def conflicts(blocks: tuple[Block, ...]) -> list[dict[str, Any]]:
    """Pairs of places whose blocks state different values of one subject, with both sentences."""
    latest: dict[tuple[str, ...], tuple[int, Claim, str]] = {}
    pairs: list[dict[str, Any]] = []
    for place, block in enumerate(blocks):
        for statement in statements_in(block, place):
            for claim in claims(statement.text):
                earlier = latest.get(claim.subject)
                if earlier is not None and earlier[0] != place and clash(earlier[1], claim):
                    pairs.append(
                        {
                            "first": earlier[0],
                            "second": place,
                            "what": f"{earlier[2]} / {statement.text}"[:300],
                        }
                    )
                latest[claim.subject] = (place, claim, statement.text)
    return pairs
