"""The docs' pictures of the inspector, taken of the example session in a Chromium that is there.

python scripts/inspect_pictures.py

Each picture holds the words that its page showed, as a text of the PNG: which pixels a page becomes
is the browser's and its fonts', what it says is not.
"""

import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright
from tests.inspect.browser import PATH, Tab

from contextwright import target
from contextwright.cli.example_session import example_session
from contextwright.inspect.page import page
from contextwright.inspect.page_data import page_data
from contextwright.words import parse

HOME = Path(__file__).parents[1] / "docs" / "how-to" / "pictures"
SPECS = ("C.default() | C.compaction(16000)", "C.window(n=4) | C.compact() | C.budget(8000)")
PICTURES = {
    "inspect-session.png": {"v": "session", "s": "A", "c": 60, "b": "e84"},
    "inspect-call.png": {"v": "call", "s": "B", "c": 60, "b": "e98"},
    "inspect-where.png": {"v": "where", "s": "A", "c": 60, "q": "KB-1222"},
}
WIDTH, HEIGHT = 1280, 900
_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_SHOWN = b"shown"
"""The name of the text that has the page's words."""


def page_pictures(folder: Path) -> list[Path]:
    """Open the page, and write a picture of each view."""
    session = example_session()
    read = [(text, parse(text)) for text in SPECS]
    data = page_data(session, read, target("claude-sonnet-4-5", tools=session.tools), "support")
    html = folder / "page.html"
    html.write_text(page(data), encoding="utf-8", newline="\n")
    paths: list[Path] = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        tab = Tab(browser, html.as_uri(), width=WIDTH, height=HEIGHT)
        for name, cursor in PICTURES.items():
            tab.at(**cursor)
            tab.page.wait_for_timeout(400)
            words = " ".join(tab.page.locator("#app").inner_text().split())
            path = folder / name
            path.write_bytes(_with_text(tab.page.screenshot(), words))
            paths.append(path)
        browser.close()
    html.unlink()
    return paths


def words_of(path: Path) -> str:
    """The words that the page of a picture showed."""
    for kind, body in _chunks(path.read_bytes()):
        name, _, text = body.partition(b"\0")
        if kind == b"zTXt" and name == _SHOWN:
            return zlib.decompress(text[1:]).decode()
    return ""


def size_of(path: Path) -> tuple[int, int]:
    """Width and height of a picture."""
    _, head = next(_chunks(path.read_bytes()))
    width, height = struct.unpack(">II", head[:8])
    return width, height


def _chunks(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(_SIGNATURE)
    while at < len(image):
        (size,) = struct.unpack(">I", image[at : at + 4])
        yield image[at + 4 : at + 8], image[at + 8 : at + 8 + size]
        at += size + 12


def _with_text(image: bytes, words: str) -> bytes:
    """A picture with a compressed text in front of its end."""
    body = _SHOWN + b"\0\0" + zlib.compress(words.encode(), 9)
    chunk = b"zTXt" + body
    end = len(image) - 12
    text = struct.pack(">I", len(body)) + chunk + struct.pack(">I", zlib.crc32(chunk))
    return image[:end] + text + image[end:]


def main() -> None:
    """Write them."""
    HOME.mkdir(exist_ok=True)
    for path in page_pictures(HOME):
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
