"""Edits of a spec's text: each of its words left out, and the reading that a finding names."""

import ast
from collections.abc import Callable, Iterator

import msgspec


class SpecEdit(msgspec.Struct, frozen=True):
    """An edit: from `start` to `stop` the text becomes another.

    Args:
        what: the word that it is about, as it is written.
    """

    what: str
    start: int
    stop: int
    text: str = ""

    def of(self, text: str) -> str:
        """The text, edited."""
        return text[: self.start] + self.text + text[self.stop :]


def words_left_out(text: str) -> list[SpecEdit]:
    """An edit for each word that stands behind another one, in the text's order: `| C.compact()`,
    `+ C.notes("case")`. What stands in parentheses stays."""
    edits: list[SpecEdit] = []
    for node, line, place in _pairs(text):
        if not isinstance(node.right, ast.Call):
            continue
        left = place(node.left.end_col_offset or 0)
        start, stop = place(node.right.col_offset), place(node.right.end_col_offset or 0)
        between = line[left:start]
        sign = "|" if isinstance(node.op, ast.BitOr) else "+"
        if "(" in between or sign not in between:
            continue
        begin = left + between.index(sign)
        begin -= len(line[:begin]) - len(line[:begin].rstrip())
        edits.append(SpecEdit(text[start:stop], begin, stop))
    return sorted(edits, key=lambda edit: edit.start)


def as_it_reads(text: str, where: str) -> list[int | str] | None:
    """`a + b | t` as one reads it: `t` for the last term only. Start, stop and the text there.

    Args:
        where: the place, as the checker writes it.
    """
    for node, line, place in _pairs(text):
        if ast.unparse(node) == where and isinstance(node.left, ast.BinOp):
            start, stop = place(node.left.right.col_offset), place(node.right.end_col_offset or 0)
            return [start, stop, f"({line[start:stop]})"]
    return None


def _pairs(text: str) -> Iterator[tuple[ast.BinOp, str, Callable[[int], int]]]:
    """The pairs of a text that are joined by `|` or `+`, the text in one line, and where in it a
    byte of the tree is."""
    line = text.replace("\n", " ")
    lead = len(line) - len(line.lstrip())
    try:
        tree = ast.parse(line.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    encoded = line.strip().encode()

    def place(offset: int) -> int:
        return lead + len(encoded[:offset].decode())

    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            yield node, line, place
