"""Marked sections whose content can not close, open or imitate a marker.

    <context_block source="state:intent" priority="1">
    ...
    </context_block>

The form is document 000 §7.1's. A `<` that would begin one of our markers is written `&lt;`;
everything else, code and XML included, stays as it is. `unescape(escape(x)) == x`.
"""

import re

MARKERS = ("context_block", "warning")
_MARKER = re.compile(r"<(?=\s*/?\s*(?:context_block|warning)\b)|&(?=(?:amp;)*lt;)", re.IGNORECASE)
_ESCAPED = re.compile(r"&lt;(?=\s*/?\s*(?:context_block|warning)\b)|&amp;(?=(?:amp;)*lt;)", re.IGNORECASE)
_ATTRIBUTE = {"&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;", "\n": " ", "\r": " "}


def section(text: str, *, source: str, tier: int = 0) -> str:
    """A text between its markers."""
    priority = f' priority="{tier}"' if tier else ""
    return f'<context_block source="{attribute(source)}"{priority}>\n{escape(text)}\n</context_block>'


def attribute(value: str) -> str:
    """A value that can stand between double quotes."""
    return "".join(_ATTRIBUTE.get(char, char) for char in value)
