"""The shape that an answer must have: a part of the request that counts as the rest does."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from contextwright.errors import ModelError, SpecError
from contextwright.spec.schema import schema_text


class ResponseFormat(msgspec.Struct, frozen=True):
    """What an answer must be.

    Args:
        schema: JSON Schema as text, its keys in the order in which a model is to write them; empty
            for any JSON object.
        name: the schema's name, where the provider asks for one.
        strict: whether the provider is to hold it to the letter, where it leaves the choice.
    """

    schema: str = ""
    name: str = "answer"
    strict: bool = False

    @property
    def json_schema(self) -> dict[str, Any]:
        """The schema as plain data."""
        return msgspec.json.decode(self.schema or "{}")


def read_response_format(source: object) -> ResponseFormat | None:
    """A response format as programs hold one: as OpenAI's SDK has it (`json_schema`,
    `json_object`), a JSON Schema, a class (pydantic, msgspec, dataclass), or shorthand such as
    `{"name": "str"}`.

    Raises:
        ModelError: none of these.
    """
    if source is None or isinstance(source, ResponseFormat):
        return source
    try:
        if isinstance(source, Mapping):
            return _of_mapping(cast("Mapping[str, Any]", source))
        name = getattr(source, "__name__", "answer")
        if hasattr(source, "model_json_schema"):
            return ResponseFormat(_text(cast(Any, source).model_json_schema()), name)
        return ResponseFormat(_text(msgspec.json.decode(schema_text(source))), name)
    except (SpecError, TypeError, msgspec.DecodeError) as error:
        raise ModelError(
            f"expected a response format, got {source!r:.80}",
            where="response_format",
            fix='{"type": "json_schema", "json_schema": {"name": ..., "schema": {...}}}, a JSON '
            "Schema, or a class such as a pydantic model",
        ) from error


def _of_mapping(source: Mapping[str, Any]) -> ResponseFormat | None:
    kind = source.get("type")
    if kind == "text":
        return None
    if kind == "json_object":
        return ResponseFormat()
    if kind == "json_schema":
        inner = source.get("json_schema", source)
        schema = inner["schema"] if isinstance(inner.get("schema"), Mapping) else None
        if schema is None:
            raise TypeError("no schema")
        name = str(inner.get("name") or "answer")
        return ResponseFormat(_text(schema), name, strict=bool(inner.get("strict")))
    is_schema = "properties" in source or kind == "object" or "$ref" in source
    return ResponseFormat(_text(source) if is_schema else schema_text(source))


def _text(schema: Mapping[str, Any]) -> str:
    if schema.get("type", "object") != "object":
        raise TypeError("an answer is an object")
    return msgspec.json.encode(schema).decode()
