"""Marked sections whose content can not close, open or imitate a marker.

    <context_block source="state:intent" priority="1">
    ...
    </context_block>

The form is document 000 §7.1's. Of the content only what reads as one of our markers changes:
its `<` is written `&lt;`, the `[` of a header or a ref tail `&#91;`. Code and other XML stay
as they are. `unescape(escape(x)) == x` for every text.
"""

import re

MARKERS = ("context_block", "warning")
_IGNORED = (
    "[\\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]*"
)
_WORDS = "|".join(
    _IGNORED.join(
        f"[{c}{c.upper()}{chr(ord(c) + 0xFEE0)}{chr(ord(c.upper()) + 0xFEE0)}]"
        if c != "_"
        else "[_\uff3f-]"
        for c in word
    )
    for word in MARKERS
)
_OPENS = "[<\uff1c\ufe64\u2039\u276e]"
_HEADER = r"(?m:^)(?P<bracket>\[)(?=\s*turn\s+\d+\s*\])"
_TAIL = r"(?P<tail>\[)(?=\s*(?:\.\.\.\s*truncated|full\s+output\s*:))"
_DANGER = re.compile(
    rf"(?P<open>{_OPENS})(?={_IGNORED}[/\uff0f]?{_IGNORED}(?:{_WORDS}))|{_HEADER}|{_TAIL}"
    r"|(?P<entity>&)(?-i:(?=(?:amp;)*(?:lt|#[0-9]{1,7});))",
    re.IGNORECASE,
)
_ATTRIBUTE = {"&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;"}
_MARKER_LINE = re.compile(
    r'<context_block source="([^"<>\n]*)"(?: priority="(\d)")?>\n(.*?)\n</context_block>', re.DOTALL
)


def section(text: str, *, source: str, tier: int = 0) -> str:
    """A text between its markers."""
    priority = f' priority="{tier}"' if tier else ""
    body = escape(text)
    return f'<context_block source="{attribute(source)}"{priority}>\n{body}\n</context_block>'


def escape(text: str) -> str:
    """The text without anything that reads as a marker, a header or a ref tail of ours."""
    if "<" not in text and "[" not in text and "&" not in text and text.isascii():
        return text
    return _DANGER.sub(_replace, text)


def _replace(match: re.Match[str]) -> str:
    found = match[0]
    if found == "&":
        return "&amp;"
    return "&lt;" if found == "<" else f"&#{ord(found)};"


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return _UNDO.sub(_original, text)


_UNDO = re.compile(r"&amp;(?=(?:amp;)*(?:lt|#[0-9]{1,7});)|&lt;|&#([0-9]{1,7});")


def _original(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1])) if int(match[1]) < 0x110000 else match[0]
    return "&" if match[0] == "&amp;" else "<"


def attribute(value: str) -> str:
    """A value that can stand between double quotes, on one line."""
    return "".join(
        _ATTRIBUTE.get(char, char if char.isprintable() else f"&#{ord(char)};") for char in value
    )


def parse_sections(text: str) -> list[tuple[str, int, str]]:
    """Source, tier and text of every section: the inverse of `section`."""
    return [
        (_unquote(source), int(tier or 0), unescape(body))
        for source, tier, body in _MARKER_LINE.findall(text)
    ]


def _unquote(value: str) -> str:
    for char, entity in reversed(_ATTRIBUTE.items()):
        value = value.replace(entity, char)
    return value
