"""What a search found keeps the titles of all results, and says how many there are."""

import json

import pytest

from contextwright.text.content_router import detect, shorten
from contextwright.text.search_results import read_results
from contextwright.text.tool_result import shorten_result

NAMES = ("quicksort", "mergesort", "timsort", "heapsort", "bubblesort", "radixsort", "shellsort",
         "introsort")  # fmt: skip
SAYS = "The {} algorithm sorts in O(n log n) time. " + "It is described here at length. " * 4


def quarters(text: str) -> int:
    return -(-len(text) // 4)


def written(form: str, joint: str = "\n\n") -> str:
    return joint.join(
        form.format(
            n=n, title=f"All of {name}", url=f"https://x.org/{name}", says=SAYS.format(name)
        )
        for n, name in enumerate(NAMES, 1)
    )


FORMS = {
    "numbered": written("{n}. {title}\nURL: {url}\n{says}"),
    "in brackets": written("[{n}] {title}\n{url}\n{says}"),
    "labelled": "Found 8 results\n\n" + written("Title: {title}\nURL: {url}\nSnippet: {says}"),
    "bold labels": written("**Title:** {title}\n**URL:** {url}\n**Summary:** {says}", "\n---\n"),
    "links": written("- [{title}]({url})\n  {says}", "\n"),
    "numbered links": "A search for 'x' found 8 results:\n\n## Web Results\n"
    + written("{n}. [{title}]({url})\nDate published: May 1\n\n{says}"),
    "headings": written("### [{title}]({url})\n\n{says}"),
    "paragraphs": written("{title}\n{url}\n{says}"),
    "json": json.dumps(
        {
            "results": [
                {"title": f"All of {n}", "url": f"https://x.org/{n}", "snippet": SAYS.format(n)}
                for n in NAMES
            ]
        }
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_all_titles_stay(form):
    short = shorten(FORMS[form], 70, quarters)
    assert quarters(short.text) <= 70
    assert all(f"All of {name}" in short.text for name in NAMES)
    assert short.text.startswith("8 results [… titles only]:\n")
    assert short.omitted


@pytest.mark.parametrize("form", FORMS)
def test_addresses_then_texts_follow(form):
    addresses = shorten(FORMS[form], 140, quarters).text
    assert all(f"https://x.org/{name}" in addresses for name in NAMES)
    texts = shorten(FORMS[form], 320, quarters).text
    assert all(f"The {name} algorithm" in texts for name in NAMES)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("tokens", [60, 70, 140, 320])
def test_how_many_there_are_is_said_once(form, tokens):
    short = shorten_result(
        FORMS[form],
        tool="web_search",
        arguments='{"query": "sorting"}',
        max_tokens=tokens,
        count=quarters,
    )
    assert short.startswith("Search 'sorting' → 8 results")
    assert short.count("8") == 1 + ("\n8. " in short) + ("found 8" in short) + ("Found 8" in short)
    assert " lines" not in short and "results (8)" not in short


def test_a_longer_room_says_all_of_it():
    text = FORMS["labelled"]
    whole = shorten(text, quarters(text) - 5, quarters)
    assert whole.kind == "results" and whole.omitted == 0
    assert all(" ".join(SAYS.format(name).split()) in whole.text for name in NAMES)


def test_several_searches_in_one_text_are_all_their_results():
    listing = read_results(f"{FORMS['numbered links']}\n=======\n{FORMS['numbered links']}")
    assert listing is not None and len(listing.results) == 16


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{n}. Do step {n} as https://x.org/{n} says" for n in range(1, 40)),
        "\n".join(f"- [name {n}](https://x.org/{n})" for n in range(40)),
        "\n\n".join(f"A paragraph about {n} with https://x.org/{n} in it. " * 4 for n in range(9)),
        "Title: one page\n" + "Words of the page with https://x.org in them.\n" * 60,
        "# Notes\n\n" + "Many words before. " * 200 + FORMS["numbered"],
    ],
)
def test_lists_that_no_search_gave_are_none(text):
    assert read_results(text) is None and detect(text) != "results"


def test_rows_with_more_to_name_than_a_title_stay_rows():
    rows = [{"id": f"KB-{n}", "title": f"Guide {n}", "url": f"https://x.org/{n}"} for n in range(9)]
    assert "KB-7" in shorten(json.dumps(rows), 60, quarters).text
