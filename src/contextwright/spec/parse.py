"""A spec out of text: an expression of `C.` words, read by a whitelist over its tree.

Nothing is ever evaluated: names other than `C`, attributes other than words, calls of anything
else do not exist here.
"""

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from contextwright.errors import SpecError, nearest
from contextwright.spec.expr import Expr

MAX_LENGTH = 20_000
"""Characters of an expression."""

_THOUSANDS = re.compile(r"(?<![\w.\"'])(\d{1,7})[kK]\b")


def parse_spec(text: str, words: Mapping[str, Callable[..., Expr]]) -> Expr:
    """The spec that an expression such as `C.window(n=5) | C.budget(max_tokens=4000)` says.

    Raises:
        SpecError: anything but words of `C`, `+`, `|`, `.or_else(...)` and literals; `where`
            names line and column.
    """
    if not isinstance(text, str):
        raise SpecError(
            f"a {type(text).__name__} is not a text", where="spec", fix="give an expression"
        )
    if len(text) > MAX_LENGTH:
        raise SpecError(
            f"a spec of {len(text)} characters", where="spec", fix=f"at most {MAX_LENGTH}"
        )
    if not text.strip():
        raise SpecError("the spec is empty", where="spec", fix='C.default(), or "C.window(n=5)"')
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise SpecError(
            f"not an expression: {getattr(error, 'msg', error)}",
            where=text[:80],
            fix=_fix_of(text),
        ) from error
    try:
        return _expr(tree.body, words)
    except RecursionError as error:
        raise SpecError(
            "a spec nested too deep", where=text[:80] or "spec", fix="flatten it"
        ) from error


def begins_as_spec(text: str) -> bool:
    """Whether a text begins with a word of `C`, as no name of a file does."""
    return re.match(r"[\s(]*C\.\w", text) is not None


def _fix_of(text: str) -> str:
    """What to write: of a number as options of `ctx` take it, the number in full."""
    short = _THOUSANDS.search(text)
    if short is None:
        return 'such as "C.window(n=5) | C.budget(max_tokens=4000)"'
    return f"a number in a spec is written out: {int(short[1]) * 1000} for {short[0]}"


def _expr(node: ast.expr, words: Mapping[str, Callable[..., Expr]]) -> Expr:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.BitOr)):
        left, right = _expr(node.left, words), _expr(node.right, words)
        return left + right if isinstance(node.op, ast.Add) else left | right
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _call(node, node.func, words)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        name = node.func.id
        fix = f"C.{ast.unparse(node)}" if name in words else ""
        raise _refused(node, "only words of C are called here", fix)
    raise _no_words(node, words)


def _unknown_word(
    node: ast.expr, name: ast.Attribute, words: Mapping[str, Callable[..., Expr]]
) -> SpecError:
    return _refused(node, f"C has no word {name.attr!r}", nearest(name.attr, words))


def _no_words(node: ast.expr, words: Mapping[str, Callable[..., Expr]]) -> SpecError:
    """What stands there instead of words, and what was probably meant."""
    read = "only words of C, `+`, `|` and `.or_else(...)` are read here"
    text = ast.unparse(node)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.value.id == "C" and node.attr not in words:
            return _unknown_word(node, node, words)
        return _refused(node, f"{text} is not called", f"{text}(...)")
    if isinstance(node, ast.Tuple | ast.List | ast.BoolOp | ast.Compare):
        return _refused(node, read, "join them: `a + b` for both, `a | b` for one after the other")
    if isinstance(node, ast.Name) and node.id in words:
        return _refused(node, read, f"C.{node.id}(...)")
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        what = f"a text is no spec: {text[:40]}"
        return _refused(node, what, "without its quotes, or C.template(TEXT)")
    return _refused(node, read)


def _call(node: ast.Call, func: ast.Attribute, words: Mapping[str, Callable[..., Expr]]) -> Expr:
    if func.attr == "or_else" and len(node.args) == 1 and not node.keywords:
        return _expr(func.value, words).or_else(_expr(node.args[0], words))
    if not (isinstance(func.value, ast.Name) and func.value.id == "C"):
        raise _refused(node, "only words of C are called here")
    word = words.get(func.attr)
    if word is None:
        raise _unknown_word(node, func, words)
    arguments = [_argument(value, words) for value in node.args]
    options = {key.arg: _argument(key.value, words) for key in node.keywords if key.arg}
    if len(options) != len(node.keywords):
        raise _refused(node, "`**` is not read here")
    try:
        return word(*arguments, **options)
    except TypeError as error:
        raise _refused(node, str(error)) from error


def _argument(node: ast.expr, words: Mapping[str, Callable[..., Expr]]) -> Any:
    if isinstance(node, ast.Call | ast.BinOp):
        return _expr(node, words)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, MemoryError, RecursionError) as error:
        raise _refused(node, "an option is a literal: text, number, list or dict") from error


def _refused(node: ast.expr, what: str, fix: str = "") -> SpecError:
    return SpecError(
        what,
        where=f"line {node.lineno}, column {node.col_offset + 1}: {ast.unparse(node)[:80]}",
        fix=fix or 'such as "C.window(n=5) | C.budget(max_tokens=4000)"',
    )
