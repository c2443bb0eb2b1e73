"""A framework's model of the same type, with our methods in it."""

import copy
from collections.abc import Callable
from typing import Any, TypeVar

from contextwright.adapters.port import ContextPort
from contextwright.errors import SpecError

ModelT = TypeVar("ModelT")
_PORT = "_contextwright_port"


def model_copy_with(model: ModelT, port: ContextPort, *methods: Callable[..., Any]) -> ModelT:
    """A copy of a model, of a type derived from its own in which some methods are others; the
    given one stays as it is, and copies of the copy have them as well.

    Args:
        model: of a framework.
        port: that the methods stand on.
        methods: by their names; each is called with the model.

    Raises:
        SpecError: it is no model of the framework's.
    """
    expect_model(model, methods[0].__name__)
    kind: Any = type(model)
    named = {method.__name__: method for method in methods}
    derived = type(kind.__name__, (kind,), {**named, "__module__": kind.__module__})
    setattr(derived, _PORT, lambda: port)  # a plain value would be a field to some
    new = copy.copy(model)
    object.__setattr__(new, "__class__", derived)
    return new


def expect_model(model: object, method: str) -> None:
    """Refuse what is no model of a framework's: its name, its class, another framework's model.

    Args:
        method: that each model of the framework has.

    Raises:
        SpecError: it has no such method.
    """
    if callable(getattr(type(model), method, None)):
        return
    named = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
    got = repr(model) if isinstance(model, str) else named
    raise SpecError(
        f"expected a model of the framework's own, got {got}, which has no `{method}(...)`",
        where="model",
        fix="give the object that its agents take as their model, not a name or a class",
    )


def port_of(model: Any) -> ContextPort:
    """The port of a model that `model_copy_with` made.

    Raises:
        SpecError: it is another's.
    """
    port = getattr(type(model), _PORT, None)
    if port is None:
        raise SpecError(
            f"a {type(model).__name__} of the framework's own has no context",
            where="read_back_tools(model)",
            fix="give the model that this adapter made",
        )
    return port()


def first_model(model: Any) -> Any:
    """The model that is asked first, of one that falls back on others or stands around another:
    such a one has a name by which nobody knows a window. What is too long for another comes back
    as a refusal."""
    while True:
        models = getattr(model, "models", None)
        known = models if isinstance(models, list) else [getattr(model, "wrapped", None)]
        if not known or known[0] is None:
            return model
        model = known[0]
