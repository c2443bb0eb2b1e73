"""The function of a word: `C.window(n=5)` out of the struct `Window`.

An atom's fields are the word's options, its docstring is the word's help. Nothing about a word is
written down twice, so that a new word is one new file.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import UnionType
from typing import Any, ClassVar, Literal, Protocol, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec.structs import FieldInfo

from contextwright.errors import SpecError, nearest
from contextwright.spec.option_limits import limit_fault
from contextwright.spec.schema import schema_text
from contextwright.spec.wrong_value import wrong_value
from contextwright.typed_decoding import converted
from contextwright.uncalled_word import UncalledWord

SHOWN = 200
"""Characters of a call that an error shows."""


class Word(Protocol):
    """What a struct tells of its word."""

    namespace: ClassVar[str]
    word: ClassVar[str]
    variadic: ClassVar[str]
    positional: ClassVar[int]
    __struct_fields__: ClassVar[tuple[str, ...]]


W = TypeVar("W", bound=Word)


@cache
def word_function(struct: type[Any]) -> Callable[..., Any]:
    """The function that makes a struct out of a call: positional arguments, options, checks.

    Args:
        struct: an `Atom` or a `StateStep`.

    Returns:
        A function with the signature of the word and the struct's docstring. It raises
        `SpecError` for an unknown, missing or doubled option and for a value of another type.
    """

    def make_word(*arguments: Any, **options: Any) -> Any:
        return make(struct, **_options(struct, arguments, options))

    make_word.__name__ = struct.word
    make_word.__qualname__ = f"{struct.namespace}.{struct.word}"
    make_word.__module__ = struct.__module__
    make_word.__doc__ = struct.__doc__
    return UncalledWord(make_word, signature(struct))


def check_call(
    name: str, function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    """Refuse a call that a function of other words, such as `C.when`, does not take.

    Raises:
        SpecError: too many arguments, one that is missing, unknown or doubled.
    """
    takes = inspect.signature(function)
    try:
        takes.bind(*arguments, **options)
    except TypeError as error:
        where, fix = _written(name, arguments, options), _written_shape(name, takes)
        raise SpecError(f"{name}: {error}", where=where, fix=fix) from None


def make(struct: type[W], **options: Any) -> W:
    """A struct with its options checked against their types.

    Raises:
        SpecError: an option of another type, or out of range.
    """
    plain: dict[str, Any] = {}
    for name, value in options.items():
        _refuse_beyond_limits(struct, name, value, options)
        plain[name] = _plain(struct, name, value)
        if plain[name] is not value:  # a schema as text, what an iterator gave
            _refuse_beyond_limits(struct, name, plain[name], options)
    try:
        return converted(plain, struct)
    except msgspec.ValidationError as error:
        place = re.search(r"at `\$\.(\w+)", str(error))
        field = _fields(struct).get(place[1]) if place else None
        what, fix = str(error), _shape(struct)
        if field is not None:
            what, fix = wrong_value(field, plain.get(field.name))
        raise SpecError(
            f"{struct.namespace}.{struct.word}: {what}", where=_call(struct, (), options), fix=fix
        ) from error


def _refuse_beyond_limits(
    struct: type[Any], name: str, value: Any, options: dict[str, Any]
) -> None:
    fault = limit_fault(name, value)
    if fault is not None:
        what, fix = fault
        raise SpecError(
            f"{struct.namespace}.{struct.word}: {what}", where=_call(struct, (), options), fix=fix
        )


def signature(struct: type[Any]) -> inspect.Signature:
    """The signature of a word: its first `positional` options, the variadic one, the others."""
    fields = _fields(struct)
    leading = _leading(struct)
    parameters = [
        _parameter(fields[name], inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in leading
    ]
    if struct.variadic:
        item = get_args(fields[struct.variadic].type)[0]
        parameters.append(
            inspect.Parameter(struct.variadic, inspect.Parameter.VAR_POSITIONAL, annotation=item)
        )
    parameters += [
        _parameter(field, inspect.Parameter.KEYWORD_ONLY)
        for name, field in fields.items()
        if name not in leading and name != struct.variadic
    ]
    return inspect.Signature(parameters, return_annotation=struct)


def _parameter(field: FieldInfo, kind: Any) -> inspect.Parameter:
    default = inspect.Parameter.empty if field.required else field.default
    return inspect.Parameter(
        field.name, kind, default=default, annotation=accepted(field.name, field.type)
    )


def accepted(name: str, declared: Any) -> Any:
    """The type that a word takes for a field: of a tuple one item or several, of a schema
    whatever `schema_text` reads."""
    if name == "schema":
        return Any
    if get_origin(declared) is tuple:
        item = get_args(declared)[0]
        return Union[item, Iterable[item]]
    if get_origin(declared) in {Union, UnionType} and set(get_args(declared)) == {int, float}:
        return float
    return declared


@cache
def _fields(struct: type[Any]) -> dict[str, FieldInfo]:
    return {field.name: field for field in msgspec.structs.fields(struct)}


def _leading(struct: type[Any]) -> tuple[str, ...]:
    """The options that may be given by position, in front of the variadic one."""
    names: list[str] = [name for name in struct.__struct_fields__ if name != struct.variadic]
    return tuple(names[: struct.positional])


def _options(
    struct: type[Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> dict[str, Any]:
    """The options that a call gives, by name."""
    leading = _leading(struct)
    bound: dict[str, Any] = dict(zip(leading, arguments, strict=False))
    rest = arguments[len(leading) :]
    if struct.variadic:
        bound[struct.variadic] = rest
    elif rest:
        most = ", ".join(leading) or "none"
        raise _misuse(
            struct,
            arguments,
            options,
            f"expected at most {len(leading)} by position ({most}), got {len(arguments)}",
            f"name the others: {_shape(struct)}",
        )
    for name in options:
        if name not in struct.__struct_fields__:
            raise _misuse(
                struct,
                arguments,
                options,
                f"unexpected option {name!r}; expected {_names(struct)}",
                _place_of(name, struct),
            )
        if name in bound and (name != struct.variadic or rest):
            raise _misuse(struct, arguments, options, f"{name} is given twice", _shape(struct))
    bound.update(options)
    for name, field in _fields(struct).items():
        if field.required and name not in bound:
            what = f"missing option {name!r}"
            raise _misuse(struct, arguments, options, what, _shape(struct))
    return bound


def _place_of(name: str, struct: type[Any]) -> str:
    """Where an option belongs that this word does not have."""
    if name in {"vault", "detector"}:  # objects of the application; a spec is data
        return f"compile(..., {name}=...) or Engine(..., {name}=...) takes it"
    fields = struct.__struct_fields__
    return nearest(name, fields) if fields else _shape(struct)


def _plain(struct: type[Any], name: str, value: Any) -> Any:
    """A value as its field holds it: one name as a tuple of it, a schema as its text."""
    field = _fields(struct).get(name)
    if field is None:
        return value
    if name == "schema":
        return schema_text(value)
    if get_origin(field.type) is not tuple:
        return value
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)):
        return tuple(value)
    item = get_args(field.type)[0]
    names = "name" if item is str or get_origin(item) is Literal else item.__name__
    raise SpecError(
        f"{struct.namespace}.{struct.word}: expected a {names} or a list of them as {name}, "
        f"got {type(value).__name__}",
        where=_call(struct, (), {name: value}),
        fix=f'such as {name}="email" or {name}=["email", "phone"]',
    )


def _misuse(
    struct: type[Any], arguments: tuple[Any, ...], options: dict[str, Any], what: str, fix: str
) -> SpecError:
    return SpecError(
        f"{struct.namespace}.{struct.word}: {what}",
        where=_call(struct, arguments, options),
        fix=fix,
    )


def _names(struct: type[Any]) -> str:
    return ", ".join(struct.__struct_fields__) or "none"


def _shape(struct: type[Any]) -> str:
    return _written_shape(f"{struct.namespace}.{struct.word}", signature(struct))


def _written_shape(name: str, takes: inspect.Signature) -> str:
    """`C.budget(max_tokens, *, overflow)`: the options without their types."""
    bare = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in takes.parameters.values()
    ]
    return f"{name}{inspect.Signature(bare)}"


def _call(struct: type[Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> str:
    return _written(f"{struct.namespace}.{struct.word}", arguments, options)


def _written(name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> str:
    texts = [shown(value) for value in arguments]
    texts += [f"{option}={shown(value)}" for option, value in options.items()]
    return f"{name}({', '.join(texts)})"[:SHOWN]


def shown(value: object) -> str:
    """A value in an error, in as many characters as a call is shown in."""
    try:
        return repr(value)[:SHOWN]
    except Exception:  # noqa: BLE001 -- an object's own repr, a number of too many digits
        return "..."
