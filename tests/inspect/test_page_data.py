"""What a page is made of says what the manifests and the requests say."""

import json
import os
import re

import msgspec
import pytest
from tests.inspect.builders import (
    HOSTILE,
    SPECS,
    data_of,
    requests_in,
    sizes_in,
    stock_session,
    support_session,
    text_in,
)

from contextwright import C, Session, target
from contextwright.engine.engine import memo_of
from contextwright.inspect.call_moments import call_moments
from contextwright.inspect.fates import DROPPED, FATES, FOLDED, RAW
from contextwright.inspect.labels import labels_of
from contextwright.inspect.page import page
from contextwright.inspect.request_parts import request_parts, tool_names
from contextwright.inspect.series import LAYERS, SpecRun

SESSION = support_session()
TOWNS = ("Kiel", "Aarhus", "Lyon", "Turin")
MODELS = ("gpt-5", "claude-sonnet-4-5", "gemini-2.5-pro")


def packs(text, model="gpt-5", session=SESSION, **options):
    run = SpecRun(session, eval(text, {"C": C}), target(model, **options), memo_of(session.log))
    return [run.compiled(call) for call in call_moments(session)]


@pytest.fixture(scope="module")
def data():
    return data_of(SESSION)


def test_a_call_stands_before_every_message_of_the_model_and_at_the_open_end(data):
    log = SESSION.log
    positions = data["calls"]["position"]
    assert positions[-1] == len(log)
    assert [log[at].role for at in positions[:-1]] == ["assistant"] * (len(positions) - 1)
    assert len(positions) == 12 * 2 + 1


def test_what_is_shortened_from_its_first_request_on_says_what_it_was():
    """It was never sent whole, so the sizes that were sent do not tell."""
    spec = "C.default() | C.minify() | C.budget(100_000)"
    session = Session("s")
    session.user("How many are there?")
    session.call("count", "{}", id="c1")
    session.result("c1", json.dumps({f"shelf {n}": n for n in range(40)}))
    series = data_of(session, specs=(spec,))["series"][0]
    whole = dict(zip(series["whole"][::2], series["whole"][1::2], strict=True))
    ((row, tokens),) = whole.items()
    (change,) = packs(spec, session=session)[-1].pack.manifest.changes
    assert change.reason == "JSON without its blanks" and tokens == change.tokens_before
    assert tokens > sizes_in(series)[-1][row]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("place", [0, 1])
def test_columns_say_what_the_manifests_say(model, place):
    data = data_of(SESSION, model=model)
    series, sizes = data["series"][place], sizes_in(data["series"][place])
    for at, call in enumerate(packs(SPECS[place], model)):
        manifest = call.pack.manifest
        assert series["tokens"][at] == manifest.tokens
        assert series["budget"][at] == manifest.budget
        assert series["pack"][at] == manifest.pack_id
        assert series["prefix"][at] == (manifest.prefix.tokens if manifest.prefix else 0)
        assert sum(series["layers"][name][at] for name in LAYERS) == manifest.tokens
        kept = {b.order: b.tokens for b in manifest.kept if b.order >= 0}
        first = call.snapshot.preamble
        assert {row + first: tokens for row, tokens in sizes[at].items()} == kept


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("format", [None, "openai-responses"])
def test_every_word_of_a_request_is_in_the_page(model, format):
    data = data_of(SESSION, SPECS[:1], model, format=format)
    for items, call in zip(requests_in(data["series"][0]), packs(SPECS[0], model, format=format)):
        parts = [data["parts"][item] for item in items if item >= 0]
        shown = [text_in(data, part[3]) for part in parts]
        sent = [part.text for part in request_parts(call.pack.request)]
        plain = [json.loads(one) if one.startswith("{") else one for one in shown]
        assert plain == [json.loads(one) if one.startswith("{") else one for one in sent]


@pytest.mark.parametrize("model", MODELS)
def test_parts_lead_to_the_exchanges_that_the_manifest_keeps(model):
    data = data_of(SESSION, model=model)
    for place, series in enumerate(data["series"]):
        for items, call in zip(requests_in(series), packs(SPECS[place], model)):
            rows = {data["parts"][item][2] for item in items if item >= 0} - {-1}
            first = call.snapshot.preamble
            kept = {b.order - first for b in call.pack.manifest.kept if b.order >= first}
            assert rows == kept


@pytest.mark.parametrize("model", MODELS)
def test_what_the_engine_answers_for_a_broken_call_is_of_no_exchange(model):
    session = Session("s")
    session.user("one")
    session.call("look", "{}", id="a")
    session.user("two")
    session.call("look", '{"n": 2}', id="b")
    session.result("b", "the second result")
    session.user("three")
    data = data_of(session, ("C.default()",), model)
    items = [data["parts"][item] for item in requests_in(data["series"][0])[-1] if item >= 0]
    results = [(part[2], text_in(data, part[3])) for part in items if part[1] == 2]
    assert [row for row, _ in results] == [-1, 3] and results[1][1] == "the second result"


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("spec", ["C.default()", "C.default() | C.compact(min_tokens=1)"])
def test_results_of_calls_side_by_side_are_of_their_exchange(model, spec):
    data = data_of(stock_session(), (spec,), model)
    parts = [data["parts"][item] for item in requests_in(data["series"][0])[-1] if item >= 0]
    results = [part for part in parts if part[1] == 2]
    assert len(results) == 4 and {part[2] for part in results} == {1}
    for part in results:
        of = part[3] if part[4] < 0 else part[4]
        assert text_in(data, of) in {f"{len(t)} pieces of part 7 in {t}" for t in TOWNS}


