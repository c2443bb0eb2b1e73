"""What people see: tables of tokens, blocks and changes. Content is shown as inert text."""

from collections.abc import Collection
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from contextwright.compiler.manifest import Manifest
from contextwright.compiler.trace import Change


def inert(text: str, width: int = 60) -> Text:
    """A text in one line of so many characters, without control characters or markup."""
    plain = "".join(char if char.isprintable() else " " for char in text[: width * 2])
    plain = " ".join(plain.split())
    return Text(plain if len(plain) <= width else plain[: width - 1] + "…")


def named(id: str, width: int = 24) -> Text:
    """An id in so many characters; of a long one both ends, since the last part tells most."""
    if len(id) <= width:
        return inert(id, width)
    head = width // 3
    return inert(f"{id[:head]}…{id[head + 1 - width :]}", width)


def new_table(
    title: str, *columns: str, right: Collection[str] = ("tokens",), **form: Any
) -> Table:
    """A table with these columns.

    Args:
        right: columns of numbers, which end at the same place.
        form: options of rich's `Table`.
    """
    table = Table(title=title, title_justify="left", **form)
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left")
    return table


def summary(manifest: Manifest) -> Table:
    """Tokens by layer, and what happened."""
    shares = manifest.layer_budgets
    numbers = ("blocks", "tokens", *(["share of the window"] if shares else []))
    title = f"{manifest.model} · {manifest.format}"
    table = new_table(title, "layer", *numbers, right=numbers)
    blocks: dict[str, int] = {}
    for block in manifest.kept:
        blocks[block.layer] = blocks.get(block.layer, 0) + 1
    rest = max(0, manifest.tokens - sum(manifest.layer_tokens.values()))
    table.add_row("instruction, tools, overhead", "", f"{rest:,}")
    for layer in dict.fromkeys((*shares, *manifest.layer_tokens)):
        tokens, share = manifest.layer_tokens.get(layer, 0), shares.get(layer)
        share_cells = [f"{share:,}" if share is not None else ""] if shares else []
        table.add_row(
            layer, str(blocks.get(layer, "")), f"{tokens:,}" if tokens else "", *share_cells
        )
    limit = f"of {manifest.budget:,}"
    table.add_section()
    table.add_row("request", str(len(manifest.kept)), f"{manifest.tokens:,} {limit}")
    return table


def step_lines(manifest: Manifest) -> list[str]:
    """The step that a pack is for, what it was shared out by, what it lacks."""
    lines: list[str] = []
    if manifest.step_id:
        lines.append(f"step {manifest.step_id} of task {manifest.task_id}")
    if manifest.tools is not None and manifest.tools.kept_out:
        lines.append(
            f"tools kept out ({manifest.tools.rule}): {', '.join(manifest.tools.kept_out)}"
        )
    if manifest.signals:
        shown = (f"{name} {value / 1_000_000:.2f}" for name, value in manifest.signals.items())
        lines.append(f"signals: {', '.join(shown)}")
    if manifest.evidence_needed:
        lines.append(f"evidence needed for: {', '.join(manifest.evidence_needed)}")
    return lines


def prefix_lines(manifest: Manifest) -> list[str]:
    """What a prompt cache can use of the request before, in tokens and money."""
    prefix = manifest.prefix
    if prefix is None:
        return []
    share = 100 * prefix.tokens // max(1, manifest.tokens)
    line = f"prefix shared with the request before: {prefix.tokens:,} tokens ({share} %)"
    if prefix.saved_microdollars is not None:
        line += f", saves ${prefix.saved_microdollars / 1_000_000:.6f}"
    if prefix.first_difference:
        line += f"; new from {prefix.first_difference}"
    return [line]


def answer_lines(manifest: Manifest) -> list[str]:
    """What models answered, by kind and model, with what it cost."""
    costs_by_model: dict[tuple[str, str], list[int]] = {}
    for answer in manifest.answers:
        cost = answer.input_tokens + answer.output_tokens
        costs_by_model.setdefault((answer.kind, answer.model), []).append(cost)
    lines: list[str] = []
    for (kind, model), costs in costs_by_model.items():
        times = f"{len(costs)} × " if len(costs) > 1 else ""
        paid = f", {sum(costs):,} tokens" if sum(costs) else ""
        lines.append(f"{times}{kind} by {model}{paid}")
    return lines


def changes_table(changes: tuple[Change, ...], limit: int = 30) -> Table:
    """What was shortened or left out, and why."""
    table = new_table("shortened and left out", "block", "what", "tokens", "why", "the whole")
    for change in changes[:limit]:
        tokens = f"{change.tokens_before:,} → {change.tokens_after:,}"
        dropped = change.action == "dropped"
        table.add_row(
            named(change.id),
            change.action,
            tokens,
            inert(f"{change.reason} ({change.step})" if dropped else change.reason, 48),
            named(change.ref, 30),
        )
    if len(changes) > limit:
        table.add_row(f"… {len(changes) - limit} more", "", "", "see --json", "")
    return table


def print_manifest(console: Console, manifest: Manifest) -> None:
    """The summary, the changes, what no term selected, and the notes."""
    console.print(summary(manifest))
    for line in (*step_lines(manifest), *prefix_lines(manifest)):
        console.print(inert(line, 300))
    if manifest.changes:
        console.print(changes_table(manifest.changes))
    for gap in manifest.left_out:
        text = f"not selected: {gap.exchanges} exchanges, {gap.first} to {gap.last}"
        console.print(inert(text, 100))
    for part in manifest.unrendered[:10]:
        console.print(inert(f"not sent: {part.part} of {part.event_id}: {part.reason}", 100))
    for line in answer_lines(manifest):
        console.print(inert(line, 100))
    for note in manifest.notes:
        console.print(inert(f"note: {note}", 100))
    factor = "" if manifest.counter_exact else " (an estimate, on the high side)"
    console.print(inert(f"counted with {manifest.counter}{factor}; {manifest.pack_id}", 100))
