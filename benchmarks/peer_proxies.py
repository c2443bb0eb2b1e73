"""Other products' proxies, where their commands are installed, each in an environment of its own.

`HEADROOM` and `LITELLM` are the paths of the commands (`headroom`, `litellm`).
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

from benchmarks.proxy_soak import free_port

PACKAGES = {"headroom": ("HEADROOM", "headroom-ai"), "LiteLLM": ("LITELLM", "litellm")}
"""By name: the variable of its command, and the package that has it."""
_START_S = 600.0
_LITELLM = """
model_list:
  - model_name: claude-sonnet-4-5
    litellm_params: {{model: anthropic/claude-sonnet-4-5, api_base: {upstream}, api_key: k}}
litellm_settings:
  callbacks: ["compression_interception"]
  compression_interception_params: {{enabled: true, compression_trigger: {limit}}}
"""

Started = Callable[[str], AbstractContextManager[str]]
"""Starts a proxy in front of an upstream, and gives its base URL."""


def installed(limit: int) -> dict[str, Started]:
    """The proxies that can be started here.

    Args:
        limit: tokens above which they are to shorten, where that can be said.
    """
    made: dict[str, Started] = {}
    if command := os.environ.get("HEADROOM"):
        made["headroom"] = partial(_headroom, command)
    if command := os.environ.get("LITELLM"):
        made["LiteLLM"] = partial(_litellm, command, limit)
    return made


def version(name: str) -> str:
    """A proxy and its version."""
    variable, package = PACKAGES[name]
    python = Path(os.environ[variable]).with_name("python")
    code = f"from importlib.metadata import version; print(version({package!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return f"{package} {done.stdout.strip()}"


@contextmanager
def _headroom(command: str, upstream: str) -> Iterator[str]:
    """headroom's proxy as it starts by itself."""
    names = ("OPENAI_TARGET_API_URL", "ANTHROPIC_TARGET_API_URL", "GEMINI_TARGET_API_URL")
    environment = {**dict.fromkeys(names, upstream), "HEADROOM_TELEMETRY": "off"}
    arguments = ("proxy", "--no-rate-limit", "--no-cache")
    with _running([command, *arguments], environment) as url:
        yield url


@contextmanager
def _litellm(command: str, limit: int, upstream: str) -> Iterator[str]:
    """LiteLLM's proxy with its compression, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "config.yaml")
        config.write_text(_LITELLM.format(upstream=upstream, limit=limit))
        arguments = [
            command,
            "--config",
            str(config),
            "--host",
            "127.0.0.1",
            "--telemetry",
            "False",
        ]
        keyless = "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY"  # only this machine asks
        environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", keyless: "true"}
        with _running(arguments, environment) as url:
            yield url


@contextmanager
def _running(arguments: list[str], environment: dict[str, str]) -> Iterator[str]:
    """A proxy's process, once it listens; with a home of its own, where nothing of another run is.

    Raises:
        RuntimeError: it ended, or does not listen.
    """
    port = free_port()
    quiet = subprocess.DEVNULL
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        own = {**os.environ, **environment, "HOME": home}
        process = subprocess.Popen(
            [*arguments, "--port", str(port)], env=own, stdout=quiet, stderr=quiet
        )
        try:
            _wait_until_it_listens(process, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + _START_S
    while process.poll() is None and time.monotonic() < until:
        try:
            HTTPConnection("127.0.0.1", port, timeout=1).connect()
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise RuntimeError(f"{process.args} does not listen at {port}")
