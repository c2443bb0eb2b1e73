"""The page live: behind a token, on the loopback, reading only."""

import json
import urllib.error
import urllib.request
from threading import Thread

import pytest
from tests.inspect.browser import Tab, chromium
from tests.inspect.builders import SPECS, support_session

from contextwright import C, read_session, target, write_session
from contextwright.inspect.budget_points import budget_point, session_sums, with_budget
from contextwright.inspect.live_server import LiveServer
from contextwright.inspect.live_session import LiveSession
from contextwright.inspect.live_sources import FileSource, StillSource
from contextwright.inspect.spec_findings import read_spec


@pytest.fixture
def served(tmp_path):
    path = tmp_path / "orders.jsonl"
    write_session(support_session(8), "contextwright", path)
    specs = [(text, eval(text, {"C": C})) for text in SPECS]
    live = LiveSession(
        FileSource(path, lambda: read_session(path)), specs, target("gpt-5"), "orders"
    )
    with LiveServer(live) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server, path
        server.shutdown()


def fetched(address, **headers):
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
        return answer.read(), answer.headers


def tried(server, spec, call=0, **more):
    fields = urllib.parse.urlencode({"spec": spec, "call": call, **more})
    return json.loads(fetched(f"{server.address}try?{fields}")[0])


def test_who_has_no_token_and_who_comes_by_another_name_gets_nothing(served):
    server, _ = served
    port = server.server_port
    for address, host in (
        (f"http://127.0.0.1:{port}/", ""),
        (f"http://127.0.0.1:{port}/{'x' * 22}/data", ""),
        (server.address, "evil.example"),
        (f"{server.address}../../etc/passwd", ""),
    ):
        with pytest.raises(urllib.error.HTTPError) as refused:
            fetched(address, **({"Host": host} if host else {}))
        assert refused.value.code == 404
    request = urllib.request.Request(server.address, data=b"x", method="POST")
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 501
    assert server.server_address[0] == "127.0.0.1"


def test_the_page_asks_only_where_it_came_from(served):
    server, _ = served
    html, headers = fetched(server.address)
    assert b"connect-src 'self'" in html and headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Frame-Options"] == "DENY"


def test_a_call_under_another_spec_is_what_a_compile_gives(served):
    server, path = served
    spec = C.window(n=2) | C.budget(1800)
    answer = tried(server, repr(spec), call=10)
    from contextwright.inspect.call_moments import call_moments

    session = read_session(path)
    from contextwright.compiler.spec_compiler import SpecCompiler

    snapshot = call_moments(session)[10].snapshot(session)
    pack = SpecCompiler(spec).compile(snapshot, target("gpt-5"))
    assert answer["series"]["tokens"] == [pack.tokens]
    assert tried(server, repr(spec), call=10, budget=1500)["series"]["budget"] == [1500]
    assert tried(server, repr(spec), call=10, budget=1500)["spec"] == repr(
        C.window(n=2) | C.budget(1500)
    )


def test_only_words_are_read_as_a_spec(served):
    server, path = served
    for text in ("__import__('os').getcwd()", "open('x')", str(path), "spec.py:NAME", ""):
        answer = tried(server, text)
        assert answer["series"] is None and answer["findings"][0]["severity"] == "error"


def test_findings_have_a_place_and_an_edit():
    text = "C.default()\n| C.compact(stale_afer=3)\n| C.compaction(2000)"
    spec, (finding,) = read_spec(text, "gpt-5")
    assert spec is None and (finding["line"], finding["column"]) == (2, 13)
    start, stop, word = finding["edit"]
    fixed, findings = read_spec(text[:start] + word + text[stop:], "gpt-5")
    assert fixed is not None and all(one["severity"] != "error" for one in findings)
    assert [one["code"] for one in read_spec("C.default()", "gpt-5")[1]] == ["unbounded"]


def test_another_budget_takes_the_place_of_the_specs_own():
    assert with_budget(C.default() | C.compaction(9000), 500) == C.default() | C.compaction(500)
    assert with_budget(C.window(n=2), 500) == C.window(n=2) | C.budget(500)
    session, spec = support_session(8), C.default() | C.compaction(2400)
    small, large = (budget_point(session, spec, target("gpt-5"), n) for n in (2000, 60_000))
    assert small["largest"] <= 2000 < large["largest"] and large["lost"] == 0 < small["lost"]
    assert not small["errors"] and small["tokens"] < large["tokens"]


