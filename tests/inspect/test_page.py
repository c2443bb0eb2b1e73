"""The page in a real Chromium: it shows what the manifests say, and runs nothing of the content."""

import pytest
from tests.inspect.browser import Tab, chromium
from tests.inspect.builders import SPECS, data_of, sizes_in, support_session
from tests.parameters import few

from contextwright import Session
from contextwright.inspect.fates import FATES
from contextwright.inspect.page import page
from contextwright.inspect.series import LAYERS
from contextwright.inspect.text_limit import limited

VIEWS = ("session", "call", "where", "compare", "try")
DATA = data_of(support_session(), SPECS, "claude-sonnet-4-5")


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "orders.html"
    path.write_text(page(DATA), encoding="utf-8", newline="\n")
    return path.as_uri()


@pytest.fixture(scope="module")
def tab(browser, address):
    opened = Tab(browser, address)
    yield opened
    opened.close()


def written(browser, tmp_path, data, **options):
    path = tmp_path / "page.html"
    path.write_text(page(data), encoding="utf-8", newline="\n")
    return Tab(browser, path.as_uri(), **options)


@pytest.mark.parametrize("place", [0, 1])
def test_figures_of_the_session_are_the_manifests(tab, place):
    series = DATA["series"][place]
    for call in range(0, len(series["tokens"]), 4):
        tab.at(v="session", s="AB"[place], c=call + 1)
        assert tab.value("tokens", ".details") == series["tokens"][call]
        assert tab.value("budget", ".details") == series["budget"][call]
        assert tab.value("prefix", ".details") == series["prefix"][call]
    bill = tab.page.locator(".bill").inner_text()
    assert f"${sum(series['cost']) / 1e6:.4f}" in bill
    assert f"{sum(series['tokens']) / 1e3:.1f} k" in bill


@pytest.mark.parametrize("place", [0, 1])
def test_the_fates_of_a_call_are_counted_as_the_manifest_has_them(tab, place):
    series = DATA["series"][place]
    for call in (3, 11, len(series["tokens"]) - 1):
        tab.at(v="session", s="AB"[place], c=call + 1)
        counts = {}
        for runs in series["fates"]:
            now = [runs[n + 1] for n in range(0, len(runs), 3) if runs[n] <= call]
            if now:
                counts[FATES[now[-1]]] = counts.get(FATES[now[-1]], 0) + 1
        shown = {}
        for row in tab.page.locator(".at-call tr[data-fate]").all():
            if row.get_attribute("data-fate") != "engine":
                shown[row.get_attribute("data-fate")] = int(row.locator("td").nth(1).inner_text())
        assert shown == counts


def test_a_block_says_its_fate_who_did_it_and_why(tab):
    series, call = DATA["series"][0], len(DATA["series"][0]["tokens"]) - 1
    for row in range(0, len(DATA["blocks"]["id"]), 5):
        runs = series["fates"][row]
        fate, why = runs[-2], runs[-1]
        step, reason, what = series["why"][why]
        tab.at(v="session", s="A", c=call + 1, b=DATA["blocks"]["id"][row])
        text = tab.page.locator(f"[data-block={DATA['blocks']['id'][row]}]").inner_text()
        assert f"{FATES[fate]}: {what}" in text and f"event://{DATA['blocks']['id'][row]}" in text
        assert step in text and reason in text


@pytest.mark.parametrize("place", [0, 1])
def test_a_call_shows_its_layers_which_sum_to_its_tokens(tab, place):
    series = DATA["series"][place]
    for call in (2, 12, len(series["tokens"]) - 1):
        tab.at(v="call", s="AB"[place], c=call + 1)
        rows = tab.page.locator("[data-layer]").all()
        shown = {
            one.get_attribute("data-layer"): int(one.inner_text().replace(",", "")) for one in rows
        }
        assert shown == {
            name: series["layers"][name][call] for name in LAYERS if series["layers"][name][call]
        }
        assert sum(shown.values()) == tab.value("tokens", ".call-side") == series["tokens"][call]


