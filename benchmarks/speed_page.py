"""The page of `make bench`: tables and plot out of the measured cells."""

import importlib.metadata
import math
import os
import platform
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed_peers import PEERS
from benchmarks.speed_specs import GOALS, LIMIT, WHOLE, word_specs

Cell = dict[str, Any]
Cells = dict[tuple[str, str, int], Cell]
"""By source, name, events."""
SIZES = (100, 1_000, 10_000, 100_000)
FLAT, MOST = 0.1, 10.0
"""The exponent below which a turn is flat, and milliseconds that a turn may take."""
OURS, FEW = "whole history into a budget", "the README's"
PACKAGES = (
    "contextwright", "msgspec", "splintr-rs", "langchain-core", "pydantic-ai-harness",
    "agent-framework-core", "adk-fluent",
)  # fmt: skip
SOURCES = {
    "recorded": "Recorded: tau-bench's airline sessions, one behind the other, again and again, their digits and\n"
    "capitals rotated each time so that no text comes back.",
    "generated": "Generated: turns of eight events, three tool results of some 200 tokens in each.",
}


def times_limit(cells: Cells, source: str, name: str, size: int) -> float | None:
    """A turn's median over that of the limit beside it, so that the machine's pace is on both."""
    cell = cells.get((source, name, size), {})
    return cell["p50"] / cell["limit"] if "p50" in cell else None


def exponent(cells: Cells, source: str, name: str) -> float | None:
    """The power of the length with which a turn grows between 1,000 and 100,000 events."""
    short, long = (times_limit(cells, source, name, size) for size in (1_000, 100_000))
    if not short or not long:
        return None
    return math.log(long / short) / math.log(100)


def ms(value: float | None) -> str:
    """Milliseconds, as many digits as are worth reading."""
    if value is None or math.isinf(value):
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(ratio: float) -> str:
    """How many times as much, as many digits as are worth reading."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def kilobytes(value: float | None) -> str:
    return "-" if value is None else f"{value / 1000:,.0f}"


def megabytes(value: float | None) -> str:
    return "-" if value is None else f"{value / 1e6:,.1f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table; all but the first column to the right."""
    rule = "| --- |" + " ---: |" * (len(heads) - 1)
    return [f"| {' | '.join(heads)} |", rule, *(f"| {' | '.join(row)} |" for row in rows), ""]


def along(
    cells: Cells, source: str, name: str, field: str, shown: Callable[[Any], str] = ms,
    sizes: Sequence[int] = SIZES,
) -> str:  # fmt: skip
    """A figure at every length; `stopped` where the time was over."""
    found = []
    for size in sizes:
        cell = cells.get((source, name, size), {})
        stopped = field not in cell and "stopped" in cell
        found.append(_stopped(cell["stopped"]) if stopped else shown(cell.get(field)))
    return " · ".join(found)


def _stopped(why: str) -> str:
    return f">{why.removeprefix('over ')}" if why.startswith("over") else why.partition(":")[0]


def growth(cells: Cells, source: str, names: Iterable[str]) -> list[str]:
    """First compile, turns, exponent, sizes and memory of some specs."""
    heads = [
        "", "first 100 · 1k · 10k · 100k", "turn, median", "turn, 99th percentile", "exponent",
        "request, manifest, KB", "memory: first, turns, MB",
    ]  # fmt: skip
    rows = []
    for name in names:
        power = exponent(cells, source, name)
        longest = cells.get((source, name, max(SIZES)), {})
        rows.append(
            [
                name if name in WHOLE else f"`{name}`",
                along(cells, source, name, "first"),
                along(cells, source, name, "p50"),
                along(cells, source, name, "p99"),
                "-" if power is None else f"{power:.2f}",
                f"{kilobytes(longest.get('request'))}, {kilobytes(longest.get('manifest'))}",
                f"{megabytes(longest.get('first_bytes'))}, {megabytes(longest.get('turn_bytes'))}",
            ]
        )
    return table(heads, rows)


def is_measured(cells: Cells, source: str) -> bool:
    """Whether all whole specs were measured at all lengths."""
    return all((source, name, size) in cells for name in WHOLE for size in SIZES)


