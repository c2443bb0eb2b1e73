"""What `ctx try` prints, as tables or as data: sums, the sessions, and what was not in sight."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from contextwright.cli.tables import count_of, inert, listing, named, new_table, top_of
from contextwright.traces.call_mark import TRACE, has_summary
from contextwright.traces.comparison import RequestSums, SessionComparison
from contextwright.traces.recorded_call import UnreadCall


def print_comparisons(
    console: Console,
    compared: Sequence[SessionComparison],
    spec: str,
    unread: Sequence[UnreadCall],
    find: str,
    top: int,
) -> None:
    """All tables.

    Args:
        find: the text that was looked for; empty where none was.
        top: rows of a list at most; 0 for all.
    """
    calls = sum(one.calls for one in compared)
    models = ", ".join(dict.fromkeys(one.model for one in compared))
    head = f"{count_of(len(compared), 'session')}, {count_of(calls, 'call')} · {models}"
    console.print(head, markup=False, highlight=False)
    console.print(_sums(compared, spec))
    console.print(_sessions(compared, top))
    if any(one.unseen for one in compared):
        console.print(_unseen(compared, top))
    if find:
        for line in trail_lines(compared, find):
            console.print(line, markup=False, highlight=False)
    for line in note_lines(compared, unread, top):
        console.print(line, markup=False, highlight=False)


def _sums(compared: Sequence[SessionComparison], spec: str) -> Table:
    """What was sent, and what would have been."""
    columns = ("your agents", "this spec")
    table = new_table(spec if len(spec) < 78 else spec[:77] + "…", "", *columns, right=columns)
    sent = reduce(RequestSums.plus, (one.sent for one in compared), RequestSums())
    ours = reduce(RequestSums.plus, (one.ours for one in compared), RequestSums())
    shares = (_share(ours.tokens, sent.tokens), _share(ours.cost, sent.cost))
    table.add_row("input tokens", f"{sent.tokens:,}", f"{ours.tokens:,}{shares[0]}")
    cached = (_percent(sent.cached, sent.tokens), _percent(ours.cached, ours.tokens))
    table.add_row("of these read from a cache", *cached)
    table.add_row("largest request", f"{sent.largest:,}", f"{ours.largest:,}")
    table.add_row("input cost", dollars(sent.cost), f"{dollars(ours.cost)}{shares[1]}")
    table.add_row("requests that lost the prefix", f"{sent.lost:,}", f"{ours.lost:,}")
    values = sum(one.values for one in compared)
    cells = (f"{bill.unseen:,} of {values:,}" for bill in (sent, ours))
    table.add_row("values used, not in sight", *cells)
    refs = sum(bool(value.ref) for one in compared for value in one.unseen)
    table.add_row("  of these behind a ref", "", f"{refs:,}")
    shortened, dropped = (
        sum(getattr(one, name) for one in compared) for name in ("shortened", "dropped")
    )
    table.add_row("exchanges shortened at the end", "", f"{shortened:,}")
    table.add_row("exchanges left out at the end", "", f"{dropped:,}")
    return table


def dollars(micro: int) -> str:
    """An amount; a dash where no price is known."""
    return f"${micro / 1e6:,.4f}" if micro else "-"


def _share(part: int, whole: int) -> str:
    return f" ({part / whole:.2f})" if whole else ""


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _sessions(compared: Sequence[SessionComparison], top: int) -> Table:
    """A row a session, the largest first."""
    columns = ("calls", "sent", "this spec", "cost", "ours", "lost", "unseen")
    title = f"sessions ({top_of(len(compared), top)})"
    table = listing(title, "session", *columns, wide="session", right=columns)
    for one in sorted(compared, key=lambda one: -one.sent.tokens)[: top or None]:
        table.add_row(
            named(one.session.id, 20),
            f"{one.calls:,}",
            f"{one.sent.tokens:,}",
            f"{one.ours.tokens:,}",
            dollars(one.sent.cost),
            dollars(one.ours.cost),
            f"{one.sent.lost}→{one.ours.lost}",
            f"{one.sent.unseen}→{one.ours.unseen}",
        )
    return table


def _unseen(compared: Sequence[SessionComparison], top: int) -> Table:
    """What calls used and the spec's requests would not have shown."""
    rows = [value for one in compared for value in one.unseen]
    title = f"used, and not in sight under this spec ({top_of(len(rows), top)})"
    table = listing(title, "value", "call", "tool", "whole again", wide="value", right=("call",))
    for value in rows[: top or None]:
        ref = named(value.ref, 26) if value.ref else inert("-")
        table.add_row(inert(value.value, 30), f"{value.call:,}", named(value.tool, 16), ref)
    return table


