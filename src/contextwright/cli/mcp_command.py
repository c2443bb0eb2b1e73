"""`ctx mcp`: stored sessions and memories for any agent that speaks the Model Context Protocol."""

from pathlib import Path
from typing import Any

import click

from contextwright.cli.options import TOKENS, load_session, load_spec
from contextwright.cli.own_receiver import MODEL
from contextwright.errors import MissingExtra, SessionError
from contextwright.stores.files import FileArtifacts


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
@click.option("--http", type=click.IntRange(1, 65535), help="Serve on this port of 127.0.0.1.")
def mcp_command(
    sessions: tuple[Path, ...], allow_writes: bool, http: int | None, **options: Any
) -> None:
    """Serve recall, expand and why over SESSIONS, or over a folder of data.

    With --allow-writes also remember, forget and pin. It speaks over standard input and output, or
    over HTTP on this machine.
    """
    try:
        from contextwright.serve.mcp_tools import mcp_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "mcp":
            raise
        raise MissingExtra("mcp", "mcp") from error
    server = mcp_server(_tools(sessions, **options), allow_writes=allow_writes)
    if http is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host="127.0.0.1", port=http)


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
    from contextwright.serve.session_tools import SessionFiles, SessionTools
    from contextwright.stores.memory_store import SQLiteMemory
    from contextwright.stores.sqlite import SQLiteSessions

    if bool(paths) == (data is not None):
        raise SessionError(
            "give files of sessions, or a folder of data",
            where="ctx mcp",
            fix="ctx mcp SESSION..., or ctx mcp --data FOLDER",
        )
    source: Any = SessionFiles({path.name: load_session(path, None, None) for path in paths})
    memory = None
    if data is not None:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        source = SQLiteSessions(data / "sessions.sqlite")
        memory = SQLiteMemory(data / "memory.sqlite")
    return SessionTools(
        source,
        memory=memory,
        spec=load_spec(spec) if spec is not None else None,
        artifacts=FileArtifacts(artifacts) if artifacts is not None else None,
        **({"window": window} if window else {}),
        **options,
    )
