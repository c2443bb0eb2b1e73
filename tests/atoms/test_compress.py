"""COMPRESS: shorter, with what a later call needs and the way back."""

import json
import re

import pytest

from contextwright import C, Session, compile
from contextwright.session.event import ToolCall
from contextwright.stores import Refs
from contextwright.testing import session_of, target_for
from contextwright.text.cut import cut
from contextwright.text.identifiers import entities
from contextwright.text.json_fields import project_json
from contextwright.text.tool_result import shorten_result
from contextwright.tokens.counter import counter_for

COUNT = counter_for("gpt-5").count


def results(session, spec):
    request = compile(session, spec, target=target_for("openai-chat")).request
    return [m["content"] for m in request["messages"] if m["role"] == "tool"]


def one_result(name, arguments, text):
    session = Session("s")
    session.user("go")
    session.call(name, json.dumps(arguments), id="c")
    session.result("c", text)
    session.assistant("done")
    session.user("next")
    return session


HITS = json.dumps(
    [{"id": f"KB-{n}", "title": f"Guide {n}", "body": "long prose " * 60} for n in range(12)]
)
PAGE = "# Billing API\n\n" + "Endpoints accept POST only. " * 200


@pytest.mark.parametrize(
    ("name", "arguments", "text", "shown"),
    [
        ("write_file", {"path": "/src/main.py"}, "x = 1\n" * 300, "Output saved to /src/main.py\n"),
        ("search", {"query": "billing API"}, HITS, "Search 'billing API' → 12 results: "),
        (
            "fetch",
            {"url": "https://docs.api.com/billing"},
            PAGE,
            "https://docs.api.com/billing — Billing API\n",
        ),
        ("read_file", {"path": "a.py"}, "def f(): pass\n" * 200, "a.py: 201 lines\n"),
    ],
    ids=["file write", "search", "web fetch", "file read"],
)
def test_each_kind_of_result_is_compacted_to_what_names_it(name, arguments, text, shown):
    (short,) = results(one_result(name, arguments, text), C.default() | C.compact())
    assert short.startswith(shown)
    assert short.endswith(f"[full output: event://e1#0, {COUNT(text)} tokens]")
    assert COUNT(short) < COUNT(text) / 2


def test_identifiers_of_a_json_result_survive():
    flights = [
        {"flight_number": f"HAT{n:03}", "price": 100 + n, "note": "words " * 20} for n in range(30)
    ]
    (short,) = results(
        one_result("search_flights", {}, json.dumps(flights)),
        C.default() | C.compact(max_tokens=250),
    )
    assert sum(f"HAT{n:03}" in short for n in range(30)) > 20


def test_long_agent_output_keeps_its_first_hundred_tokens_unless_only_results_are_asked():
    session = session_of("u: go | a: " + "many words of an answer " * 80 + " | u: next")
    messages = compile(
        session, C.default() | C.compact(), target=target_for("openai-chat")
    ).request["messages"]
    assert 90 < COUNT(messages[1]["content"]) < 130
    assert "event://e1" in messages[1]["content"]
    kept = compile(
        session, C.default() | C.compact("tool_results"), target=target_for("openai-chat")
    )
    assert "many words of an answer " * 79 in kept.body.decode()


def test_stale_is_counted_in_turns():
    session = session_of(
        "u: a | c: f(x) | r: " + "old " * 300 + " | u: b | c: f(y) | r: " + "new " * 300 + " | u: c"
    )
    old, new = results(session, C.default() | C.compact("stale", stale_after=2))
    assert old.endswith("tokens]")
    assert new == ("new " * 300).strip()


def test_the_compacted_text_is_the_same_at_every_age():
    session = one_result("search", {"query": "x"}, HITS)
    first = results(session, C.default() | C.compact())
    for n in range(5):
        session.assistant("ok")
        session.user(f"turn {n}")
    assert results(session, C.default() | C.compact()) == first


