"""What people see: tables of tokens, blocks and changes. Content is shown as inert text."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from contextwright.pack.manifest import Manifest
from contextwright.pack.trace import Change


def inert(text: str, width: int = 60) -> Text:
    """A text in one line of so many characters, without control characters or markup."""
    plain = "".join(char if char.isprintable() else " " for char in text[: width * 2])
    plain = " ".join(plain.split())
    return Text(plain if len(plain) <= width else plain[: width - 1] + "…")


def summary(manifest: Manifest) -> Table:
    """Tokens by layer, and what happened."""
    table = Table(title=f"{manifest.model} · {manifest.format}", title_justify="left")
    table.add_column("layer")
    table.add_column("blocks", justify="right")
    table.add_column("tokens", justify="right")
    blocks: dict[str, int] = {}
    for kept in manifest.kept:
        blocks[kept.layer] = blocks.get(kept.layer, 0) + 1
    rest = max(0, manifest.tokens - sum(manifest.layer_tokens.values()))
    table.add_row("instruction, tools, overhead", "", f"{rest:,}")
    for layer, tokens in manifest.layer_tokens.items():
        table.add_row(layer, str(blocks[layer]), f"{tokens:,}")
    limit = f"of {manifest.budget:,}"
    table.add_section()
    table.add_row("request", str(len(manifest.kept)), f"{manifest.tokens:,} {limit}")
    return table


def changes_table(changes: tuple[Change, ...], limit: int = 30) -> Table:
    """What was shortened or left out, and why."""
    table = Table(title="shortened and left out", title_justify="left")
    for name in ("block", "what", "tokens", "why", "the whole"):
        table.add_column(name, justify="right" if name == "tokens" else "left")
    for change in changes[:limit]:
        tokens = f"{change.tokens_before:,} → {change.tokens_after:,}"
        gone = change.action == "dropped"
        table.add_row(
            inert(change.id, 24),
            change.action,
            tokens,
            inert(f"{change.reason} ({change.step})" if gone else change.reason, 48),
            inert(change.ref, 30),
        )
    if len(changes) > limit:
        table.add_row(f"… {len(changes) - limit} more", "", "", "see --json", "")
    return table


def print_manifest(console: Console, manifest: Manifest) -> None:
    """The summary, the changes, what no term selected, and the notes."""
    console.print(summary(manifest))
    if manifest.changes:
        console.print(changes_table(manifest.changes))
    for gap in manifest.left_out:
        text = f"not selected: {gap.exchanges} exchanges, {gap.first} to {gap.last}"
        console.print(inert(text, 100))
    for part in manifest.unrendered[:10]:
        console.print(inert(f"not sent: {part.part} of {part.event_id}: {part.reason}", 100))
    for answer in manifest.answers:
        cost = answer.input_tokens + answer.output_tokens
        paid = f", {cost:,} tokens" if cost else ""
        console.print(inert(f"{answer.kind} by {answer.model}{paid}", 100))
    for note in manifest.notes:
        console.print(inert(f"note: {note}", 100))
    factor = "" if manifest.counter_exact else " (an estimate, on the high side)"
    console.print(inert(f"counted with {manifest.counter}{factor}; {manifest.pack_id}", 100))
