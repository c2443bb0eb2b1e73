"""A page of a browser's tool, once it is old: what it said, without its frame and handles."""

import pytest

from contextwright.models.embedded.call_lines import call_line
from contextwright.session.event import Text, ToolCall, ToolResult
from contextwright.text.content_router import detect, shorten
from contextwright.text.page_snapshot import is_handle, page_line, without_frame


def links(first: int) -> str:
    names = ("Book", "Check in", "Baggage", "Help", "Offers", "Sign in", "Destinations")
    return "\n".join(
        f'  - link "{name}" [ref=e{first + n}] [cursor=pointer]:\n    - /url: /{n}'
        for n, name in enumerate(names)
    )


PAGE = f"""### Ran Playwright code
```js
await page.getByRole('button', {{ name: 'Hold booking' }}).click();
```
### Page state
- Page URL: https://air.example/confirmation
- Page Title: Booking held
- Page Snapshot:
```yaml
- banner [ref=e1]:
{links(2)}
- main [ref=e20]:
  - alert [ref=e21]: Seat 12A was taken.
  - heading "Your booking is held" [level=1] [ref=e22]
  - article "DY 1833" [ref=e23]:
    - generic [ref=e24]: Booking reference QX7R4M
    - text: Total €179.20. Pay before 16 March.
    - button "Details" [ref=e25] [cursor=pointer]
  - textbox "E-mail" [ref=e26]: marta@post.example
  - textbox "Phone" [ref=e27]
- contentinfo [ref=e40]:
{links(41)}
```"""
SAID = (
    "https://air.example/confirmation", "Booking held", "12A was taken", "Your booking is held",
    "DY 1833", "QX7R4M", "€179.20. Pay before 16 March.", '"E-mail": marta@post.example',
)  # fmt: skip


def words(text: str) -> int:
    return len(text) // 4


def test_what_a_page_says_stays_and_its_frame_goes():
    assert detect(PAGE) == "page"
    short = shorten(PAGE, 112, words, index=False).text
    assert all(said in short for said in SAID)
    assert "Baggage" not in short
    assert "ref=" not in short
    assert "lines of its frame left out]" in short


def test_the_page_where_an_agent_may_be_keeps_what_it_clicks_by():
    short = shorten(PAGE, 160, words).text
    assert 'button "Details" [ref=e25]' in short
    assert 'textbox "Phone" [ref=e27]' in short


def test_a_summary_tells_what_a_page_says():
    made = ToolCall(id="1", name="browser_click", arguments='{"element":"Hold","ref":"e9"}')
    line = call_line(made, ToolResult(call_id="1", content=(Text(text=PAGE),)))
    assert line.startswith("browser_click(Hold) → URL: https://air.example/confirmation | Title: ")
    assert "QX7R4M" in line
    assert "Playwright" not in line


def test_a_line_of_a_page_names_what_its_words_stand_in():
    assert 'article "DY 1833" | Booking reference QX7R4M' in page_line(PAGE, 400)


@pytest.mark.parametrize(
    "page",
    [
        'uid=1_0 RootWebArea "Cart" url="https://shop.example/cart"\n'
        + "\n".join(f'  uid=1_{n} button "Remove {n}"' for n in range(1, 9))
        + '\n  uid=1_9 StaticText "Total 41.90"',
        "RootWebArea 'Cart', focused\n"
        + "\n".join(f"\t[a{n}] button 'Remove {n}', clickable, visible" for n in range(1, 9))
        + "\n\tStaticText 'Total 41.90'",
    ],
)
def test_other_tools_pages_are_pages(page):
    assert detect(page) == "page"
    said = without_frame(page)
    assert "Total 41.90" in said
    assert "Remove 3" in said
    assert "1_3" not in said
    assert "[a3]" not in said


def test_what_only_mentions_a_handle_is_no_page():
    text = "Add `[ref=e1]` to each line.\n" * 3 + "Then run the tests and see what fails.\n" * 20
    assert detect(text) != "page"
    assert without_frame(text) == text


def test_a_handle_is_told_by_its_name_and_its_shape():
    assert is_handle("ref", "e12")
    assert is_handle("uid", "1_4")
    assert not is_handle("ref", "main")
    assert not is_handle("id", "e12")
