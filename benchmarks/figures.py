"""The figures of a benchmark, in a file beside the pages: what was measured, by which command, on which
machine, with which versions. `benchmarks.worth` makes one page of them."""

import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed_page import processor

FOLDER = Path(__file__).parents[1] / "docs/reference/figures"


def save(name: str, command: str, packages: Sequence[str], parts: Any) -> Path:
    """Write what a benchmark found.

    Args:
        name: of the benchmark, and so of the file. command: what makes it again.
        packages: whose versions belong to the figures. parts: the figures, as JSON takes them.
    """
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.json"
    told = {
        "benchmark": name,
        "command": command,
        "measured": time.strftime("%Y-%m-%d", time.gmtime()),
        "machine": f"{processor()}, {os.cpu_count()} cores, {platform.system()}",
        "versions": versions(packages),
        "parts": parts,
    }
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return path


def load(name: str) -> dict[str, Any] | None:
    """What a benchmark wrote, or None where it was not run."""
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Python's, ours and those of these packages that are installed."""
    found = {"Python": platform.python_version()}
    for package in ("contextwright", *packages):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
