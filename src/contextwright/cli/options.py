"""What commands are given: sessions, specs, targets, pack files."""

import runpy
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from contextwright.compiler.manifest import Manifest
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import plan
from contextwright.errors import SessionError, SpecError
from contextwright.formats import FORMATS, read_session, read_sessions
from contextwright.render.providers import BUILT_IN
from contextwright.render.target import Target, target
from contextwright.session.session import Session
from contextwright.spec.codec import from_json
from contextwright.spec.expr import Expr
from contextwright.words import C, parse

F = TypeVar("F", bound=Callable[..., Any])
DEFAULT_SPEC = "C.default()"


class CompileOptions(msgspec.Struct, frozen=True):
    """What a command compiles: a session, a spec, a receiver, and who answers; None for the
    embedded models."""

    session: Session
    spec: Expr
    target: Target
    models: Any


def session_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """SESSION, its format, and which of several in one file: loaded as `session`."""

    @wraps(command)
    def loaded(session: Path, source: str | None, row: int | None, **rest: Any) -> Any:
        return command(session=load_session(session, source, row), **rest)

    return _with_options(
        loaded,
        click.argument("session", type=click.Path(path_type=Path)),
        click.option("--from", "source", type=click.Choice(FORMATS), help="Its format."),
        click.option("--row", type=int, help="Which session of a file with one a line."),
    )


def target_options(command: F) -> F:
    """Who the request is for, and how large it may be."""
    formats = f"Request format: {', '.join(BUILT_IN)}, or one of an installed package."
    return _with_options(
        command,
        click.option("--model", default="gpt-5", show_default=True, help="The model."),
        click.option("--budget", type=int, help="Tokens of the request at most."),
        click.option("--to", "format", metavar="FORMAT", help=formats),
        click.option("--window", type=int, help="Tokens of the model's context window."),
    )


def compile_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """SESSION, its spec, its receiver and the models for it: loaded as `options`."""

    @wraps(command)
    def loaded(
        session: Session,
        spec: str,
        model: str,
        budget: int | None,
        format: Any,
        window: int | None,
        llm: str | None,
        **rest: Any,
    ) -> Any:
        receiver = load_target(model, format, window, session)
        parsed = load_spec(spec, budget)
        return command(CompileOptions(session, parsed, receiver, load_models(llm)), **rest)

    seen = "What should be seen."
    with_spec = click.option("--spec", default=DEFAULT_SPEC, show_default=True, help=seen)
    llm = click.option(
        "--llm",
        help="The language model for words that ask one, as openai:gpt-5-mini (extra llm); "
        "without it the embedded models answer.",
    )
    return session_options(with_spec(target_options(llm(loaded))))


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
    """The session of a file.

    Raises:
        SessionError: it can not be read, or has no such row.
    """
    if row is None:
        return read_session(path, format=source)
    for number, session in enumerate(read_sessions(path, format=source)):
        if number == row:
            return session
    raise SessionError(
        f"no row {row}", where=str(path), fix="rows are counted from 0, a session each"
    )


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
    path = Path(text)
    if text.endswith(".json") and path.exists():
        return from_json(path.read_bytes())
    return parse(text)


def _from_python(path: Path, name: str) -> Expr:
    """An object of a Python file that the user wrote: the file is run."""
    if not path.exists():
        raise SpecError("no such file", where=str(path), fix="give FILE.py:NAME")
    spec = runpy.run_path(str(path)).get(name)
    if not isinstance(spec, Expr):
        raise SpecError(
            f"{name} is {'missing' if spec is None else 'no spec'}",
            where=str(path),
            fix=f"define {name} = C.window(n=5) | ..., or name another: {path}:NAME",
        )
    return spec


def load_target(model: str, format: Any, window: int | None, session: Session) -> Target:
    """The target of a command line."""
    return target(model, format=format, window=window, tools=session.tools)


class PackFile(msgspec.Struct):
    """A pack as a file: the request, and its manifest."""

    request: msgspec.Raw
    manifest: Manifest


def dump_pack(pack: Pack) -> bytes:
    """The bytes of a pack file."""
    return msgspec.json.encode(PackFile(msgspec.Raw(pack.body), pack.manifest))


def load_pack(path: Path) -> Pack:
    """Read a pack file.

    Raises:
        SessionError: not such a file.
    """
    try:
        file = msgspec.json.decode(path.read_bytes(), type=PackFile)
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        raise SessionError(
            f"not a pack: {error}", where=str(path), fix="write one: ctx compile ... --out FILE"
        ) from error
    return Pack(bytes(file.request), file.manifest)
