"""HTML read as text: headings, paragraphs, rows and links; scripts, styles and markup left out.

Read with the standard library's parser, not a faster one where installed: what a page becomes
must not depend on the machine, or a replay would build other bytes.
"""

from html.parser import HTMLParser

from contextwright.text.line_selection import Unit

READ = 1_000_000
"""Characters of a page that are read."""
_HIDDEN = {"script", "style", "noscript", "template", "svg", "head"}
_BLOCKS = {
    *("p", "div", "section", "article", "header", "footer", "main", "nav", "aside", "br", "tr"),
    *("li", "ul", "ol", "table", "form", "pre", "blockquote", "dt", "dd", "figure", "title", "hr"),
    *("h1", "h2", "h3", "h4", "h5", "h6"),
}
_HEADINGS = {"title": 0, "h1": 0, "h2": 1, "h3": 2, "h4": 3, "h5": 3, "h6": 3}
_FRAME = {"nav", "footer", "aside", "header", "form"}
_TAGS = (
    "<!doctype html",
    "<html",
    "<head",
    "<body",
    "<div",
    "<table",
    "<p>",
    "<ul",
    "<span",
    "<h1",
)


def is_html(text: str) -> bool:
    """Whether a text begins as a page or a piece of one does, and has more tags."""
    head = text.lstrip()[:2_000].lower()
    if head.startswith("<?xml") and "<html" not in head:
        return False
    return head.startswith(("<!doctype html", "<html")) or (
        head[:1] == "<" and sum(head.count(tag) for tag in _TAGS) >= 1 and text.count("</") >= 2
    )


def html_units(text: str) -> list[Unit]:
    """A unit a line of the page as it reads; empty where nothing can be read. Title and headings
    rank first, then what is no navigation, from the top."""
    reader = _Reader()
    try:
        reader.feed(text[:READ])
    except (AssertionError, ValueError):
        return []  # markup that the parser gives up on is shortened as it stands
    reader.end_line()
    if not reader.lines:
        return []
    notes = [f"{number} {tag}s" for tag, number in reader.left_out.items()]
    rest = len(text) - READ
    notes += [f"{rest} characters more"] if rest > 0 else []
    left = f"; left out: {', '.join(notes)}" if notes else ""
    return [Unit(f"[page read as text{left}]", (0, 0)), *reader.lines]


class _Reader(HTMLParser):
    """Collects the lines of a page, each with its rank."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.lines: list[Unit] = []
        self.left_out: dict[str, int] = {}
        self._words: list[str] = []
        self._hidden = ""
        self._heading = ""
        self._frames = 0
        self._link = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._hidden:
            if tag == "title" and self._hidden == "head":
                self._hidden, self._heading = "", "title"
            elif tag in {"body", "div", "main"} and self._hidden == "head":
                self._hidden = ""
            else:
                self._count(tag)
                return
        if tag in _HIDDEN:
            self._hidden = tag
            self._count(tag)
            return
        if tag in _BLOCKS:
            self.end_line()
        if tag in _HEADINGS:
            self._heading = tag
        self._frames += tag in _FRAME
        if tag in {"td", "th"} and self._words:
            self._words.append("|")
        if tag == "li":
            self._words.append("-")
        attributes = dict(attrs)
        self._link = (attributes.get("href") or "") if tag == "a" else self._link
        if tag == "img" and attributes.get("alt"):
            self._words.append(f"[image: {attributes['alt']}]")

    def handle_endtag(self, tag: str) -> None:
        if self._hidden:
            self._hidden = "" if tag == self._hidden else self._hidden
            return
        if tag in _BLOCKS:
            self.end_line()
        if tag == "title":
            self._heading, self._hidden = "", "head"
        elif tag == self._heading:
            self._heading = ""
        self._frames = max(0, self._frames - (tag in _FRAME))
        if tag == "a" and self._link:
            if not self._link.startswith(("#", "javascript:")):
                self._words.append(f"<{self._link}>")
            self._link = ""

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._words += data.split()

    def end_line(self) -> None:
        """The words so far are a line."""
        line = " ".join(self._words)
        self._words = []
        if not line.strip("-| "):
            return
        place = len(self.lines)
        heading = _HEADINGS.get(self._heading)
        if heading is not None:
            prefix = "#" * (heading + 1)
            self.lines.append(Unit(f"{prefix} {line}", (1 if heading < 2 else 2, place)))
        else:
            self.lines.append(Unit(line, (4 if self._frames else 3, place)))

    def _count(self, tag: str) -> None:
        if tag in {"script", "style", "svg"}:
            self.left_out[tag] = self.left_out.get(tag, 0) + 1
