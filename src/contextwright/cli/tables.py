"""What people see: what happened in sum, then the largest of it. Content is shown as inert text."""

from collections.abc import Collection, Mapping
from typing import Any

import msgspec
from rich import box
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from contextwright.compiler.change import Change
from contextwright.compiler.manifest import Manifest, Prefix
from contextwright.inspect.labels import Label, label_of

TOP = 10
"""Rows of a list where `--top` says nothing."""
PLAIN: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "padding": (0, 1, 0, 0)}
"""A table without lines between its columns: words have room in 80 characters."""


def inert(text: str, width: int = 60) -> Text:
    """A text in one line of so many columns, without control characters or markup. A sign of
    Chinese, Japanese or Korean, and most emoji, take two."""
    plain = "".join(char if char.isprintable() else " " for char in text[: width * 2])
    plain = " ".join(plain.split())
    if cell_len(plain) <= width:
        return Text(plain)
    return Text(set_cell_size(plain, width - 1).rstrip() + "…")


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


def listing(title: str, *columns: str, wide: str, right: Collection[str] = ("tokens",)) -> Table:
    """A table without lines, a line a row: one column takes the room that the others leave.

    Args:
        wide: the name of that column.
        right: columns of numbers.
    """
    table = Table(title=title, title_justify="left", expand=True, **PLAIN)
    for name in columns:
        table.add_column(
            name,
            justify="right" if name in right else "left",
            no_wrap=True,
            overflow="ellipsis",
            ratio=1 if name == wide else None,
        )
    return table


def top_of(rows: int, top: int) -> str:
    """How many of so many are listed, in words."""
    shown = min(rows, top) if top else rows
    return f"{shown} of {rows:,}; --top 0 lists all" if shown < rows else f"{rows:,}"


def summary(manifest: Manifest) -> Table:
    """Tokens by layer, and what happened."""
    shares = manifest.layer_budgets
    numbers = ("blocks", "tokens", *(["share of the window"] if shares else []))
    title = f"{manifest.model} · {manifest.format}"
    table = new_table(title, "layer", *numbers, right=numbers)
    blocks: dict[str, int] = {}
    for block in manifest.kept:
        blocks[block.layer] = blocks.get(block.layer, 0) + 1
    table.add_row("instruction, tools, overhead", "", f"{manifest.fixed_tokens:,}")
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


def count_of(count: int, noun: str) -> str:
    """A number with its noun, given in the singular: `1 call`, `2,000 calls`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def happened_lines(manifest: Manifest, labels: Mapping[str, Label]) -> list[str]:
    """What became of the session, a line a reason, largest gain first:
    `37 results compacted, 58,210 → 9,104: over 100 tokens`."""
    groups: dict[tuple[str, str, str], list[Change]] = {}
    for change in manifest.changes:
        noun = "exchanges" if change.last else label_of(change.id, labels).noun
        key = (noun, change.action, change.reason)
        groups.setdefault(key, []).append(change)
    lines: list[tuple[int, str]] = []
    for (noun, action, reason), changes in groups.items():
        before = sum(change.tokens_before for change in changes)
        after = sum(change.tokens_after for change in changes)
        count = sum(change.exchanges for change in changes)
        many = count_of(count, noun.removesuffix("s"))
        lines.append((after - before, f"{many} {action}, {before:,} → {after:,}: {reason}"))
    skipped = sum(gap.exchanges for gap in manifest.left_out)
    if skipped:
        many = count_of(skipped, "exchange")
        lines.append((0, f"{many} not selected: no term of the spec brings them"))
    return [text for _, text in sorted(lines, key=lambda line: line[0])]


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
    return [line, *_loss_lines(prefix)]


def _loss_lines(prefix: Prefix) -> list[str]:
    """Whose doing it was that the request before is not the beginning of this one."""
    loss = prefix.loss
    if isinstance(loss, msgspec.UnsetType):
        return []
    doer = f" by {loss.step}" if loss.step else ""
    why = f", {loss.reason}" if loss.reason else ""
    price = f", ${loss.microdollars / 1_000_000:.6f}" if loss.microdollars else ""
    where = f"{loss.piece} byte {loss.byte:,}"
    return [f"prefix lost: {loss.cause}{doer}{why}; {loss.tokens:,} tokens{price} at {where}"]


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


def changes_table(changes: tuple[Change, ...], labels: Mapping[str, Label], top: int) -> Table:
    """What was shortened or left out, the largest gains first."""
    title = f"shortened and left out ({top_of(len(changes), top)})"
    table = listing(title, "event", "who", "begins", "what", "tokens", wide="begins")
    ranked = sorted(changes, key=lambda change: change.tokens_after - change.tokens_before)
    for change in ranked[: top or None]:
        label = label_of(change.id, labels)
        ends = f"{change.id}..{change.last}" if change.last else change.id
        table.add_row(
            named(ends, 12),
            inert(label.who, 14),
            inert(label.begins, 80),
            change.action,
            f"{change.tokens_before:,} → {change.tokens_after:,}",
        )
    return table


def print_manifest(
    console: Console, manifest: Manifest, labels: Mapping[str, Label], top: int = TOP
) -> None:
    """What happened by reason, the sum, the largest changes, what was not sent, and the notes."""
    print_happened(console, manifest, labels)
    print_rest(console, manifest, labels, top)


def print_happened(console: Console, manifest: Manifest, labels: Mapping[str, Label]) -> None:
    """What happened by reason: what every report begins with."""
    for line in happened_lines(manifest, labels):
        console.print(inert(line, 300))


def print_rest(
    console: Console, manifest: Manifest, labels: Mapping[str, Label], top: int = TOP
) -> None:
    """The sum, the largest changes, what was not sent, and the notes."""
    console.print(summary(manifest))
    for line in (*step_lines(manifest), *prefix_lines(manifest)):
        console.print(inert(line, 300))
    if manifest.changes:
        console.print(changes_table(manifest.changes, labels, top))
        ref = next((change.ref for change in manifest.changes if change.ref), "")
        if ref:
            console.print(inert(f"whole again: ctx expand {ref} SESSION", 300))
    unrendered = manifest.unrendered
    for part in unrendered[: top or None]:
        console.print(inert(f"not sent: {part.part} of {part.event_id}: {part.reason}", 300))
    if top and len(unrendered) > top:
        console.print(f"not sent: {len(unrendered) - top} parts more; --top 0 lists all")
    for line in answer_lines(manifest):
        console.print(inert(line, 300))
    for note in manifest.notes:
        console.print(inert(f"note: {note}", 300))
    console.print(inert(f"counted with {_counter(manifest)}; {manifest.pack_id}", 300))


def _counter(manifest: Manifest) -> str:
    """`o200k_base × 1.35, an estimate`: the vocabulary, and what its count is multiplied with."""
    name, _, hundredths = manifest.counter.partition("*")
    times = f" × {int(hundredths) / 100:g}" if hundredths.isdigit() else ""
    return f"{name}{times}" + ("" if manifest.counter_exact else ", an estimate on the high side")
