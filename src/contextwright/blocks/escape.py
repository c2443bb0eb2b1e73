"""Marked sections whose content can not close, open or imitate a marker.

    <context_block source="state:intent" priority="1">
    ...
    </context_block>

The form: context-algebra.md#section-markers. Of the content only what reads as one of our markers
changes: its `<` is written `&lt;`, the `[` of a header or a ref tail `&#91;`. Code and other XML
stay
as they are. `unescape(escape(x)) == x` for every text.

What reads as a marker is decided on the text as a reader sees it: compatibility forms folded
(NFKD), case folded, accents and invisible characters left out, letters of other scripts taken
for the Latin ones that they look like. All repetitions are possessive: time is linear.
"""

import re
from unicodedata import normalize

from contextwright.text.ref_notes import OUTPUT_NOTE, ref_of

MARKERS = ("contextblock", "warning")
"""The names of our tags, as `_as_seen` gives them."""
_UNSEEN = (
    "\\s\x00-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u0483-\u0489\u0600-\u0605\u061c\u115f\u1160"
    "\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u20d0-\u20ff\u2800\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_OPENS = "<\u02c2\u1438\u16b2\u2039\u2329\u276c\u276e\u27e8\u2991\u3008\ufe64\uff1c\U0001d236"
_BRACKETS = "\\[\u2045\u27e6\u2772\u3010\u3014\u301a\ufe47\uff3b"
_SLASHES = "/\\\\?!\u2044\u2215\u29f8\uff0f"
_DANGER = re.compile(
    rf"[{_OPENS}{_BRACKETS}&](?:"
    rf"(?<=[{_OPENS}])(?=[{_UNSEEN}{_SLASHES}]*+(?:[cCwW]|[^\x00-\x7f]))"
    rf"|(?<=[{_BRACKETS}])(?=[{_UNSEEN}]*+(?:[tTfF.]|[^\x00-\x7f]))"
    r"|(?<=&)(?=(?:amp;)*+(?:lt|#[0-9]{1,7});))"
)
_AHEAD = re.compile(
    rf"[{_UNSEEN}{_SLASHES}]*+((?:[{_UNSEEN}]*+[^{_UNSEEN}{_OPENS}{_BRACKETS}]){{0,20}}+)"
)
_OPEN_END = re.compile(
    rf"[{_OPENS}{_BRACKETS}]"
    rf"(?=(?:[{_UNSEEN}]*+[^{_UNSEEN}{_OPENS}{_BRACKETS}]){{0,19}}[{_UNSEEN}]*+\Z)"
)
"""What the next text could go on to a marker: fewer letters than `_AHEAD` looks at stand behind."""
_NOT_LETTERS = re.compile(rf"[{_UNSEEN}_-]+")
_BRACKETED = re.compile(r"turn\d|fulloutput:|\.\.+truncated")
_LOOK_ALIKES = str.maketrans(
    "\u0430\u0432\u0433\u0435\u043a\u043e\u043f\u0440\u0441\u0442\u0443\u0445\u0456\u0475\u0501"
    "\u051d\u04cf\u03b1\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03c9\u03f2\u0578"
    "\u057d\u0561\u1d00\u0299\u1d04\u1d05\u1d07\u0262\u026a\u1d0b\u029f\u0274\u1d0f\u1d18\u0280"
    "\u1d1b\u1d1c\u1d21\u0251\u0261\u0131\u01c0"
    "\u13aa\u13f4\u13df\u13a0\u13ac\u13c0\u13a5\u13e6\u13de\u13e2\u13a1\u13a2\u13b3"
    "\u2c81\u2c83\u2c89\u2c93\u2c95\u2c9b\u2c9f\u2ca3\u2ca5\u2ca7\u2cad\u2cb1",
    "abrekonpctuxivdwlaeiknoptuxwcnuwabcdegiklnoprtuwagilabcdegiklprtwabeiknopctxw",
)
_ATTRIBUTE = re.compile(
    '[&"<>\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff]'
)
_NAMED = {"&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;"}
_ENTITY = re.compile(r"&(?:amp|quot|lt|gt|#([0-9]{1,7}));")
_CHARACTERS = {entity: char for char, entity in _NAMED.items()}
_UNDO = re.compile(r"&amp;(?=(?:amp;)*+(?:lt|#[0-9]{1,7});)|&lt;|&#([0-9]{1,7});")
BEHIND_REF = "(in full behind the ref)"
"""What a section says that has room for its ref alone."""
_REF = re.compile(r'\A(<context_block source="[^"<>\n]*"(?: priority="\d")?) ref="[^"<>\n]*"')
_SECTION = re.compile(
    r'<context_block source="([^"<>\n]*)"(?: priority="(\d)")?'
    r'(?: ref="[^"<>\n]*")?(?: sign="\w*")?>\n'
    r"(.*?)\n</context_block>",
    re.DOTALL,
)


def section(text: str, *, source: str, tier: int = 0, ref: str = "", sign: str = "") -> str:
    """A text between its markers.

    Args:
        source: the term that brought it. tier: its priority.
        ref: where the whole of it can be read.
        sign: the session's, where the section stands beside what others said.
    """
    priority = f' priority="{tier}"' if tier else ""
    whole = f' ref="{attribute(ref)}"' if ref else ""
    signed = f' sign="{sign}"' if sign else ""
    head = f'<context_block source="{attribute(source)}"{priority}{whole}{signed}>'
    return f"{head}\n{escape(text)}\n</context_block>"


def section_without_ref(text: str) -> str:
    """A section that shows no address; a text that begins with none as it is."""
    shown, hits = _REF.subn(r"\1", text)
    return shown.replace(BEHIND_REF, "(not shown)") if hits else text


def markers_of(marked: str) -> tuple[str, str]:
    """The opening and the closing line of a text that stands between markers."""
    opening, _, rest = marked.partition("\n")
    return opening, rest.rpartition("\n")[2]


def escape(text: str) -> str:
    """The text without anything that reads as a marker, a header or a ref tail of ours."""
    return _DANGER.sub(_replace, text)


def escape_any(text: str) -> str:
    """As `escape`, with all escaped that a text behind this one could make a marker of."""
    return _OPEN_END.sub(lambda mark: _reference(mark[0]), escape(text))


def turn_mark(turn: int) -> str:
    """How a line of ours about a turn begins: `[Turn 3] `, counted from 1.

    Args:
        turn: counted from 0.
    """
    return f"[Turn {turn + 1}] "


def disarmed(text: str, ref: str, own: str = "") -> str:
    """A text that was shortened, in which nothing reads as a marker or a ref tail but what says
    where its own whole is. Once disarmed it stays as it is.

    Args:
        ref: of the whole.
        own: what lines begin with that are ours; empty where none is.
    """
    if own:
        first, *rest = re.split(rf"(?m)^{re.escape(own)}", text)
        return own.join(disarmed(piece, ref) for piece in (first, *rest))
    out: list[str] = []
    at = 0
    for tail in OUTPUT_NOTE.finditer(text):
        if ref and ref_of(tail) == ref:
            out += _DANGER.sub(_marks_only, text[at : tail.start()]), tail[0]
            at = tail.end()
    return "".join((*out, _DANGER.sub(_marks_only, text[at:])))


def _marks_only(match: re.Match[str]) -> str:
    # marks of cuts say what is missing, by us or by the tool that cut its own output
    is_cut = match[0] == "[" and _PLAIN_CUT.match(match.string, match.start())
    return match[0] if match[0] == "&" or is_cut else _replace(match)


_PLAIN_CUT = re.compile(r"\[(?:\.\.\.|\u2026) ?truncated(?! *,? *full output)")


def _replace(match: re.Match[str]) -> str:
    mark = match[0]
    if mark == "&":
        return "&amp;"
    seen = _as_seen(match.string, match.end())
    if not (seen.startswith(MARKERS) or _BRACKETED.match(seen)):
        return mark
    return _reference(mark)


def _reference(mark: str) -> str:
    return "&lt;" if mark == "<" else f"&#{ord(mark)};"


def _as_seen(text: str, start: int) -> str:
    """The next letters as a reader sees them, without separators; enough for every marker."""
    ahead = _AHEAD.match(text, start)
    plain = normalize("NFKD", ahead[1] if ahead else "")
    folded = normalize("NFKD", plain.casefold()).translate(_LOOK_ALIKES)
    return _NOT_LETTERS.sub("", folded)


def unescape(text: str) -> str:
    """The text that `escape` was given."""
    return _UNDO.sub(_original, text)


def _original(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1])) if int(match[1]) < 0x110000 else match[0]
    return "&" if match[0] == "&amp;" else "<"


def attribute(value: str) -> str:
    """A value that can stand between double quotes, on one line."""
    return _ATTRIBUTE.sub(lambda m: _NAMED.get(m[0]) or f"&#{ord(m[0])};", value)


def parse_sections(text: str) -> list[tuple[str, int, str]]:
    """Source, tier and text of every section: the inverse of `section`."""
    return [
        (_value(source), int(tier or 0), unescape(body))
        for source, tier, body in _SECTION.findall(text)
    ]


def _value(attribute: str) -> str:
    return _ENTITY.sub(lambda m: chr(int(m[1])) if m[1] else _CHARACTERS[m[0]], attribute)
