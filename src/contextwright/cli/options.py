"""What commands are given: sessions, specs, targets."""

import re
import runpy
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec
from click.core import ParameterSource

from contextwright.cli.progress import working
from contextwright.cli.standard_streams import foreign_output, standard_input
from contextwright.cli.usual_models import MODEL, USUAL_MODELS, maker_of
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.engine.door import SessionLike
from contextwright.engine.one_call import compile
from contextwright.engine.own_receiver import own_receiver, request_format
from contextwright.errors import ContextwrightError, SessionError, SpecError, UnknownFormat, nearest
from contextwright.formats import FORMATS, is_one_session, read_session, read_sessions
from contextwright.render.providers import BUILT_IN
from contextwright.render.target import Target, target
from contextwright.session.session import Session
from contextwright.spec.codec import from_json
from contextwright.spec.expr import Expr
from contextwright.spec.parse import begins_as_spec
from contextwright.stores.files import artifacts_in
from contextwright.stores.store import ArtifactStore
from contextwright.words import C, parse

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_SPEC = "C.default()"


class Sources(msgspec.Struct, frozen=True):
    """What refs may name outside the session: artifacts, and files beneath folders."""

    artifacts: ArtifactStore | None = None
    roots: tuple[Path, ...] = ()


class CompileOptions(msgspec.Struct, frozen=True):
    """What a command compiles: a session, a spec, a receiver, who answers (None for the embedded
    models), and what its refs may name."""

    session: Session
    spec: Expr
    target: Target
    models: Any
    sources: Sources = Sources()

    def compile(self, session: SessionLike = None, **options: Any) -> Pack:
        """The pack for the session, or for another one; `options` are those of
        `contextwright.compile`."""
        with working("compiling"):
            return compile(
                self.session if session is None else session,
                self.spec,
                target=self.target,
                models=self.models,
                artifacts=self.sources.artifacts,
                roots=self.sources.roots,
                **options,
            )


def session_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """SESSION, its format, and which of several in one file: loaded as `session`."""

    @wraps(command)
    def loaded(session: Path, source: str | None, row: int | None, **rest: Any) -> Any:
        return command(session=load_session(session, source, row), **rest)

    return _with_options(
        loaded,
        click.argument("session", type=click.Path(path_type=Path)),
        from_option(),
        click.option("--row", type=int, help="Which session of a file with one a line, from 0."),
    )


def source_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where refs are read outside the session: loaded as `sources`."""

    @wraps(command)
    def loaded(artifacts: Path | None, root: tuple[Path, ...], **rest: Any) -> Any:
        store = artifacts_in(artifacts) if artifacts is not None else None
        return command(sources=Sources(store, root), **rest)

    folder = click.Path(path_type=Path)
    return _with_options(
        loaded,
        click.option("--artifacts", type=folder, help="Folder of artifacts."),
        click.option("--root", type=_FOLDER, multiple=True, help="Folder that file:// may name."),
    )


def target_options(command: F) -> F:
    """Who the request is for, and how large it may be."""
    formats = f"Request format: {', '.join(BUILT_IN)}, or one of an installed package; by default "
    return _with_options(
        command,
        click.option("--model", help=f"The model; by default the session's own, or {MODEL}."),
        click.option("--budget", type=TOKENS, help="Tokens of the request at most: 8000, 8k."),
        click.option("--to", "format", metavar="FORMAT", help=f"{formats}the session's own."),
        click.option("--window", type=TOKENS, help="Tokens of the model's context window."),
    )


def from_option() -> Any:
    """The session's format; the names stand in `ctx convert --list`, not across a help page."""
    shown = "Its format, found out by default; ctx convert --list names them."
    return click.option("--from", "source", type=FormatName(FORMATS), metavar="FORMAT", help=shown)


class FormatName(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]
    """One of these names; of another one the nearest are named."""

    name = "format"

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The name as it is."""
        if value not in self.names:
            self.fail(f"no format {value!r}; {nearest(str(value), self.names)}", param, ctx)
        return value


class TokenCount(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]
    """A number of tokens, as people write it: 8000, 8,000, 8k, 1.5M."""

    name = "tokens"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number."""
        if isinstance(value, int):
            return value
        text = str(value).replace(",", "").replace("_", "").strip().lower()
        times = {"k": 1_000, "m": 1_000_000}.get(text[-1:], 1)
        try:
            number = float(text[:-1] if times > 1 else text) * times
        except ValueError:
            number = float("nan")
        if not number.is_integer():
            self.fail(f"{value!r} is no number of tokens; such as 8000 or 8k", param, ctx)
        if number < 1:  # a word reads 0 as "by default"
            self.fail(f"{value!r} is no number of tokens; give a positive whole number", param, ctx)
        return int(number)


