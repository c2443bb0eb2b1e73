"""`ctx`: compile sessions, explain what happened to every block, replay, compare, recover."""

import json
import sys
from collections import Counter
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from importlib import import_module
from itertools import pairwise
from typing import Any

import click

from contextwright import __version__
from contextwright.errors import ContextwrightError, nearest

_HOMES = {
    "backup": "backup_command:backup_command",
    "check": "check_command:check_command",
    "compile": "compile_command:compile_command",
    "convert": "convert_command:convert",
    "demo": "demo_command:demo",
    "diff": "diff_command:diff",
    "doctor": "doctor_command:doctor",
    "expand": "expand_command:expand",
    "explain": "explain_command:explain",
    "inspect": "inspect_command:inspect",
    "mcp": "mcp_command:mcp_command",
    "replay": "replay_command:replay_command",
    "salience": "salience_command:salience",
    "serve": "serve_command:serve_command",
    "show": "show_command:show",
    "show-pack": "show_command:show_pack",
    "sweep": "sweep_command:sweep_command",
    "try": "try_command:try_command",
    "tune": "tune_command:tune_command",
    "verify": "verify_command:verify_command",
    "wrap": "wrap_command:wrap_command",
}
"""Where each command is; imported when it is run, or listed in the help."""
INTERRUPTED = 130
"""The exit code of what Ctrl-C ended: 128 and the number of its signal."""
COUNTING = frozenset({"compile", "diff", "explain", "inspect", "show"})
"""Commands that count a session's tokens as soon as they are imported and it is read."""
SERVERS = frozenset({"mcp", "serve", "wrap"})
"""Commands that wait for others, or leave the terminal to another program."""


class Commands(click.Group):
    """A group that imports a command when it is asked for, and names the nearest one for a command
    that it does not have."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(_HOMES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, if there is one."""
        module, _, attribute = _HOMES.get(cmd_name, "").partition(":")
        if not module:
            return None
        return getattr(import_module(f"contextwright.cli.{module}"), attribute)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """What the command line says."""
        with _interruptible():
            return super().make_context(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, with a line for what it does while it is silent."""
        from contextwright.cli.progress import busy_line

        with _interruptible(), busy_line("ctx"):
            return super().invoke(ctx)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command, or an error with its neighbours."""
        if args and args[0] not in _HOMES and not args[0].startswith("-"):
            raise click.UsageError(
                f"No command {args[0]!r}; {nearest(args[0], self.list_commands(ctx))}", ctx
            )
        from contextwright.cli.progress import no_line, working

        if args and args[0] in COUNTING and not {"-h", "--help"} & {*args}:
            _load_vocabulary(args)
        resolved = super().resolve_command(ctx, args)
        _refuse_repeated(ctx, resolved[1], args)
        if resolved[0] in SERVERS:
            ctx.with_resource(no_line())
        else:
            ctx.with_resource(working(f"ctx {resolved[0]}"))
        return resolved


def _load_vocabulary(args: list[str]) -> None:
    """Begin to load what the command will count with: it takes as long as all imports together.
    Where no model is named it is most models' vocabulary; a guess that is wrong costs no more."""
    from contextwright.tokens.counter import counter_for
    from contextwright.tokens.vocabulary import load_beside

    named = [
        one.partition("=")[2] or after
        for one, after in pairwise([*args, ""])
        if one.partition("=")[0] == "--model"
    ]
    load_beside(counter_for(named[0] if named else None).base)


def _refuse_repeated(ctx: click.Context, command: click.Command | None, args: list[str]) -> None:
    """Some options take several values, others one: there the first would be left in silence.

    Raises:
        UsageError: such a one is given twice.
    """
    if command is None:
        return
    inner = click.Context(command, info_name=args[0], parent=ctx, resilient_parsing=True)
    _, _, order = command.make_parser(inner).parse_args(args[1:])
    options = [one for one in order if isinstance(one, click.Option) and not one.is_flag]
    for option, times in Counter(options).items():
        if times > 1 and not option.multiple and not option.count:
            name = option.opts[-1]
            others = (
                "; ctx diff SESSION --spec A --spec B compares two, ctx inspect and ctx sweep take "
                "several"
            )
            raise click.UsageError(
                f"{name} is given {times} times, and ctx {args[0]} takes one"
                + (others if name == "--spec" else ""),
                ctx,
            )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def ctx() -> None:
    """The compiler for LLM context.

    SESSION is a file of any format that `ctx convert --list` names. SPEC is an expression such as
    "C.window(n=5) | C.compact()", a JSON file, or FILE.py:NAME.

    Exit codes: 0 done, 1 a redaction that failed, 2 wrong usage, 3 spec, 4 session, 5 model,
    6 budget, 7 ref, 8 request, 9 replay, 10 store, 11 an optional package is missing, 12 a word
    that failed, 13 premise, 14 protection, 15 proxy or address, 16 a conversion that loses,
    130 ended by Ctrl-C.
    """


def main(arguments: list[str] | None = None) -> Any:
    """Run the command; an error of ours ends it with its message and its exit code."""
    argv = sys.argv[1:] if arguments is None else arguments
    with _interruptible(), _streams(argv):
        try:
            try:
                ctx.main(args=argv, prog_name="ctx", standalone_mode=True)
            finally:
                if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison] -- `>&-`
                    sys.stdout.flush()  # what is left in it may fail as well
        except ContextwrightError as error:
            if "--json" in argv:
                # ASCII: an argument that is no UTF-8 can not be encoded otherwise
                text = json.dumps(error.as_dict(), separators=(",", ":"))
                with suppress(ContextwrightError):  # the line below says what is wrong as well
                    click.echo(text)
            click.echo(f"error: {error}", err=True)
            sys.exit(error.exit_code)
        except BrokenPipeError:
            sys.exit(0)


@contextmanager
def _interruptible() -> Generator[None]:
    """Ctrl-C ends what is done meanwhile as shells expect it; click would give it 1."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("ended by Ctrl-C", err=True)
        sys.exit(INTERRUPTED)


def _streams(argv: list[str]) -> AbstractContextManager[None]:
    if argv == ["--version"]:  # a line that every stream takes, asked for by scripts: it loads less
        return nullcontext()
    from contextwright.cli.standard_streams import sound_streams

    return sound_streams()