def test_failed_and_pinned_and_short_results_stay():
    session = session_of(
        "u: a | c: f(x) | e: " + "Error: disk full " * 100 + " | c: g(x) | r: short | u: b"
    )
    session.call("h", "{}", id="p", pinned=True)
    session.result("p", "pinned " * 200)
    session.user("c")
    failed, short, pinned = results(session, C.default() | C.compact())
    assert failed == ("Error: disk full " * 100).strip()
    assert short == "short"
    assert pinned == "pinned " * 200


def test_a_failure_that_was_made_good_may_be_compacted():
    session = session_of(
        "u: a | c: f(x) | e: " + "Error: disk full " * 100 + " | c: f(x) | r: fine | u: b"
    )
    assert results(session, C.default() | C.compact())[0].endswith("tokens]")


def test_exact_dedup_keeps_the_first_of_equal_texts_and_every_user_message():
    same = "The parcel left Lisbon on the tenth of May."
    session = session_of(f"u: yes | a: {same} | u: yes | a: {same.replace(' ', '  ')} | u: go")
    spec = C.default() | C.dedup() | C.silent()
    messages = compile(session, spec, target=target_for("openai-chat")).request["messages"]
    assert [m["content"] for m in messages] == ["yes", same, "yes", "go"]


@pytest.mark.parametrize("strategy", ["exact", "structural"])
def test_a_short_answer_is_no_repeat_of_another(strategy):
    """Without its own "Done." the second task would look open."""
    session = session_of("u: do one | a: Done. | u: do two | a: Done. | u: go")
    pack = compile(session, C.default() | C.dedup(strategy), target=target_for("openai-chat"))
    assert [m["content"] for m in pack.request["messages"]].count("Done.") == 2


def test_structural_dedup_keeps_the_latest_of_equal_calls():
    session = session_of(
        "u: a | c: read(x) | r: version 1 | u: b | c: read(x) | r: version 2 | u: c | c: read(y) | r: other | u: d"
    )
    assert results(session, C.default() | C.dedup("structural")) == ["version 2", "other"]
    assert results(session, C.default() | C.dedup()) == ["version 1", "version 2", "other"]


def test_structural_dedup_drops_retries_that_were_made_good():
    session = session_of("u: a | c: run(x) | e: Error: no | c: run(y) | r: done | u: b")
    assert results(session, C.default() | C.dedup("structural")) == ["done"]


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        (C.project(["findings", "confidence"]), '{"findings":["x"],"confidence":0.9}'),
        (
            C.project(exclude=["chain_of_thought", "meta.raw"]),
            '{"findings":["x"],"confidence":0.9,"meta":{"id":7}}',
        ),
        (C.project(["meta.id"]), '{"meta":{"id":7}}'),
    ],
    ids=repr,
)
def test_projection_keeps_or_leaves_fields(spec, shown):
    output = {
        "findings": ["x"],
        "chain_of_thought": "hm " * 50,
        "confidence": 0.9,
        "meta": {"id": 7, "raw": "z"},
    }
    session = session_of("u: go | a: x | u: next")
    session.assistant(json.dumps(output))
    session.user("and?")
    body = compile(session, C.default() | spec, target=target_for("openai-chat")).request[
        "messages"
    ]
    assert body[3]["content"] == shown


def test_json_in_a_code_fence_is_projected_where_it_stands():
    fenced = 'Here it is:\n```json\n{"findings": "x", "raw_data": [1]}\n```\nDone.'
    kept = 'Here it is:\n```json\n{"findings":"x"}\n```\nDone.'
    assert project_json(fenced, (), ("raw_data",)) == kept
    assert project_json("```json\n{torn\n```", ("a",), ()) is None
    assert project_json("```\n" * 50_000, ("a",), ()) is None


def test_a_record_of_the_state_is_projected():
    session = session_of("u: hi", state={"record": {"name": "Ann", "raw": "x" * 90}})
    spec = C.from_state("record", format="json") | C.project(exclude=["raw"])
    body = compile(session, spec, target=target_for("openai-chat")).body.decode()
    assert "Ann" in body and "xxx" not in body