def test_the_request_is_read_message_by_message_with_the_original_beside(tab):
    series, call = DATA["series"][1], 12
    tab.at(v="call", s="B", c=call + 1)
    sizes = sizes_in(series)[call]
    compacted = [
        row
        for row in sizes
        if [
            r
            for n, r in enumerate(series["fates"][row][1::3])
            if series["fates"][row][3 * n] <= call
        ][-1]
        == 2
    ]
    assert compacted
    for row in compacted:
        tab.at(v="call", s="B", c=call + 1, b=DATA["blocks"]["id"][row])
        shown = tab.page.locator("article.selected").all()
        assert any("compacted by C.compact(min_tokens=40)" in one.inner_text() for one in shown)
        assert any(one.locator("del").count() and one.locator("ins").count() for one in shown)
        assert any(
            f"{sizes[row]:,}" == one.locator(".gutter b").inner_text()
            for one in shown
            if one.locator(".gutter b").count()
        )


def test_where_says_in_how_many_requests_a_word_is(tab):
    tab.at(v="where", q="AX-4711")
    title = tab.page.locator("h1").inner_text()
    assert title.startswith("AX-4711 is ") and "under A" in title and "under B" in title
    assert tab.page.locator(".carriers li").count() >= 3
    tab.at(v="where", q="nothing-like-it")
    assert "nowhere in this session" in tab.page.locator("h1").inner_text()


def test_compare_has_both_sides_and_their_difference(tab):
    call = 14
    tab.at(v="compare", s="A", c=call + 1)
    tokens = [
        int(one.inner_text().replace(",", ""))
        for one in tab.page.locator(".bars [data-value=tokens]").all()
    ]
    assert tokens == [series["tokens"][call] for series in DATA["series"]]
    row = tab.page.locator(".compare-head tr", has_text="tokens").first.inner_text()
    assert f"{abs(tokens[1] - tokens[0]):,}" in row
    tab.click(tab.page.get_by_role("button", name="two calls"))
    own = DATA["series"][0]["tokens"]
    shown = [one.inner_text() for one in tab.page.locator(".bars [data-value=tokens]").all()]
    assert shown == [f"{own[call - 1]:,}", f"{own[call]:,}"]


def test_keys_move_one_cursor_that_the_address_holds(tab):
    page_ = tab.at(v="session", s="A", c=5, b=DATA["blocks"]["id"][2])
    tab.press("ArrowRight")
    tab.press("ArrowDown")
    assert "c=6" in page_.url and f"b={DATA['blocks']['id'][3]}" in page_.url
    tab.press("2")
    assert "v=call" in page_.url and "c=6" in page_.url
    tab.press("c")
    assert "s=B" in page_.url
    page_.go_back()
    tab.press("Shift")
    assert "v=session" in page_.url
    tab.press("Shift+ArrowRight")
    assert "c=6" not in page_.url
    tab.press("?")
    page_.get_by_role("dialog", name="All keys").wait_for()
    tab.press("Escape")
    tab.press("/")
    page_.keyboard.type("c2")  # letters are a search here, no commands
    assert "s=A" in page_.url or "s=B" in page_.url
    tab.press("Enter")
    assert "v=where" in page_.url and "q=c2" in page_.url


def test_views_have_keys_of_their_own(tab):
    page_ = tab.at(v="session", s="A", c=12, b=DATA["blocks"]["id"][5])
    tab.press("T")
    rows = page_.locator("[aria-label='Calls as a table'] tbody tr").all_inner_texts()
    assert len(rows) == len(DATA["series"][0]["tokens"])
    for row, tokens in zip(rows, DATA["series"][0]["tokens"]):
        assert row.split()[1] == f"{tokens:,}"
    tab.press("T")
    tab.press("g")
    assert page_.get_by_role("button", name="by turn").get_attribute("aria-pressed") == "true"
    turn = page_.locator(".row-labels button").first
    assert turn.get_attribute("aria-expanded") == "false"
    tab.at(v="session", s="A", c=12, b=DATA["blocks"]["id"][0])
    tab.press("Space")
    assert turn.get_attribute("aria-expanded") == "true"
    assert page_.locator(".row-labels .nested").count()
    tab.press("g")
    lines = page_.locator(".row-labels button").all_inner_texts()
    assert lines and all("call" in one for one in lines)
    tab.press("g", "g")
    tab.press("s")
    assert (
        page_.get_by_role("button", name="size", exact=True).get_attribute("aria-pressed") == "true"
    )
    tab.press("+")
    assert tab.complaints == []
    tab.press("0")


