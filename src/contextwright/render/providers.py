"""The provider formats: those of this package, those registered, those of installed packages.

A package adds one with an entry point in its `pyproject.toml`:

    [project.entry-points."contextwright.providers"]
    bedrock = "my_package.bedrock:PROVIDER"
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import msgspec

from contextwright.errors import ModelError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from contextwright.render.renderer import Renderer

GROUP = "contextwright.providers"
"""The group of entry points in which packages of others are looked for."""
BUILT_IN = ("openai-chat", "openai-responses", "anthropic", "gemini", "text")
"""Each is `PROVIDER` in a module of this package, imported when it is first needed: importing
all renderers would cost every program that uses one."""
DEFAULTS = {"openai": "openai-chat", "anthropic": "anthropic", "google": "gemini"}
"""The format for the models of a maker, by the maker's name in the table of models."""


class Provider(msgspec.Struct, frozen=True):
    """A provider format: how requests for it are made, and what it can be sent.

    Args:
        name: what a target names it by.
        renderer: makes, measures and checks its requests; holds its rules and overheads.
        takes_messages: whether a conversation is sent as messages with tools; without, it is
            one text, which holds only what the spec selects.
        sample_model: a model of it, for tests.
    """

    name: str
    renderer: "Renderer"
    takes_messages: bool = True
    sample_model: str = "gpt-5"


_known: dict[str, Provider] = {}


def register(provider: Provider) -> Provider:
    """Make a format known to this process; registering it again changes nothing.

    Raises:
        ModelError: not a Provider, or another one has this name.
    """
    if not isinstance(provider, Provider):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ModelError(
            f"expected a Provider, got {type(provider).__name__}",
            where="register",
            fix='such as Provider("bedrock", BedrockRenderer())',
        )
    taken = _built_in(provider.name) if provider.name in BUILT_IN else _known.get(provider.name)
    if taken is not None and taken is not provider:
        raise ModelError(
            f"there is a provider format {provider.name!r} already",
            where="register",
            fix="give the new one another name",
        )
    _known[provider.name] = provider
    return provider


def provider_named(name: str) -> Provider:
    """The provider of a format; looked for in installed packages where it is not known.

    Raises:
        ModelError: unknown, with the known names; or its package cannot be loaded.
    """
    if isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        known = _known.get(name)
        if known is None and name in BUILT_IN:
            known = _known[name] = _built_in(name)
        known = known or _from_package(name)
        if known is not None:
            return known
    raise _unknown(name)


def provider_names() -> tuple[str, ...]:
    """The names of all formats: this package's, the registered, those of installed packages."""
    return tuple(dict.fromkeys((*BUILT_IN, *_known, *(point.name for point in _entry_points()))))


def _built_in(name: str) -> Provider:
    return import_module(f"contextwright.render.{name.replace('-', '_')}").PROVIDER


def _entry_points() -> "list[EntryPoint]":
    from importlib.metadata import entry_points

    return sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))


def _from_package(name: str) -> Provider | None:
    points = {point.value: point for point in _entry_points() if point.name == name}
    if len(points) > 1:
        raise ModelError(
            f"the provider format {name!r} is in {len(points)} packages",
            where=" and ".join(map(_origin, points.values())),
            fix="uninstall all but one",
        )
    for point in points.values():
        return register(_loaded(point))
    return None


def _loaded(point: "EntryPoint") -> Provider:
    try:
        value: Any = point.load()
        problem = f"expected a Provider, got {type(value).__name__}"
        if isinstance(value, Provider):
            problem = f"expected a Provider called {point.name!r}, got {value.name!r}"
            if value.name == point.name:
                return value
    except Exception as error:  # noqa: BLE001 -- a package's import may raise anything
        problem = f"{type(error).__name__}: {error}"
    raise ModelError(
        f"the provider format {point.name!r} cannot be loaded: {problem}",
        where=_origin(point),
        fix="mend or uninstall this package",
    )


def _origin(point: "EntryPoint") -> str:
    package = point.dist.name if point.dist is not None else "unknown"
    return f"distribution {package}, entry point {point.value} of {GROUP}"


def _unknown(name: object) -> ModelError:
    from difflib import get_close_matches

    names = provider_names()
    close = get_close_matches(str(name), names, n=1)
    near = f"did you mean {close[0]!r}? " if close else ""
    return ModelError(
        f"expected the name of a provider format, got {name!r}",
        where="format",
        fix=f"{near}one of {', '.join(names)}; others by contextwright.render.providers.register",
    )
