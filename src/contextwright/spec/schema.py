"""The shape of a structured answer: shorthand, JSON Schema, or a class, as JSON Schema text.

A spec is a value that compares, hashes and travels as JSON, so an atom holds the schema's
canonical text.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from contextwright.errors import SpecError
from contextwright.spec.task import canonical

_SCALARS = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "dict": {"type": "object"},
    "list": {"type": "array"},
    "any": {},
}
_LIST = re.compile(r"list\[(.+)\]")
_DICT = re.compile(r"dict\[\s*str\s*,(.+)\]")
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, int | float) and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "object": lambda v: isinstance(v, Mapping),
    "array": lambda v: isinstance(v, list),
    "null": lambda v: v is None,
}


def schema_text(source: Any) -> str:
    """The JSON Schema of a schema source, as canonical text; empty for None.

    Args:
        source: `{"name": "list[str]"}` with the types `str`, `int`, `float`, `bool`, `list[...]`,
            `dict[str, ...]`, `any`, each with a `?` behind if it may be missing, nested as
            needed; a JSON Schema of an object, as a dict or as text; a dataclass, a msgspec
            Struct, a TypedDict or a pydantic model.

    Raises:
        SpecError: none of these, or a type that is not known.
    """
    if source is None or source == "":
        return ""
    if isinstance(source, str):
        source = _read(source)
    if isinstance(source, Mapping):
        plain: Mapping[str, Any] = source
        return canonical(plain if _is_json_schema(plain) else _object(plain, "schema"))
    if hasattr(source, "model_json_schema"):
        return canonical(source.model_json_schema())
    try:
        return canonical(_inlined(msgspec.json.schema(source)))
    except TypeError as error:
        raise SpecError(
            f"{source!r} is no schema",
            where="schema=",
            fix='give {"name": "list[str]"}, a JSON Schema, a dataclass, a msgspec Struct or a '
            "pydantic model",
        ) from error


def check_schema(text: str, where: str) -> None:
    """Refuse what is no JSON Schema as text: a spec that came as JSON may hold anything.

    Raises:
        SpecError: it is none.
    """
    try:
        schema = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        schema = None
    if not isinstance(schema, dict):
        raise SpecError(
            f"a schema that is no JSON object: {text[:60]!r}",
            where=where,
            fix='give a JSON Schema as text, such as {"type":"object","properties":{}}',
        )


def shorthand(text: str) -> Any:
    """The shortest code that gives this schema back: shorthand, or the schema as a dict."""
    schema = msgspec.json.decode(text)
    short = _short(schema)
    if isinstance(short, dict) and schema_text(short) == text:
        return short
    return schema


def problems(value: Any, schema: Mapping[str, Any], where: str = "$") -> list[str]:
    """How a value breaks a schema, each with its place; empty where it does not.

    Knows `type`, `properties`, `required`, `additionalProperties`, `items`, `enum`, `const`,
    `anyOf`, `oneOf` and local `$ref`s; other keywords do not limit.
    """
    return _problems(value, schema, where, schema.get("$defs", {}))


def _problems(
    value: Any, schema: Mapping[str, Any] | bool, where: str, defs: Mapping[str, Any]
) -> list[str]:
    if isinstance(schema, bool):
        return [] if schema else [f"{where} was not asked for"]
    schema = _followed(schema, defs)
    if "const" in schema and value != schema["const"]:
        return [f"{where} is not {schema['const']!r}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where} is none of {schema['enum']!r}"]
    options = schema.get("anyOf") or schema.get("oneOf")
    if options and all(_problems(value, option, where, defs) for option in options):
        return [f"{where} is none of the allowed types"]
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(_CHECKS.get(kind, _never)(value) for kind in kinds):
        return [f"{where} is {_kind_of(value)}, {' or '.join(kinds)} was asked"]
    if isinstance(value, Mapping):
        return _object_problems(value, schema, where, defs)
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return [
            problem
            for place, item in enumerate(value)
            for problem in _problems(item, schema["items"], f"{where}[{place}]", defs)
        ]
    return []


def _object_problems(
    value: Mapping[str, Any], schema: Mapping[str, Any], where: str, defs: Mapping[str, Any]
) -> list[str]:
    properties = schema.get("properties", {})
    problems = [
        f"{where}.{name} is missing" for name in schema.get("required", ()) if name not in value
    ]
    extra = schema.get("additionalProperties")
    for name, item in value.items():
        if name in properties:
            problems += _problems(item, properties[name], f"{where}.{name}", defs)
        elif extra is False:
            problems.append(f"{where}.{name} was not asked for")
        elif isinstance(extra, Mapping):
            problems += _problems(item, extra, f"{where}.{name}", defs)
    return problems


def _followed(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Mapping[str, Any]:
    for _ in range(20):
        ref = schema.get("$ref")
        if not isinstance(ref, str):
            return schema
        schema = defs.get(ref.rpartition("/")[2], {})
    return {}


def _never(value: Any) -> bool:
    return False


def _kind_of(value: Any) -> str:
    return next((kind for kind, check in _CHECKS.items() if check(value)), type(value).__name__)


def _read(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise SpecError(
            f"the schema is no JSON: {error}",
            where=f"schema={text[:80]!r}",
            fix='give {"name": "list[str]"} or a JSON Schema',
        ) from error


def _is_json_schema(mapping: Mapping[str, Any]) -> bool:
    return (
        isinstance(mapping.get("properties"), Mapping)
        or mapping.get("type") == "object"
        or "$ref" in mapping
        or "$schema" in mapping
    )


def _object(fields: Mapping[str, Any], where: str) -> dict[str, Any]:
    if not fields:
        raise SpecError("the schema is empty", where=where, fix='name fields: {"name": "str"}')
    properties: dict[str, Any] = {}
    required: list[str] = []
    for name, kind in fields.items():
        optional = isinstance(kind, str) and kind.rstrip().endswith("?")
        properties[name] = _type(kind.rstrip()[:-1] if optional else kind, f"{where}.{name}")
        if not optional:
            required.append(name)
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(required),
        "additionalProperties": False,
    }


def _type(kind: Any, where: str) -> dict[str, Any]:
    if isinstance(kind, type):
        kind = kind.__name__
    if isinstance(kind, Mapping):
        nested: Mapping[str, Any] = kind
        return dict(nested) if isinstance(nested.get("type"), str) else _object(nested, where)
    if isinstance(kind, list) and len(kind) == 1:  # pyright: ignore[reportUnknownArgumentType]
        return {"type": "array", "items": _type(kind[0], where)}
    if isinstance(kind, str):
        plain = kind.strip()
        if plain in _SCALARS:
            return dict(_SCALARS[plain])
        if inner := _LIST.fullmatch(plain):
            return {"type": "array", "items": _type(inner[1], where)}
        if inner := _DICT.fullmatch(plain):
            return {"type": "object", "additionalProperties": _type(inner[1], where)}
    raise SpecError(
        f"{kind!r} is no type that a schema knows",
        where=where,
        fix="use str, int, float, bool, list[...], dict[str, ...], any, with a ? if optional",
    )


def _short(schema: Mapping[str, Any]) -> Any:
    """The shorthand of a schema; None where there is none."""
    for name, plain in _SCALARS.items():
        if schema == plain:
            return name
    if schema.get("type") == "array" and isinstance(schema.get("items"), Mapping):
        inner = _short(schema["items"])
        return f"list[{inner}]" if isinstance(inner, str) else [inner] if inner else None
    extra = schema.get("additionalProperties")
    if isinstance(extra, Mapping):
        inner = _short(extra)
        return f"dict[str, {inner}]" if isinstance(inner, str) else None
    if not isinstance(schema.get("properties"), Mapping):
        return None
    out: dict[str, Any] = {}
    for name, inner in schema["properties"].items():
        short = _short(inner)
        if short is None:
            return None
        optional = name not in schema.get("required", ())
        out[name] = f"{short}?" if optional and isinstance(short, str) else short
    return out


def _inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """With the definition that the root refers to in its place, where nothing else does."""
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    defs = schema.get("$defs", {})
    if name not in defs:
        return schema
    rest = {key: value for key, value in defs.items() if key != name}
    return {**defs[name], "$defs": rest} if rest else defs[name]