def test_a_call_is_a_treemap_whose_parts_are_its_tokens(tab):
    series, call = DATA["series"][1], 14
    page_ = tab.at(v="call", s="B", c=call + 1)
    tab.press("m")
    canvas = page_.locator(".icicle canvas")
    label = canvas.get_attribute("aria-label")
    assert label.startswith(f"Treemap of {series['tokens'][call]:,} tokens")
    box = canvas.bounding_box()
    before = page_.url
    canvas.click(position={"x": box["width"] * 0.3, "y": box["height"] * 0.4})
    tab.press("Shift")
    assert page_.url != before and "v=call" in page_.url  # the part under it has the cursor
    tab.press("T")
    layers = page_.locator("[data-part-layer]").all()
    shown = {one.get_attribute("data-part-layer"): one.inner_text() for one in layers}
    assert shown == {
        name: f"{series['layers'][name][call]:,}" for name in LAYERS if series["layers"][name][call]
    }
    exchanges = set(sizes_in(series)[call])
    rows = page_.locator(".parts-table tbody code").all_inner_texts()
    assert set(rows) == {DATA["blocks"]["id"][row] for row in exchanges}
    tab.press("T")


def dragged(tab, canvas, start, stop):
    """Press at a share of a canvas's size, move, and let go."""
    box = canvas.bounding_box()
    mouse, at = tab.page.mouse, [(box["x"] + x * box["width"], box["y"] + y * box["height"])
                                 for x, y in (start, stop)]  # fmt: skip
    mouse.move(*at[0])
    mouse.down()
    for share in (0.3, 0.7, 1):
        mouse.move(*(a + share * (b - a) for a, b in zip(*at, strict=True)))
    mouse.up()
    tab.press("Shift")


def shown_calls(page_):
    """The calls that the small map's frame holds, by its heading; None where all are shown."""
    box = page_.get_by_role("region", name="All of it")
    if not box.count():
        return None
    first, last = box.locator("h2").inner_text().rsplit(" ", 1)[1].split("\u2013")
    return int(first), int(last)


def test_a_drag_chooses_calls_and_the_small_map_moves_the_frame(browser, address):
    tab = Tab(browser, address)
    page_ = tab.at(v="session", s="A", c=14)
    calls = len(DATA["series"][0]["tokens"])
    assert shown_calls(page_) is None
    track = page_.locator("section[aria-label=Request] canvas")
    dragged(tab, track, (0.4, 0.5), (0.8, 0.5))
    first, last = shown_calls(page_)
    assert abs(first - 0.4 * calls) <= 2 and abs(last - 0.8 * calls) <= 2
    assert "c=14" in page_.url  # a drag is no click
    small = page_.locator(".minimap canvas")
    middle = (first + last) / 2 / calls
    dragged(tab, small, (middle, 0.5), (middle - 0.3, 0.5))
    moved = shown_calls(page_)
    assert moved[1] - moved[0] == last - first and moved[0] < first
    dragged(tab, small, (moved[1] / calls, 0.5), (1, 0.5))  # its right edge
    assert shown_calls(page_) == (moved[0], calls)
    tab.at(v="session", s="A", c=1)  # the frame follows the cursor
    assert shown_calls(page_)[0] == 1
    tab.press("0")
    assert shown_calls(page_) is None and not tab.complaints
    tab.close()


def test_on_a_narrow_screen_the_cursor_is_a_sheet(browser, address):
    tab = Tab(browser, address, width=390, height=800, has_touch=True)
    page_ = tab.at(v="session", s="A", c=9, b=DATA["blocks"]["id"][4])
    sheet, grip = page_.get_by_role("complementary"), page_.locator(".grip")

    def high():
        return sheet.bounding_box()["height"]

    peek = high()
    assert peek < 200 and DATA["blocks"]["id"][4] in sheet.inner_text()
    tab.click(grip)
    assert high() > 400 and grip.get_attribute("aria-expanded") == "true"
    tab.press("Escape")
    assert high() == peek and "v=session" in page_.url
    box = grip.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 10
    for to, check in ((y - 420, lambda: high() > 400), (790, lambda: high() < 60)):
        box = grip.bounding_box()
        page_.mouse.move(x, box["y"] + 10)
        page_.mouse.down()
        page_.mouse.move(x, (box["y"] + to) / 2)
        page_.mouse.move(x, to)
        page_.mouse.up()
        tab.press("Shift")
        assert check()
    for link in page_.get_by_role("navigation", name="Views").get_by_role("link").all():
        assert link.bounding_box()["height"] >= 52
    tab.close()


