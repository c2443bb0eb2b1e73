"""The page as one self-contained HTML file: nothing is fetched, nothing of the content runs."""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pkgutil import get_data
from typing import Any

import msgspec

SCRIPTS = ("model.js", "format.js", "draw.js", "parts.js", "session_view.js", "treemap.js",
           "call_view.js", "where_view.js", "compare_view.js", "try_view.js", "app.js")  # fmt: skip
"""The page's own files, in the order in which they are read; together one script."""
CHUNK = 500_000
"""Characters of texts that stand in a block of their own: it is read when one of them is shown, so
a page with much text opens as fast as one with little."""


def page(data: dict[str, Any], *, live: str = "") -> str:
    """The HTML of a page.

    Args:
        data: what `page_data` gave.
        live: the address of the server behind it; empty for a file.
    """
    vendor, style = _file("vendor.js"), _file("page.css")
    own = "\n".join(_file(name) for name in SCRIPTS)
    script = f'(() => {{\n"use strict";\n{own}\n}})();\n'
    hashes = " ".join(f"'sha256-{_hash(text)}'" for text in (vendor, script))
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'sha256-{_hash(style)}'; "
        f"img-src data:; base-uri 'none'; form-action 'none'"
        + (f"; connect-src {live}" if live else "")
    )
    texts = data.get("texts", [])
    rest = {**data, "live": bool(live), "texts": None, "count": len(texts)}
    blocks = "".join(
        f'<script type="application/json" class="texts" data-from="{start}">{_inert(some)}'
        "</script>\n"
        for start, some in _chunks(texts)
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>ctx inspect</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<div id="app"></div>\n<noscript>This page needs JavaScript.</noscript>\n'
        f'{blocks}<script type="application/json" id="data">{_inert(rest)}</script>\n'
        f"<script>{vendor}</script>\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _inert(value: Any) -> str:
    """JSON that can not end the block that it stands in."""
    encoded = msgspec.json.encode(value).decode()
    for char, escape in (("<", "\\u003c"), (">", "\\u003e"), ("\u2028", "\\u2028")):
        encoded = encoded.replace(char, escape)
    return encoded


def _chunks(texts: list[Any]) -> Iterator[tuple[int, list[Any]]]:
    """The texts in blocks, each with the number of its first."""
    start, size = 0, 0
    for number, entry in enumerate(texts):
        size += len(entry) if isinstance(entry, str) else 100
        if size > CHUNK:
            yield start, texts[start : number + 1]
            start, size = number + 1, 0
    if start < len(texts):
        yield start, texts[start:]


def _file(name: str) -> str:
    data = get_data("contextwright.inspect", f"web/{name}")
    assert data is not None
    return data.decode().replace("\r\n", "\n")


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()
