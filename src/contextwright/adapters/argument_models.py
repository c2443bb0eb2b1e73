"""The arguments of a tool as a model of pydantic's, for frameworks that take no schema."""

from typing import Any

from pydantic import BaseModel, create_model

from contextwright.session.event import Tool

_KINDS = {"string": str, "integer": int, "boolean": bool, "number": float}


def arguments_model(tool: Tool) -> type[BaseModel]:
    """A model with a field for each argument, and the tool's own schema.

    Args:
        tool: whose arguments are plain values.
    """
    schema = dict(tool.parameters)

    class ToolArguments(BaseModel):
        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return schema

    fields: dict[str, Any] = {}
    for name, each in schema["properties"].items():
        kind = _KINDS[each["type"]]
        is_needed = name in schema.get("required", ())
        fields[name] = (kind, ...) if is_needed else (kind | None, None)
    return create_model(f"{tool.name.title()}Arguments", __base__=ToolArguments, **fields)