def test_a_field_that_is_not_there_leaves_an_empty_record():
    session = one_result("look", {}, '{"a": 1, "b": 2}')
    assert results(session, C.default() | C.project(["c"])) == ["{}"]


def test_what_is_not_json_is_projected_to_itself():
    assert project_json("plain", ("a",), ()) is None
    assert project_json('[{"a": 1, "b": 2}, {"b": 3}]', ("a",), ()) == '[{"a":1},{}]'
    assert (
        project_json('{"a": {"b": [{"c": 1, "d": 2}]}}', ("a.b.c",), ()) == '{"a":{"b":[{"c":1}]}}'
    )


@pytest.mark.parametrize("strategy", ["head", "tail", "bookend"])
def test_truncation_holds_its_limit_and_says_so(strategy):
    session = session_of("u: go | a: " + "one two three four five " * 100 + " | u: next")
    request = compile(
        session, C.default() | C.truncate(50, strategy=strategy), target=target_for("openai-chat")
    ).request
    text = request["messages"][1]["content"]
    assert COUNT(text) <= 50
    assert "[... truncated, full output: event://e1 ...]" in text
    assert text.startswith("one") == (strategy != "tail")
    assert text.rstrip().endswith("five") == (strategy != "head")


@pytest.mark.parametrize("strategy", ["head", "tail", "bookend"])
@pytest.mark.parametrize("front", [C.default(), C.default() | C.compact()])
@pytest.mark.parametrize("limit", [10, 12, 20, 40, 90])
def test_a_hard_cut_says_once_where_its_whole_is(strategy, front, limit):
    """Also where what is cut was shortened before; where there is no room for it, that it is cut."""
    text = "\n".join(f"row {n} of a long table of results" for n in range(60))
    spec = front | C.truncate(limit, strategy=strategy)
    target = target_for("openai-chat")
    request = compile(one_result("look", {}, text), spec, target=target).request
    (short,) = [m["content"] for m in request["messages"] if m["role"] == "tool"]
    assert COUNT(short) <= limit
    told = short.count("[... truncated, full output: event://e1#0 ...]")
    assert told == short.count("event://") == (limit >= 40)
    if not told:
        assert short.count("[... truncated ...]") == 1
    assert not set("[]") & set(re.sub(r"\[[^\[\]]*\]", "", short))  # no note is cut through


def test_what_a_summary_is_cut_to_still_stands_for_what_it_told():
    """Behind the task, as a summary of its own, with its ref."""
    turns = " | ".join(f"u: ask {n} | a: " + f"answer {n} of many words. " * 20 for n in range(8))
    session = session_of(f"u: the task | a: yes | {turns} | u: now")
    target = target_for("openai-chat")
    spec = C.window(2) + C.summarize(scope="before_window", max_tokens=120)
    whole, cut_short = (
        compile(session, one, target=target) for one in (spec, spec | C.truncate(20))
    )
    places = []
    for pack in (whole, cut_short):
        texts = [message["content"] for message in pack.request["messages"]]
        opening = next(text for text in texts if "<context_block" in text).partition(">")[0]
        places.append((opening, ["<context_block" in text for text in texts]))
    assert places[0] == places[1]
    assert "event://" in places[0][0]
    (summary,) = [one for one in cut_short.manifest.kept if one.source.startswith("summary:")]
    assert summary.fidelity == "truncated"
    unread = compile(session, spec | C.truncate(20), model="gpt-5", format="openai-chat")
    assert b"event://" not in unread.body and b"<context_block" in unread.body


@pytest.mark.parametrize("limit", [140, 160, 180, 300])
def test_what_is_cut_again_and_again_leads_back_whole(limit):
    """Where what must stay is cut to less and less, its note is not cut with it."""
    session = Session("s")
    session.user("go")
    session.add("assistant", *(ToolCall(id=f"c{n}", name="read", arguments="{}") for n in range(3)))
    for n in range(3):
        session.result(f"c{n}", f"line {n} of many words that say little\n" * 40)
    request = compile(
        session, C.default() | C.budget(limit), target=target_for("openai-chat")
    ).request
    texts = [m["content"] for m in request["messages"] if m["role"] == "tool"]
    assert all(text.count("event://") == text.count(" ...]") <= 1 for text in texts)
    notes = [text for text in texts if text.startswith("[... truncated, full output: event://")]
    assert len(notes) == (3 if limit < 170 else 0)