def test_a_file_that_grows_is_told_and_read_again(served):
    server, path = served
    before = json.loads(fetched(f"{server.address}data")[0])["events"]
    with urllib.request.urlopen(f"{server.address}events") as events:
        write_session(support_session(9), "contextwright", path)
        line = next(one for one in events if one.startswith(b"data: "))
    assert json.loads(line[6:]) == {"changed": True}
    assert json.loads(fetched(f"{server.address}data")[0])["events"] == before + 4


def test_texts_that_the_page_does_not_hold_are_given_one_by_one():
    session = support_session(8)
    specs = [(SPECS[0], eval(SPECS[0], {"C": C}))]
    live = LiveSession(StillSource(session), specs, target("gpt-5"), "orders", texts=2_000)
    with LiveServer(live) as server, chromium() as browser:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        tab = Tab(browser, server.address)
        data = live.data()
        assert data["left"]["texts"] > 0
        page = tab.at(v="call", c=3, b="e2")
        lost = page.locator("article.selected .left-out")
        assert lost.count()
        lost.first.get_by_role("button", name="load").click()
        page.locator("article.selected", has_text="Lyon").wait_for()
        tab.at(v="where", q="part 23")
        page.locator(".carriers li").nth(3).wait_for()  # found in texts that are only here
        assert json.loads(fetched(f"{server.address}text?sha256=nothing")[0]) == {"entry": None}
        assert tab.complaints == []
        tab.close()
        server.shutdown()


def test_the_view_is_live_in_a_browser(served):
    server, _ = served
    with chromium() as browser:
        from playwright.sync_api import expect

        tab = Tab(browser, server.address)
        page = tab.at(v="try", s="A", c=16)
        before = int(page.locator("[data-value=before]").inner_text().replace(",", ""))
        assert before == server.live.data()["series"][0]["tokens"][15]
        editor = page.get_by_role("textbox", name="Spec")
        editor.fill("C.window(n=1) | C.budgt(900)")
        page.locator(".findings button", has_text="budget").click()
        assert editor.input_value() == "C.window(n=1) | C.budget(900)"
        budget, after = page.locator("[data-value=budget]"), page.locator("[data-value=after]")
        expect(budget).to_have_text("900")
        expected = tried(server, "C.window(n=1) | C.budget(900)", call=15)["series"]["tokens"][0]
        expect(after).to_have_text(f"{expected:,}")
        slider = page.get_by_role("slider", name="Budget")
        assert "900 tokens" in slider.get_attribute("aria-valuetext")
        slider.focus()
        page.keyboard.press("ArrowRight")
        expect(budget).to_have_text("1,000")
        expect(editor).to_have_value("C.window(n=1) | C.budget(max_tokens=1000)")
        assert tab.complaints == []
        assert all(one.startswith(server.address) for one in tab.requests)
        tab.close()


def test_what_a_word_costs_is_the_whole_session_with_it_less_without_it(served):
    server, path = served
    text = "C.default()\n| C.compact(min_tokens=40)\n| C.compaction(2400)"
    compact, compaction = server.live.measured(text)
    session, receiver = read_session(path), target("gpt-5")
    both = session_sums(
        session, C.default() | C.compact(min_tokens=40) | C.compaction(2400), receiver
    )
    one = session_sums(session, C.default() | C.compaction(2400), receiver)
    assert compact["what"] == "C.compact(min_tokens=40)"
    assert {name: compact[name] for name in both} == {name: both[name] - one[name] for name in both}
    start, stop, put = compact["edit"]
    assert text[:start] + put + text[stop:] == "C.default()\n| C.compaction(2400)"
    assert compaction["what"] == "C.compaction(2400)"


def test_a_finding_with_an_edit_is_measured(served):
    server, _ = served
    (finding,) = read_spec("C.default()", "gpt-5")[1]
    (row,) = server.live.measured("C.default()")
    assert row["edit"] == finding["edit"] and row["what"] == "unbounded" and row["cost"] == 0
    text = "C.notes('case') + C.default() | C.compact()"
    edits = [one["edit"] for one in read_spec(text, "gpt-5")[1] if one["code"] == "precedence"]
    ((start, stop, put),) = edits
    assert text[:start] + put + text[stop:] == "C.notes('case') + (C.default() | C.compact())"
    assert list(server.live.measured("C.nothing(")) == []
