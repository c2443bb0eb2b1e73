"""Specs as JSON and back. All arguments are written out, so that a changed default changes no
replay."""

from typing import Any

import msgspec

from contextwright.errors import SpecError, nearest
from contextwright.spec.expr import ATOMS, Atom, Chain, Expr, Fallback, Pipe, Union, When, is_bare
from contextwright.spec.kind import Kind
from contextwright.spec.option_limits import limit_fault
from contextwright.text.byte_order_mark import in_utf8
from contextwright.typed_decoding import converted

MAX_DEPTH = 100
"""Nesting of a spec; deeper ones are refused rather than followed."""


def to_data(expr: Expr) -> dict[str, Any]:
    """A spec as plain JSON data."""
    if isinstance(expr, Atom):
        return {"atom": expr.word, **msgspec.json.decode(msgspec.json.encode(_fields(expr)))}
    if isinstance(expr, Chain):
        return {"chain": [to_data(step) for step in expr.steps]}
    if isinstance(expr, Pipe):
        return {"pipe": [to_data(expr.head), *map(to_data, expr.steps)]}
    if isinstance(expr, Union):
        return {"union": [to_data(term) for term in expr.terms]}
    if isinstance(expr, Fallback):
        return {"fallback": [to_data(expr.first), to_data(expr.second)]}
    if isinstance(expr, When):
        branches = {"then": to_data(expr.then)}
        if expr.otherwise is not None:
            branches["otherwise"] = to_data(expr.otherwise)
        return {"when": expr.condition, **branches}
    raise SpecError(f"not a spec: {expr!r}", where="spec", fix="build it with C")


def to_json(expr: Expr) -> bytes:
    """A spec as canonical JSON."""
    return msgspec.json.encode(to_data(expr), order="sorted")


def from_json(data: bytes | str) -> Expr:
    """The spec that this JSON says.

    Raises:
        SpecError: not JSON, an unknown word or option, a pipe that means nothing. `where` is a
            JSON pointer.
    """
    try:
        value = msgspec.json.decode(in_utf8(data) if isinstance(data, bytes) else data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise SpecError(
            f"a spec file that is not JSON: {error}",
            where="spec",
            fix="a file of a spec is what `to_json(spec)` gives; a session goes to commands that "
            "take a SESSION",
        ) from error
    return from_data(value)


def from_data(value: Any, where: str = "") -> Expr:
    """The spec that this plain data says. Raises as `from_json` does."""
    if where.count("/") > MAX_DEPTH:
        raise SpecError("a spec nested too deep", where=where[:80], fix="flatten it")
    if not isinstance(value, dict):
        raise _wrong("an object", value, where)
    data: dict[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    if "atom" in data:
        return _atom(data, where)
    if "when" in data:
        return _when(data, where)
    for key in ("chain", "pipe", "union", "fallback"):
        if key in data:
            return _composed(key, data[key], f"{where}/{key}")
    keys = ", ".join(map(repr, list(data)[:5])) or "an empty one"
    raise _wrong(
        'an object with "atom", "pipe", "union", "chain", "fallback" or "when"', keys, where
    )


def _when(data: dict[str, Any], where: str) -> Expr:
    condition, otherwise = data["when"], data.get("otherwise")
    if not isinstance(condition, str):
        raise _wrong("a condition as text", condition, f"{where}/when")
    then = from_data(data.get("then"), f"{where}/then")
    last = None if otherwise is None else from_data(otherwise, f"{where}/otherwise")
    return When(condition, then, last)


def _composed(key: str, value: Any, where: str) -> Expr:
    if not isinstance(value, list) or not value:
        raise _wrong("a list with something in it", value, where)
    items: list[Any] = value  # pyright: ignore[reportUnknownVariableType]
    parts = [from_data(item, f"{where}/{place}") for place, item in enumerate(items)]
    whole = parts[0]
    if key == "union":
        for part in parts[1:]:
            whole = whole + part
        return whole
    if key == "fallback":
        for part in parts[1:]:
            whole = whole.or_else(part)
        return whole
    for place, part in enumerate(parts[1:], 1):
        if not isinstance(part, Atom) or not (is_bare(part) or part.kind is Kind.REFINER):
            raise _wrong("an atom that can stand behind a pipe", items[place], f"{where}/{place}")
        whole = whole | part
    return whole


def _atom(data: dict[str, Any], where: str) -> Expr:
    word = data["atom"]
    atom = ATOMS.get(word) if isinstance(word, str) else None
    if atom is None:
        raise SpecError(f"no atom {word!r}", where=f"{where}/atom", fix=nearest(str(word), ATOMS))
    options = {key: value for key, value in data.items() if key != "atom"}
    for key in options:
        if key not in atom.__struct_fields__:
            raise SpecError(
                f"{word} has no option {key!r}",
                where=f"{where}/{key}",
                fix=nearest(key, atom.__struct_fields__),
            )
        fault = limit_fault(key, options[key])
        if fault is not None:
            raise SpecError(f"{word}: {fault[0]}", where=f"{where}/{key}", fix=fault[1])
    try:
        return converted(options, atom)
    except msgspec.ValidationError as error:
        raise SpecError(
            f"{word}: {error}", where=where or "/", fix=f"see help(C.{word})"
        ) from error


def _wrong(wanted: str, value: Any, where: str) -> SpecError:
    got = value if isinstance(value, str) else type(value).__name__
    return SpecError(
        f"expected {wanted}, got {got}",
        where=where or "/",
        fix="a file of a spec is what `to_json(spec)` gives; a session goes to the commands "
        "that take SESSION",
    )


def _fields(atom: Atom) -> dict[str, Any]:
    return {field: _whole(getattr(atom, field)) for field in atom.__struct_fields__}


def _whole(value: Any) -> Any:
    """10.0 as 10: equal specs have equal bytes."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
