"""`make bench`: measure, and write docs/reference/benchmarks.md with its plot.

Every number is the median of several runs of one process on one machine; read the ratios.
"""

import asyncio
import importlib.metadata
import platform
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.generated import generated_session, grow
from contextwright import C, Engine, compile
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import PendingTasks, SpecCompiler
from contextwright.engine.engine import memo_of
from contextwright.formats import write_session
from contextwright.models import Models, ScriptedLLM
from contextwright.testing import target_for
from contextwright.tokens.counter import counter_for

PAGE = Path(__file__).parents[1] / "docs/reference/benchmarks.md"
SPEC = (
    C.window(n=10) | C.compact() | C.dedup() | C.redact(["email"])
    + C.from_state("goal") | C.budget(max_tokens=8000)
)  # fmt: skip
TARGET = target_for("openai-chat")
SIZES = (100, 1_000, 10_000, 100_000)


def milliseconds(
    run: Callable[[], Any], times: int = 15, before: Callable[[], Any] | None = None
) -> float:
    """The median of several runs."""
    found = []
    for _ in range(times):
        if before is not None:
            before()
        start = time.perf_counter()
        run()
        found.append((time.perf_counter() - start) * 1000)
    return statistics.median(found)


def growth(size: int) -> dict[str, Any]:
    """First compile, compile after an append, memory; in a process of its own."""
    counter_for("gpt-5").count("load the vocabulary")
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    session = generated_session(size)
    start = time.perf_counter()
    compile(session, SPEC, target=TARGET)
    first = (time.perf_counter() - start) * 1000
    dice, turn = random.Random(1), iter(range(10**6, 10**7))
    after_turn = milliseconds(
        lambda: compile(session, SPEC, target=TARGET),
        before=lambda: grow(session, next(turn), dice),
    )
    after_append = milliseconds(
        lambda: compile(session, SPEC, target=TARGET), before=lambda: session.assistant("one more")
    )
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 1024
    return {"first": first, "append": after_append, "turn": after_turn, "memory": memory}


def growth_rows() -> list[dict[str, Any]]:
    """`growth` of every size, each in a fresh process."""
    rows = []
    for size in SIZES:
        code = f"import json; from benchmarks.__main__ import growth; print(json.dumps(growth({size})))"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        import json

        rows.append({"events": size, **json.loads(done.stdout.splitlines()[-1])})
        print(rows[-1])
    return rows


ATOMS = (
    ("C.window(n)", 2, C.window(10)),
    ("C.select(...)", 2, C.select(type="tool_result")),
    ("C.recent(...)", 2, C.recent(10)),
    ("C.from_state(...)", 1, C.from_state("goal", "city")),
    ("C.notes(...)", 1, C.notes("case")),
    ("C.compact(...)", 3, C.compact()),
    ("C.expand(...)", 5, C.expand("event://e2#0")),
    ('C.dedup("exact")', 2, C.dedup()),
    ('C.dedup("structural")', 3, C.dedup("structural")),
    ("C.project(...)", 2, C.project(["id"])),
    ("C.truncate(...)", 1, C.truncate(200)),
    ("C.priority(...)", 1, C.priority(2)),
    ("C.fresh(...)", 1, C.fresh(10)),
    ("C.redact(...)", 3, C.redact(["email", "phone", "ssn"])),
    ("C.validate(...) simple", 1, C.validate(["completeness", "freshness"])),
)


def atom_rows() -> list[tuple[str, int, float, float]]:
    """Each word on a session of 10,000 events: alone on the newest 20 turns, after an append;
    and on the whole session, as far as it takes blocks."""
    session = generated_session(10_000)
    session.note("case", [f"note {n}" for n in range(20)])
    dice, turn, rows = random.Random(1), iter(range(10**6, 10**7)), []
    compiler = SpecCompiler(C.default(), memo=memo_of(session.log))
    for name, limit, atom in ATOMS:

        def inputs() -> Any:
            snapshot = session.snapshot()
            renderer = TARGET.provider.renderer
            return compiler._inputs(
                snapshot, TARGET, renderer, plan(atom), PendingTasks(), dry=False
            )

        held: dict[str, Any] = {}

        def fresh() -> None:
            grow(session, next(turn), dice)
            held["inputs"] = inputs()
            held["some"] = C.window(20).bring(held["inputs"])
            held["all"] = C.default().bring(held["inputs"])

        def run(which: str) -> None:
            if atom.kind.value.startswith("source"):
                atom.bring(held["inputs"])
            else:
                atom.apply(held[which], held["inputs"])

        fresh()
        run("some")
        some = milliseconds(lambda: run("some"), before=fresh)
        run("all")
        whole = milliseconds(lambda: run("all"), before=fresh)
        rows.append((name, limit, some, whole))
        print(rows[-1])
    return rows


