"""Cold start: what a fresh process takes, Python itself included, with its modules compiled as an
installation leaves them, wherever else this machine may keep them."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.generated import generated_session
from contextwright import write_session

TIMES = 7
EVENTS = 1_000
_MAIN = "from contextwright.cli.main import main; main()"
_FIRST = (
    "import sys; from contextwright import C, compile, read_session; "
    "compile(read_session(sys.argv[1]), C.window(n=10) | C.compact() | C.budget(8000), model='gpt-5')"
)


def starts(times: int = TIMES) -> Iterator[tuple[str, float, float]]:
    """What is started, and milliseconds of CPU and of waiting, each of the quickest of so many: a
    busy machine only adds. A vocabulary is loaded on a second processor, beside the imports."""
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "session.jsonl")
        write_session(generated_session(EVENTS), "contextwright", path)
        spec = ["--spec", "C.window(n=10) | C.compact()", "--model", "gpt-5", "--budget", "8000"]
        commands = {
            "Python itself": ["-c", "pass"],
            "`import contextwright`": ["-c", "import contextwright"],
            "`from contextwright import C, compile, read_session`": [
                "-c", "from contextwright import C, compile, read_session",
            ],
            "`ctx --version`": ["-c", _MAIN, "--version"],
            "a program that reads 1,000 events and compiles": ["-c", _FIRST, path],
            "`ctx compile` of 1,000 events": ["-c", _MAIN, "compile", path, *spec],
            "`ctx compile` of 1,000 events, `C.compaction`": [
                "-c", _MAIN, "compile", path, "--spec", "C.compaction(8000)", "--model", "gpt-5",
            ],
        }  # fmt: skip
        for name, arguments in commands.items():
            taken_by(arguments, folder)  # writes what is compiled of the modules
            used, waited = zip(*(taken_by(arguments, folder) for _ in range(times)), strict=True)
            yield name, min(used), min(waited)


def taken_by(arguments: list[str], compiled: str) -> tuple[float, float]:
    """Milliseconds of CPU of a Python with these arguments, and of nothing else, and those until it
    ended.

    Args:
        compiled: the folder of compiled modules.

    Raises:
        RuntimeError: it failed.
    """
    # a machine that writes none would compile everything each time, as no user's does
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": compiled}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
    )
    assert process.stderr is not None
    complaint = process.stderr.read()
    status, used = os.wait4(process.pid, 0)[1:]
    waited = time.perf_counter() - began
    process.returncode = status
    if status:
        raise RuntimeError(complaint.decode()[-400:])
    return (used.ru_utime + used.ru_stime) * 1000, waited * 1000
