"""The shape that an answer must have, as frameworks have it: what a request says of it counts."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple, cast, get_origin

from contextwright.errors import SpecError
from contextwright.formats.record_copies import answering, copy_with, derived, with_method

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
        if isinstance(shape, type) or get_origin(shape) is not None:
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


def with_schema(shape: Any, new: AnswerSchema) -> Any:
    """What `answer_schema` was told of, of its type, with another schema and description.

    Raises:
        SpecError: its framework takes the schema from elsewhere.
    """
    if isinstance(shape, Mapping):
        fields = dict(cast("Mapping[str, Any]", shape))
        inner = next((name for name in _INNER if isinstance(fields.get(name), Mapping)), None)
        if inner is None:
            return new.schema
        return {**fields, **_described(shape, new), inner: with_schema(fields[inner], new)}
    if isinstance(shape, type):
        if hasattr(shape, "model_json_schema"):
            return _shown_as(shape, new.schema)
    elif (inner := getattr(shape, "schema_spec", None)) is not None:
        return copy_with(shape, {"schema_spec": with_schema(inner, new)})
    elif isinstance(inner := getattr(shape, "json_schema", None), Mapping):
        return copy_with(shape, {"json_schema": new.schema, **_described(shape, new)})
    elif callable(inner):
        return with_method(shape, "json_schema", new.schema)
    raise SpecError(
        "the spec redacts something of the shape of the answer, which this framework's hook can "
        "not change",
        where=f"the schema of {new.name or type(shape).__name__}",
        fix="take it out of the schema, or hand the shape over as a pydantic model or a JSON "
        "schema; with LangChain as ProviderStrategy(...)",
    )


def _shown_as(model: Any, schema: dict[str, Any]) -> type:
    """A pydantic model that shows another schema; what it validates is of the model's own type."""
    methods: dict[str, Any] = {"model_json_schema": answering(schema)}
    methods |= {name: getattr(model, name) for name in ("model_validate", "model_validate_json")}
    return derived(model, {name: staticmethod(method) for name, method in methods.items()})


def _described(shape: Any, new: AnswerSchema) -> dict[str, str]:
    return (
        {"description": new.description} if new.description and _field(shape, "description") else {}
    )


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


def _of_type(kind: Any) -> AnswerSchema | None:
    from pydantic import TypeAdapter

    if kind in _PLAIN:
        return None
    with suppress(Exception):  # a type of which nobody can make a schema is the framework's matter
        schema = TypeAdapter(kind).json_schema()
        name = str(getattr(kind, "__name__", "answer"))
        return AnswerSchema(name, schema.get("description"), schema)
    return None
