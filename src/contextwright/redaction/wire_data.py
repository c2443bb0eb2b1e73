"""JSON data around the texts of a request: what a provider's message, tool or parameter says beside
what is known of it.

A field's name says what is in it everywhere but where it is the provider's own word: `name` of a
call is no name of a person, and a schema has names of fields without values.
"""

import re
from collections.abc import Callable, Container
from typing import Any, Protocol, cast

import msgspec

from contextwright.redaction.file_data import redacted_files
from contextwright.redaction.ids import expect_callable, redacted_id
from contextwright.redaction.json_walk import Path, plain_key
from contextwright.redaction.named_fields import field_paths
from contextwright.redaction.operators import REPLACE, Operator

SEALED = frozenset(
    {
        "data", "signature", "thoughtSignature", "thought_signature", "encrypted_content",
        "encrypted_stdout", "encrypted_index", "encryptedContent", "file_data", "fingerprint",
        "image_url",
    }
)  # fmt: skip
"""Fields that are a provider's own bytes, or an address of a picture. Cleaning one would break it,
and nobody reads it. What reads as words is none, whatever its field is called."""
_BYTES = re.compile(r"(?:data:[^,\s]*,|https?://)?[\w+/=.:~%?&#-]*\Z", re.ASCII)
_WORDS_OF_USERS = frozenset({"input", "arguments", "args", "metadata", "labels"})
"""Fields that hold what an application or a model wrote, under names of its own."""
_IDS = frozenset({"id", "call_id", "tool_use_id", "tool_call_id", "type", "role", "model"})
"""What a message is told by."""
WIRE = SEALED | _IDS | {
    "content", "parts", "items", "text", "name", "function", "custom", "tool_calls",
    "function_call", "functionCall", "functionResponse", "function_response", "toolCall",
    "toolResponse", "inlineData", "inline_data", "fileData", "source", "cache_control", "ttl",
    "prompt_cache_breakpoint", "mode", "media_type", "mimeType", "mime_type", "format", "detail",
    "file", "file_id", "input_audio", "status", "phase", "is_error", "caller", "namespace",
    "toolset_name", "thinking", "thought", "reasoning_content", "refusal", "summary", "output",
    "language", "outcome", "server_label", "server_name", "mcp_server_name", "citations",
    "annotations", "tool_changes", "clear_at", "output_config", "effort", "execution",
}  # fmt: skip
"""Keys of a provider's messages and parts that say what a thing is, or hold more of them: no name
of a field that somebody redacts."""
_TOOL = frozenset({"type", "name", "description", "function", "custom", "cache_control", "strict"})
_SCHEMAS = frozenset(
    {"parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema", "schema",
     "response", "responseJsonSchema", "response_json_schema", "output_schema", "definition"}
)  # fmt: skip
_NAMES = frozenset({"name", "type", "format", "required", "property_ordering", "$ref"})
"""Fields of a declaration by which a model calls a tool: with other words, it could not."""
_CALLING = frozenset(
    {"function", "custom", "function_call", "functionCall", "function_response",
     "functionResponse", "toolCall", "toolResponse"}
)  # fmt: skip
"""Fields that hold a call or its result."""
_VALUES = ("default", "const", "example", "examples", "enum")
"""Keys of a schema that hold values of its field."""


class Cleaner(Protocol):
    """What takes out of texts what must not be seen; a `Redactor` is one."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields whose values go."""
        ...

    @property
    def operator(self) -> Operator:
        """What stands instead."""
        ...

    def text(self, text: str) -> str:
        """A text without it."""
        ...

    def without_fields(self) -> "Cleaner":
        """The same, for what names of fields say nothing about."""
        ...


class TextCleaner(msgspec.Struct, frozen=True, eq=False):
    """A cleaner that knows texts only: of a word that names no fields.

    Args:
        clean: a text without what must not be seen.
    """

    clean: Callable[[str], str]
    fields: tuple[str, ...] = ()
    operator: Operator = REPLACE

    def text(self, text: str) -> str:
        """A text without it."""
        return self.clean(text)

    def without_fields(self) -> "TextCleaner":
        """Itself."""
        return self


def redacted_data(
    cleaner: Cleaner, value: Any, path: Path = (), key: str = "", *, sealed: bool = True
) -> Any:
    """JSON data that nobody here knows: what fields of these names hold, whatever it is, keys,
    texts and numbers.

    Args:
        path: the plain keys above it.
        key: under which it stands.
        sealed: whether a provider may have put bytes of its own into it.
    """
    sealed = sealed and key not in _WORDS_OF_USERS
    if path and any(path[-len(end) :] == end for end in field_paths(cleaner.fields)):
        return _stand_in(cleaner, value)
    if isinstance(value, dict):
        fields = cast(dict[str, Any], value)
        files = redacted_files(cleaner, fields)
        return {
            cleaner.text(name): files[name]
            if name in files
            else redacted_data(cleaner, item, (*path, plain_key(name)), name, sealed=sealed)
            for name, item in fields.items()
        }
    if isinstance(value, list):
        items = cast(list[Any], value)
        return [redacted_data(cleaner, item, path, key, sealed=sealed) for item in items]
    if isinstance(value, str):
        return value if sealed and _is_sealed(key, value) else cleaner.text(value)
    return _number(cleaner, value)


def _is_sealed(key: str, value: str) -> bool:
    return key in SEALED and _BYTES.match(value) is not None


