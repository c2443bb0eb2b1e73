"""`ctx convert`: a session from one format into another."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import click
import msgspec

from contextwright.cli.options import FormatName, from_option, load_session, repair_lines
from contextwright.cli.output_file import OutputFile, WritingCommand, write_file
from contextwright.formats import FORMATS, write_session
from contextwright.formats.losses import Loss, expect_no_loss, losses_in
from contextwright.session.session import Session

_NAMED = 3
"""Events that are named of those that lose the same."""


@click.command(cls=WritingCommand)
@click.argument("session", type=click.Path(path_type=Path), required=False)
@from_option()
@click.option(
    "--to",
    "target",
    type=FormatName(FORMATS),
    metavar="FORMAT",
    default="contextwright",
    show_default=True,
    help="The format to write; --list names them.",
)
@click.option("--row", type=int, help="Which session of a file with one a line.")
@click.option("--out", type=OutputFile(), help="Where to write; else printed.")
@click.option("--strict", is_flag=True, help="Write nothing where a message would lose something.")
@click.option("--json", "as_json", is_flag=True, help="Say as JSON what was lost and repaired.")
@click.option("--list", "listed", is_flag=True, help="Name the formats.")
def convert(
    session: Path | None,
    source: str | None,
    target: str,
    row: int | None,
    out: Path | None,
    strict: bool,
    as_json: bool,
    listed: bool,
) -> None:
    """Write SESSION in another format.

    SESSION is a request body of a provider, the messages or the state of a framework, or the log of
    an agent; its format is found out. What a format read is written back whole. What another has no
    place for is named on the standard error; with --strict nothing is written then, and the exit
    code is 16.
    """
    if listed:
        click.echo("\n".join(FORMATS))
        return
    if session is None:
        raise click.UsageError("Missing argument 'SESSION'.")
    loaded = load_session(session, source, row)
    data = write_session(loaded, target)
    losses = losses_in(loaded, target, data)
    if strict:
        expect_no_loss(losses, loaded, target)
    if out is None:
        click.echo(data, nl=False)
    else:
        write_file(out, data)
    if as_json:
        # what is printed is the session alone
        click.echo(_report(loaded, target, data, losses), err=out is None)
        return
    if out is not None:
        click.echo(f"{out}: {len(data):,} bytes")
    for line in repair_lines(loaded):
        click.echo(line, err=out is None)
    for line in loss_lines(losses, target):
        click.echo(line, err=True)


def _report(session: Session, target: str, data: bytes, losses: Sequence[Loss]) -> bytes:
    report: dict[str, Any] = {
        "format": target,
        "bytes": len(data),
        "repairs": session.metadata.get("repairs", []),
        "losses": losses,
    }
    return msgspec.json.encode(report)


def loss_lines(losses: Sequence[Loss], format: str) -> Iterator[str]:
    """A line for each kind of loss, what is lost most first, and one for all notes."""
    content = [loss for loss in losses if loss.kind == "content"]
    groups = [list(group) for _, group in groupby(sorted(content, key=_name), key=_name)]
    for group in sorted(groups, key=len, reverse=True):
        yield _line(group)
    notes = Counter(loss.name for loss in losses if loss.kind == "note")
    if notes:
        counts = (f"{name} ({count})" if count > 1 else name for name, count in notes.items())
        yield f"not kept by {format}, beside what a model is shown: {', '.join(counts)}"


def _name(loss: Loss) -> str:
    return loss.name


def _line(group: Sequence[Loss]) -> str:
    events = list(dict.fromkeys(loss.event for loss in group if loss.event))
    more = f" and {len(events) - _NAMED} more" if len(events) > _NAMED else ""
    place = f" of {', '.join(events[:_NAMED])}{more}" if events else ""
    reasons = list(dict.fromkeys(loss.reason for loss in group))
    others = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
    return f"lost: {group[0].name}{place}: {reasons[0]}{others}"