def test_fates_follow_from_the_manifest(data):
    for place, series in enumerate(data["series"]):
        for at, call in enumerate(packs(SPECS[place])):
            first = call.snapshot.preamble
            kept = {b.order - first: b for b in call.pack.manifest.kept if b.order >= 0}
            for row, runs in enumerate(series["fates"]):
                now = [runs[n : n + 3] for n in range(0, len(runs), 3) if runs[n] <= at]
                if row + first >= call.snapshot.exchange_count:
                    assert not now
                elif row in kept:
                    assert FATES[now[-1][1]] == kept[row].fidelity
                else:
                    assert now[-1][1] >= FOLDED
    whys = {tuple(why) for why in data["series"][0]["why"]}
    assert any(step.startswith("C.compaction(") for step, _, _ in whys)
    assert any(
        reason == "no term of the spec selects it" for _, reason, _ in data["series"][1]["why"]
    )
    assert {RAW, FOLDED} <= {f for runs in data["series"][0]["fates"] for f in runs[1::3]}
    assert DROPPED in {f for runs in data["series"][1]["fates"] for f in runs[1::3]}


def test_losses_and_the_bill_are_the_manifests_and_the_ledgers(data):
    series = data["series"][0]
    calls = packs(SPECS[0])
    assert series["cost"] == [call.cost for call in calls] and sum(series["cost"]) > 0
    lost = [
        at
        for at, call in enumerate(calls)
        if call.pack.manifest.prefix and call.pack.manifest.prefix.loss is not msgspec.UNSET
    ]
    assert [at for at, _ in series["losses"]] == lost and lost
    assert {loss["cause"] for _, loss in series["losses"]} == {"step"}


def test_tools_are_named(data):
    assert data["series"][0]["tools"] == [[0, ["find_order", "send_mail"]]]
    request = packs(SPECS[0], "gemini-2.5-pro")[0].pack.request
    assert [name for name, _ in tool_names(request)] == ["find_order", "send_mail"]


def test_a_call_that_can_not_be_compiled_is_a_column_of_its_own():
    data = data_of(SESSION, ("C.default() | C.priority(tier=1) | C.budget(700)",))
    errors = data["series"][0]["errors"]
    assert errors and all(len(error) == 4 and error[1] and error[3] for error in errors)
    for at, *_ in errors:
        assert data["series"][0]["tokens"][at] == 0
    assert len(data["series"][0]["tokens"]) == len(data["calls"]["position"])


def test_what_any_spec_redacts_is_nowhere_in_the_page():
    session = support_session(4)
    session.user("my mail is kim.lee@corp.example, and the word is swordfish")
    specs = ("C.default()", 'C.default() | C.redact(["email", "swordfish"])')
    html = page(data_of(session, specs))
    assert "kim.lee" not in html and "swordfish" not in html
    counts = data_of(session, specs)["redactions"]
    assert counts == {"email": 1, "own pattern": 1}


def test_an_empty_session_and_one_without_an_answer():
    assert data_of(Session("s"))["calls"]["position"] == []
    session = Session("s")
    session.user("hello")
    assert data_of(session)["series"][0]["tokens"][0] > 0


def test_data_can_not_leave_their_script():
    html = page(data_of(support_session(4, hostile=True)))
    start = html.index('id="data">') + len('id="data">')
    block = html[start : html.index("</script>", start)]
    assert "<" not in block and "\u2028" not in block
    texts = texts_in(html)
    assert any(isinstance(text, str) and HOSTILE in text for text in texts)


def texts_in(html):
    """The texts of a page, from their blocks."""
    found = re.findall(r'<script type="application/json" class="texts" data-from="(\d+)">', html)
    texts = []
    for start in found:
        assert int(start) == len(texts)
        at = html.index(">", html.index(f'data-from="{start}"')) + 1
        block = html[at : html.index("</script>", at)]
        assert "<" not in block and "\u2028" not in block
        texts += json.loads(block)
    return texts


def test_texts_stand_in_blocks_that_are_read_when_they_are_shown():
    session = Session("s")
    for turn in range(8):
        session.user(f"question {turn}")
        session.assistant(f"{turn}" * 150_000)
    session.user("last")
    data = data_of(session, ("C.default()",))
    html = page(data)
    assert texts_in(html) == data["texts"] and html.count('class="texts"') == 3


def test_the_page_without_data_is_small_and_asks_for_nothing():
    html = page({})
    assert len(html.encode()) < 250_000
    assert "default-src 'none'" in html and "connect-src" not in html and "unsafe" not in html
    for address in ("http://", "https://", "//cdn"):
        assert address not in html.replace("http://www.w3.org", "")
    assert html.count("</script>") == 3 and " style=" not in html.split("<script")[0]


def test_labels_are_there_for_every_exchange():
    assert set(labels_of(SESSION)) == {e.first.id for e in SESSION.snapshot().exchanges(0)}


@pytest.mark.skipif("CONTEXTWRIGHT_DATA" not in os.environ, reason="no recorded sessions here")
def test_a_recorded_session_has_its_blocks_in_place():
    from benchmarks.recorded_chats import sessions

    from contextwright import read_session

    session = read_session(sessions("se_agent")[0])
    data = data_of(session, ("C.default() | C.compaction(6000)",), "claude-sonnet-4-5")
    for items, call in zip(
        requests_in(data["series"][0]),
        packs("C.default() | C.compaction(6000)", "claude-sonnet-4-5", session),
    ):
        rows = {data["parts"][item][2] for item in items if item >= 0} - {-1}
        first = call.snapshot.preamble
        assert rows == {b.order - first for b in call.pack.manifest.kept if b.order >= first}
