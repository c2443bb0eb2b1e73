"""What should be seen: expressions, kinds, JSON, text, the tree. Values only."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.spec.codec import from_data, from_json, to_data, to_json
    from contextwright.spec.expr import ATOMS, Atom, Chain, Expr, Fallback, Pipe, Union, When
    from contextwright.spec.inputs import Inputs, Memo
    from contextwright.spec.kind import Kind, Verb
    from contextwright.spec.parse import parse_spec
    from contextwright.spec.terminal import Terminal
    from contextwright.spec.traits import Gives, Traits
    from contextwright.spec.tree_text import tree
    from contextwright.spec.word_roles import (
        ConversationWindow,
        Guard,
        RecordedTurn,
        ToolScope,
        Writer,
    )

_HOMES = {
    "ATOMS": "expr",
    "Atom": "expr",
    "Chain": "expr",
    "ConversationWindow": "word_roles",
    "Expr": "expr",
    "Fallback": "expr",
    "Gives": "traits",
    "Guard": "word_roles",
    "Inputs": "inputs",
    "Kind": "kind",
    "Memo": "inputs",
    "Pipe": "expr",
    "RecordedTurn": "word_roles",
    "Terminal": "terminal",
    "ToolScope": "word_roles",
    "Traits": "traits",
    "Union": "expr",
    "Verb": "kind",
    "When": "expr",
    "Writer": "word_roles",
    "from_data": "codec",
    "from_json": "codec",
    "parse_spec": "parse",
    "to_data": "codec",
    "to_json": "codec",
    "tree": "tree_text",
}
"""Imported when they are first named."""

__all__ = [
    "ATOMS",
    "Atom",
    "Chain",
    "ConversationWindow",
    "Expr",
    "Fallback",
    "Gives",
    "Guard",
    "Inputs",
    "Kind",
    "Memo",
    "Pipe",
    "RecordedTurn",
    "Terminal",
    "ToolScope",
    "Traits",
    "Union",
    "Verb",
    "When",
    "Writer",
    "from_data",
    "from_json",
    "parse_spec",
    "to_data",
    "to_json",
    "tree",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
