"""`ctx wrap`: an agent's command with a proxy of its own."""

import os
import shutil
import signal
import subprocess
import sys
from functools import partial
from types import FrameType
from typing import Any

import click

from contextwright.cli.proxy_options import load_server, proxy_options
from contextwright.errors import ProxyError
from contextwright.serve.agent_commands import AgentCommand, agent_command
from contextwright.serve.call_ledger import CallSums
from contextwright.serve.outward_proxy import direct_to_us
from contextwright.serve.settings import ProxySettings


@click.command("wrap", context_settings={"allow_interspersed_args": False})
@click.option("--upstream", help="Where its requests go; by default its own provider.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@proxy_options
def wrap_command(options: dict[str, Any], upstream: str | None, command: tuple[str, ...]) -> None:
    """Run COMMAND with its requests going through a proxy, and say what was saved.

    COMMAND is claude, codex, aider, opencode or gemini with its arguments, or any other that takes
    a base URL from its environment: ctx wrap --upstream URL -- COMMAND. It ends with the command's
    own exit code.
    """
    agent = agent_command(command, upstream, os.environ)
    server = load_server()
    settings = ProxySettings(upstream=agent.upstream, port=0, drain_s=2, **options)
    with server.ProxyThread(settings) as proxy:
        code = _run(agent, proxy.url)
        proxy.app.proxy.settle(settings.drain_s)  # the last call is counted behind its answer
        sums = proxy.app.ledger.sums()
    for line in summary_lines(sums):
        click.echo(line, err=True)
    sys.exit(code)


def _run(agent: AgentCommand, url: str) -> int:
    """Run a command to its end.

    Raises:
        ProxyError: there is no such command.
    """
    try:
        process = subprocess.Popen(  # noqa: S603 -- the user's own command
            _with_path(agent.command(url)),
            env={**os.environ, **direct_to_us(os.environ), **agent.environment(url)},
        )
    except OSError as error:
        raise ProxyError(
            f"{agent.arguments[0]} can not be run: {error.strerror}",
            where="ctx wrap",
            fix="install it, or give its path",
        ) from error
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command has it as well, and decides
    stop = signal.signal(signal.SIGTERM, partial(_terminate, process))
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
        signal.signal(signal.SIGTERM, stop)
    return code if code >= 0 else 128 - code


def _with_path(command: list[str]) -> list[str]:
    """The command by its whole path: Windows runs no `claude.cmd` by the name `claude`."""
    first, *rest = command
    return [shutil.which(first) or first, *rest]


def _terminate(process: "subprocess.Popen[bytes]", number: int, frame: FrameType | None) -> None:
    process.terminate()


def summary_lines(sums: CallSums) -> list[str]:
    """What a proxy did, for a person."""
    from contextwright.cli.tables import count_of

    if not sums.calls:
        return ["contextwright: no call of a model came through the proxy"]
    lines = [
        f"contextwright: {count_of(sums.calls, 'call')}, {sums.rewritten:,} rewritten",
        f"  input tokens: {sums.tokens:,} of {sums.whole_tokens:,}",
    ]
    if sums.whole_cost:
        saved = 100 * sums.saved_cost / sums.whole_cost
        dollars = f"${sums.cost / 1e6:.4f} of ${sums.whole_cost / 1e6:.4f}"
        lines.append(f"  input cost:   {dollars}, saved {saved:.0f} %")
    if sums.faults:
        lines.append(f"  sent as they came because something failed here: {sums.faults:,}")
    return lines
