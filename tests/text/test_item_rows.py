"""Lists in YAML and XML: items are whole or left out, and counted."""

import pytest

from contextwright.text.content_router import detect, shorten

YAML = "kind: List\nitems:\n" + "".join(
    f"- id: {n}\n  name: name{n}\n  spec:\n    ports:\n    - port: {n}\n" for n in range(200)
)
DEEP = "all:\n  items:\n" + "".join(f"    - id: {n}\n      name: name{n}\n" for n in range(200))
XML = (
    "<?xml version='1.0'?>\n<orders>\n"
    + "".join(
        f"  <order id='{n}'>\n    <name>name{n}</name>\n    <total/>\n  </order>\n"
        for n in range(200)
    )
    + "</orders>"
)
FEED = (
    "<rss><channel><title>Feed</title><link>http://a.b</link>"
    + "".join(f"<item><title>name{n}</title><link>http://a.b/{n}</link></item>" for n in range(200))
    + "</channel></rss>"
)


def quarters(text: str) -> int:
    return -(-len(text) // 4)


@pytest.mark.parametrize("text", [YAML, DEEP, XML, FEED, XML.replace("\n", "")])
def test_items_stay_whole_and_are_counted(text):
    assert detect(text) == "items"
    short = shorten(text, 120, quarters)
    assert quarters(short.text) <= 120
    assert "(200 in all)" in short.text and "name0" in short.text and "name199" in short.text
    assert short.text.count("id: ") == short.text.count("name: ")
    assert short.text.count("<item>") == short.text.count("</item>")
    assert short.text.count("<order ") == short.text.count("</order>")


def test_an_item_that_tells_of_an_error_stays():
    text = YAML.replace("name77\n", "name77\n  state: failed\n")
    assert "name77\n  state: failed" in shorten(text, 120, quarters).text


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"- Note {n}: something was said" for n in range(50)),
        "\n".join(f"- a bullet about {n}\n  and its second line of words" for n in range(50)),
        "<a><b></a></b>" * 50,
        "<" * 5000,
        "<a " * 5000,
    ],
)
def test_other_lists_and_broken_markup_are_no_items(text):
    assert detect(text) != "items"
    assert quarters(shorten(text, 60, quarters).text) <= 60


@pytest.mark.parametrize("text", ["<a>" * 30_000, "<a b" * 30_000, "- a:\n" * 30_000])
def test_markup_is_read_in_time_that_grows_with_it(text):
    shorten(text, 60, quarters)
