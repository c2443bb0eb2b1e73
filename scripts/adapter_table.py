"""Play every scenario with every framework that is installed, and write what came of it:
docs/reference/adapters.md, in short the README. Frameworks that do not install side by side are
played in their own environments, into the same data: `make adapters`.

python scripts/adapter_table.py [--loop | --new] [NAME...]    the drivers of these modules, or all

With --loop only the loop of 34 calls is played, with --new only scenarios that have no outcome yet;
all else stays as it was. Without
anything to play (`-`) the pages are written from the data.
"""

import fcntl
import sys
from importlib import import_module
from pathlib import Path

import msgspec

from contextwright.testing.adapter_suite import Outcome, outcomes
from contextwright.testing.adapter_suite.loop_comparison import (
    LoopComparison,
    compare,
    comparison_table,
)
from contextwright.testing.adapter_suite.scenario import SCENARIOS

ROOT = Path(__file__).parents[1]
DRIVERS = ROOT / "tests/adapters/drivers"
DATA = ROOT / "docs/reference/adapters.json"
PAGE = ROOT / "docs/reference/adapters.md"
MARK = "<!-- adapters -->"
_HEAD = """# Adapters, measured

Written by `make adapters`. One agent in each framework, one user message, 34 calls of the model
that read 38 files, before [a provider that refuses](../how-to/test-your-own-parts.md) what the real
one refuses and takes 12,000 tokens of four characters. Without the adapter; with it and
`C.compaction(8000)`: calls that were taken, the largest request as that provider counts it, whether
the framework's own history has every line, pieces of a streamed answer, and the cost beside sending
everything to a model that would take it, cached prefixes at a tenth.

"""
_CLAUDE = """
The Claude Agent SDK has no hook on a request, so there is no row of its own: its requests are [the
proxy's](../how-to/proxy.md), and [what is here](../how-to/frameworks/claude-agent.md), its
transcripts and what reads them back, is tested with the SDK's own suite for stores and with Claude
Code itself.
"""


class Played(msgspec.Struct):
    """What came of one driver."""

    comparison: LoopComparison
    outcomes: list[Outcome]


def main(names: list[str], *, loop_only: bool = False, new_only: bool = False) -> None:
    """Play, and write the data and the pages. What is not installed stays as it was played last."""
    sys.path.insert(0, str(ROOT))
    for path in sorted(DRIVERS.glob("*.py")):
        if names and path.stem not in names:
            continue
        try:
            module = import_module(f"tests.adapters.drivers.{path.stem}")
        except ImportError as error:
            print(f"left out: {path.stem} ({error})", file=sys.stderr)
            continue
        own = [each for each in getattr(module, "DRIVERS", ()) if type(each).__name__ != "Dummy"]
        for driver in own:
            print(f"playing {driver.name}", file=sys.stderr, flush=True)
            before = stored().get(driver.name)
            if new_only and before is not None:
                known = {each.scenario for each in before.outcomes}
                added = (
                    outcomes([driver], sorted(SCENARIOS.keys() - known))
                    if SCENARIOS.keys() - known
                    else []
                )
                both = sorted([*before.outcomes, *added], key=lambda each: each.scenario)
                keep(driver.name, before.comparison, both)
            else:
                keep(driver.name, compare(driver), None if loop_only else outcomes([driver]))
    write(stored())


def stored() -> dict[str, Played]:
    """What was played so far, by driver."""
    if not DATA.exists():
        return {}
    return dict(sorted(msgspec.json.decode(DATA.read_bytes(), type=dict[str, Played]).items()))


def keep(name: str, comparison: LoopComparison, new: list[Outcome] | None) -> None:
    """Put what came of a driver into the data; another environment may be played beside."""
    with DATA.open("a+b") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        played = stored()
        before = played[name].outcomes if name in played else []
        played[name] = Played(comparison, before if new is None else new)
        DATA.write_bytes(msgspec.json.format(msgspec.json.encode(played), indent=1) + b"\n")


def write(played: dict[str, Played]) -> None:
    """The page, and the README's short table."""
    table = comparison_table([each.comparison for each in played.values()])
    lines = [_HEAD + table, f"\n## The {len(SCENARIOS)} scenarios\n"]
    lines.append(
        "| | pass | can not | fail | not played yet |\n| --- | ---: | ---: | ---: | ---: |"
    )
    for name, each in played.items():
        if not each.outcomes:
            continue
        marks = [one.mark for one in each.outcomes]
        counts = " | ".join(str(marks.count(mark)) for mark in ("yes", "-", "no"))
        left = len(SCENARIOS.keys() - {one.scenario for one in each.outcomes})
        lines.append(f"| {name} | {counts} | {left} |")
    lines.append(_CLAUDE)
    lines.append("What one can not do, or does not hold; all else passes:\n")
    for name, each in played.items():
        for one in each.outcomes:
            if one.mark != "yes":
                what = "does not hold" if one.mark == "no" else "can not"
                lines.append(f"- {name}, {one.scenario.replace('-', ' ')}, {what}: {one.why}.")
    lines.append("\nWhat each proves:\n")
    for name, play in sorted(SCENARIOS.items()):
        lines.append(f"- **{name.replace('-', ' ')}**: {' '.join((play.__doc__ or '').split())}")
    PAGE.write_text("\n".join(lines) + "\n")
    readme = ROOT / "README.md"
    head, _, rest = readme.read_text().partition(MARK)
    _, _, tail = rest.partition(MARK.replace("<!-- ", "<!-- /"))
    if tail:
        readme.write_text(f"{head}{MARK}\n{short(played)}{MARK.replace('<!-- ', '<!-- /')}{tail}")


def short(played: dict[str, Played]) -> str:
    """A row a framework, without its interfaces."""
    firsts: dict[str, Played] = {}
    for name, each in played.items():
        firsts.setdefault(name.partition(",")[0], each)
    rows = "| 34 calls | without | with | largest | history | cost |\n"
    rows += "| --- | --- | --- | ---: | --- | ---: |\n"
    for name, each in firsts.items():
        row = each.comparison
        rows += (
            f"| {name} | gives up at {row.fails_at} | all {row.passed} | {row.largest:,} | "
            f"{'whole' if row.whole else 'not whole'} | {row.cost_percent} % |\n"
        )
    return rows


if __name__ == "__main__":
    arguments = [each for each in sys.argv[1:] if not each.startswith("--")]
    main(arguments, loop_only="--loop" in sys.argv, new_only="--new" in sys.argv)
