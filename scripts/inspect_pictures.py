"""The docs' pictures of the inspector, taken of the example session in a Chromium that is there.

python scripts/inspect_pictures.py
"""

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


def main() -> None:
    """Write them."""
    session = example_session()
    read = [(text, parse(text)) for text in SPECS]
    data = page_data(session, read, target("claude-sonnet-4-5", tools=session.tools), "support")
    HOME.mkdir(exist_ok=True)
    html = HOME / "page.html"
    html.write_text(page(data), encoding="utf-8", newline="\n")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        tab = Tab(browser, html.as_uri(), width=1280, height=900)
        for name, cursor in PICTURES.items():
            tab.at(**cursor)
            tab.page.wait_for_timeout(400)
            tab.page.screenshot(path=HOME / name)
            print(f"{name}: {(HOME / name).stat().st_size:,} bytes")
        browser.close()
    html.unlink()


if __name__ == "__main__":
    main()
