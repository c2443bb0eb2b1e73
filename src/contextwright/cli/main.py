"""`ctx`: compile sessions, explain what happened to every block, replay, compare, recover."""

import sys
from typing import Any

import click
import msgspec

from contextwright.cli.backup_command import backup_command
from contextwright.cli.check_command import check_command
from contextwright.cli.compile_command import compile_command
from contextwright.cli.convert_command import convert
from contextwright.cli.demo_command import demo
from contextwright.cli.diff_command import diff
from contextwright.cli.expand_command import expand
from contextwright.cli.explain_command import explain
from contextwright.cli.replay_command import replay_command
from contextwright.cli.salience_command import salience
from contextwright.cli.show_command import show, show_pack
from contextwright.cli.verify_command import verify_command
from contextwright.errors import ContextwrightError, nearest


class Commands(click.Group):
    """A group that names the nearest command for one that it does not have."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command, or an error with its neighbours."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise click.UsageError(
                f"No command {args[0]!r}; {nearest(args[0], self.list_commands(ctx))}", ctx
            )
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="contextwright")
def ctx() -> None:
    """The compiler for LLM context.

    SESSION is a file of any format that `ctx convert --list` names. SPEC is an expression such as
    "C.window(n=5) | C.compact()", a JSON file, or FILE.py:NAME.

    Exit codes: 0 done, 2 wrong usage, 3 spec, 4 session, 5 model, 6 budget, 7 ref, 8 request,
    9 replay, 10 store, 11 an optional package is missing.
    """


for command in (
    compile_command,
    show,
    show_pack,
    explain,
    check_command,
    replay_command,
    diff,
    salience,
    expand,
    convert,
    demo,
    verify_command,
    backup_command,
):
    ctx.add_command(command)


def main(arguments: list[str] | None = None) -> Any:
    """Run the command; an error of ours ends it with its message and its exit code."""
    argv = sys.argv[1:] if arguments is None else arguments
    try:
        ctx.main(args=argv, prog_name="ctx", standalone_mode=True)
    except ContextwrightError as error:
        if "--json" in argv:
            click.echo(msgspec.json.encode(error.as_dict()).decode())
        click.echo(f"error: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(0)
