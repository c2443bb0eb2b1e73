"""A tool's schema as an SDK has it: OpenAI's, nested or flat, Anthropic's, or a tool that runs at
the provider and has none."""

import re
from typing import Any

from contextwright.formats.fields import Fields, Json, object_if, text_if
from contextwright.session.event import Tool

_DATED = re.compile(r".+_\d{8}")
"""How Anthropic calls its own kinds of tools: `web_search_20250305`."""
_SCHEMAS = ("parameters", "input_schema")
_TYPED = {"name", "description", "function", "toolSpec", "inputSchema", *_SCHEMAS}
"""The keys that a `Tool` holds by itself."""


def tool_of(value: Any, where: str, format: str) -> Tool:
    """A tool's schema in OpenAI's form, nested or flat, or Anthropic's; kept as it came under the
    format that it was read as. A hosted tool without a name has that of its server or its kind."""
    nested = object_if(value).get("function")
    tool = Fields(nested if isinstance(nested, dict) else value, where)
    schema = tool.get("parameters", tool.get("input_schema", {}))
    hosted = is_hosted(tool.whole)
    return Tool(
        name=_hosted_name(tool.whole) if hosted else tool.text("name"),
        description=tool.text("description", ""),
        parameters=object_if(schema),
        extra={format: value},
    )


def is_hosted(value: Json) -> bool:
    """Whether a tool is of a provider's own kind: it has a type, and no schema that says what to
    call it with."""
    if not isinstance(value.get("type"), str) or value["type"] == "function":
        return False
    return not any(isinstance(value.get(key), dict) for key in ("function", *_SCHEMAS))


def as_it_came(tool: Tool) -> tuple[str, Json]:
    """The format whose form a tool came in, told from its keys, and the tool in it; empty where it
    came in none."""
    for format, value in tool.extra.items():
        if isinstance(value, dict):
            return _form_of(object_if(value), format), object_if(value)
    return "", {}


def keys_beside(value: Json) -> Json:
    """What a function tool says beside its name, its purpose and its schema: `strict`,
    `cache_control`, `defer_loading`, and what nobody here knows."""
    inner = {**value, **object_if(value.get("function")), **object_if(value.get("toolSpec"))}
    if inner.get("type") == "function":
        del inner["type"]
    return {key: item for key, item in inner.items() if key not in _TYPED}


def _form_of(value: Json, format: str) -> str:
    if isinstance(value.get("function"), dict):
        return "openai-chat"
    kind = text_if(value.get("type"))
    if "input_schema" in value or kind == "mcp_toolset" or _DATED.fullmatch(kind):
        return "anthropic"
    if kind == "function":
        return "openai-responses"
    if is_hosted(value) and format == "openai-chat" and kind not in value:
        return "openai-responses"  # the older format has such tools nested: {"custom": {...}}
    return format


def _hosted_name(value: Json) -> str:
    inner = object_if(value.get(value["type"]))
    names = (value.get("name"), inner.get("name"), value.get("server_label"))
    return next(filter(None, map(text_if, (*names, value.get("mcp_server_name")))), value["type"])