def test_what_the_page_does_not_hold_is_named(browser, tmp_path):
    data = limited(DATA, 20_000)
    tab = written(browser, tmp_path, data)
    left = data["left"]
    note = tab.page.get_by_role("note").inner_text()
    assert f"{left['texts']} texts" in note and f"newest {left['whole']} call" in note
    tab.at(v="call", c=3, b=DATA["blocks"]["id"][1])
    lost = tab.page.locator(".left-out").first.inner_text()
    assert "not in this page" in lost and "sha256" in lost
    digest = lost.rsplit(" ", 1)[1]
    assert digest in {entry["sha256"] for entry in data["texts"] if isinstance(entry, dict)}
    tab.at(v="where", q="AX-4712")
    assert f"Not searched: {left['texts']} texts" in tab.page.locator("main").inner_text()
    assert tab.complaints == []
    tab.close()


def test_a_reader_of_the_screen_finds_its_way(tab):
    page_ = tab.at(v="session", s="A", c=9, b=DATA["blocks"]["id"][4])
    for role, name in (
        ("banner", None),
        ("navigation", "Views"),
        ("main", None),
        ("complementary", "Cursor"),
        ("grid", "Blocks around the cursor"),
        ("searchbox", "Where did it go?"),
    ):
        assert page_.get_by_role(role, name=name).count() == 1, (role, name)
    assert page_.get_by_role("link", name="Session").get_attribute("aria-current") == "page"
    label = page_.locator(".map-canvas").get_attribute("aria-label")
    assert "cursor at call 9, block" in label and "Fate of" in label
    assert "call 9" in page_.get_by_role("status").inner_text()
    for canvas in page_.locator("canvas").all():
        assert canvas.get_attribute("role") == "img" and canvas.get_attribute("aria-label")
    for button in page_.locator("button").all():
        assert button.inner_text().strip() or button.get_attribute("aria-label")


@pytest.mark.parametrize(
    ("width", "scheme"), few([(320, "light"), (1920, "dark"), (700, "dark"), (1000, "light")])
)
def test_nothing_scrolls_sideways_in_any_view(browser, address, width, scheme):
    tab = Tab(browser, address, width=width, scheme=scheme)
    for view in VIEWS:
        tab.at(v=view, s="B", c=12, q="AX-4715")
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width, view
    assert not tab.complaints
    tab.close()


def test_content_runs_nothing_and_loads_nothing(browser, tmp_path):
    data = data_of(support_session(6, hostile=True))
    tab = written(browser, tmp_path, data)
    for view in VIEWS:
        for call in range(1, len(data["calls"]["position"]) + 1, 3):
            tab.at(v=view, c=call, q="evil")
    tab.at(v="call", c=6, b="e7")
    tab.at(v="call", c=6, b="e6")
    tab.press("o")
    dialog = tab.page.get_by_role("dialog", name="Whole text")
    assert dialog.locator(".hidden-char", has_text="U+202E").count()
    assert dialog.locator(".marker", has_text="</context_block>").count()
    assert "<script>window.broken=1</script>" in dialog.inner_text()
    assert tab.page.evaluate("window.broken") is None
    assert tab.page.locator("main img, main iframe, main script, pre a").count() == 0
    assert [one for one in tab.requests if not one.startswith("file://")] == []
    assert tab.complaints == []
    tab.close()


