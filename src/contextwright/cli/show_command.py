"""`ctx show`: the request as the model reads it."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click
import msgspec

from contextwright.cli.options import (
    CompileOptions,
    compile_options,
    refuse_idle,
    repair_lines,
)
from contextwright.cli.pack_file import load_pack
from contextwright.cli.progress import no_line
from contextwright.compiler.change import Change
from contextwright.compiler.manifest import KeptBlock, Manifest
from contextwright.compiler.pack import Pack
from contextwright.session.exchange import Exchange
from contextwright.session.session import Session
from contextwright.session.snapshot import Snapshot

_COLOURS = {"system": "magenta", "user": "green", "assistant": "cyan", "tool": "yellow"}
CHARACTERS = 1200
"""Of a message, where `--whole` is not given."""


_JSON = click.option("--json", "as_json", is_flag=True, help="Print all messages, whole, as JSON.")


class ShownPart(msgspec.Struct, frozen=True):
    """A part of a request: who says it, what became of it, its text."""

    who: str
    remark: str
    text: str
    turn: int = -1


@click.command("show")
@compile_options
@click.option("--whole", is_flag=True, help="Every message to its end.")
@click.option("--pager", is_flag=True, help="Page by page.")
@_JSON
def show(options: CompileOptions, whole: bool, pager: bool, as_json: bool) -> None:
    """Show the request that SESSION compiles to, message by message.

    Each message with its event, its tokens, and what shortened it. A pack file is shown by
    `ctx show-pack`, the whole session as a page by `ctx inspect`.
    """
    _refuse_idle(as_json=as_json)
    pack = options.compile()
    if as_json:
        click.echo(dump_parts(pack, options.session))
        return
    print_pack(pack, options.session, whole=whole, pager=pager)


@click.command("show-pack")
@click.argument("pack", type=click.Path(path_type=Path))
@click.option("--whole", is_flag=True, help="Every message to its end.")
@click.option("--pager", is_flag=True, help="Page by page.")
@_JSON
def show_pack(pack: Path, whole: bool, pager: bool, as_json: bool) -> None:
    """Show the request of a PACK file, message by message."""
    _refuse_idle(as_json=as_json)
    if as_json:
        click.echo(dump_parts(load_pack(pack)))
        return
    print_pack(load_pack(pack), whole=whole, pager=pager)


def _refuse_idle(*, as_json: bool) -> None:
    """Refuse what says how a person reads it."""
    acts = not as_json, "for people to read: --json has all of it"
    refuse_idle({"whole": acts, "pager": acts})


def dump_parts(pack: Pack, session: Session | None = None) -> bytes:
    """The messages as JSON, whole, with what a request is.

    Args:
        session: as `print_pack` says.
    """
    manifest = pack.manifest
    names = ("model", "format", "tokens", "budget", "pack_id")
    head = {name: getattr(manifest, name) for name in names}
    return msgspec.json.encode({**head, "parts": list(_parts(pack, session))})


def print_pack(pack: Pack, session: Session | None = None, *, whole: bool, pager: bool) -> None:
    """Every message of a request, its role in its colour, content as inert text.

    Args:
        session: the one it was compiled from; without it a message does not say what became of it.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console()
    view: Any = console.pager(styles=True) if pager else nullcontext()
    with no_line() if pager else nullcontext(), view:
        for at, line in enumerate(_head_lines(pack.manifest, session)):
            console.print(Text(line, style="" if at else "bold"))
        for line in repair_lines(session) if session is not None else ():
            console.print(Text(line))
        print_parts(console, _parts(pack, session), whole=whole)


def print_parts(console: Any, parts: Iterable[ShownPart], *, whole: bool) -> None:
    """Messages one below the other, each under who said it."""
    from rich.text import Text

    turn = -1
    for part in parts:
        if part.turn >= 0 and part.turn != turn:
            turn = part.turn
            console.print(Text(f"\nturn {turn + 1}", style="dim"))
        role = part.who.partition(" ")[0]
        head = Text(f"\n── {part.who}", style=f"bold {_COLOURS.get(role, 'white')}")
        console.print(head.append(part.remark, style="not bold dim"))
        console.print(Text(_inert(part.text, whole=whole)), soft_wrap=not console.is_terminal)


