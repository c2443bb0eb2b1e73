"""`ctx mcp`: stored sessions and memories for any agent that speaks the Model Context Protocol."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from contextwright.cli.options import TOKENS, load_session, load_spec
from contextwright.cli.usual_models import MODEL
from contextwright.errors import MissingExtra, SessionError
from contextwright.stores.files import artifacts_in
from contextwright.stores.folder import folder_at
from contextwright.stores.local_path import local_path

if TYPE_CHECKING:
    from contextwright.serve.session_tools import SessionFiles

LOOPBACK = "127.0.0.1"


@click.command("mcp")
@click.argument("sessions", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of a proxy (ctx serve --data), or one for memories.",
)
@click.option("--spec", help="By which why answers, and whose redactions hold.")
@click.option("--model", default=MODEL, show_default=True, help="Whose tokens are counted.")
@click.option("--window", type=TOKENS, help="Tokens of the window of a model not known.")
@click.option("--scope", default="", help="Sessions whose id begins so, and memories of it.")
@click.option("--artifacts", type=click.Path(path_type=Path), help="Folder of artifacts.")
@click.option("--allow-writes", is_flag=True, help="Let memories be written, forgotten, pinned.")
@click.option(
    "--http",
    type=click.IntRange(0, 65535),
    help="Serve on this port of 127.0.0.1; 0 for any that is free.",
)
def mcp_command(
    sessions: tuple[Path, ...], allow_writes: bool, http: int | None, **options: Any
) -> None:
    """Serve recall, expand and why over SESSIONS, or over a folder of data.

    With --allow-writes also remember, forget and pin. It speaks over standard input and output, or
    over HTTP on this machine.
    """
    if allow_writes and options["data"] is None:
        raise click.UsageError(
            "--allow-writes is for memories, and no folder for them is given; add --data FOLDER"
        )
    try:
        from contextwright.serve.mcp_tools import mcp_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise MissingExtra("mcp", "mcp") from error
    if options["data"] is not None and not allow_writes:
        _expect_folder(options["data"])
    server = mcp_server(_tools(sessions, **options), allow_writes=allow_writes)
    if http is None:
        server.run("stdio")
    else:
        _serve_http(server, http)


def _expect_folder(data: Path) -> None:
    """Refuse to read in a folder that is not there: a new one would hold nothing to read.

    Raises:
        SessionError: there is none.
    """
    if not local_path(data, fix="give a folder").exists():
        raise SessionError(
            "there is no such folder",
            where=str(data),
            fix="give the folder of ctx serve --data; with --allow-writes a new one is made for "
            "memories",
        )


def _serve_http(server: Any, port: int) -> None:
    """Answer over HTTP until a signal comes.

    Raises:
        ProxyError: the port is taken.
    """
    import uvicorn

    from contextwright.serve.listen_address import address_of, listening

    with listening(LOOPBACK, port) as bound:
        click.echo(f"{address_of(bound)}/mcp", err=True)
        config = uvicorn.Config(server.streamable_http_app(host=LOOPBACK), log_level="error")
        uvicorn.Server(config).run(sockets=[bound])


def session_files(paths: tuple[Path, ...]) -> "SessionFiles":
    """Sessions by their files' names; by the paths as they were given where files share a name.

    Raises:
        SessionError: one can not be read.
    """
    from contextwright.serve.session_tools import SessionFiles

    each = dict.fromkeys(paths)
    names = Counter(path.name for path in each)
    return SessionFiles(
        {
            path.name if names[path.name] == 1 else str(path): load_session(path, None, None)
            for path in each
        }
    )


def _tools(
    paths: tuple[Path, ...],
    *,
    data: Path | None,
    spec: str | None,
    window: int | None,
    artifacts: Path | None,
    **options: Any,
) -> Any:
    """The tools over what the command line names.

    Raises:
        SessionError: it names nothing.
    """
    from contextwright.serve.session_tools import SessionTools
    from contextwright.stores.memory_store import SQLiteMemory
    from contextwright.stores.sqlite import SQLiteSessions

    if bool(paths) == (data is not None):
        raise SessionError(
            "give files of sessions, or a folder of data",
            where="ctx mcp",
            fix="ctx mcp SESSION..., or ctx mcp --data FOLDER",
        )
    source: Any = session_files(paths)
    memory = None
    if data is not None:
        folder_at(data, mode=0o700)
        source = SQLiteSessions(data / "sessions.sqlite")
        memory = SQLiteMemory(data / "memory.sqlite")
    return SessionTools(
        source,
        memory=memory,
        spec=load_spec(spec) if spec is not None else None,
        artifacts=artifacts_in(artifacts) if artifacts is not None else None,
        **({"window": window} if window else {}),
        **options,
    )
