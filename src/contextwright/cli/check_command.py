"""`ctx check`: the contract of a spec, or of a pipeline of agents."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from contextwright.check import AgentStep, check, read_pipeline
from contextwright.cli.options import from_option, load_session, load_spec, refuse_idle
from contextwright.cli.progress import working
from contextwright.errors import MissingExtra
from contextwright.render.target import target
from contextwright.text.byte_order_mark import in_utf8


@click.command("check")
@click.argument("pipeline", default="")
@click.option(
    "--session",
    "sessions",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A session to measure with; may be repeated.",
)
@from_option()
@click.option("--known", multiple=True, help="A state key that is there before; may be repeated.")
@click.option("--model", default="gpt-5", show_default=True, help="For agents that name none.")
@click.option("--read-back", is_flag=True, help="A spec's requests have the tools that read refs.")
@click.option("--reader", default="", help="The tool of a spec's agent that reads refs.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    help="A file of `ctx tune`: what it found must still hold, by default of its own spec and on "
    "its sessions (--session: where they are now).",
)
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def check_command(
    pipeline: str,
    sessions: tuple[Path, ...],
    source: str | None,
    known: tuple[str, ...],
    model: str,
    read_back: bool,
    reader: str,
    against: Path | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Check PIPELINE: a spec, or a JSON file of agents.

    Exit code 3 where something is wrong, with --strict also where something may surprise.
    """
    if against is not None:
        names = ("source", "known", "model", "read_back", "reader", "strict")
        refuse_idle(dict.fromkeys(names, (False, "of a pipeline, not of what --against holds")))
        _check_against(against, pipeline, sessions, as_json=as_json)
        return
    if not pipeline:
        raise click.UsageError("Missing argument 'PIPELINE'.")
    parts: Any
    if pipeline.endswith(".json") and _is_list(Path(pipeline)):
        if read_back or reader:
            option = "--read-back" if read_back else "--reader"
            raise click.UsageError(
                f"{option} is of a spec; in a file each agent says it: "
                '{"agent": ..., "read_back": true}'
            )
        parts = read_pipeline(Path(pipeline))
    else:
        text = pipeline if pipeline.lstrip().startswith(("C.", "(")) else ""
        spec = load_spec(pipeline)
        parts = (
            AgentStep(agent="agent", spec=spec, source=text, read_back=read_back, reader=reader),
        )
    target(model)  # a model that is not known measures nothing
    samples = [load_session(path, source, None) for path in sessions]
    with working("compiling at several moments"):
        report = check(parts, model=model, known=known, sessions=samples)
    if as_json:
        click.echo(report.to_json())
    else:
        click.echo(report.text())
    if report.errors or (strict and report.warnings):
        sys.exit(3)


def _check_against(file: Path, pipeline: str, sessions: tuple[Path, ...], *, as_json: bool) -> None:
    """Hold a spec to what it was tuned to."""
    if find_spec("numpy") is None:  # before what it shares with `ctx sweep`, whose extra is less
        raise MissingExtra("numpy", "tune")
    from contextwright.tune import floor_checks, read_tuned

    spec = load_spec(pipeline) if pipeline else None
    with working("compiling the sessions that it was measured on"):
        checks = floor_checks(read_tuned(file), spec, sessions)
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode([{**one._asdict(), "held": one.is_held} for one in checks]))
    for one in checks if not as_json else ():
        bound = "at most" if one.objective == "cost" else "at least"
        state = "held" if one.is_held else "NOT HELD"
        click.echo(f"{state:8}  {one.objective:7} {one.figure:.4f}, {bound} {one.floor:.4f}")
    if not all(one.is_held for one in checks):
        sys.exit(3)


def _is_list(path: Path) -> bool:
    """Whether a file holds agents; a file that is missing is named as one that should."""
    if not path.exists():
        return True
    return in_utf8(path.read_bytes()).lstrip().startswith(b"[")