TOKENS = TokenCount()
_FOLDER = click.Path(path_type=Path, exists=True, file_okay=False)


def top_option(command: F) -> F:
    """How many rows a list shows."""
    shown = "Rows of a list at most, the largest; 0 for all."
    return _with_options(
        command,
        click.option("--top", type=click.IntRange(0), default=10, show_default=True, help=shown),
    )


def compile_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """SESSION, its spec, its receiver and the models for it: loaded as `options`."""

    @wraps(command)
    def loaded(
        session: Session,
        spec: str,
        model: str | None,
        budget: int | None,
        format: Any,
        window: int | None,
        llm: str | None,
        read_back: bool,
        sources: Sources,
        **rest: Any,
    ) -> Any:
        receiver = load_target(model, format, window, session, read_back=read_back)
        parsed = load_spec(spec, budget)
        options = CompileOptions(session, parsed, receiver, load_models(llm), sources)
        return command(options, **rest)

    seen = "What should be seen: an expression, a JSON file, or FILE.py:NAME."
    reading = click.option(
        "--read-back", is_flag=True, help="Add the tools with which a model reads refs."
    )
    with_spec = click.option("--spec", default=DEFAULT_SPEC, show_default=True, help=seen)
    llm = click.option(
        "--llm",
        help="The language model for words that ask one, as openai:gpt-5-mini (extra llm); "
        "without it the embedded models answer.",
    )
    return session_options(with_spec(target_options(reading(llm(source_options(loaded))))))


def refuse_idle(uses: Mapping[str, tuple[bool, str]]) -> None:
    """Refuse an option that was typed and would do nothing.

    Args:
        uses: by a parameter's name whether it acts here, and what it is of.

    Raises:
        UsageError: names the option.
    """
    context = click.get_current_context()
    for param in context.command.params:
        name = param.name or ""
        acts, why = uses.get(name, (True, ""))
        if not acts and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{param.opts[0]} is {why}")


def _with_options(command: Any, *options: Callable[[Any], Any]) -> Any:
    """A command with options, which help lists in this order."""
    for option in reversed(options):
        command = option(command)
    return command


def load_models(llm: str | None) -> Any:
    """The models of a name; None for the embedded ones.

    Raises:
        ModelError: no such model. MissingExtra: pydantic-ai is not installed.
    """
    if llm is None:
        return None
    from contextwright.models import Models

    return Models(llm)


def load_session(path: Path, source: str | None, row: int | None) -> Session:
    """The session of a file, or of the standard input for `-`.

    Raises:
        SessionError: it can not be read, is no session, or has no such row.
    """
    if re.match(r"(?:event|state|artifact|file|https?):/", str(path)):
        raise SessionError(
            f"expected a session's file, got the ref {str(path).replace(':/', '://', 1)}",
            where="SESSION",
            fix="the ref comes first: ctx expand REF SESSION",
        )
    with working(f"reading {path.name}"):
        return _read_session(path, source, row)


def _read_session(path: Path, source: str | None, row: int | None) -> Session:
    data: Any = standard_input() if str(path) == "-" else path
    count = 0
    try:
        if row is None:
            return read_session(data, format=source)
        if is_one_session(data):
            raise SessionError(
                "the file is one session, a record a line", where=str(path), fix="leave --row out"
            )
        for count, session in enumerate(read_sessions(data, format=source), 1):
            if count == row + 1:
                return session
    except UnknownFormat as error:
        _mend(error, str(path))
        raise
    rows = f"rows 0 to {count - 1}" if count > 1 else "row 0 only"
    raise SessionError(
        f"no row {row}: the file has {rows}", where=str(path), fix="rows are counted from 0"
    )


def repair_lines(session: Session) -> list[str]:
    """What had to be repaired when a session was read, a line each."""
    repairs: Sequence[str] = session.metadata.get("repairs", ())
    return [f"repaired: {repair}" for repair in repairs]