def verdict(cells: Cells, source: str, words: Sequence[str]) -> list[str]:
    """Which words are flat, and which specs are below the limit; both counted, none left out."""
    powers = {name: exponent(cells, source, name) for name in words}
    steep = [f"`{name}` {power:.2f}" for name, power in powers.items() if power and power >= FLAT]
    unknown = [f"`{name}`" for name, power in powers.items() if power is None]
    flat = len(powers) - len(steep) - len(unknown)
    lines = [f"{source.capitalize()}: words by themselves were not measured in this run."]
    if words:
        lines = [
            f"{source.capitalize()}: of {len(powers)} words {flat} have an exponent below {FLAT}.",
            f"Above: {', '.join(steep) or 'none'}.",
        ]
    if unknown:
        lines.append(f"Not known, for a cell was stopped or failed: {', '.join(unknown)}.")
    turns = {n: cells.get((source, n, max(SIZES)), {}).get("p50", math.inf) for n in sorted(GOALS)}
    slow = [f"{name} {ms(turn)}" for name, turn in turns.items() if turn >= MOST]
    lines.append(
        f"Of {', '.join(turns)}, a turn takes {MOST:.0f} ms or more at {max(SIZES):,} events: "
        f"{', '.join(slow) or 'none'}."
    )
    return [*lines, ""]


def beside(cells: Cells) -> list[str]:
    """Peers on the same session, and how many times ours each takes."""
    names = [OURS, FEW, *(name for name in PEERS if ("recorded", name, 100) in cells), "limit"]
    heads = ["", "first 100 · 1k · 10k · 100k", "turn, median", "turn, times the first row's"]
    rows = []
    for name in names:
        ratios = []
        for size in SIZES:
            own = times_limit(cells, "recorded", OURS, size)
            theirs = times_limit(cells, "recorded", name, size)
            ratios.append(times(theirs / own) if own and theirs else "-")
        first = "" if name == "limit" else along(cells, "recorded", name, "first")
        turn = along(cells, "recorded", name, "p50")
        label = f"contextwright, {name}" if name in WHOLE else name
        rows.append([label, first, turn, " · ".join(ratios)])
    return table(heads, rows)


def reading(cells: Cells) -> list[str]:
    """Sessions read from a file."""
    rows = []
    for source in SOURCES:
        for size in SIZES:
            cell = cells.get((source, "reading", size))
            # less than before: the process gave back what it had for the file
            if cell and cell.get("bytes") is not None and cell["bytes"] > 0:
                written, held = cell["json"], cell["bytes"]
                rows.append(
                    [f"{source}, {size:,}", f"{written / 1e6:.1f}", f"{held / 1e6:.1f}",
                     f"{held / written:.1f}", ms(cell.get("first"))]
                )  # fmt: skip
    return table(["events", "file, MB", "in memory, MB", "times the file", "to read, ms"], rows)


def limits(rows: Iterable[tuple[str, int, float]]) -> list[str]:
    """Words beside the limits of the source document."""
    return table(
        ["word", "limit", "measured"],
        ([f"`{name}`", str(limit), f"{taken:.2f}"] for name, limit, taken in rows),
    )


def written_out() -> list[str]:
    """The specs behind the names."""
    return ["```text", *(f"{spec!r}  # {name}" for name, spec in WHOLE.items()), "```", ""]


def machine() -> str:
    """Where it was measured, versions included."""
    versions = ", ".join(map(version, PACKAGES))
    return (
        f"{processor()}, {os.cpu_count()} cores shared with other work, {platform.system()}, "
        f"Python {platform.python_version()}; {versions}."
    )


def version(package: str) -> str:
    """The installed version of a package."""
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} absent"


