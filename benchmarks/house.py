"""Before and after a redesign on one page, docs/reference/house.md: size, speed, economy, retrieval.

    CONTEXTWRIGHT_DATA=... python -m benchmarks.house BEFORE_SRC [--log-before LOG --log-after LOG]

BEFORE_SRC is the `src` of the code before, in its own checkout with its tests and benchmarks. Times
are medians of two processes that take turns, so that a busy machine is busy for both; read the ratios.
"""

import argparse
import ast
import io
import json
import os
import re
import statistics
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/reference/house.md"
TURNS = {100: 25, 1_000: 25, 10_000: 13}
"""Compiles that are timed, by the events of the session."""
FILES = ("pi_coding", "tau_chained", "se_agent", "tau_bench_airline")
OPENINGS = {
    "`import contextwright`": "import contextwright",
    "import and first compile": "from contextwright import C, compile, read_session; "
    'compile(read_session([{"role": "user", "content": "hi"}]), '
    'C.window(), model="gpt-5")',
}
Sides = tuple[Path, Path]


def outcome(src: Path, code: str) -> str:
    """The last line that code prints, run against one side; its own benchmarks beside it."""
    paths = os.pathsep.join([str(src), str(src.parent)])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        cwd=src.parent, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    return done.stdout.splitlines()[-1] if done.stdout else done.stderr


# --- size ---