def test_a_cut_prefers_lines_and_words():
    text = "\n".join(f"line number {n}" for n in range(200))
    short = cut(text, 60, "head", COUNT)
    assert short.split("\n[...")[0].splitlines()[-1].startswith("line number ")
    words = cut("alpha beta gamma " * 300, 40, "head", COUNT)
    assert words.split("\n")[0].split()[-1] in {"alpha", "beta", "gamma"}


def test_an_excerpt_that_would_not_be_shorter_is_the_text():
    assert (
        shorten_result(
            "short text", tool="f", arguments="{}", max_tokens=100, count=COUNT, ref="event://e1#0"
        )
        == "short text"
    )


def test_entities_are_what_a_later_call_needs():
    text = "See https://a.b/c?d=1, mail x@y.org about NW-4417, /src/main.py and user_id 42 on 2026-10-03 for $19.50"
    found = entities(text)
    for wanted in (
        "https://a.b/c?d=1",
        "x@y.org",
        "NW-4417",
        "/src/main.py",
        "user_id",
        "42",
        "2026-10-03",
        "$19.50",
    ):
        assert wanted in found


def test_identifiers_in_json_are_kept_whole_or_not_at_all():
    uuid = "0f8fad5b-d9cb-469f-a165-70867728950e"
    rows = [{"id": uuid, "mail": "someone.with.a.long.name@example.com", "text": "prose " * 60}] * 2
    short = shorten_result(
        json.dumps(rows), tool="f", arguments="{}", max_tokens=150, count=COUNT, ref="event://e1#0"
    )
    assert uuid in short
    assert "someone.with.a.long.name@example.com" in short


def test_compact_shortens_what_the_model_wrote_but_not_what_names_it():
    """context-algebra.md#compaction: a file that was written is its path."""
    session = session_of("u: go")
    content = json.dumps({"path": "/src/main.py", "content": "x = 1\n" * 2_000})
    session.call("write_file", content, id="w")
    session.result("w", "written")
    session.assistant("done")
    session.user("next")
    target = target_for("openai-chat")
    (call,) = _calls(compile(session, C.compact(), target=target))
    arguments = json.loads(call["function"]["arguments"])
    assert arguments["path"] == "/src/main.py"
    ref = re.search(r"in full: (\S+)\]", arguments["content"])[1]
    assert json.dumps(content)[1:-1] in Refs(session.snapshot()).read(ref)
    for spec in (C.compact("tool_results"), C.compact(exempt=("write_file",))):
        (call,) = _calls(compile(session, spec, target=target))
        assert call["function"]["arguments"] == content


def test_the_arguments_of_the_newest_call_stay():
    session = session_of("u: go")
    content = json.dumps({"path": "/src/main.py", "content": "x = 1\n" * 2_000})
    session.call("write_file", content, id="w")
    session.result("w", "written")
    (call,) = _calls(compile(session, C.compact(), target=target_for("openai-chat")))
    assert call["function"]["arguments"] == content


def _calls(pack):
    return [c for m in json.loads(pack.body)["messages"] for c in m.get("tool_calls") or ()]


def test_a_cascade_shortens_a_result_once():
    session = Session("s")
    session.user("go")
    for n in range(60):
        text = "\n".join(f"line {i} of file {n}" for i in range(120))
        session.call("read_file", json.dumps({"path": f"src/{n}.py"}), id=f"c{n}")
        session.result(f"c{n}", text)
        if n % 6 == 5:
            session.assistant("done")
            session.user("next")
    shown = results(session, C.manus_cascade(budget=16_000, n=60))
    assert shown and all(text.count("full output: ") <= 1 for text in shown)
    short = [text for text in shown if "full output: " in text]
    sizes = {re.search(r"event://\S+, (\d+) tokens", text)[1] for text in short}
    assert short and all(int(size) > 700 for size in sizes), "of the original"


