"""`ctx show`: the request as the model reads it."""

from pathlib import Path
from typing import Any

import click

from contextwright.cli.options import CompileOptions, compile_options, load_pack
from contextwright.compiler.pack import Pack

_COLOURS = {"system": "magenta", "user": "green", "assistant": "cyan", "tool": "yellow"}
CHARACTERS = 1200
"""Of a message, where `--whole` is not given."""


@click.command("show")
@compile_options
@click.option("--whole", is_flag=True, help="Every message to its end.")
@click.option("--pager", is_flag=True, help="Page by page.")
def show(options: CompileOptions, whole: bool, pager: bool) -> None:
    """Show the request that SESSION compiles to, message by message.

    A pack file is shown by `ctx show-pack`.
    """
    print_pack(options.compile(), whole=whole, pager=pager)


@click.command("show-pack")
@click.argument("pack", type=click.Path(path_type=Path))
@click.option("--whole", is_flag=True, help="Every message to its end.")
@click.option("--pager", is_flag=True, help="Page by page.")
def show_pack(pack: Path, whole: bool, pager: bool) -> None:
    """Show the request of a PACK file, message by message."""
    print_pack(load_pack(pack), whole=whole, pager=pager)


def print_pack(pack: Pack, *, whole: bool, pager: bool) -> None:
    """Every message of a request, its role in its colour, content as inert text."""
    from contextlib import nullcontext

    from rich.console import Console
    from rich.text import Text

    from contextwright.cli.tables import step_lines

    console = Console()
    manifest = pack.manifest
    view: Any = console.pager(styles=True) if pager else nullcontext()
    with view:
        head = f"{manifest.model} · {manifest.format}: {manifest.tokens:,} of {manifest.budget:,}"
        console.print(Text(f"{head} tokens", style="bold"))
        for line in step_lines(manifest):
            console.print(Text(line))
        for who, text in _messages(pack):
            role = who.partition(" ")[0]
            console.print(Text(f"\n── {who}", style=f"bold {_COLOURS.get(role, 'white')}"))
            console.print(Text(_shown(text, whole=whole)), soft_wrap=True)


def _messages(pack: Pack) -> list[tuple[str, str]]:
    """Who says what, in the order of the request."""
    from contextwright.testing.sent import sent_parts

    parts = sent_parts(pack)
    if not parts:
        return [("text", pack.text if hasattr(pack, "text") else pack.body.decode())]
    names = {part.call_id: part.name for part in parts if part.name}
    shown: list[tuple[str, str]] = []
    for part in parts:
        who = part.kind
        if part.kind == "call":
            who = f"assistant calls {part.name or part.call_id}"
        elif part.kind == "result":
            who = f"tool {names.get(part.call_id, part.call_id)}"
        shown.append((who, part.text))
    return shown


def _shown(text: str, *, whole: bool) -> str:
    """A message without control characters; the middle of a long one left out and named."""
    plain = "".join(char if char.isprintable() or char in "\n\t" else "·" for char in text)
    if whole or len(plain) <= CHARACTERS:
        return plain
    half = CHARACTERS // 2
    left = f"{len(plain) - CHARACTERS:,} characters more; --whole shows them"
    return f"{plain[:half]}\n[… {left} …]\n{plain[-half:]}"