def lines_of(path: Path) -> Counter[str]:
    """Lines of a module: all, code, docstrings."""
    text = path.read_text()
    doc, code, before = set(), set(), None
    layout = {tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        span = range(token.start[0], token.end[0] + 1)
        starts = before is None or before in layout
        if token.type == tokenize.STRING and starts and token.string.startswith(('"""', 'r"""')):
            doc.update(span)
        elif token.type not in layout and token.type != tokenize.COMMENT:
            code.update(span)
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type
    return Counter(all=len(text.splitlines()), code=len(code - doc), doc=len(doc))


def packages(src: Path) -> dict[str, Counter[str]]:
    """Lines by package, and how many modules it has."""
    found: dict[str, Counter[str]] = {}
    home = src / "contextwright"
    for path in sorted(home.rglob("*.py")):
        parts = path.relative_to(home).parts
        room = parts[0] if len(parts) > 1 else "."
        if path.stem in {"testing", "words"}:
            room = path.stem  # a module on one side, a package on the other
        found.setdefault(room, Counter()).update(lines_of(path))
        found[room]["modules"] += 1
    return found


def shape(src: Path) -> dict[str, str]:
    """What a reader of the code meets."""
    home = src / "contextwright"
    modules = [path for path in home.rglob("*.py") if path.name != "__init__.py"]
    trees = {path: ast.parse(path.read_text()) for path in home.rglob("*.py")}
    classes = Counter(
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    names = Counter(path.stem for path in modules)
    atoms = _atom_names(trees)
    asked = sum(
        _asks_for_a_word(node, atoms)
        for path, tree in trees.items()
        if path.relative_to(home).parts[0] != "atoms"
        for node in ast.walk(tree)
    )
    code = (
        "import contextwright, json; from contextwright.words import *; "
        "import contextwright.words as w; "
        "known = w.words() if hasattr(w, 'words') else w.WORDS; "
        "print(json.dumps([len(contextwright.__all__), len(known)]))"
    )
    public, words = json.loads(outcome(src, code))
    longest = max(len(path.read_text().splitlines()) for path in trees)
    return {
        "modules, without `__init__`": str(len(modules)),
        "the longest module, lines": str(longest),
        "class names defined more than once": str(sum(n > 1 for n in classes.values())),
        "module names used more than once": str(sum(n > 1 for n in names.values())),
        "`isinstance` on a word, outside `atoms`": str(asked),
        "names in `contextwright.__all__`": str(public),
        "words of `C`": str(words),
    }


def _atom_names(trees: dict[Path, ast.Module]) -> set[str]:
    return {
        node.name
        for path, tree in trees.items()
        if "atoms" in path.parts
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        if any(isinstance(base, ast.Name) and base.id == "Atom" for base in node.bases)
    }


def _asks_for_a_word(node: ast.AST, atoms: set[str]) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return False
    if node.func.id != "isinstance":
        return False
    return any(isinstance(name, ast.Name) and name.id in atoms for name in ast.walk(node.args[1]))


def tests_of(src: Path) -> str:
    """How many tests there are."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "tests"],
        capture_output=True, text=True, cwd=src.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(src), str(src.parent)])},
    )  # fmt: skip
    found = re.findall(r"(\d[\d,]*) tests collected", done.stdout)
    return found[-1] if found else "not collected"


def last_line(log: str) -> str:
    """What pytest said last in a log."""
    if not log:
        return "not of a finished run yet (`--log-after`)"
    ends = re.findall(r"^.*\b(?:passed|failed)\b.* in .*$", Path(log).read_text(), re.MULTILINE)
    return ends[-1].strip("= ") if ends else "no end in the log"


# --- speed ---


def openings(sides: Sides) -> Iterator[tuple[str, list[float], list[int]]]:
    """Milliseconds and modules of a fresh interpreter, by what it does, before and after."""
    clock = "import time, sys; old = len(sys.modules); start = time.perf_counter(); "
    end = (
        "; print(round(1000 * (time.perf_counter() - start), 2), "
        "sum(name.startswith('contextwright') for name in sys.modules))"
    )
    for name, code in OPENINGS.items():
        taken: list[list[float]] = [[], []]
        modules = [0, 0]
        for nth in range(11):
            for side in (0, 1) if nth % 2 else (1, 0):
                spent, loaded = outcome(sides[side], clock + code + end).split()
                taken[side].append(float(spent))
                modules[side] = int(loaded)
        yield name, [statistics.median(one) for one in taken], modules


class Worker:
    """A process that compiles against one side when it is asked to (`benchmarks.house_turns`)."""

    def __init__(self, src: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.house_turns"],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": f"{src}{os.pathsep}{ROOT}"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def compile(self, spec: str, events: int, what: str) -> tuple[float, str, int]:
        """Milliseconds, the hash of the request, its bytes."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([spec, events, what]) + "\n")
        self.process.stdin.flush()
        return tuple(json.loads(self.process.stdout.readline()))


def turns(sides: Sides) -> Iterator[dict[str, Any]]:
    """Every spec at every length, after a turn and after a message."""
    from benchmarks.house_turns import SPECS

    workers = [Worker(side) for side in sides]
    for spec in SPECS:
        for events, times in TURNS.items():
            for what in ("message", "turn"):
                yield interleaved(workers, spec, events, what, times)


def interleaved(
    workers: list[Worker], spec: str, events: int, what: str, times: int
) -> dict[str, Any]:
    """Medians of compiles that the workers make by turns."""
    taken: list[list[float]] = [[], []]
    size, same = [0, 0], True
    for nth in range(times + 2):
        bodies = ["", ""]
        for side in (0, 1) if nth % 2 else (1, 0):
            spent, bodies[side], size[side] = workers[side].compile(spec, events, what)
            if nth >= 2:
                taken[side].append(spent)
        same &= bodies[0] == bodies[1]
    before, after = map(statistics.median, taken)
    row = {"spec": spec, "events": events, "what": what, "before": before, "after": after}
    print(row, "same bytes" if same else size, flush=True)
    return {**row, "same": same, "size": size}


def lengths(src: Path) -> tuple[float, float]:
    """README's claim: milliseconds at 1,000 and at 100,000 events, after a message."""
    worker = Worker(src)
    taken: list[list[float]] = [[], []]
    for nth in range(27):
        for at, events in enumerate((1_000, 100_000)):
            spent = worker.compile("readme", events, "message")[0]
            if nth >= 2:
                taken[at].append(spent)
    return statistics.median(taken[0]), statistics.median(taken[1])


# --- what it is worth ---


def economy(src: Path) -> list[tuple[float, float]]:
    """Calls whole, and cost against the full history's, by file."""
    code = (
        "import json\n"
        "from benchmarks.economy import run, compaction, full, BUDGETS\n"
        "found = []\n"
        f"for name in {FILES!r}:\n"
        "    limit = BUDGETS[name]\n"
        "    ours = run(name, lambda: compaction(limit), limit)\n"
        "    whole = run(name, full, limit)\n"
        "    found.append([ours.call_share, ours.openai / whole.openai])\n"
        "print(json.dumps(found))"
    )
    return json.loads(outcome(src, code))


def retrieval(src: Path) -> str:
    """LoCoMo's row of `within`."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.retrieval", "--only", "locomo", "--methods", "within"],
        capture_output=True, text=True, check=True, cwd=src.parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(src), str(src.parent)])},
    )  # fmt: skip
    return next(line for line in done.stdout.splitlines() if line.startswith("| within"))


# --- the page ---

NEW = """\
The redesign set out to make the package 4,000 lines shorter. It did not: it is longer
([why](../adr/0032-figures-that-were-given-up.md)). The rooms that
were there lost what stood in them twice; what is new outweighs it:

- Testing kits in public (`contextwright.testing`), for a store, a word, a model, a provider of your own:
  about 1,900 lines. Before, that was one module.
- A router of ten kinds of content behind every word that shortens (`text/`): about 1,450 lines.
- Live objects of SDKs as input, and a reader of Pydantic AI's messages (`formats/`): about 700 lines.
- A registry of providers, with insertions into a list that grows (`render/`).
- Terminals and their roles as data (`spec/terminal.py`) in the place of questions about classes.
- One rule of protection, asked by every word and enforced by the tracer (`blocks/protection.py`).
- What the source documents ask and was not there ([what was asked](acceptance.md)): sealed stores and their commands,
  redaction that decodes before it looks, refs and trust by session, answers that are checked, errors that say what to
  type. About 9,500 lines, after the redesign.

Whole packages moved (`pack` is `compiler` and `tasks`, `recall` is `retrieval`), so that a package's lines
do not compare one by one; the whole does."""


def page(sides: Sides, found: dict[str, Any]) -> str:
    """The page."""
    lines = [
        "# The house, before and after", "",
        "What the redesign before the first release did to the code and to what it does. Written by",
        "`python -m benchmarks.house BEFORE_SRC`. Before: the code before the redesign. Times are medians of",
        "two processes that compile by turns on one machine; read the ratios.", "",
        "## Size", "", *_size(sides), "", NEW, "",
        "## What a reader meets", "", *_shape(sides), "",
        "## Opening", "",
        "A fresh interpreter, its own start not counted. Modules: those of this package that it loads.", "",
        "| | before, ms | after, ms | ratio | modules before | modules after |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {name} | {b:.0f} | {a:.0f} | {a / b:.2f} | {mb} | {ma} |"
            for name, (b, a), (mb, ma) in found["openings"]
        ), "", *_speed(found), "", *_worth(found), "", *_tests(found), "",
    ]  # fmt: skip
    return "\n".join(lines)


def _size(sides: Sides) -> list[str]:
    before, after = map(packages, sides)
    rooms = sorted({*before, *after})
    table = ["| package | all before | after | code before | after | docstrings before | after | modules before | after |",
             "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]  # fmt: skip
    whole = [Counter(), Counter()]
    for side, rooms_of in zip(whole, (before, after), strict=True):
        for counts in rooms_of.values():
            side.update(counts)
    for name, b, a in [
        *((f"`{r}`", before.get(r, Counter()), after.get(r, Counter())) for r in rooms),
        ("**all**", *whole),
    ]:
        cells = (f"{one[key]:,}" for key in ("all", "code", "doc", "modules") for one in (b, a))
        table.append(f"| {name} | " + " | ".join(cells) + " |")
    return table


def _shape(sides: Sides) -> list[str]:
    before, after = map(shape, sides)
    rows = [f"| {name} | {before[name]} | {after[name]} |" for name in before]
    note = [
        "",
        "Module names that stay double: a format that is read in `formats` and sent or driven elsewhere.",
    ]
    return ["| | before | after |", "| --- | ---: | ---: |", *rows, *note]


def _speed(found: dict[str, Any]) -> list[str]:
    from benchmarks.house_turns import SPECS

    short, long = found["lengths"]
    return [
        "## A compile after an append", "",
        "Message: one more message of the assistant's. Turn: a question, three calls with results of some",
        "200 tokens, an answer. Request: the bytes of the last one before and after, where they differ.", "",
        "| spec | events | after a | before, ms | after, ms | ratio | request |",
        "| --- | ---: | --- | ---: | ---: | ---: | --- |",
        *(
            f"| `{SPECS[r['spec']]!r}`".replace(" | ", r" \| ").replace(r" \| `", " | `")
            + f" | {r['events']:,} | {r['what']} | {r['before']:.2f} | {r['after']:.2f}"
            f" | {r['after'] / r['before']:.2f} | "
            + ("same" if r["same"] else f"{r['size'][0]:,} / {r['size'][1]:,}") + " |"
            for r in found["turns"]
        ), "",
        "A turn under `C.compact` costs more than it did: each new result is read as what it is (JSON, a log, a",
        "table, ...) and fitted row by row, once in its life, where before it was cut to a skeleton of its",
        "JSON. That is about half a millisecond a result; nothing of it depends on the session's length. The",
        "request after a turn is a quarter larger, too, so more is rendered, checked and written down.", "",
        f"The first spec after a message, one process: {short:.2f} ms at 1,000 events, {long:.2f} ms at 100,000:",
        f"a ratio of {long / short:.2f}.",
    ]  # fmt: skip


def _worth(found: dict[str, Any]) -> list[str]:
    from benchmarks.economy import TARGETS

    before, after = found["economy"]
    missed = [
        f"{name}: {what}"
        for name, (calls, cost) in zip(FILES, after, strict=True)
        for what, holds in (
            (f"calls {calls:.3f}, at least {TARGETS[name][0]} wanted", calls >= TARGETS[name][0]),
            (f"cost {cost:.3f}, at most {TARGETS[name][1]} wanted", cost <= TARGETS[name][1]),
        )
        if not holds
    ]
    return [
        "## What is kept, and what it costs", "",
        "`C.compaction` on real tool sessions ([economy](economy.md), where the peers' rows are): the share of",
        "calls whose values all stood in the request before them, and the cost against the full history's.", "",
        "| | calls before | calls after | cost before | cost after |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {name} | {b[0]:.3f} | {a[0]:.3f} | {b[1]:.3f} | {a[1]:.3f} |"
            for name, b, a in zip(FILES, before, after, strict=True)
        ), "",
        f"Targets of `benchmarks/economy.py` that are missed after: {'; '.join(missed) or 'none'}.", "",
        "`within` on LoCoMo, recall of the evidence in 500, 1,000, 2,000, 4,000 tokens, both halves in brackets",
        "([retrieval](retrieval.md)):", "",
        "| | 500 | 1,000 | 2,000 | 4,000 |", "| --- | ---: | ---: | ---: | ---: |",
        *(
            line.replace("| within |", f"| {name} |", 1)
            for name, line in zip(("before", "after"), found["retrieval"], strict=True)
        ),
    ]  # fmt: skip


def _tests(found: dict[str, Any]) -> list[str]:
    (before, after), (log_before, log_after) = found["tests"], found["logs"]
    return [
        "## Tests", "",
        "| | before | after |", "| --- | --- | --- |",
        f"| tests collected | {before} | {after} |",
        f"| the test run's own last line | {log_before} | {log_after} |",
    ]  # fmt: skip


def main() -> None:
    """Measure both sides and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("--log-before", default="")
    parser.add_argument("--log-after", default="")
    options = parser.parse_args()
    sides = (options.before.resolve(), ROOT / "src")
    found: dict[str, Any] = {
        "openings": list(openings(sides)),
        "turns": list(turns(sides)),
        "lengths": lengths(sides[1]),
        "economy": [economy(side) for side in sides],
        "retrieval": [retrieval(side) for side in sides],
        "tests": [tests_of(side) for side in sides],
        "logs": [last_line(options.log_before), last_line(options.log_after)],
    }
    PAGE.write_text(page(sides, found))
    print(PAGE)


if __name__ == "__main__":
    main()
