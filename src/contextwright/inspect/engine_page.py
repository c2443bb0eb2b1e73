"""The page live on an engine's session, from within its process."""

from threading import Thread
from typing import Self

from contextwright.engine.engine import Engine
from contextwright.errors import SpecError
from contextwright.inspect.live_server import LiveServer
from contextwright.inspect.live_session import LiveSession
from contextwright.inspect.live_sources import EngineSource
from contextwright.session.session import Session


class EnginePage:
    """Serves the page on a session while an engine compiles it: a context manager.

    The page is on the loopback behind a token, and is told of every pack. The engine's turns wait
    for nothing: its hook counts, and what is shown is compiled from a copy when a browser asks.

    Args:
        port: 0 for one that is free.

    Raises:
        SpecError: the engine has a compiler of its own, which no page can run again.
    """

    def __init__(self, engine: Engine, session: Session, *, port: int = 0) -> None:
        if engine.compiler is not None:
            raise SpecError(
                "the engine has a compiler of its own, not a spec",
                where="EnginePage(engine, session)",
                fix="give the Engine a spec",
            )
        specs = [(repr(engine.spec), engine.spec)]
        source = EngineSource(engine, session)
        self._server = LiveServer(LiveSession(source, specs, engine.target, session.id), port)

    @property
    def address(self) -> str:
        """Where the page is; whoever has the address may read the session."""
        return self._server.address

    def __enter__(self) -> Self:
        serve = {"poll_interval": 0.1}
        Thread(target=self._server.serve_forever, kwargs=serve, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
