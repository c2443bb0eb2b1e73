"""`ctx try`: an export of traces, beside what a spec would have sent."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contextwright.cli.options import TOKENS, load_spec, load_target, top_option
from contextwright.cli.output_file import OutputFile, WritingCommand, is_folder, write_file
from contextwright.cli.page_file import texts_option, write_page
from contextwright.cli.progress import ProgressBars
from contextwright.cli.usual_models import MODEL, USUAL_MODELS, maker_of
from contextwright.engine.own_receiver import own_receiver
from contextwright.errors import SessionError
from contextwright.render.target import Target
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.stores.folder import folder_at
from contextwright.words import C

if TYPE_CHECKING:
    from contextwright.traces.comparison import SessionComparison
    from contextwright.traces.recorded_call import UnreadCall


@click.command("try", cls=WritingCommand)
@click.argument("traces", type=click.Path(path_type=Path))
@click.option("--budget", type=TOKENS, help="Tokens of a request at most: 8000, 8k.")
@click.option("--spec", help="What should be seen; by default C.compaction(BUDGET).")
@click.option("--model", help=f"Whose tokens and prices; by default a session's own, or {MODEL}.")
@click.option("--find", help="A text to follow: which requests showed it.")
@click.option("--session", "chosen", help="Only the session of this id.")
@click.option(
    "--out",
    "-o",
    type=OutputFile(or_folder=True),
    help="A page on the largest session; for a FOLDER/ a page on each, and an index.",
)
@texts_option()
@click.option("--json", "as_json", is_flag=True, help="Print what the tables say, whole, as JSON.")
@top_option
def try_command(
    traces: Path,
    budget: int | None,
    spec: str | None,
    model: str | None,
    find: str | None,
    chosen: str | None,
    out: Path | None,
    texts: int,
    as_json: bool,
    top: int,
) -> None:
    """Hold what your agents sent, by TRACES, against what a spec would have sent.

    TRACES is a file or a folder: spans of OpenTelemetry or OpenInference as JSON, exports of
    Langfuse or LangSmith, logs of inspect_ai, and files of sessions (ATIF, OpenHands, pi, Claude
    Code, ...). Nothing is sent anywhere.
    """
    from contextwright.traces.comparison import compare
    from contextwright.traces.trace_exports import read_traces

    if find == "":
        raise click.UsageError("--find is empty: give a text to follow, or leave it out")
    wanted = _spec(spec, budget)
    with ProgressBars() as bars:
        read = read_traces(traces, progress=lambda done, total: bars.show("reading", done, total))
        sessions = [one for one in read if chosen in (None, one.id)]
        if not sessions:
            raise SessionError(
                f"no session has the id {chosen!r}",
                where=str(traces),
                fix=f"one of {', '.join(repr(one.id) for one in read[:8])}",
            )
        compared: list[SessionComparison] = []
        for number, session in enumerate(sessions):
            bars.show("sessions", number, len(sessions))
            receiver = _target(session, model)
            done = compare(
                session,
                wanted,
                receiver,
                find=find or "",
                progress=lambda done, total: bars.show("calls", done, total),
            )
            compared.append(done)
    lines: list[str] = []
    try:
        if out is not None:  # before it prints: whoever reads that may hang up
            lines = _write(compared, wanted, model, out, texts)
    finally:
        _print(compared, repr(wanted), read.unread, find or "", top, as_json=as_json)
    for line in lines:
        click.echo(line, err=as_json)  # beside JSON nothing else is printed


def _print(
    compared: "list[SessionComparison]",
    spec: str,
    unread: "Sequence[UnreadCall]",
    find: str,
    top: int,
    *,
    as_json: bool,
) -> None:
    if as_json:
        from contextwright.cli.try_tables import comparisons_json

        click.echo(comparisons_json(compared, spec, unread))
        return
    from rich.console import Console

    from contextwright.cli.try_tables import print_comparisons

    print_comparisons(Console(), compared, spec, unread, find, top)


def _write(
    compared: "list[SessionComparison]", wanted: Expr, model: str | None, out: Path, texts: int
) -> list[str]:
    """A page on the largest session, or one on each; lines on what was written."""
    ordered = sorted(compared, key=lambda one: -one.sent.tokens)
    from contextwright.cli.tables import count_of

    if is_folder(out):
        _write_pages(ordered, wanted, model, out, texts)
        return [f"{out / 'index.html'}: {count_of(len(ordered), 'session')}"]
    _write_page(ordered[0], wanted, model, out, texts)
    largest = ordered[0]
    lines = [f"{out}: session {largest.session.id}, {count_of(largest.calls, 'call')}"]
    if len(ordered) > 1:
        more = f"{count_of(len(ordered) - 1, 'session')} more: -o FOLDER/ writes a page on each"
        lines.append(f"{more}, --session ID chooses one")
    return lines


def _spec(spec: str | None, budget: int | None) -> Expr:
    """The spec with its limit.

    Raises:
        UsageError: there is neither.
    """
    if spec is not None:
        return load_spec(spec, budget)
    if budget is None:
        raise click.UsageError("give --budget N (the tokens of a request at most), or --spec SPEC")
    return C.compaction(budget)


def _target(session: Session, model: str | None) -> Target:
    """Who a session's requests are for: its own model, where its maker is known; else the usual one
    of its format."""
    own = own_receiver(session)
    usual = USUAL_MODELS.get(own.format, MODEL)
    return load_target(model or (own.model if maker_of(own.model) else usual), None, None, session)


def _write_pages(
    ordered: "list[SessionComparison]", spec: Expr, model: str | None, out: Path, texts: int
) -> None:
    """A page a session, each with links to the others, and an index of all."""
    from contextwright.cli.try_index import index_page

    folder_at(out, error=SessionError)
    names = [
        f"session-{number:0{len(str(len(ordered)))}}.html" for number in range(1, len(ordered) + 1)
    ]
    links = [[one.session.id, name] for one, name in zip(ordered, names, strict=True)]
    for one, name in zip(ordered, names, strict=True):
        _write_page(one, spec, model, out / name, texts, links)
    write_file(out / "index.html", index_page(ordered, names, repr(spec)).encode())


def _write_page(
    one: "SessionComparison",
    spec: Expr,
    model: str | None,
    out: Path,
    texts: int,
    links: "list[list[str]] | None" = None,
) -> None:
    """The inspector's page on a session.

    Args:
        links: the ids of all sessions of the folder, and the files of their pages.
    """
    from contextwright.inspect.page_data import page_data

    with ProgressBars() as bars:
        data: dict[str, Any] = page_data(
            one.session,
            [(repr(spec), spec)],
            _target(one.session, model),
            one.session.id,
            lambda done, total: bars.show("page", done, total),
        )
    data["points"] = []
    if links is not None and len(links) > 1:
        data["sessions"] = {"links": links, "here": out.name}
    write_page(data, texts, out)
