"""The page says whose words it shows, how far a map is drawn, and keeps its words in their panels."""

import pytest
from tests.inspect.browser import Tab, chromium
from tests.inspect.builders import data_of, support_session

from contextwright.inspect.page import page

DATA = data_of(support_session(5))


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "orders.html"
    path.write_text(page(DATA), encoding="utf-8", newline="\n")
    with chromium() as browser:
        opened = Tab(browser, path.as_uri())
        yield opened
        opened.close()


def test_messages_and_blocks_say_whose_words_they_are(tab):
    blocks = DATA["blocks"]
    assert {"user", "assistant", "tool"} == set(blocks["trust"])
    tab.at(v="call", s="A", c=3)
    for one in tab.page.locator("article[data-trust]").all():
        words = one.get_attribute("data-trust")
        assert ("untrusted" in one.locator(".who").inner_text()) is (words in {"tool", "foreign"})
    row = blocks["trust"].index("tool")
    tab.at(v="session", s="A", c=3, b=blocks["id"][row])
    assert tab.page.locator(".details [data-value=trust]").inner_text() == "tool"


def test_a_map_is_drawn_to_its_end(tab):
    tab.at(v="session", s="A", c=12)
    tab.page.locator(".map-canvas[data-drawn='100']").wait_for()


def test_no_word_of_a_lost_prefix_leaves_its_panel(tab):
    """A word of a spec has no blank at which a line could end."""
    shown = 0
    for spec, series in zip("AB", DATA["series"], strict=False):
        for at, _ in series["losses"][:2]:
            tab.at(v="call", s=spec, c=at + 1)
            shown += tab.page.locator(".loss").count()
            assert not tab.page.locator(".loss, .loss *").evaluate_all(
                "all => all.filter(one => one.clientWidth && "
                "one.scrollWidth > one.clientWidth).length"
            )
    assert shown
