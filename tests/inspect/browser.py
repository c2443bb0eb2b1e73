"""A real Chromium for the tests of the page: one that is there, never one that is downloaded."""

import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATH = next(filter(None, map(shutil.which, NAMES)), None)
GET_ONE = "no Chromium here: apt-get install -y --no-install-recommends chromium"


@contextmanager
def chromium():
    """The browser; a test that asks for it is skipped where there is none."""
    if PATH is None:
        pytest.skip(GET_ONE)
    sync_api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with sync_api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        yield browser
        browser.close()


class Tab:
    """A page that was opened, with what it complained of and what it asked for."""

    def __init__(self, browser, address, *, width=1280, height=800, scheme="light", **options):
        self.context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        self.page = self.context.new_page()
        self.complaints, self.requests = [], []
        self.page.on("console", lambda message: self._heard(message.type, message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)
        self.page.wait_for_selector("main[aria-busy=false]")

    def _heard(self, kind, text):
        if kind in {"error", "warning"}:
            self.complaints.append(text)

    def at(self, **cursor):
        """Go to a place by its address, as a link does."""
        fields = "&".join(f"{key}={value}" for key, value in cursor.items())
        self.page.evaluate("fields => { location.hash = fields }", fields)
        self._drawn()
        return self.page

    def press(self, *keys):
        """Press keys, one after the other, each answered before the next."""
        for key in keys:
            self.page.keyboard.press(key)
            self._drawn()

    def click(self, place):
        """Click there, and see the answer."""
        place.click()
        self._drawn()

    def _drawn(self):
        """Wait two paints: what was asked for is drawn by then, however busy the machine is."""
        paint = "await new Promise(requestAnimationFrame); await new Promise(done => setTimeout(done, 15));"
        self.page.evaluate(f"async () => {{ {paint} {paint} }}")

    def value(self, name, within="main"):
        """A number that the page shows, by its name."""
        text = self.page.locator(f"{within} [data-value={name}]").first.inner_text()
        return int(text.replace(",", "").replace("\u2212", "-"))

    def close(self):
        """Close it."""
        self.context.close()
