"""`make bench`: measure, and write docs/reference/benchmarks.md, its plot and its figures, and what
the README says of them.

    [CONTEXTWRIGHT_DATA=...] python -m benchmarks [--quick] [--cells FILE]

Without recorded sessions only generated ones are measured. `--quick` takes a minute, shows the page
and writes nothing. Cells go to a file as they are measured; a run with the same file goes on there, and
with `--page` takes what it has.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.speed_page import SIZES, SOURCES, page, plot, with_figures
from benchmarks.speed_peers import available
from benchmarks.speed_specs import WHOLE, word_specs
from benchmarks.speed_start import starts
from benchmarks.speed_words import asking_rows, word_rows

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/benchmarks.md"
SECONDS = 60.0
"""CPU seconds that a cell may take."""
QUICK_SIZES, QUICK_SECONDS = (100, 1_000), 5.0
Plan = list[tuple[str, int, list[str]]]
"""Source, events, and the cells of that session."""


def planned(quick: bool) -> Plan:
    """What is to be measured: whole specs and peers first, then every word."""
    sources = [source for source in SOURCES if source == "generated" or recorded()]
    sizes, peers = QUICK_SIZES if quick else SIZES, available()
    plan: Plan = []
    for source in sources[:1] if quick else sources:
        beside = peers if source == sources[0] else []
        plan += [(source, size, ["limit", "reading", *WHOLE, *beside]) for size in sizes]
    if not quick:
        plan += [(source, size, list(word_specs())) for source in sources for size in sizes]
    return plan


def recorded() -> bool:
    """Whether recorded sessions are at hand."""
    folder = os.environ.get("CONTEXTWRIGHT_DATA")
    return bool(folder) and Path(folder).is_dir()


def measured(plan: Plan, seconds: float, path: Path, console: Console) -> list[dict[str, Any]]:
    """Every cell, those that the file has already as they are."""
    cells = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    known = {(cell["source"], cell["events"], cell["name"]) for cell in cells}
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=console) as progress, path.open("a") as file:
        bar = progress.add_task("", total=sum(len(names) for _, _, names in plan))
        for source, size, names in plan:
            missing = [name for name in names if (source, size, name) not in known]
            progress.advance(bar, len(names) - len(missing))
            progress.update(bar, description=f"{source}, {size:,} events")
            for cell in group(source, size, seconds, missing) if missing else ():
                print(json.dumps(cell), file=file, flush=True)
                cells.append(cell)
                progress.update(bar, description=f"{source}, {size:,} events: {cell['name']}")
                progress.advance(bar)
    return cells


def group(source: str, size: int, seconds: float, names: list[str]) -> Iterator[dict[str, Any]]:
    """The cells of one session, by `benchmarks.speed_turns`."""
    command = [sys.executable, "-m", "benchmarks.speed_turns", source, str(size), str(seconds)]
    with subprocess.Popen(
        [*command, *names], stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        raise RuntimeError(f"benchmarks.speed_turns ended with {process.returncode}")


def main() -> None:
    """Measure everything and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a minute; writes nothing")
    parser.add_argument("--cells", type=Path, help="where cells go as they are measured")
    parser.add_argument("--page", action="store_true", help="no more cells than the file has")
    options = parser.parse_args()
    console = Console(stderr=True)
    seconds = QUICK_SECONDS if options.quick else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        path = options.cells or Path(folder) / "cells.jsonl"
        found: dict[str, Any] = {
            "seconds": seconds,
            "cells": measured(
                [] if options.page else planned(options.quick), seconds, path, console
            ),
        }
    times = {"times": 2} if options.quick else {}
    found["starts"] = list(starts(**times))
    found["words"] = [] if options.quick else list(word_rows())
    found["asking"] = [] if options.quick else list(asking_rows())
    if options.quick:
        print(page(found))
        return
    PAGE.write_text(page(found))
    PAGE.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")
    plot(found, PAGE.with_suffix(".svg"))
    readme = ROOT / "README.md"
    readme.write_text(with_figures(readme.read_text(), found))
    print(PAGE)


if __name__ == "__main__":
    main()