MODEL_WORDS = (
    ("C.relevant(...)", 3, C.window(5) + C.relevant(top_k=5)),
    ("C.summarize(...)", 3, C.rolling(n=5)),
    ('C.dedup("semantic")', 3, C.window(20) | C.dedup("semantic")),
    ("C.extract(...)", 3, C.window(5) + C.extract({"city": "str"}, key="record")),
    ("C.distill(...)", 3, C.window(5) + C.distill("case")),
    ("C.validate(...) contradictions", 3, C.window(5) | C.validate("contradictions")),
    (
        "no word that asks",
        10,
        C.window(5) + C.select(author="critic") | C.compact() | C.budget(8000),
    ),
)


def model_rows() -> list[tuple[str, int, float, float]]:
    """Words that ask models, over all of 10,000 events, answers at hand: what the word adds to a
    compile, and the whole compile."""
    rows = []
    for name, limit, spec in MODEL_WORDS:
        session = generated_session(10_000)
        engine = Engine(spec, TARGET.model, models=Models(ScriptedLLM(_reply)))
        bare = Engine(C.window(20 if "semantic" in name else 5), TARGET.model)
        whole = milliseconds(lambda: engine.compile(session), before=lambda: None)
        beside = milliseconds(lambda: bare.compile(session), before=lambda: None)
        rows.append((name, limit, whole - beside, whole))
        print(rows[-1])
    return rows


def _reply(prompt: Any) -> str:
    names = {"scores": '{"scores": []}', "pairs": '{"pairs": []}', "facts": '{"facts": ["a 1"]}'}
    known = next((reply for name, reply in names.items() if f'"{name}"' in prompt.schema), None)
    return known or ('{"city": "Lyon"}' if prompt.schema else "In short.")


def peer_rows() -> list[tuple[str, float, float]]:
    """trim_messages and adk-fluent's C on the same work: 1,000 messages into 8,000 tokens."""
    session = generated_session(1_000)
    ours_cold = milliseconds(lambda: _cold(session), times=5)
    compile(session, SPEC, target=TARGET)
    ours = milliseconds(
        lambda: compile(session, SPEC, target=TARGET), before=lambda: session.assistant("one more")
    )
    rows = [("contextwright, the spec above", ours_cold, ours)]
    plain = C.default() | C.budget(max_tokens=8000)
    plain_cold = milliseconds(lambda: _cold(session, plain), times=5)
    plain_warm = milliseconds(
        lambda: compile(session, plain, target=TARGET), before=lambda: session.assistant("one more")
    )
    rows.append(("contextwright, all of it into a budget", plain_cold, plain_warm))
    rows.append(("langchain_core trim_messages, same exact counter", *_langchain(session)))
    try:
        rows.append(("adk-fluent C (chars/4, text only, no redaction)", *_adk_fluent(session)))
    except Exception as error:  # noqa: BLE001
        print(f"adk-fluent skipped: {type(error).__name__}: {error}")
    for row in rows:
        print(row)
    return rows


def _cold(session: Any, spec: Any = SPEC) -> None:
    """A compile with nothing remembered, token counts included."""
    counter = counter_for("gpt-5")
    counter._memo.clear()
    SpecCompiler(spec).compile(session.snapshot(), TARGET)


def _langchain(session: Any) -> tuple[float, float]:
    import json

    from langchain_core.messages import messages_from_dict, trim_messages

    messages = messages_from_dict(json.loads(write_session(session, "langchain")))
    counter = counter_for("gpt-5")

    def count(batch: Any) -> int:
        encode = counter._encode
        total = 3
        for message in batch:
            text = message.content if isinstance(message.content, str) else str(message.content)
            total += 4 + len(encode(text))
            for call in getattr(message, "tool_calls", ()):
                total += 8 + len(encode(json.dumps(call["args"])))
        return total

    def run() -> None:
        trim_messages(
            messages, max_tokens=8000, token_counter=count, strategy="last",
            start_on="human", end_on=("human", "tool"), include_system=True,
        )  # fmt: skip

    taken = milliseconds(run, times=3)
    return taken, taken