def processor() -> str:
    """The processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def page(found: dict[str, Any]) -> str:
    """The page."""
    cells = cells_of(found)
    known = [source for source in SOURCES if any(key[0] == source for key in cells)]
    # a run that was stopped shows the sessions that it came to the end of, if there are any
    sources = [source for source in known if is_measured(cells, source)] or known
    words = [
        name for name in word_specs() if any((sources[0], name, size) in cells for size in SIZES)
    ]
    lines = [
        "# Benchmarks", "",
        "Written by `make bench` in one run. All times are milliseconds of CPU; read the ratios, for other",
        "work on a machine makes the same work dearer. Each cell is a process of its own, forked off one that",
        f"built the session; it may take {found['seconds']:.0f} s of CPU, and says `>{found['seconds']:.0f} s` where that was not enough.",
        "", machine(), "",
        "- **first**: the first compile of a session in memory, vocabulary loaded, nothing counted.",
        "- **turn**: the messages since the model was asked last are appended, and the request is compiled: up",
        "  to 200 turns, or as many as four seconds allow; with fewer than 100 the 99th percentile is the longest.",
        "  The messages are the same ones behind a session of any length.",
        "- **exponent**: of a turn's median between 1,000 and 100,000 events; 0 is flat, 1 grows as the session does.",
        "  It and the ratios are of medians over that of the limit (below), which is timed behind each turn, warm, on",
        "  the same messages: the machine's pace swings by half within a run.",
        "- **request, manifest, memory**: at 100,000 events; memory that the first compile and the turns added.", "",
        *(SOURCES[source] for source in sources), "",
        "![a turn against the session's length](benchmarks.svg)", "",
    ]  # fmt: skip
    for source in sources:
        lines += [f"## Whole specs, {source}", "", *growth(cells, source, WHOLE)]
    lines += ["The specs:", "", *written_out()]
    lines += ["## What is flat", ""]
    for source in sources:
        lines += verdict(cells, source, words)
    for source in sources if words else ():
        lines += [
            f"## Every word, {source}", "",
            f"Over the whole conversation, into {LIMIT:,} tokens where the word is no limit itself; words that ask",
            "models have the embedded ones.", "", *growth(cells, source, words),
        ]  # fmt: skip
    return "\n".join([*lines, *_rest(found, cells)])


def _rest(found: dict[str, Any], cells: Cells) -> list[str]:
    words, asking = found["words"], found["asking"]
    return [
        "## Beside peers", "",
        f"The recorded session into {LIMIT:,} tokens, one tokenizer for all; each remembers its counts where it",
        "can. A peer's own conversion of messages is not timed. The limit: the new messages written as JSON and",
        "their tokens counted, once. What the requests are worth is on [another page](economy.md).", "",
        *beside(cells),
        "## Cold start", "",
        "A fresh process, Python's own start included; the quickest of seven. A vocabulary is loaded beside",
        "the imports: on two processors one waits for less than all that is computed.", "",
        *table(
            ["", "CPU, ms", "waited, ms"],
            ([name, f"{used:.0f}", f"{waited:.0f}"] for name, used, waited in found["starts"]),
        ),
        "## Sessions in memory", "", *reading(cells),
        "## Each word at 10,000 events", "",
        "By itself on the newest 20 turns, after a new one: the quickest of 31. The limit is the source",
        "document's (§10).", "", *limits(words),
        "## Words that ask models, at 10,000 events", "",
        "What the word adds to a compile with its answers at hand; a scripted model gave them. The limit is the",
        "source document's.", "", *limits(asking),
    ]  # fmt: skip


def cells_of(found: dict[str, Any]) -> Cells:
    """Cells by source, name and events."""
    return {(each["source"], each["name"], each["events"]): each for each in found["cells"]}


def readme_figures(found: dict[str, Any]) -> str:
    """What the README says is measured."""
    cells, source = cells_of(found), found["cells"][0]["source"]

    def turn(name: str, size: int) -> str:
        return ms(cells.get((source, name, size), {}).get("p50"))

    powers = [exponent(cells, source, name) for name in word_specs()]
    flat = sum(power is not None and power < FLAT for power in powers)
    words = f"Of {len(powers)} words {flat} are as flat; the page names the others. "
    if flat == len(powers):
        words = f"All {flat} words are as flat. "
    measured = any((source, name, SIZES[0]) in cells for name in word_specs())
    starts = {name: waited for name, _, waited in found["starts"]}
    return (
        "`make bench` writes [docs/reference/benchmarks.md](docs/reference/benchmarks.md), with its machine and\n"
        f"versions. A turn with the spec above takes {turn(FEW, 1_000)} ms of CPU at 1,000 events and "
        f"{turn(FEW, 100_000)} ms at 100,000;\n"
        f"the whole history into a budget {turn(OURS, 1_000)} and {turn(OURS, 100_000)} ms; `C.compaction` "
        f"{turn('compaction, 8,000', 1_000)} ms, and {turn('compaction, 8,000', 10_000)} ms at 10,000.\n"
        f"{words if measured else ''}`ctx --version` takes {starts.get('`ctx --version`', 0):.0f} ms.\n"
    )


def with_figures(readme: str, found: dict[str, Any]) -> str:
    """The README with what was measured now."""
    # up to the first line that leads to another page
    pattern = re.compile(r"(## Measured\n\n).*?(?=^\[)", re.DOTALL | re.MULTILINE)
    return pattern.sub(lambda match: match[1] + readme_figures(found), readme)


def plot(found: dict[str, Any], path: Path) -> None:
    """A turn's median against the session's length, both in powers of ten."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "contextwright"
    import matplotlib.pyplot as plt

    cells, source = cells_of(found), found["cells"][0]["source"]
    figure, axes = plt.subplots(figsize=(8, 4.6))
    axes.set_prop_cycle(color=mpl.colormaps["tab20"].colors)
    for name in (*WHOLE, *PEERS, "limit"):
        known = [
            (size, cell["p50"])
            for size in SIZES
            if (cell := cells.get((source, name, size), {})).get("p50")
        ]
        if known:
            style = "-" if name in WHOLE else "--" if name in PEERS else ":"
            axes.plot(*zip(*known, strict=True), style, marker="o", markersize=3, label=name)
    axes.axhline(MOST, linestyle=":", color="gray")
    axes.set(xscale="log", yscale="log", xlabel="events", ylabel="a turn, ms of CPU")
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
