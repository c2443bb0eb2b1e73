"""A page as a browser's tool tells it: a line a node, with what a click is to name it by.

What such a page says stands between links of its head and its foot that are the same on every page,
and its handles are good until the next one: a page that is told once it is old has neither.
"""

import re
from collections.abc import Iterator, Sequence

import msgspec

from contextwright.text.cut import beginning
from contextwright.text.line_selection import Unit
from contextwright.text.log_lines import severity

_HANDLE = re.compile(
    r" ?\[ref=(\w{1,12})\]|^\s*\*?\[([a-z]?\d{1,6})\] ?|\buid=(\w{1,12}) ?", re.MULTILINE
)
"""What a node is named by: Playwright's refs, the numbers of BrowserGym and browser-use, the ids of
Chrome's tools."""
_STATE = re.compile(r" \[(?:cursor=\w+|active|level=\d|focused)\]|, (?:visible|clickable)\b")
"""What says nothing of what the page holds."""
_NODE = re.compile(
    r"(?P<dash>- )?'?(?P<role>[A-Za-z]+)(?: (?P<name>\"[^\"\n]*\"|'[^'\n]*'))?(?P<state>[^:\n\"]*)"
    r"(?::(?: (?P<text>.+))?)?'?"
)
_FACT = re.compile(r"- Page (?:URL|Title): .+|(?:Current )?(?:URL|Title): .+")
_CHROME = frozenset({"banner", "navigation", "contentinfo", "menubar", "complementary"})
"""Parts of a page that are the same on each."""
_EVENTS = frozenset({"alert", "alertdialog", "dialog", "status", "log"})
_SAYS = frozenset({
    "text", "StaticText", "paragraph", "cell", "gridcell", "row", "rowheader", "columnheader",
    "term", "definition", "note", "caption", "blockquote", "option",
})  # fmt: skip
_BOXES = frozenset({"generic", "text", "StaticText", "paragraph", "none", "strong", "emphasis"})
"""Roles that say nothing beside what stands in the node."""
_ACTS = frozenset({
    "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "tab", "switch",
    "slider", "spinbutton", "menuitem", "option",
})  # fmt: skip
_NAMING = frozenset({"ref", "uid", "startref", "endref"})
_is_handle = re.compile(r"[a-z]?\d{1,6}|\d+_\d+").fullmatch
LEAST, SHARE = 5, 30
"""Lines with a handle that a page has, and percent of its lines."""
ADDRESS, EVENT, HEADING, CONTENT, NAMED, SAME, NOTHING = range(7)
"""Ranks of lines, the first most: where one is, what happened, what the page says, what it
has names for, what each page of it has, and marks."""


class PageLine(msgspec.Struct, frozen=True):
    """A line of a page, without handles and marks.

    Args:
        depth: blanks in front of it.
        rank: one of `ADDRESS` to `NOTHING`.
        handle: what it is named by, where it can be clicked or filled.
    """

    text: str
    depth: int
    rank: int
    is_named: bool = False
    handle: str = ""


def is_page(text: str, lines: Sequence[str] | None = None) -> bool:
    """Whether a text is a page with handles.

    Args:
        lines: some of the text's, all where none are given.
    """
    if not _may_be_page(text):
        return False
    lines = text.splitlines() if lines is None else lines
    handles = sum(_HANDLE.search(line) is not None for line in lines)
    return handles >= LEAST and handles * 100 >= len(lines) * SHARE


def _may_be_page(text: str) -> bool:
    return "[ref=" in text or "uid=" in text or "RootWebArea" in text


def without_frame(text: str) -> str:
    """What a page says, without what every page has; a text that is none as it is."""
    if not is_page(text):
        return text
    return "\n".join(line.text for line in _page_lines(text) if line.rank < SAME)


def is_handle(name: str, value: object) -> bool:
    """Whether an argument of a call is what a node of a page was named by: an older page's names
    are no node of the next."""
    return name.lower() in _NAMING and isinstance(value, str) and _is_handle(value) is not None


def page_units(text: str, is_open: bool = False) -> list[Unit]:
    """A unit a line; what stands within something with a name needs it.

    Args:
        is_open: whether it may be the page where the agent is: what can be clicked or filled is
            told with what it is named by, and what each page has may stand behind the rest.
    """
    units: list[Unit] = []
    above: list[tuple[int, int]] = []
    frame = 0
    for line in _page_lines(text):
        if not is_open and line.rank >= SAME:
            frame += 1
            continue
        while above and above[-1][0] >= line.depth:
            above.pop()
        parent = above[-1][1] if above and line.rank in {CONTENT, NAMED} else -1
        handle = f" {line.handle}" if is_open and line.handle else ""
        units.append(Unit(line.text + handle, (line.rank, len(units)), parent))
        if line.is_named:
            above.append((line.depth, len(units) - 1))
    if frame:
        units.append(Unit(f"[… {frame} lines of its frame left out]", (ADDRESS, len(units))))
    return units


def page_line(text: str, characters: int) -> str:
    """A page in one line: where one is, and what it says."""
    units = page_units(text)
    order = sorted(range(len(units)), key=lambda place: units[place].rank)
    telling: dict[str, None] = {}
    for place in order:
        if units[place].rank[0] >= NAMED:
            break
        if units[place].parent >= 0:
            telling[units[units[place].parent].text] = None
        if not units[place].text.startswith("[…"):
            telling[units[place].text.removeprefix("- Page ")] = None
    return beginning(" | ".join(telling), characters)


def _page_lines(text: str) -> Iterator[PageLine]:
    """The lines of a page, in order."""
    inside = -1  # blanks in front of a part that is the same on each page
    fenced = False
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith("```"):
            fenced = not fenced and bare not in {"```yaml", "```"}
            yield PageLine(bare, 0, NOTHING)
            continue
        depth = len(line) - len(line.lstrip())
        if inside >= 0 and depth <= inside:
            inside = -1
        one = PageLine(bare, depth, NOTHING) if fenced else _line(line, bare, depth)
        if inside >= 0:
            one = msgspec.structs.replace(one, rank=max(one.rank, SAME))
        elif _role(line) in _CHROME:
            inside, one = depth, msgspec.structs.replace(one, rank=SAME)
        yield one


def _role(line: str) -> str:
    match = _NODE.match(_HANDLE.sub("", line).strip())
    return match["role"] if match is not None else ""


def _line(line: str, bare: str, depth: int) -> PageLine:
    if _FACT.fullmatch(bare):
        return PageLine(bare, depth, ADDRESS)
    if not bare or bare.startswith(("#", "- /url:")):
        return PageLine(bare, depth, NOTHING)
    plain = _STATE.sub("", _HANDLE.sub("", line).strip())
    node = _NODE.fullmatch(plain)
    if node is None:
        return PageLine(plain.removeprefix("- "), depth, CONTENT)
    role, name, content = node["role"], node["name"] or "", node["text"] or ""
    words = plain.removeprefix("- ").removesuffix(":")
    if not name and not content:
        return PageLine(words, depth, EVENT if role in _EVENTS else NOTHING)
    if role in _BOXES:
        words = content or name
    handle = _HANDLE.search(line) if role in _ACTS else None
    rank = _rank_of(role, node["state"], content, plain)
    return PageLine(words, depth, rank, bool(name), handle[0].strip() if handle else "")


def _rank_of(role: str, state: str, content: str, plain: str) -> int:
    if role in _EVENTS or severity(plain) == 0:
        return EVENT
    if role == "heading":
        return HEADING
    is_set = "[checked]" in state or "[selected]" in state
    return CONTENT if content or is_set or role in _SAYS else NAMED