def _adk_fluent(session: Any) -> tuple[float, float]:
    from adk_fluent import C as F
    from google.adk.events import Event
    from google.genai import types

    def event(item: Any) -> Any:
        author = "user" if item.role == "user" else "agent"
        text = (
            item.text
            or " ".join(r.text for r in item.results)
            or " ".join(c.arguments for c in item.calls)
        )
        content = types.Content(role=author, parts=[types.Part(text=text)])
        return Event(author=author, content=content)

    events = [event(item) for item in session.log]
    state = dict(session.state)
    context = SimpleNamespace(
        session=SimpleNamespace(events=events, state=state), state=state, agent_name="a"
    )
    spec = F.window(n=10) | F.compact() | F.dedup() | F.budget(max_tokens=8000)
    asyncio.run(spec.instruction_provider(context))
    taken = milliseconds(lambda: asyncio.run(spec.instruction_provider(context)), times=5)
    return taken, taken


def import_milliseconds() -> float:
    """`import contextwright` in a fresh interpreter, less the interpreter itself."""

    def best(code: str) -> float:
        found = []
        for _ in range(7):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            found.append(time.perf_counter() - start)
        return min(found) * 1000

    return best("import contextwright") - best("pass")


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Compile time against the session's length."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "contextwright"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.2))
    sizes = [row["events"] for row in rows]
    for name in ("first", "turn", "append"):
        axes.plot(sizes, [row[name] for row in rows], marker="o", label=name)
    axes.axhline(10, linestyle=":", color="gray", label="10 ms")
    axes.set(xscale="log", yscale="log", xlabel="events in the session", ylabel="milliseconds")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


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


def page(growths: Any, atoms: Any, asking: Any, peers: Any, importing: float) -> str:
    """The page."""
    ours = peers[0]
    versions = ", ".join(
        map(version, ("contextwright", "msgspec", "splintr-rs", "langchain-core", "adk-fluent"))
    )
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Medians of one process each, in milliseconds; read the ratios.",
        "",
        f"{processor()}, {platform.system()}, Python {platform.python_version()}; {versions}.",
        "",
        f"`import contextwright`: {importing:.0f} ms.",
        "",
        "## A compile against the session's length",
        "",
        f"`{SPEC!r}`",
        "",
        "First: nothing remembered. Append: after one more message. Turn: after a new turn with three",
        "tool results of some 200 tokens. Memory: growth of the process, session included.",
        "",
        "| events | first | append | turn | memory, MB |",
        "| ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {r['events']:,} | {r['first']:.1f} | {r['append']:.2f} | {r['turn']:.2f} | {r['memory']:.0f} |"
            for r in growths
        ),
        "",
        "![compile time against events](benchmarks.svg)",
        "",
        "## Each word at 10,000 events",
        "",
        "After a new turn. The limit is the source document's (§10). Newest 20 turns: what a window",
        "leaves a word to work on. Whole session: all 10,000 events as its input.",
        "",
        "| word | limit | newest 20 turns | whole session |",
        "| --- | ---: | ---: | ---: |",
        *(f"| `{n}` | {limit} | {some:.2f} | {whole:.2f} |" for n, limit, some, whole in atoms),
        "",
        "## Words that ask models, at 10,000 events",
        "",
        "Answers at hand (a cache hit); a scripted model gave them. The limit is the source document's.",
        "",
        "| word | limit | the word | the whole compile |",
        "| --- | ---: | ---: | ---: |",
        *(f"| `{n}` | {limit} | {word:.2f} | {whole:.2f} |" for n, limit, word, whole in asking),
        "",
        "## Beside peers, 1,000 messages into 8,000 tokens",
        "",
        "Cold: nothing remembered. Warm: after one more message; the peers remember nothing. All of it into a",
        "budget (`C.default()` with `C.budget(8000)`) is the work that `trim_messages` does.",
        "",
        "| | cold | warm | times ours, cold | times ours, warm |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(
            f"| {name} | {cold:.1f} | {warm:.2f} | {cold / ours[1]:.1f} | {warm / ours[2]:.0f} |"
            for name, cold, warm in peers
        ),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure everything and write the page."""
    growths = growth_rows()
    plot(growths, PAGE.with_suffix(".svg"))
    PAGE.write_text(page(growths, atom_rows(), model_rows(), peer_rows(), import_milliseconds()))
    print(PAGE)


if __name__ == "__main__":
    main()
