"""Specs that a reader could take for another one, where their text is known."""

import ast

from contextwright.check.report import Finding
from contextwright.errors import SpecError
from contextwright.spec.expr import ATOMS
from contextwright.spec.kind import BLOCK_SCOPED


def findings(agent: str, source: str) -> list[Finding]:
    """`a + b | t` without parentheses: `t` applies to both, and reads as if to `b` only."""
    if not source.strip():
        return []
    text = source.strip()
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise SpecError(
            f"not an expression: {getattr(error, 'msg', error)}",
            where=text[:80],
            fix="build it with C",
        ) from error
    results: list[Finding] = []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)):
            continue
        left, word = node.left, _word(node.right)
        if not (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Add)):
            continue
        atom = ATOMS.get(word)
        if atom is None or atom.kind not in BLOCK_SCOPED or _parenthesized(left, text):
            continue
        first, last = ast.unparse(left), ast.unparse(left.right)
        step = ast.unparse(node.right)
        what = f"{step} applies to all of {first}, and reads as if to {last} only"
        fix = f"write ({first}) | {step}, or ... + ({last} | {step})"
        results.append(Finding("warning", "precedence", agent, ast.unparse(node), what, fix))
    return results


def _word(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.attr if isinstance(called, ast.Attribute) else ""


def _parenthesized(node: ast.expr, text: str) -> bool:
    lines = text.splitlines()
    row, column = (node.end_lineno or 1) - 1, node.end_col_offset or 0
    behind = lines[row].encode()[column:].decode() + " ".join(lines[row + 1 :])
    return behind.lstrip().startswith(")")