def test_the_hostile_corpus_is_text(browser, tmp_path, read_rows):
    rows = [
        row
        for name in ("xss", "naughty_strings", "section_breakouts", "hidden_text")
        for row in read_rows(f"security/{name}")
    ]
    texts = [
        text for row in rows for text in row.values() if isinstance(text, str) and text.strip()
    ]
    session = Session("s")
    for at, text in enumerate(texts[::9][:120]):
        session.user(text[:4000]) if at % 2 else session.assistant(text[:4000])
    session.user("last")
    tab = written(browser, tmp_path, data_of(session, ("C.default()",)))
    for view in VIEWS:
        for call in (1, 20, 60):
            tab.at(v=view, c=call, q="script")
    tab.at(v="call", c=60)
    for _ in range(12):
        tab.page.locator(".messages").evaluate("box => { box.scrollTop += 900 }")
    assert tab.complaints == [] and all(one.startswith("file://") for one in tab.requests)
    assert (
        tab.page.evaluate(
            "document.querySelectorAll('main img, main script, main iframe, pre a').length"
        )
        == 0
    )
    tab.close()


def test_a_script_that_gets_in_is_refused(browser, address):
    tab = Tab(browser, address)
    tab.page.evaluate("""() => { const one = document.createElement("script");
        one.textContent = "window.broken = 1"; document.body.append(one); }""")
    assert (
        tab.page.evaluate("window.broken") is None
        and "Content Security Policy" in tab.complaints[0]
    )
    tab.close()


def test_states_that_are_not_the_usual(browser, tmp_path):
    empty = written(browser, tmp_path, data_of(Session("s")))
    assert "no model call yet" in empty.page.locator("main").inner_text() and not empty.complaints
    empty.close()
    failing = data_of(support_session(4), ("C.default() | C.priority(tier=1) | C.budget(120)",))
    tab = written(browser, tmp_path, failing)
    call, what, _, fix = failing["series"][0]["errors"][0]
    tab.at(v="call", c=call + 1)
    assert what in tab.page.locator(".reading").inner_text()
    assert fix in tab.page.locator(".reading").inner_text() and not tab.complaints
    tab.at(v="session", b=failing["blocks"]["id"][-1])  # no request had it: nobody counted it
    assert tab.page.locator("[data-value=original]").inner_text() == "?"
    tab.close()
    unpriced = {**DATA, "target": {**DATA["target"], "prices": None}}
    tab = written(browser, tmp_path, unpriced)
    assert "no prices" in tab.page.locator(".bill").inner_text() and not tab.complaints
    tab.close()


def test_why_the_agent_forgot_the_order_number_in_four_clicks(browser, address):
    """A newcomer's walk: search, see what took it out, open the request that lacked it."""
    tab = Tab(browser, address)
    page_ = tab.page
    tab.click(page_.get_by_role("searchbox"))  # 1
    page_.keyboard.type("AX-4712")
    tab.press("Enter")  # 2
    assert "missing from" in page_.locator("h1").inner_text()
    path = page_.locator(".path").nth(1)
    assert "not selected" in path.inner_text() or "dropped" in path.inner_text()
    tab.click(path.locator("button").last)  # 3
    tab.click(page_.get_by_role("button", name="Open call"))  # 4
    assert "v=call" in page_.url and "s=B" in page_.url
    assert "AX-4712" not in page_.locator(".messages").inner_text()
    tab.close()


def test_a_session_of_one_message_is_told_in_the_singular_with_no_words_over_others(
    browser, tmp_path
):
    session = Session("s")
    session.user("hi")
    data = data_of(session, ["C.default() | C.compaction(32000)"], "gpt-5")
    tab = written(browser, tmp_path, data)
    page = tab.page
    assert "1 block × 1 call" in page.get_by_label("Fate of every block", exact=True).inner_text()
    label, shown = page.locator(".budget-label"), page.get_by_role("button", name="layer")
    below = shown.bounding_box()["y"] + shown.bounding_box()["height"]
    assert "far above" in label.inner_text() and label.bounding_box()["y"] >= below
    tab.close()


def test_a_fate_is_not_said_twice(tab):
    fates = [
        tab.at(v="session", s="B", c=call, b=block).locator("[data-value=fate]").inner_text()
        for call in (10, 16)
        for block in DATA["blocks"]["id"]
    ]
    assert "compacted" in fates or "raw: whole" in fates
    assert all(len(set(fate.split(": "))) == len(fate.split(": ")) for fate in fates)