def _mend(error: UnknownFormat, path: str) -> None:
    """What the command line would do about it."""
    if "sessions, one a line" in error.what:
        error.fix = "choose one: --row 0 is the first"
    elif "'request'" in error.what and "'manifest'" in error.what:
        error.what, error.where = "expected a session, got a pack", path
        error.fix = "ctx show-pack PACK shows it; ctx replay PACK SESSION builds it again"
    elif "format=..." in (error.fix or ""):
        error.fix = "name its format with --from; ctx convert --list names them"


def load_spec(text: str, budget: int | None = None) -> Expr:
    """The spec that a command line says, with its budget.

    Raises:
        SpecError: it can not be read, or it has a limit and `--budget` is given as well.
    """
    spec = _spec(text)
    if budget is None:
        return spec
    if plan(spec).terminal is not None:
        raise SpecError(
            "two limits: the spec has one and --budget is another",
            where=f"--budget {budget}",
            fix="leave --budget out, or take the limit out of the spec",
        )
    return spec | C.budget(budget)


def _spec(text: str) -> Expr:
    file, _, name = text.partition(".py:") if ".py:" in text else (text, "", "")
    if name or text.endswith(".py"):
        return _from_python(Path(f"{file}.py" if name else text), name or "spec")
    if text.lstrip().startswith("{"):
        return from_json(text)
    if not _LIKE_A_FILE.fullmatch(text):
        return parse(text)
    try:
        return from_json(Path(text).read_bytes())
    except SpecError as error:
        error.where = f"{text}, {error.where}"
        raise
    except OSError as error:
        if begins_as_spec(text):  # `C.fit` looks like a file's name, and is a word without ()
            return parse(text)
        raise SpecError(
            f"the file can not be read: {error.strerror}",
            where=text,
            fix='give a JSON file of a spec, FILE.py:NAME, or an expression: "C.window(n=5)"',
        ) from error


_LIKE_A_FILE = re.compile(r"[^()|{}]*(?:\.\w{2,5}|/[^()|{}]*)(?<!\.\d)")


def _from_python(path: Path, name: str) -> Expr:
    """An object of a Python file that the user wrote: the file is run."""
    if not path.exists():
        raise SpecError("no such file", where=str(path), fix="give FILE.py:NAME")
    try:
        with foreign_output():
            names = runpy.run_path(str(path))
    except ContextwrightError:
        raise
    except SystemExit as error:
        raise SpecError(
            f"the file ended the command (exit code {error.code})",
            where=str(path),
            fix='put what runs, and ends, under if __name__ == "__main__":',
        ) from error
    except Exception as error:  # whatever the user's own file raises
        line = getattr(error, "lineno", None) or _line_in(error, path)
        raise SpecError(
            f"the file can not be run: {type(error).__name__}: {error}",
            where=f"{path} line {line}" if line else str(path),
            fix="mend it: python must be able to run it by itself",
        ) from error
    value = names.get(name)
    spec = getattr(value, "spec", value)
    if not isinstance(spec, Expr):
        specs = {key: getattr(each, "spec", each) for key, each in names.items()}
        known = [key for key, each in specs.items() if isinstance(each, Expr)]
        named = f"it has {', '.join(known)}" if known else f"define {name} = C.window(n=5) | ..."
        raise SpecError(
            f"{name} is {'missing' if value is None else 'no spec'}",
            where=str(path),
            fix=f"{named}; name it: {path}:NAME",
        )
    return spec


def _line_in(error: BaseException, path: Path) -> int | None:
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == str(path)), None)


def load_target(
    model: str | None,
    format: Any,
    window: int | None,
    session: Session,
    *,
    read_back: bool = False,
) -> Target:
    """The target of a command line; what it does not say is the session's own."""
    own = own_receiver(session)
    usual = USUAL_MODELS.get(own.format, "")
    if model is None:
        known = own.model and (window is not None or maker_of(own.model))
        model = own.model if known else usual or MODEL
        if own.model and not known:
            note = f"note: the session's model {own.model!r} is not known; compiled for {model}"
            click.echo(f"{note}; --model or --window says another", err=True)
    if format is None:
        format = request_format(session, model)
    tools = session.tools or None
    return target(model, format=format, window=window, tools=tools, read_back=read_back)
