"""Runs the proxy until it is told to stop: open streams are finished first."""

import logging
import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from contextwright.formats import FORMATS, format_named
from contextwright.serve.app import ProxyApp
from contextwright.serve.http_protocol import MOST, http_protocol
from contextwright.serve.idle_collection import collect_between_calls
from contextwright.serve.listen_address import address_of, listening
from contextwright.serve.settings import ProxySettings

IDLE_S = 75
"""Seconds for which a connection may wait for its caller's next call. Callers keep one for 4 to 60
seconds: where the proxy closed it first, a call could come at that moment, and find it closed."""


class ProxyServer(uvicorn.Server):
    """A server that ends with its own exit code, not by the signal that stopped it, and without
    waiting for pages that listen."""

    def __init__(self, config: uvicorn.Config, app: ProxyApp) -> None:
        super().__init__(config)
        self._app, self.is_interrupted = app, False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop; a second signal does not wait for open streams."""
        self.is_interrupted |= sig == signal.SIGINT
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what only listens; answers are finished."""
        self._app.proxy.followers.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Stop at a signal, and leave them as they were."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def server_of(app: ProxyApp) -> ProxyServer:
    """The server of an application. It writes nothing but what went wrong in itself."""
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    settings = app.settings
    config = uvicorn.Config(
        app,
        http=http_protocol(),
        ws="none",  # whatever else is installed
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        h11_max_incomplete_event_size=MOST,
        timeout_keep_alive=IDLE_S,
        timeout_graceful_shutdown=max(1, int(settings.drain_s)),
    )
    return ProxyServer(config, app)


def serve(settings: ProxySettings, ready: Callable[[ProxyApp, str], None]) -> ProxyApp:
    """Run a proxy until SIGTERM or SIGINT.

    Args:
        ready: called with the application and its base URL, before the first request.

    Raises:
        ProxyError: the settings can not be, or the address is taken. KeyboardInterrupt: SIGINT
            stopped it; all that was open is finished.
    """
    app = ProxyApp(settings)
    bound = listening(settings.host, settings.port)
    ready(app, address_of(bound))
    for name in FORMATS:  # a conversation's second call asks them all whether it is theirs
        format_named(name)
    collect_between_calls()
    server = server_of(app)
    server.run(sockets=[bound])
    if server.is_interrupted:
        raise KeyboardInterrupt
    return app


class ProxyThread:
    """A proxy in a thread of this process; a context manager.

        with ProxyThread(ProxySettings(upstream="https://api.openai.com", port=0)) as proxy:
            client = OpenAI(base_url=f"{proxy.url}/v1")

    Args:
        settings: of the proxy.

    Attributes:
        app: what is run. url: its address.
    """

    def __init__(self, settings: ProxySettings) -> None:
        self.app = ProxyApp(settings)
        self._socket = listening(settings.host, settings.port)
        self.url = address_of(self._socket)
        self._server = server_of(self.app)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )

    def __enter__(self) -> "ProxyThread":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.should_exit = True
        self._thread.join(self.app.settings.drain_s + 5)
