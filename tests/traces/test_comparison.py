"""`ctx try`: what was sent, what would have been, what it cost, what was lost."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.formats.rounds import rows
from tests.traces.agent_calls import (
    agent_calls,
    call_message,
    genai_attributes,
    genai_export,
    otlp,
    otlp_span,
    result_message,
    written,
)

from contextwright import C, Session, target, write_session
from contextwright.cli.main import ctx
from contextwright.traces import call_marks, read_traces
from contextwright.traces.comparison import compare
from contextwright.traces.later_values import argument_terms, shows
from contextwright.traces.sent_requests import SentRequests


@pytest.fixture
def export(tmp_path):
    return written(tmp_path, genai_export(steps=12, size=120))


def compared(path, spec, **options):
    (session,) = read_traces(path)
    return compare(session, spec, target("gpt-5"), **options)


def test_what_was_sent_is_everything_so_far(export):
    one = compared(export, C.default())
    assert one.calls == 13 and one.sent.tokens == one.ours.tokens
    assert abs(one.sent.cost - one.ours.cost) <= 13 < one.sent.cost  # of parts of microdollars
    assert (one.sent.lost, one.ours.lost) == (0, 0)
    assert (one.sent.unseen, one.ours.unseen, one.shortened, one.dropped) == (0, 0, 0, 0)


def test_a_budget_makes_less_of_it_and_every_value_is_behind_a_ref(export):
    one = compared(export, C.compaction(2500))
    assert one.ours.tokens < one.sent.tokens / 2 and one.ours.cost < one.sent.cost
    assert one.ours.largest <= 2500 < one.sent.largest
    assert one.shortened + one.dropped and one.values and not one.failed
    assert all(value.ref for value in one.unseen)


def test_an_agent_with_a_window_is_counted_by_what_it_sent(tmp_path):
    whole = agent_calls(8, 60)
    calls = [([m[0], *m[1:][-4:]], answer) for m, answer in whole]
    spans = [otlp_span(n, genai_attributes(*call)) for n, call in enumerate(calls)]
    one = compared(written(tmp_path, otlp(spans)), C.default())
    assert one.sent.tokens < one.ours.tokens
    assert one.sent.lost == 7 and one.ours.lost == 0
    assert one.sent.cached < one.ours.cached


def test_a_value_that_a_window_lost_is_unseen_to_the_agent_that_sent_it(tmp_path):
    order = {"role": "user", "content": "Where is order ZX-4471?"}
    steps = [part for n in range(2, 8) for part in (call_message(n), result_message(n))]
    last = call_message(9)
    last["tool_calls"][0]["function"]["arguments"] = '{"id": "ZX-4471"}'
    system = {"role": "system", "content": "s"}
    inputs = [([system, order, *steps[: 2 * n]][-5:], steps[2 * n]) for n in range(6)]
    inputs.append(([system, *steps[-4:]], last))
    spans = [otlp_span(n, genai_attributes([*m], a)) for n, (m, a) in enumerate(inputs)]
    one = compared(written(tmp_path, otlp(spans)), C.compaction(2000), find="ZX-4471")
    assert one.sent.unseen == 1 and one.ours.unseen == 0
    assert one.trail is not None and one.trail.calls == [1, 2, 3, 4, 5, 6, 7]
    assert one.trail.ours == one.trail.calls and len(one.trail.sent) < 7
    (session,) = read_traces(tmp_path / "export.json")
    assert one.trail.ref == f"event://{session.log[1].id}"


def test_what_was_billed_is_held_against_what_was_counted(export):
    one = compared(export, C.default())
    assert one.billed_calls == 13 and one.billed_tokens == 13 * 900
    assert one.counted == one.sent.cost and one.counted_tokens == one.sent.tokens
    fresh, read = (900 - 512) * 1_250_000, 512 * 125_000
    assert one.billed == 13 * ((fresh + read) // 1_000_000)


def test_a_cache_forgets_and_a_changed_system_text_loses_it(tmp_path):
    spans = []
    for n, (messages, answer) in enumerate(agent_calls(3, 200)):
        later = n >= 2
        system = {"role": "system", "content": f"It is {10 + later} o'clock."}
        spans.append(
            otlp_span(n * 3600 * later or n, genai_attributes([system, *messages[1:]], answer))
        )
    (session,) = read_traces(written(tmp_path, otlp(spans)))
    marks, sent = call_marks(session), SentRequests(session, target("gpt-5"), None)
    reads = [sent.priced(mark, 4000).cached for mark in marks]
    assert reads[0] == 0 and reads[1] > 3000 and reads[2:] == [0, 0]


def test_terms_of_arguments_and_borders_of_words():
    terms = argument_terms(
        '{"id": "A-17", "n": 7, "q": "where is ORD_9 now", "code": "a\\nlonger line"}'
    )
    assert terms == ("A-17", "ORD_9", "longer line")
    assert shows("order A-17.", "A-17") and not shows("A-171", "A-17")
    assert argument_terms("no json at A-17") == ("A-17",)


def run(*arguments):
    done = CliRunner().invoke(ctx, ["try", *map(str, arguments)], env={"COLUMNS": "80"})
    assert done.exit_code == 0, done.output
    lines = [line for line in done.output.splitlines() if "report.html" not in line]
    assert all(len(line) <= 80 for line in lines), done.output
    return done.output


def test_the_command_says_it_in_80_columns(export):
    output = run(export, "--budget", "2500", "--find", "hall 3")
    assert "1 session, 13 calls · gpt-5" in output
    for words in (
        "input tokens",
        "largest request",
        "input cost",
        "lost the prefix",
        "not in sight",
    ):
        assert words in output
    assert "billed, 13 calls: 11,700 tokens" in output
    assert "'hall 3' in case-7: first in event://" in output
    assert "your agent showed it at calls 4 to 13" in output


def test_the_page_is_written(export, tmp_path):
    page = tmp_path / "report.html"
    output = run(export, "--budget", "2500", "-o", page)
    assert "report.html: session case-7, 13 calls" in output.replace("\n", "")
    assert "case-7" in page.read_text()


def test_a_folder_has_a_page_on_each_session(tmp_path, monkeypatch):
    from tests.inspect.browser import Tab, chromium

    calls = [
        (n, f"case-{c}", call) for c in (1, 2, 3) for n, call in enumerate(agent_calls(3, 5 * c))
    ]
    spans = [
        otlp_span(n + 10 * int(id[-1]), genai_attributes(*call, conversation=id))
        for n, id, call in calls
    ]
    monkeypatch.chdir(tmp_path)  # its lines are held to 80 columns, and name the path
    out = tmp_path / "pages"
    output = run(written(tmp_path, otlp(spans)), "--budget", "800", "-o", "pages")
    assert "pages/index.html: 3 sessions" in output
    files = sorted(path.name for path in out.iterdir())
    assert files == ["index.html", "session-1.html", "session-2.html", "session-3.html"]
    with chromium() as browser:
        page = browser.new_page()
        page.goto((out / "index.html").as_uri())
        rows = page.locator("tbody tr").all_inner_texts()
        assert [row.split()[0] for row in rows] == ["case-3", "case-2", "case-1"]
        page.get_by_role("link", name="case-2").click()
        page.wait_for_selector("main[aria-busy=false]")
        chooser = page.get_by_role("combobox", name="Session")
        assert chooser.input_value() == "session-2.html" and "case-2" in page.title()
        chooser.select_option(label="case-1")
        page.wait_for_url("**/session-3.html*")
        page.get_by_role("link", name="all 3").click()
        page.wait_for_url("**/index.html")
        tab = Tab(browser, (out / "session-1.html").as_uri(), width=320)
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 320
        assert not tab.complaints
    one = Path("report.html")
    output = run(written(tmp_path, otlp(spans)), "--budget", "800", "-o", one.name)
    assert "2 sessions more" in output and "-o FOLDER" in output


def test_mistakes_are_named(export, tmp_path):
    for arguments, words in (
        ((export,), "give --budget N"),
        ((export, "--budget", "8k", "--session", "x"), "no session has the id"),
        ((tmp_path / "no.json", "--budget", "8k"), "can not be read"),
        ((export, "--budget", "8k", "-o", tmp_path / "no/page.html"), "can not be written"),
    ):
        done = CliRunner().invoke(ctx, ["try", *map(str, arguments)])
        assert done.exit_code and words in str(done.exception or "") + done.output


def test_gaps_and_what_was_not_read_are_shown(tmp_path):
    good, bad = (genai_attributes(*call) for call in agent_calls(1))
    bad["gen_ai.input.messages"] = bad["gen_ai.input.messages"][:50]
    spans = [otlp_span(1, good, droppedAttributesCount=1), otlp_span(2, bad)]
    output = run(written(tmp_path, otlp(spans)), "--budget", "8k")
    assert "gap in case-7: 1 attributes of a span" in output and "not read: " in output


def test_the_walk_from_a_trace_to_what_became_of_an_order_number(tmp_path):
    """An agent forgot an order: which request lost it, and what would have shown it."""
    whole = agent_calls(10, 80)
    number = "A-1"
    calls = [([m[0], *m[1:][-4:]], answer) for m, answer in whole]
    path = written(
        tmp_path, otlp([otlp_span(n, genai_attributes(*c)) for n, c in enumerate(calls)])
    )
    one = compared(path, C.compaction(3000), find=f"order {number}?")
    trail = one.trail
    assert trail is not None
    assert trail.sent == [1, 2] and trail.ours == list(range(1, 12))
    from contextwright.stores.refs import Refs

    assert number in Refs(one.session.snapshot()).read(trail.ref)
    output = run(path, "--budget", "3000", "--find", f"order {number}?")
    assert "your agent showed it at calls 1 to 2" in output
    assert "this spec shows it at calls 1 to 11" in output


def test_the_walk_through_the_page_of_an_export_is_four_clicks(tmp_path, monkeypatch):
    """From an exported trace to the request that lacked it, and the word that took it out."""
    from tests.inspect.browser import Tab, chromium

    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, genai_export(10, 40))
    run(path, "--spec", "C.window(steps=3) | C.budget(4000)", "-o", "report.html")
    with chromium() as browser:
        tab = Tab(browser, (tmp_path / "report.html").as_uri())
        page = tab.page
        tab.click(page.get_by_role("searchbox"))  # 1
        page.keyboard.type("packed in hall 2")
        tab.press("Enter")  # 2
        assert "missing from" in page.locator("h1").inner_text()
        path = page.locator(".path").first
        assert "C.window(steps=3)" in path.inner_text() or "not selected" in path.inner_text()
        tab.click(path.locator("button").last)  # 3
        tab.click(page.get_by_role("button", name="Open call"))  # 4
        assert "v=call" in page.url and not tab.complaints
        assert "packed in hall 2" not in page.locator(".messages").inner_text()
        tab.close()


def test_a_real_session_of_pi_is_tried_with_its_bill(tmp_path):
    lines = [json.loads(line) for line in rows("raw")[0]["text"].splitlines()][:160]
    output = run(written(tmp_path, lines, "pi.jsonl"), "--budget", "16k", "--top", "3")
    assert "claude-sonnet-4-5" in output and "billed, " in output


def test_a_file_of_a_compacted_session_says_what_it_can_not_tell(tmp_path):
    from tests.formats.test_pi import HEADER, entry, words

    lines = [
        HEADER,
        entry("a", None, message=words("user", "one")),
        entry("b", "a", message=words("assistant", "two")),
        entry("c", "b", type="compaction", summary="all of it"),
        entry("d", "c", message=words("user", "three")),
        entry("e", "d", message=words("assistant", "four")),
    ]
    output = run(written(tmp_path, lines, "pi.jsonl"), "--budget", "8k")
    assert "s1 was compacted by its agent" in output


@pytest.mark.parametrize(
    ("format", "model"),
    [("anthropic", "claude-sonnet-4-5"), ("gemini", "gemini-2.5-pro"), ("openai-chat", "gpt-5")],
)
def test_a_session_without_a_model_is_billed_as_its_format(tmp_path, format, model):
    session = Session("case")
    session.user("Where is it?")
    session.call("find", {"id": 1}, id="c1")
    session.result("c1", "in Lyon")
    session.assistant("In Lyon.")
    path = tmp_path / "case.json"
    write_session(session, format, path)
    done = CliRunner().invoke(ctx, ["try", str(path), "--budget", "3k"], catch_exceptions=False)
    assert f"calls · {model}" in done.stdout or f"call · {model}" in done.stdout