def redacted_wire(cleaner: Cleaner, value: Any, key: str = "", known: Container[str] = WIRE) -> Any:
    """A provider's message, part or item: as `redacted_data` says where a key is not `known`. The
    name of what is called is another one, as in `PartRedaction`: a provider takes no sign in it."""
    if isinstance(value, str):
        return value if _is_sealed(key, value) or key in _IDS else cleaner.text(value)
    if isinstance(value, list):
        return [redacted_wire(cleaner, item, key, known) for item in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    fields = cast(dict[str, Any], value)
    files, made = redacted_files(cleaner, fields), dict[str, Any]()
    for name, item in fields.items():
        if name in files:
            made[name] = files[name]
        elif name == "name" and isinstance(item, str) and _is_called(fields, key):
            made[name] = redacted_id(cleaner, item)
        elif name in known:
            made[name] = redacted_wire(cleaner, item, name, known)
        else:
            made[cleaner.text(name)] = redacted_data(cleaner, item, (plain_key(name),), name)
    return made


def _is_called(fields: dict[str, Any], key: str) -> bool:
    """Whether something is a call, or its result, so that its name is that of a tool."""
    if key in _CALLING or fields.get("role") in ("function", "tool"):
        return True
    return str(fields.get("type", "")).endswith(("_call", "_use", "_output", "_result"))


class _Every(Container[str]):
    def __contains__(self, key: object) -> bool:
        return True


_EVERY = _Every()


def redacted_parameter(cleaner: Cleaner, value: Any, key: str, *, known: bool) -> Any:
    """A parameter of a request; of those that are `known`, names of fields say nothing."""
    if key in _WORDS_OF_USERS:
        return redacted_data(cleaner.without_fields() if known else cleaner, value, (), key)
    if known:
        return redacted_wire(cleaner, value, key, _EVERY)
    return redacted_data(cleaner, value, (plain_key(key),), key)


def redacted_tool(cleaner: Cleaner, value: Any) -> Any:
    """A tool as it came: of its schemas only texts, and the values that a field is said to have.

    Raises:
        SpecError: its name is redacted.
    """
    if isinstance(value, list):
        return [redacted_tool(cleaner, item) for item in cast(list[Any], value)]
    if not isinstance(value, dict):
        return redacted_wire(cleaner, value)
    made: dict[str, Any] = {}
    for name, item in cast(dict[str, Any], value).items():
        if name == "name" and isinstance(item, str):
            expect_callable(cleaner, item)
        if name in _SCHEMAS:
            made[name] = redacted_schema(cleaner, item)
        elif name in _TOOL or name in ("functionDeclarations", "function_declarations", "tools"):
            made[name] = redacted_tool(cleaner, item)
        else:
            made[cleaner.text(name)] = redacted_data(cleaner, item, (plain_key(name),), name)
    return made


def redacted_declaration(cleaner: Cleaner, tool: dict[str, Any]) -> dict[str, Any]:
    """A tool that a framework calls by its names, which stay: as `redacted_tool` otherwise.

    Raises:
        SpecError: its own name is redacted.
    """
    made = dict[str, Any]()
    expect_callable(cleaner, str(tool.get("name") or ""))
    for key, item in tool.items():
        if key in _SCHEMAS:
            schema = _with_names(cleaner.without_fields(), item)
            made[key] = _without_values(cleaner, schema, ())
        else:
            made[key] = item if key in _NAMES else _with_names(cleaner, item)
    return made


def _with_names(cleaner: Cleaner, value: Any) -> Any:
    """JSON data with its texts cleaned, but for names."""
    if isinstance(value, str):
        return cleaner.text(value)
    if isinstance(value, list):
        return [_with_names(cleaner, item) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return {
            key: item
            if key in _NAMES and not isinstance(item, dict)
            else _with_names(cleaner, item)
            for key, item in cast(dict[str, Any], value).items()
        }
    return value


def redacted_schema(cleaner: Cleaner, schema: Any) -> Any:
    """A schema without what is hit in its texts, and without the values of the fields redacted."""
    from contextwright.redaction.redactor import with_strings  # its patterns take a while

    return _without_values(cleaner, with_strings(schema, cleaner.without_fields().text), ())


def _without_values(cleaner: Cleaner, schema: Any, path: Path) -> Any:
    if isinstance(schema, list):
        return [_without_values(cleaner, item, path) for item in cast(list[Any], schema)]
    if not isinstance(schema, dict):
        return schema
    named = path and any(path[-len(end) :] == end for end in field_paths(cleaner.fields))
    made: dict[str, Any] = {}
    for key, item in cast(dict[str, Any], schema).items():
        if named and key in _VALUES:
            values = cast(list[Any], item) if isinstance(item, list) else None
            instead = [_stand_in(cleaner, one) for one in values or ()]
            made[key] = instead if values is not None else _stand_in(cleaner, item)
        elif key in ("default", "example", "examples"):
            made[key] = redacted_data(cleaner, item, path)
        elif key == "properties" and isinstance(item, dict):
            made[key] = {
                name: _without_values(cleaner, inner, (*path, plain_key(name)))
                for name, inner in cast(dict[str, Any], item).items()
            }
        else:
            made[key] = _without_values(cleaner, item, path)
    return made


def _stand_in(cleaner: Cleaner, value: Any) -> Any:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return value if cleaner.operator.is_stand_in(text) else cleaner.operator.stand_in(text)


def _number(cleaner: Cleaner, value: Any) -> Any:
    """A number that is what a pattern looks for, such as a card's, is a text instead."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return value
    text = str(value)
    new = cleaner.text(text)
    return value if new == text else new
