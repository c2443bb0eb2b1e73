"""The index of a folder of pages: the sessions, what was sent and what a spec would have sent."""

from collections.abc import Sequence
from html import escape

from contextwright.cli.tables import count_of
from contextwright.cli.try_tables import dollars
from contextwright.traces.comparison import SessionComparison

_STYLE = (
    ":root{color-scheme:light dark}body{font:13px/18px system-ui,sans-serif;margin:16px;"
    "font-variant-numeric:tabular-nums}table{border-collapse:collapse}th{font-weight:400;"
    "text-align:left}td,th{padding:4px 16px 4px 0;border-bottom:1px solid #8886}"
    ".n{text-align:right}div{overflow-x:auto}"
)
_HEADS = ("session", "calls", "tokens sent", "this spec", "cost sent", "this spec",
          "values not in sight", "shortened", "left out")  # fmt: skip


def index_page(compared: Sequence[SessionComparison], names: Sequence[str], spec: str) -> str:
    """The HTML of an index.

    Args:
        names: of the sessions' pages, beside it.
    """
    rows = "".join(_row(one, name) for one, name in zip(compared, names, strict=True))
    heads = "".join(
        f'<th scope="col"{" class=n" if at else ""}>{head}</th>' for at, head in enumerate(_HEADS)
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>ctx try</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{count_of(len(compared), 'session')}</h1><p>beside <code>{escape(spec)}</code>; "
        "the largest first</p>\n"
        f"<div><table><thead><tr>{heads}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
        "</body></html>\n"
    )


def _row(one: SessionComparison, name: str) -> str:
    cells = (
        f"{one.calls:,}",
        f"{one.sent.tokens:,}",
        f"{one.ours.tokens:,}",
        dollars(one.sent.cost),
        dollars(one.ours.cost),
        f"{one.ours.unseen:,} of {one.values:,}",
        f"{one.shortened:,}",
        f"{one.dropped:,}",
    )
    shown = "".join(f"<td class=n>{escape(cell)}</td>" for cell in cells)
    link = f'<a href="{name}">{escape(_visible(one.session.id))}</a>'
    return f"<tr><td>{link}</td>{shown}</tr>\n"


def _visible(text: str) -> str:
    return "".join(char if char.isprintable() else "·" for char in text)[:80] or "without an id"
