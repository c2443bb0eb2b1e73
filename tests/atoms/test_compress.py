"""COMPRESS: shorter, with what a later call needs and the way back."""

import json
import re

import pytest

from contextwright import C, Session, compile
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
        ("search", {"query": "billing API"}, HITS, "Search 'billing API' → 12 results\n"),
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
    session = session_of("u: yes | a: the same | u: yes | a: the  same | u: go")
    messages = compile(session, C.default() | C.dedup(), target=target_for("openai-chat")).request[
        "messages"
    ]
    assert [m["content"] for m in messages] == ["yes", "the same", "yes", "go"]


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
    assert "[... truncated ...]" in text
    assert text.startswith("one") == (strategy != "tail")
    assert text.rstrip().endswith("five") == (strategy != "head")


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
