"""A spec as a tree, with the parentheses that Python does not show."""

from contextwright.spec.expr import Chain, Expr, Fallback, Pipe, Union, When


def tree(expr: Expr, indent: str = "") -> str:
    """The spec, a node a line, steps under what they apply to."""
    return "\n".join(_lines(expr, indent))


def _lines(expr: Expr, indent: str) -> list[str]:
    deeper = indent + "  "
    if isinstance(expr, Union):
        lines = [f"{indent}union"]
        for term in expr.terms:
            lines += _lines(term, deeper)
        return lines
    if isinstance(expr, Pipe):
        return [*_lines(expr.head, indent), *(f"{deeper}| {step!r}" for step in expr.steps)]
    if isinstance(expr, Chain):
        return [f"{indent}C.default()  (implied)", *(f"{deeper}| {step!r}" for step in expr.steps)]
    if isinstance(expr, Fallback):
        return [
            f"{indent}first of",
            *_lines(expr.first, deeper),
            *_lines(expr.second, deeper),
        ]
    if isinstance(expr, When):
        lines = [f"{indent}when {expr.condition}", *_lines(expr.then, deeper)]
        if expr.otherwise is not None:
            lines += [f"{indent}otherwise", *_lines(expr.otherwise, deeper)]
        return lines
    return [f"{indent}{expr!r}"]
