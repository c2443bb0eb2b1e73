"""What should be seen: expressions, kinds, JSON, text, the tree. Values only."""

from contextwright.spec.codec import from_data, from_json, to_data, to_json
from contextwright.spec.expr import ATOMS, Atom, Chain, Expr, Fallback, Pipe, Union, When
from contextwright.spec.inputs import Inputs, Memo
from contextwright.spec.kind import Kind, Verb
from contextwright.spec.parse import parse_spec
from contextwright.spec.terminal import Terminal
from contextwright.spec.traits import Gives, Traits
from contextwright.spec.tree_text import tree
from contextwright.spec.word_roles import ConversationWindow, Guard, RecordedTurn, ToolScope, Writer

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
