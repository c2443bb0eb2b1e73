"""`ctx serve`: a proxy between agents and their provider."""

from functools import partial
from typing import Any

import click

from contextwright.cli.finite_range import FiniteRange
from contextwright.cli.proxy_options import load_server, proxy_options
from contextwright.serve.settings import MEGABYTE, PORT, ProxySettings


@click.command("serve")
@click.option("--upstream", required=True, help="Where requests go: https://api.openai.com")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where it listens.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True)
@click.option(
    "--key",
    envvar="CONTEXTWRIGHT_KEY",
    default="",
    help="Callers send it as x-contextwright-key; needed where others reach the host.",
)
@click.option(
    "--admin-key",
    envvar="CONTEXTWRIGHT_ADMIN_KEY",
    default="",
    help="Sent in place of the key, it shows the sums of all tenants.",
)
@click.option("--name", "names", multiple=True, help="A further name that it is called by.")
@click.option("--cache", default="", metavar="URL", help="redis://... in front of the database.")
@click.option("--max-body", type=click.IntRange(1), default=64, show_default=True, metavar="MB")
@click.option("--max-requests", type=click.IntRange(1), default=256, show_default=True)
@click.option("--drain", type=FiniteRange(1), default=30.0, show_default=True, metavar="SECONDS")
@click.option(
    "--stall",
    "stall_s",
    type=FiniteRange(1),
    default=300.0,
    show_default=True,
    metavar="SECONDS",
    help="After which a caller is hung up on that sends or reads nothing.",
)
@proxy_options
def serve_command(options: dict[str, Any], max_body: int, drain: float, **rest: Any) -> None:
    """Pass requests of agents on to UPSTREAM, as the spec has them.

    An agent is pointed at it by its base URL. What nothing is due for leaves byte for byte, and so
    does what is no call of a model. /stats, /metrics and /packs/ID say what was sent.
    """
    server = load_server()
    settings = ProxySettings(max_body=max_body * MEGABYTE, drain_s=drain, **options, **rest)
    server.serve(settings, partial(_ready, settings))


def _ready(settings: ProxySettings, app: object, url: str) -> None:
    # at once: who waits for the first line may end it before the next one
    click.echo(
        f"{url} → {settings.upstream}\n"
        f"  OpenAI:    base_url {url}/v1\n"
        f"  Anthropic: base_url {url}\n"
        f"  Gemini:    base_url {url}\n"
        f"  sums:      {url}/stats"
    )
