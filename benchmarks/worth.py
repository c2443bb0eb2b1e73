"""One page of what the project is worth, of the figures that the benchmarks wrote.

    python -m benchmarks.worth                               the page, of the figures that are there
    CONTEXTWRIGHT_DATA=... python -m benchmarks.worth NAME...    measures these first

NAME: fidelity, never-dearer, retrieval, economy, reader; `all`. What was not measured stands on the page as
such. It goes to docs/reference/worth.md.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import figures
from benchmarks.worth_losses import losses
from benchmarks.worth_tables import TABLES

PAGE = Path(__file__).parents[1] / "docs/reference/worth.md"
COMMANDS = {
    "economy": "benchmarks.economy_grid",
    "reader": "benchmarks.reader",
    "fidelity": "benchmarks.fidelity",
    "never-dearer": "benchmarks.never_dearer",
    "retrieval": "benchmarks.retrieval_figures",
}

HEAD = """# What is it worth?

Every figure here was written by a benchmark into `docs/reference/figures`, and this page was made of these files by
`python -m benchmarks.worth`; no line of it is written by hand but what explains a column. The recorded sessions are not part of the
project: whoever has others sets `CONTEXTWRIGHT_DATA` and measures anew (`python -m benchmarks.worth all`).

In brackets, between what a figure lies in 95 of 100 draws: of sessions or conversations where a file has at least five, else of
stretches of 20 requests. A session is not the next one: read the intervals before the middle.
"""


def page() -> str:
    """The page of what is there."""
    found = {name: figures.load(name) for name in COMMANDS}
    lines = [HEAD, "## What we lose", ""]
    lines += [f"- {line}" for line in losses(found)] or ["- Nothing was measured."]
    lines.append("")
    for name, table in TABLES.items():
        told = found[name]
        if told is not None:
            lines += [*table(told), ""]
    lines += ["## Where it was measured", "", *provenance(found)]
    return "\n".join(lines).rstrip() + "\n"


def provenance(found: dict[str, dict[str, Any] | None]) -> Iterator[str]:
    """Command, day, machine and versions of each; what was not run."""
    yield "| figures | command | day | machine | versions |"
    yield "| --- | --- | --- | --- | --- |"
    for name, told in found.items():
        if told is None:
            yield f"| {name} | `python -m {COMMANDS[name]}` | **not measured** | | |"
            continue
        versions = ", ".join(
            f"{package} {version}" for package, version in told["versions"].items()
        )
        where = f"{told['measured']} | {told['machine']}"
        yield f"| {name} | `{told['command']}` | {where} | {versions} |"


def main() -> None:
    """Measure what is asked, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    unknown = set(given.names) - {*COMMANDS, "all"}
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: one of {', '.join(COMMANDS)} or all")
    for name in COMMANDS if "all" in given.names else given.names:
        subprocess.run([sys.executable, "-m", COMMANDS[name]], check=True)
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
