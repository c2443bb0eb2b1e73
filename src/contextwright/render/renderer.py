"""What a renderer owes: measure, render, validate. One file a provider format."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from contextwright.blocks.block import Block
from contextwright.render.message_layout import Layout
from contextwright.render.target import Target

Count = Callable[[str], int]
Request = dict[str, Any]


class Violation(msgspec.Struct, frozen=True):
    """A rule of the provider that a request breaks.

    Args:
        rule: the rule's name, such as `AN2`.
        where: place in the request, such as `messages[3].content[0]`.
        what: what is wrong, in a sentence.
    """

    rule: str
    where: str
    what: str


Rule = Callable[[Any], Iterator[tuple[str, str]]]
"""A rule of a provider: a request to the places where it is broken, and what is wrong."""


def violations(rules: Mapping[str, Rule], request: Request) -> list[Violation]:
    """Every place in which a request breaks one of these rules."""
    return [
        Violation(name, where, what)
        for name, rule in rules.items()
        for where, what in rule(request)
    ]


class Renderer(Protocol):
    """One provider's words. Stateless; all functions are pure."""

    format: str

    def cost(self, block: Block, target: Target) -> int:
        """Tokens that a conversation block adds at most: content, overheads, images."""
        ...

    def request(self, layout: Layout, target: Target) -> Request:
        """The keyword arguments of the provider's SDK call, as plain JSON data."""
        ...

    def measure(self, request: Request, target: Target) -> int:
        """Tokens of a whole request. Never more than the empty request's plus the costs of
        its blocks, `section_cost` of its sections, and the margin."""
        ...

    def margin(self, target: Target) -> int:
        """Tokens that are added at most for the form's sake, whatever the blocks are."""
        ...

    def section_cost(self, text: str, target: Target) -> int:
        """Tokens that a section adds at most."""
        ...

    def validate(self, request: Request, target: Target) -> list[Violation]:
        """The provider's rules that a request breaks."""
        ...
