"""Check the built docs: every link inside leads somewhere, and nothing is fetched while one reads.

python scripts/check_site.py [FOLDER]
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHES = {
    ("script", "src"),
    ("link", "href"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
}
NO_FETCH = {"canonical", "prev", "next", "alternate"}
"""Kinds of `<link>` that a browser does not load."""


class Page(HTMLParser):
    """What a page links to and fetches, the places within it that a link may name, and code in a
    table that shows the backslash in front of a bar."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.fetches: set[str] = set()
        self.ids: set[str] = set()
        self.escaped: list[str] = []
        self._in_code = False
        self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = {name: value or "" for name, value in attrs}
        self._in_cell |= tag == "td"
        self._in_code |= tag == "code"
        self.ids |= {fields[name] for name in ("id", "name") if name in fields}
        if tag == "a" and "href" in fields:
            self.links.add(fields["href"])
        for name in ("src", "href"):
            if (tag, name) in FETCHES and name in fields and fields.get("rel") not in NO_FETCH:
                self.fetches.add(fields[name])

    def handle_endtag(self, tag: str) -> None:
        self._in_cell &= tag != "td"
        self._in_code &= tag != "code"

    def handle_data(self, data: str) -> None:
        if self._in_cell and self._in_code and r"\|" in data:
            self.escaped.append(data)


def problems(folder: Path) -> list[str]:
    """What is wrong, a line each."""
    pages = {path.resolve(): Page(path.read_text()) for path in folder.rglob("*.html")}
    lines: list[str] = []
    for path, page in sorted(pages.items()):
        name = path.relative_to(folder.resolve())
        lines += [f"{name}: fetches {url}" for url in page.fetches if urlsplit(url).netloc]
        lines += [f"{name}: a backslash in the code {code}" for code in page.escaped]
        for link in sorted(page.links | page.fetches):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or name.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists() or not target.is_relative_to(folder.resolve()):
                lines.append(f"{name}: no page {link}")
            elif parts.fragment and target in pages:
                if unquote(parts.fragment) not in pages[target].ids:
                    lines.append(f"{name}: no place {link}")
    return lines


if __name__ == "__main__":
    found = problems(Path(sys.argv[1] if len(sys.argv) > 1 else "site"))
    print("\n".join(found) or "every link leads somewhere, nothing is fetched")
    sys.exit(bool(found))
