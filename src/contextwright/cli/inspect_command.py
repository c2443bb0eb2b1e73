"""`ctx inspect`: a page on what every model call of a session was sent, and what it cost."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from contextwright.cli.options import (
    TOKENS,
    from_option,
    load_session,
    load_spec,
    load_target,
    refuse_idle,
    target_options,
)
from contextwright.cli.output_file import (
    OutputFile,
    WritingCommand,
    refuse_unwritable,
)
from contextwright.cli.page_file import MB, texts_option, write_page
from contextwright.cli.progress import ProgressBars, no_line
from contextwright.inspect.live_session import LiveSession
from contextwright.inspect.live_sources import FileSource, LiveSource, StillSource
from contextwright.inspect.proxy_source import ProxySource, is_address
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.whole_file import refuse_input

SPEC = "C.default() | C.compaction(32000)"
"""The spec where none is given: what a long session needs first."""


def _live_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a page that is open while its session goes on."""
    for option in (
        click.option("--serve", is_flag=True, help="Open it live, and follow the file or proxy."),
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=0,
            help="With --serve; by default a free one.",
        ),
        click.option("--session", "chosen", default="", help="Which conversation of a proxy."),
        click.option("--key", envvar="CONTEXTWRIGHT_KEY", default="", help="The proxy's own key."),
        click.option(
            "--credential",
            metavar="NAME",
            help="The environment variable with the key that the agent sends to a proxy.",
        ),
    )[::-1]:
        command = option(command)
    return command


@click.command("inspect", cls=WritingCommand)
@click.argument("session", type=click.Path())
@from_option()
@click.option("--row", type=int, help="Which session of a file with one a line, from 0.")
@click.option("--spec", "specs", multiple=True, help=f"May be repeated; by default {SPEC}.")
@target_options
@click.option("--out", "-o", type=OutputFile(), help="The page's file.")
@click.option("--point", "points", type=TOKENS, multiple=True, help="A budget to compile as well.")
@texts_option()
@click.option("--title", help="The session's name on the page; by default its file's.")
@_live_options
def inspect(
    session: str,
    source: str | None,
    row: int | None,
    specs: tuple[str, ...],
    model: str | None,
    budget: int | None,
    format: Any,
    window: int | None,
    out: Path | None,
    points: tuple[int, ...],
    texts: int,
    title: str | None,
    serve: bool,
    port: int,
    **proxy: Any,
) -> None:
    """Write a page on SESSION: every request, what was taken out, why, and its price.

    One file that opens in any browser and loads nothing: the request of every call under each
    SPEC, message by message, the fate of every block, the cache, and where a word went. SESSION is
    a file, or the address of a running `ctx serve`.
    """
    _refuse_idle(serve=serve, follows_proxy=is_address(session))
    followed = _source(session, source, row, **proxy)
    loaded = followed.session()
    read = [(text, load_spec(text, budget)) for text in specs] or [_usual(budget)]
    receiver = load_target(model, format, window, loaded)
    name = title or (loaded.id if is_address(session) else Path(session).name)
    if serve:
        _serve(LiveSession(followed, read, receiver, name, texts * MB), port)
        return
    path = out or Path("inspect.html")
    refuse_unwritable(path)
    refuse_input(path, (session, *specs))  # the usual name as well
    data = _data(loaded, read, receiver, name, points)
    size, calls = write_page(data, texts, path), len(data["calls"]["position"])
    from contextwright.cli.tables import count_of

    sums = f"{count_of(calls, 'call')}, {count_of(len(read), 'spec')}"
    click.echo(f"{path}: {sums}, {size:,} bytes")
    for line in _error_lines(data["series"]):
        click.echo(line, err=True)


def _refuse_idle(*, serve: bool, follows_proxy: bool) -> None:
    """Refuse an option that was typed and would do nothing.

    Raises:
        UsageError: names it.
    """
    written = (not serve, "of a page that is written, --serve of none")
    served = (serve, "of a page that is served: add --serve")
    of_proxy = (follows_proxy, "of a proxy: SESSION is then its address")
    of_file = (not follows_proxy, "of a file, and a proxy is none")
    uses = {"out": written, "points": written, "port": served, "chosen": of_proxy,
            "key": of_proxy, "credential": of_proxy, "source": of_file, "row": of_file}  # fmt: skip
    refuse_idle(uses)


def _error_lines(series: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each spec by which some calls have no request, with the first error."""
    for one in series:
        if one["errors"]:
            at, what, _, fix = one["errors"][0]
            count = len(one["errors"])
            yield f"{one['spec']}: {count:,} without a request, the first at call {at + 1}: {what}"
            yield f"  fix: {fix}"


def _usual(budget: int | None) -> tuple[str, Expr]:
    """The spec where none is given, with `--budget` in place of its own limit."""
    text = SPEC if budget is None else f"C.default() | C.compaction({budget})"
    return text, load_spec(text)


def _source(
    session: str, format: str | None, row: int | None, chosen: str, key: str, credential: str | None
) -> LiveSource:
    """Where the session is read: a file, the standard input, or a proxy.

    Raises:
        SessionError: it can not be read. UsageError: there is no such environment variable.
    """
    if is_address(session):
        if credential is not None and credential not in os.environ:
            raise click.UsageError(f"no environment variable {credential!r} (--credential)")
        return ProxySource(session, chosen, key, os.environ.get(credential or "", ""))
    path = Path(session)
    if session == "-":
        return StillSource(load_session(path, format, row))
    return FileSource(path, lambda: load_session(path, format, row))


def _data(
    session: Session,
    specs: list[tuple[str, Expr]],
    receiver: Target,
    title: str,
    points: tuple[int, ...],
) -> dict[str, Any]:
    from contextwright.inspect.budget_points import budget_point
    from contextwright.inspect.page_data import page_data

    with ProgressBars() as bars:
        data = page_data(
            session,
            specs,
            receiver,
            title,
            lambda done, total: bars.show("compiling", done, total),
        )
        data["points"] = []
        for at, tokens in enumerate(points):
            bars.show("budgets", at, len(points))
            data["points"].append(budget_point(session, specs[0][1], receiver, tokens))
    return data


def _serve(live: LiveSession, port: int) -> None:
    from contextwright.inspect.live_server import LiveServer

    with ProgressBars() as bars:
        live.data(lambda done, total: bars.show("compiling", done, total))
    with LiveServer(live, port) as server:
        click.echo(f"{server.address}\nCtrl-C ends it; who has the address can read the session")
        with no_line():
            server.serve_forever()
