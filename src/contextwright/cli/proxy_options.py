"""Options of the commands that run a proxy."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from contextwright.cli.finite_range import FiniteRange
from contextwright.cli.options import TOKENS, load_spec
from contextwright.errors import MissingExtra


def proxy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What requests hold, and where conversations are kept: loaded as `options`, the keyword
    arguments of `ProxySettings`."""

    @wraps(command)
    def loaded(
        spec: str | None,
        model: str | None,
        window: int | None,
        data: str | None,
        read_back: bool,
        never_dearer: bool,
        deadline: float,
        **rest: Any,
    ) -> Any:
        options = {
            "spec": load_spec(spec) if spec is not None else None,
            "model": model,
            "window": window,
            "data": data,
            "read_back": read_back,
            "never_dearer": never_dearer,
            "deadline_s": deadline,
        }
        return command(options=options, **rest)

    for option in reversed(_OPTIONS):
        loaded = option(loaded)
    return loaded


_OPTIONS = (
    click.option(
        "--spec",
        help="What requests hold: an expression, a JSON file, or FILE.py:NAME; by default "
        "everything while it fits, then a compaction.",
    ),
    click.option("--model", help="Compile for this model; by default the one a request names."),
    click.option("--window", type=TOKENS, help="Tokens of the window of a model not known."),
    click.option(
        "--data",
        metavar="FOLDER|URL",
        help="Where the ledger and conversations are kept: a folder, or postgresql://... for "
        "several proxies; without, in memory.",
    ),
    click.option(
        "--read-back",
        is_flag=True,
        help="Add the tools with which a model reads what was left out, and answer them.",
    ),
    click.option(
        "--never-dearer",
        is_flag=True,
        help="Take a step of the spec only once it leaves a conversation no dearer than sending "
        "everything; until then a request may have more than the spec's limit.",
    ),
    click.option(
        "--deadline",
        type=FiniteRange(min=0, min_open=True),
        default=20.0,
        show_default=True,
        help="Seconds after which a request goes out as it came.",
    ),
)


def load_server() -> Any:
    """The module that runs a proxy.

    Raises:
        MissingExtra: what it stands on is not installed.
    """
    try:
        from contextwright.serve import proxy_server
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in ("starlette", "uvicorn", "aiohttp", "multidict", "yarl"):
            raise
        raise MissingExtra(package, "serve") from error
    return proxy_server
