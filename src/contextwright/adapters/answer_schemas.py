"""The shape that an answer must have, as frameworks have it: what a request says of it counts."""

import copy
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple, cast

_INNER = ("json_schema", "format", "schema_spec", "schema")
"""Where a framework, or a provider's form, has the shape itself."""
_SCHEMA = {"properties", "anyOf", "$ref", "$defs"}
"""Keys by which a JSON schema of data is known."""
_DEPTH = 4
_PLAIN = (str, bytes, bool, int, float, dict)


class AnswerSchema(NamedTuple):
    """The shape of an answer that is data.

    Args:
        name, description: as the model is shown them.
        schema: a JSON schema.
    """

    name: str
    description: str | None
    schema: dict[str, Any]


def answer_schema(shape: Any) -> AnswerSchema | None:
    """What a model is told of the shape of its answer; None where that is a text, and where nobody
    knows.

    Args:
        shape: a type, a JSON schema, a provider's form of one, or a framework's object that has
            one of these; several, where the model may choose.
    """
    if isinstance(shape, AnswerSchema):
        return shape
    if several := getattr(shape, "schema_specs", None):
        each = [one for one in map(answer_schema, several) if one is not None]
        shapes = [one._asdict() for one in each]
        return each[0] if len(each) == 1 else AnswerSchema("answer", None, {"anyOf": shapes})
    name, description = _field(shape, "name"), _field(shape, "description")
    for _ in range(_DEPTH):
        if isinstance(shape, type):
            return _of_type(shape)
        if (inner := _first_inner(shape)) is None:
            break
        shape = inner
        name = name or _field(shape, "name")
        description = description or _field(shape, "description")
    if not isinstance(shape, Mapping) or not shape.keys() & _SCHEMA:
        return None
    schema = dict(cast("Mapping[str, Any]", shape))
    return AnswerSchema(name, description, schema)


def with_schema(shape: Any, schema: dict[str, Any]) -> Any:
    """A copy of a framework's object that gives this schema by its method `json_schema`; of a type
    derived from its own."""
    kind: Any = type(shape)
    own = {"json_schema": lambda self: schema, "__module__": kind.__module__}  # pyright: ignore
    new = copy.copy(shape)
    object.__setattr__(new, "__class__", type(kind.__name__, (kind,), own))
    return new


def _first_inner(shape: Any) -> Any:
    """What stands in a form, or in an object."""
    if isinstance(shape, Mapping):
        fields = cast("Mapping[str, Any]", shape)
        forms = (fields.get(name) for name in _INNER)
        return next((one for one in forms if isinstance(one, Mapping)), None)
    for name in _INNER:
        inner = getattr(shape, name, None)
        if callable(inner) and not isinstance(inner, type):
            with suppress(Exception):  # such as that an answer of text has no schema
                inner = inner()
        if isinstance(inner, Mapping | type):
            return cast("Any", inner)
    return None


def _field(shape: Any, name: str) -> str:
    value = shape.get(name) if isinstance(shape, Mapping) else getattr(shape, name, "")
    if callable(value) and not isinstance(shape, type):
        with suppress(Exception):
            value = value()
    return value if isinstance(value, str) else ""


def _of_type(kind: type) -> AnswerSchema | None:
    from pydantic import TypeAdapter

    if kind in _PLAIN:
        return None
    with suppress(Exception):  # a type of which nobody can make a schema is the framework's matter
        schema = TypeAdapter(kind).json_schema()
        return AnswerSchema(kind.__name__, schema.get("description"), schema)
    return None