TITLES = ("Quicksort in detail", "Merging of runs", "Timsort from within", "Heaps for beginners",
          "Bubbles and why not", "Radix for strings", "Gaps of Shell", "Notes on trees")  # fmt: skip


def test_search_results_keep_their_titles():
    found = [
        {"title": title, "url": f"https://x.org/{n}", "snippet": f"{title} is " + "prose " * 150}
        for n, title in enumerate(TITLES)
    ]
    session = one_result("web_search", {"query": "sorting"}, json.dumps({"results": found}))
    (short,) = results(session, C.compress_results(min_tokens=100, max_tokens=375))
    assert all(title in short for title in TITLES) and "8 results" in short
    assert "Quicksort in detail is prose" in short, "snippets too"
    (short,) = results(session, C.default() | C.compact())
    assert all(title in short for title in TITLES)


def test_a_large_search_is_a_hundredth():
    found = [
        {"title": f"Guide {n}", "url": f"https://x.org/{n}", "snippet": "prose " * 100}
        for n in range(80)
    ]
    text = json.dumps({"results": found})
    (short,) = results(one_result("web_search", {"query": "x"}, text), C.default() | C.compact())
    assert len(text) > 50_000 and len(short) * 100 < len(text)
    assert "80 results" in short


def test_a_picture_within_json_is_named_and_its_fields_stay():
    data = "data:image/png;base64," + "iVBORw0KGgo" * 900
    text = json.dumps({"id": "IMG-7731", "image": data, "note": "the pump"})
    (short,) = results(one_result("shot", {}, text), C.default() | C.compact())
    assert "IMG-7731" in short and "the pump" in short and "image/png" in short
    assert "iVBORw0KGgo" not in short


def test_a_failing_line_is_kept_without_its_colours():
    lines = [f"\x1b[32mok {n}\x1b[0m" for n in range(400)]
    lines[200] = "\x1b[31mERROR: pump 7 does not answer\x1b[0m"
    (short,) = results(
        one_result("bash", {}, "\n".join(lines)), C.compress_results(min_tokens=100, max_tokens=375)
    )
    assert "\nERROR: pump 7 does not answer\n" in short and "\x1b" not in short


def test_numbers_of_a_column_keep_both_ends():
    text = "\n".join(str(n * 7.5) for n in range(3000))
    (short,) = results(
        one_result("bash", {}, text), C.compress_results(min_tokens=100, max_tokens=375)
    )
    assert short.startswith("0.0\n") and "\n22492.5\n" in short
    assert re.search(r"\d\d+ (lines|more)", short), "how many are missing"


@pytest.mark.parametrize(
    ("tool", "arguments", "result", "seen", "unseen"),
    [
        (
            "str_replace_editor",
            {"command": "view", "path": "/src/a.py"},
            "\n".join(f"{n}\tdef function_{n}(): return {n}" for n in range(200)),
            "function_",
            "saved",
        ),
        (
            "write_file",
            {"path": "/src/a.py", "content": "x"},
            "x = 1\n" * 300 + "E0602: undefined name 'total' in line 17\n",
            "E0602: undefined name 'total'",
            "x = 1",
        ),
        (
            "save_report",
            {"file": "q3.md", "text": "x"},
            json.dumps({"id": "R-4711", "version": 3, "echo": "word " * 400}),
            "R-4711",
            "word " * 40,
        ),
    ],
)
def test_a_write_says_where_it_went_and_what_was_reported(tool, arguments, result, seen, unseen):
    short = shorten_result(
        result, tool=tool, arguments=json.dumps(arguments), max_tokens=150, count=COUNT, ref="e1"
    )
    assert seen in short and unseen not in short
    assert (arguments.get("path") or arguments["file"]) in short
    assert COUNT(short) <= 150