def exchange_parts(exchanges: Iterable[Exchange], snapshot: Snapshot) -> Iterator[ShownPart]:
    """What was said and done in exchanges, each part with its event's id."""
    from contextwright.inspect.alignment import source_parts

    for exchange in exchanges:
        for part in source_parts(exchange.index, snapshot):
            event = snapshot.log[part.event]
            remark = f" · {event.id}"
            text = part.text or ("" if part.kind != "media" else "[an image or a file]")
            yield ShownPart(_who(part.kind, part.role, part.name), remark, text, exchange.turn)


def _who(kind: str, role: str, name: str) -> str:
    """`assistant calls search`, `tool search`, or a role and what it gives."""
    if kind == "call":
        return f"assistant calls {name}"
    if kind == "result":
        return f"tool {name}"
    return role if kind == "text" else f"{role} {kind}"


def _head_lines(manifest: Manifest, session: Session | None) -> Iterator[str]:
    """What the request is, what it is made of, and what is not in it, by reason."""
    from contextwright.cli.tables import happened_lines, step_lines
    from contextwright.inspect.labels import labels_of
    from contextwright.spec.codec import from_data

    yield f"{manifest.model} · {manifest.format}: {manifest.tokens:,} of {manifest.budget:,} tokens"
    layers = [
        ("instruction, tools, overhead", manifest.fixed_tokens),
        *manifest.layer_tokens.items(),
    ]
    yield " · ".join(f"{name} {tokens:,}" for name, tokens in layers if tokens)
    labels = labels_of(session, from_data(manifest.spec)) if session is not None else {}
    yield from happened_lines(manifest, labels)
    yield from step_lines(manifest)


def _parts(pack: Pack, session: Session | None) -> Iterator[ShownPart]:
    """Who says what, in the order of the request."""
    from contextwright.inspect.alignment import Aligned, aligned, source_parts
    from contextwright.inspect.request_parts import request_parts

    manifest, parts = pack.manifest, request_parts(pack.request)
    if not parts:
        yield ShownPart("text", "", pack.body.decode())
        return
    names = {part.call_id: part.name for part in parts if part.kind == "call"}
    pairs: Iterable[Aligned] = map(Aligned, parts)
    if session is not None:
        snapshot = session.snapshot_at(manifest.position, manifest.state_version)
        orders = sorted(block.order for block in manifest.kept if block.order >= 0)
        sources = [part for order in orders for part in source_parts(order, snapshot)]
        pairs = aligned(parts, manifest, sources)
    blocks = {block.order: block for block in manifest.kept if block.order >= 0}
    made = {block.id: block for block in manifest.kept if block.order < 0}
    changes = {change.id: change for change in manifest.changes}
    seen: set[str] = set()
    for one in pairs:
        block = made.get(one.block) if one.block else None
        if one.source is not None:
            block = blocks.get(one.source.order)
        part, remark = one.part, ""
        name = part.name or names.get(part.call_id, part.call_id)
        who = _who(part.kind, part.role, name)
        if block is not None:
            remark = _remark(block, changes, first=block.id not in seen)
            seen.add(block.id)
        yield ShownPart(who, remark, part.text, block.turn if block is not None else -1)


def _remark(block: KeptBlock, changes: Mapping[str, Change], *, first: bool) -> str:
    """` · e142 · 1,933 → 117 tokens, compacted by C.compact(): over 100 tokens`; of a block's
    second part only its id."""
    if not first:
        return f" · {block.id}"
    change = changes.get(block.id)
    if change is None:
        return f" · {block.id} · {block.tokens:,} tokens"
    why = f": {change.reason}" if change.reason else ""
    tokens = f"{change.tokens_before:,} → {block.tokens:,} tokens"
    return f" · {block.id} · {tokens}, {change.action} by {change.step}{why}"


def _inert(text: str, *, whole: bool) -> str:
    """A message without control characters; the middle of a long one left out and named."""
    plain = "".join(char if char.isprintable() or char in "\n\t" else "·" for char in text)
    if whole or len(plain) <= CHARACTERS:
        return plain
    half = CHARACTERS // 2
    left = f"{len(plain) - CHARACTERS:,} characters more; --whole shows them"
    return f"{plain[:half]}\n[… {left} …]\n{plain[-half:]}"
