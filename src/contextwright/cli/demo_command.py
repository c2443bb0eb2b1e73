"""`ctx demo`: a long session, compiled at every call of the model, under three specs."""

from pathlib import Path
from typing import Any

import click
import msgspec

from contextwright.cli.example_session import example_session, question_positions
from contextwright.cli.output_file import OutputFile, WritingCommand
from contextwright.cli.progress import ProgressBars
from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.engine import memo_of
from contextwright.formats import write_session
from contextwright.render.target import Target, target
from contextwright.session.session import Session
from contextwright.spec.expr import Expr
from contextwright.stores.refs import Refs
from contextwright.tokens.models import model_info
from contextwright.words import C

SPECS: tuple[tuple[str, Expr], ...] = (
    ("everything", C.default()),
    ("compacted", C.default() | C.compact("tool_results") | C.budget(20_000)),
    (
        "tiers",
        C.from_state("goal") | C.priority(tier=1)
        + C.window(n=4) | C.compact() | C.priority(tier=2)
        + C.notes("case") | C.priority(tier=3)
        | C.budget(max_tokens=8_000, overflow="truncate_lowest_priority"),
    ),
)  # fmt: skip


class Bill(msgspec.Struct):
    """What the calls of one spec took, turn by turn.

    Args:
        tokens: input tokens of the last call of each turn.
        sent: input tokens of all calls; `reused` of them were the prefix of the call before.
    """

    name: str
    tokens: list[int]
    sent: int = 0
    reused: int = 0
    microdollars: int = 0
    compacted: int = 0
    dropped: int = 0


@click.command(cls=WritingCommand)
@click.option("--model", default="gpt-5", show_default=True, help="Whose tokens and prices.")
@click.option("--save", type=OutputFile(), help="Only write the session there.")
@click.option("--json", "as_json", is_flag=True, help="Print what each spec took as JSON.")
def demo(model: str, save: Path | None, as_json: bool) -> None:
    """Compile an example session under three specs.

    Turn by turn, beside sending everything; then recover what was left out.
    """
    from rich.console import Console

    console = Console()
    session = example_session()
    if save is not None:
        data = write_session(session, "contextwright", save)
        click.echo(f"{save}: {len(session)} messages, {len(data):,} bytes")
        return
    positions = question_positions(session)
    if as_json:
        click.echo(msgspec.json.encode(_bills(session, model)[0]))
        return
    console.print(
        f"A support session of {len(session)} messages, {len(positions)} model calls.",
        highlight=False,
    )
    bills, last = _bills(session, model)
    console.print(_turns(bills))
    console.print(_totals(bills, len(positions)))
    for name, spec in SPECS:
        console.print(f"{name:10} {spec!r}", markup=False, highlight=False)
    if last is not None:
        _recover(console, session, last)


def _bills(session: Session, model: str) -> tuple[list[Bill], Pack | None]:
    """What each spec took, and the last pack."""
    compile_target = target(model, tools=session.tools, read_back=True)
    positions, bills, last = question_positions(session), list[Bill](), None
    with ProgressBars() as bars:
        for name, spec in SPECS:
            bars.show("compiling", len(bills), len(SPECS))
            bill, last = run(session, name, spec, compile_target, positions)
            bills.append(bill)
    return bills, last


def run(
    session: Session, name: str, spec: Expr, compile_target: Target, positions: list[int]
) -> tuple[Bill, Pack | None]:
    """Compile at every call; what it took, and the last pack."""
    info = model_info(compile_target.model)
    compiler = SpecCompiler(spec, memo=memo_of(session.log))
    bill, previous = Bill(name, []), None
    for position in positions:
        version = sum(change.position <= position for change in session.changes)
        snapshot = session.snapshot_at(position, version)
        pack = compiler.compile(snapshot, compile_target, previous=previous)
        reused = info.cache.readable(pack.manifest.prefix.tokens if pack.manifest.prefix else 0)
        if len(bill.tokens) <= snapshot.turn:
            bill.tokens.append(0)
        bill.tokens[-1] = pack.tokens
        bill.sent += pack.tokens
        bill.reused += reused
        fresh = pack.tokens - reused
        prices = info.prices(pack.tokens)
        bill.microdollars += (fresh * prices.write + reused * prices.cached) // 1_000_000
        bill.compacted += sum(c.action == "compacted" for c in pack.manifest.changes)
        dropped = [c for c in pack.manifest.changes if c.action == "dropped"]
        bill.dropped += sum(change.exchanges for change in dropped)
        previous = pack
    return bill, previous


def _turns(bills: list[Bill]) -> Any:
    from contextwright.cli.tables import new_table

    columns = ("turn", *(bill.name for bill in bills))
    title = "input tokens of each turn's last call"
    table = new_table(title, *columns, right=columns)
    for turn in range(len(bills[0].tokens)):
        table.add_row(str(turn + 1), *(f"{bill.tokens[turn]:,}" for bill in bills))
    return table


def _totals(bills: list[Bill], calls: int) -> Any:
    from contextwright.cli.tables import new_table

    names = [bill.name for bill in bills]
    table = new_table(f"all {calls} calls", "", *names, right=names)
    rows = (
        ("input tokens", [f"{b.sent:,}" for b in bills]),
        ("prefix a cache reads again", [f"{100 * b.reused // b.sent} %" for b in bills]),
        ("input cost", [f"${b.microdollars / 1e6:.3f}" for b in bills]),
        ("blocks compacted, a call", [f"{b.compacted / calls:.1f}" for b in bills]),
        ("blocks dropped, a call", [f"{b.dropped / calls:.1f}" for b in bills]),
    )
    for name, values in rows:
        table.add_row(name, *values)
    return table


def _recover(console: Any, session: Session, pack: Pack) -> None:
    """Show one compacted result, and its whole."""
    from contextwright.cli.tables import inert

    for message in pack.request["messages"]:
        text = message.get("content")
        if message["role"] == "tool" and "[full output: " in text:
            ref = text.rpartition("[full output: ")[2].partition(",")[0]
            whole = Refs(session.snapshot()).read(ref)
            console.print("\nA compacted tool result, as the model sees it:")
            console.print(inert(text, 240))
            console.print(
                f"ctx expand {ref} gives it whole: {len(whole):,} characters", markup=False
            )
            console.print(inert(whole, 240))
            return
