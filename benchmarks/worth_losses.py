"""What we lose, found in the figures by rule: nobody chooses what is told."""

from collections.abc import Iterator
from typing import Any

HELD = 0.01
"""Requests invalid or over the budget, up to which a peer counts as one that keeps it."""
GRIDS = ("se_agent", "tau_chained", "tau_bench_airline", "pi_coding")
"""Files on which every product belongs."""
EVEN = 1.005
"""A cost up to this is none above sending everything."""


def losses(found: dict[str, dict[str, Any] | None]) -> Iterator[str]:
    """A line for each thing that others do better, that was promised and is not so, or was not
    measured."""
    rules = {
        "economy": _economy,
        "reader": _reader,
        "fidelity": _fidelity,
        "retrieval": _retrieval,
        "never-dearer": _dearer,
    }
    for name, rule in rules.items():
        told = found.get(name)
        if told is None:
            yield f"**{name}** was not measured."
        else:
            yield from rule(told["parts"])


def _economy(parts: list[dict[str, Any]]) -> Iterator[str]:
    left = [file for file in GRIDS if file not in {part["file"] for part in parts}]
    if left:
        yield f"Whole grids were not run on {', '.join(left)}; [an earlier run](economy.md) has smaller ones."
    for part in parts:
        ours = next(r for r in part["rows"] if _is_ours(r) and r["sort"] == "default")
        for row in part["rows"]:
            if _is_ours(row) or row["product"] == "full history":
                continue
            more, dearer = row["apart"]["calls"], row["apart"]["cost"]
            won = []
            if more[2] < 0:
                won.append(
                    f"more calls in sight ({row['calls'][1]:.3f} beside {ours['calls'][1]:.3f})"
                )
            if dearer[0] > 0:
                won.append(f"a lower cost ({row['cost'][1]:.3f} beside {ours['cost'][1]:.3f})")
            if won:
                yield f"{part['file']}: {_titled(row)} surely has {' and '.join(won)}{_price(row)}."
        left = part.get("missing", {})
        if left:
            told = ", ".join(f"{product} ({count})" for product, count in left.items())
            yield f"{part['file']}: settings that were not run, so that a peer may do better there: {told}."
        best = next((r for r in part["rows"] if _is_ours(r) and r["sort"] == "best"), None)
        if (
            best is not None
            and best["apart"]["calls"][2] < 0
            or best
            and best["apart"]["cost"][0] > 0
        ):
            yield f"{part['file']}: our own default is surely behind our best setting ({best['setting']})."


def _is_ours(row: dict[str, Any]) -> bool:
    return row["product"].endswith("(ours)")


def _titled(row: dict[str, Any]) -> str:
    sort = " at its defaults" if row["sort"] == "default" else ""
    return f"{row['product']}{sort}"


def _price(row: dict[str, Any]) -> str:
    bad = row["invalid"] + row["over"]
    more, dearer = row["apart"]["calls"], row["apart"]["cost"]
    paid = []
    if bad > HELD:
        paid.append(f"{bad:.0%} of its requests are invalid or over the budget")
    if more[0] > 0:
        paid.append(f"it has fewer calls in sight ({row['calls'][1]:.3f})")
    if dearer[2] < 0:
        paid.append(f"it costs more ({row['cost'][1]:.3f})")
    return f"; {', '.join(paid)}" if paid else ""


def _reader(found: dict[str, Any]) -> Iterator[str]:
    ours = next(row for row in found["rows"] if row["method"].endswith("(ours)"))
    for row in found["rows"]:
        if "ahead" in row:
            _, middle, high = row["ahead"]
            if middle < 0:
                sure = "surely " if high < 0 else ""
                yield f"a small model reads the next call {sure}better behind {row['method']}, by {-middle:.2f} nats a token, at the {row['held']} calls at which it sends what can be sent in the budget."
    for cell in found["stopped"]:
        if cell["method"] == ours["method"]:
            why = cell["stopped"].partition("\n")[0]
            yield f"{cell['file']}, session {cell['session']}: ours gave no request at half of the tokens: {why}"


def _fidelity(parts: list[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        for row in part["rows"]:
            if not row["method"].startswith(("**`C.", "`C.")):
                continue
            name = row["method"].strip("*")
            if min(row["rules"], row["decisions"], row["heard"]) < 20:
                yield (
                    f"{part['file']}: behind {name} {row['rules']} of 20 rules, {row['decisions']} of 20 decisions "
                    f"and {row['heard']} of 20 that were only heard are left."
                )
            if row["beside"] < 20:
                yield f"{part['file']}: behind {name} {row['beside']} of 20 that stand beside a request are left."
            if row["open"]:
                yield f"{part['file']}: {name} shows up to {row['open']} of 40 ended tasks as open."
            if row["missing"]:
                yield f"{part['file']}: behind {name} {row['missing']} of {row['requests']} requests miss something that was laid down by then."


def _retrieval(parts: list[dict[str, Any]]) -> Iterator[str]:
    for part in parts:
        ours = next(row for row in part["rows"] if row["method"] == "within")
        for at, room in enumerate(part["budgets"]):
            mine, goal = ours["recall"][at][1], part["targets"][at]
            if goal and mine < goal:
                yield f"{part['set']} at {room:,} tokens: {mine:.3f} of the evidence, {goal:.2f} was our goal."
            for row in part["rows"]:
                if row["recall"][at][1] > mine:
                    yield f"{part['set']} at {room:,} tokens: {row['method']} finds {row['recall'][at][1]:.3f}, ours {mine:.3f}."


def _dearer(found: dict[str, Any]) -> Iterator[str]:
    worst: dict[str, tuple[float, str]] = {}
    for row in found["rows"]:
        base = max(1.0, row["costs"].get("no spec") or 1.0)
        for spec, cost in (row["costs"] | row.get("gives_way", {})).items():
            if spec != "no spec" and cost is not None and cost / base > EVEN:
                where = f"{row['file']}, {row['model']}"
                worst[spec] = max(worst.get(spec, (0.0, "")), (cost / base, where))
    for spec, (cost, where) in worst.items():
        yield f"{spec} costs up to {cost:.2f} of sending everything, as an engine has it by default ({where})."