def trail_lines(compared: Sequence[SessionComparison], find: str) -> list[str]:
    """Where a text was to be seen, session by session."""
    lines: list[str] = []
    for one in compared:
        trail = one.trail
        if trail is None:
            continue
        count = len(trail.calls)
        first = f"first in {trail.ref or 'a message'}, {count_of(count, 'call')} behind it"
        lines += [
            f"{find!r} in {one.session.id}: {first}",
            f"  your agent showed it at {_calls(trail.sent)}",
            f"  this spec shows it at {_calls(trail.ours)}",
        ]
        if trail.ref and len(trail.ours) < count:
            lines.append(f"  whole again where it is not: ctx expand '{trail.ref}' SESSION")
    return lines or [f"{find!r} is in no session"]


def _calls(numbers: Sequence[int]) -> str:
    """Numbers of calls, those in a row as a range."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = [f"{first}" if first == last else f"{first} to {last}" for first, last in runs]
    return f"calls {', '.join(words)}" if words else "no call"


def note_lines(
    compared: Sequence[SessionComparison], unread: Sequence[UnreadCall], top: int
) -> list[str]:
    """What a reader of the figures has to know: bills, gaps, what failed, what was not read."""
    lines: list[str] = []
    billed_calls = sum(one.billed_calls for one in compared)
    if billed_calls:
        tokens, counted = (
            sum(getattr(one, name) for one in compared)
            for name in ("billed_tokens", "counted_tokens")
        )
        costs = dollars(sum(o.billed for o in compared)), dollars(sum(o.counted for o in compared))
        lines.append(
            f"billed, {count_of(billed_calls, 'call')}: {tokens:,} tokens, {costs[0]}; "
            f"counted here: {counted:,} tokens, {costs[1]}"
        )
        if tokens > 2 * counted:
            lines.append("billed is more than twice of what the trace holds: a part is missing")
    for one in compared:
        gaps = one.session.metadata.get(TRACE, {}).get("gaps", ())
        lines += [f"gap in {one.session.id}: {gap}" for gap in gaps]
        lines += [f"not met in {one.session.id}, {why}" for why in one.failed[:1]]
        if TRACE not in one.session.metadata and has_summary(one.session):
            lines.append(
                f"{one.session.id} was compacted by its agent; its file does not say what was sent "
                "then: counted as everything"
            )
    lines += [f"not read: {one.where}: {one.why}" for one in unread[: top or None]]
    rest = len(unread) - len(unread[: top or None])
    return [*lines, *([f"and {rest:,} more that were not read"] if rest else [])]


def comparisons_json(
    compared: Sequence[SessionComparison], spec: str, unread: Sequence[UnreadCall]
) -> bytes:
    """What `--json` prints: the sessions, the largest first. Values that were not in sight are
    without what the spec redacts, as in the table; no other text of a session is in it. Amounts
    are microdollars, 0 where no price is known."""
    ordered = sorted(compared, key=lambda one: -one.sent.tokens)
    sessions = [_session(one) for one in ordered]
    return msgspec.json.encode({"spec": spec, "sessions": sessions, "unread": unread})


def _session(one: SessionComparison) -> dict[str, Any]:
    """A session by its id, not with its log."""
    fields = {name: getattr(one, name) for name in one.__struct_fields__ if name != "session"}
    gaps = one.session.metadata.get(TRACE, {}).get("gaps", ())
    return {"session": one.session.id, **fields, "gaps": gaps}
