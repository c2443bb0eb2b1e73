"""What a note tells of words: the question behind what was pasted, what follows a colon or an
opening, what a call of several lines was made with, and numbers that are whole."""

import json
from types import SimpleNamespace

import pytest

from contextwright import C, Context, session_from
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler.steps import forms

FILLER = "The tide tables of the harbour say nothing of it, and nobody asked. " * 40


def note(*said, budget=2000):
    """What stands for the first messages once many others lie behind them."""
    messages = [*said]
    for n in range(12):
        messages.append({"role": "user", "content": f"And berth {n}?"})
        messages.append({"role": "assistant", "content": f"Berth {n} is free. {FILLER}"[:1200]})
    messages.append({"role": "user", "content": "Go on."})
    sent = Context(C.compaction(budget), model="gpt-5")(messages)
    return "\n".join(one["content"] for one in sent if "context_block" in str(one["content"]))


def called(name, arguments, result, at="1"):
    call = {"name": name, "arguments": json.dumps(arguments)}
    return (
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": at, "type": "function", "function": call}]},
        {"role": "tool", "tool_call_id": at, "content": result},
    )  # fmt: skip


def test_a_question_stands_without_the_passages_above_it():
    passages = "\n".join(
        f'<passage id="D:{n}" score="0.48{n}">\nYou must moor at the bow. {FILLER[:300]}\n</passage>'
        for n in range(5)
    )
    shown = note(
        {"role": "user", "content": "Answer from the passages."},
        {"role": "assistant", "content": "Ready."},
        {"role": "user", "content": f"Context:\n{passages}\n\nQuestion: Where is the second one?"},
        {"role": "assistant", "content": "The second one is at pier P-17."},
    )
    assert "user: Question: Where is the second one?" in shown
    assert "P-17" in shown
    assert "moor at the bow" not in shown
    assert "0.48" not in shown


def test_what_follows_a_colon_is_told():
    shown = note(
        {"role": "user", "content": "Which changes are in it?"},
        *called("list_changes", {"since": "v4.1.0"}, "6 changes. " + FILLER),
        {"role": "assistant", "content": "Six changes are in the release of this week since the last:"
         "\n#900 focus ring, #901 async box, #902 drop the old version, #904 rename a property"},
    )  # fmt: skip
    assert "since the last: #900 focus ring, #901 async box" in " ".join(shown.split())


def test_an_opening_of_a_few_words_does_not_stand_for_what_is_said():
    plan = (
        "To moor a ferry at that pier one takes the inner basin, where two lines at the bow hold it"
    )
    asked, found = called("list_lines", {"pier": "P-17"}, "2 lines. " + FILLER)
    asked["content"] = f"Certainly! {plan} even at ebb in a gale from the north. {FILLER}"
    shown = note({"role": "user", "content": "How do we moor a ferry?"}, asked, found)
    assert f"assistant: Certainly! {plan}" in shown


def test_no_line_ends_with_the_number_of_an_item():
    asked, found = called("list_lines", {"pier": "P-17"}, "2 lines. " + FILLER)
    asked["content"] = (
        "I changed these in the plan of all the berths:\n\n1. The names of the piers, from P-1 on to "
        f"P-17, for the ferries, and for the barges which they tow. {FILLER}"
    )
    shown = note({"role": "user", "content": "What did you change?"}, asked, found)
    assert "berths: 1. The names of the piers, from P-1 on" in " ".join(shown.split())


def test_a_call_of_several_lines_says_what_it_was_made_with():
    query = "SELECT region,\n       sum(net)\nFROM sales.orders\nWHERE kind <> 'internal'"
    shown = note(
        {"role": "user", "content": "How much was it?"},
        *called("run_sql", {"query": query}, " sum \n-----\n 42\n(1 row)"),
        {"role": "assistant", "content": "It was 42."},
    )
    assert "run_sql SELECT region, sum(net) FROM sales.orders WHERE kind <> 'internal'" in shown


def test_an_index_names_whole_numbers_and_no_scores():
    found = [
        {"id": f"doc_{n}", "score": 0.8126064 + n, "text": f"Row\nThis is {n}"} for n in range(9)
    ]
    shown = note(
        {"role": "user", "content": "How much was added?"},
        *called("search", {"q": "added"}, json.dumps(found)),
        *called("read", {"id": "doc_1"}, "Italy added 3,062 MWh. " + FILLER, at="2"),
        {"role": "assistant", "content": "I have read both."},
    )
    index = shown[shown.index("[Also named") :] if "[Also named" in shown else ""
    assert "3,062" in shown
    assert " 062" not in index
    assert "nThis" not in index
    assert "8126064" not in index


def test_numbers_within_an_argument_are_named():
    crew = {"Ida": {"hp": 14, "coins": 30}, "Bo": {"hp": 9, "coins": 5}}
    shown = note(
        {"role": "user", "content": "Keep the crew's state."},
        *called("set_state", {"path": "crew", "value": crew}, "ok"),
        {"role": "assistant", "content": "The crew is set."},
    )
    assert "set_state crew Ida.hp 14 Ida.coins 30 Bo.hp 9 Bo.coins 5" in shown


def test_an_index_names_no_reader_of_an_address():
    page = "https://shop.example/p/lamp-42?srsltid=AfmBOoocYn2k6hhY&utm_source=Px9-News&ref=QA7-1"
    results = [{"title": f"Lamp {n}", "url": page.replace("42", str(n))} for n in range(40, 90)]
    shown = note(
        {"role": "user", "content": "Find the lamp."},
        *called("search", {"query": "lamp"}, json.dumps(results)),
        {"role": "assistant", "content": "Found."},
        budget=1400,
    )
    assert "QA7-1" in shown
    assert "AfmBOo" not in shown
    assert "Px9-News" not in shown


WRITTEN = "errors are counted in E-900"
CALLS = {
    "gave a page": ("watch", {"url": "f/9NBO"}, "Three birds.", "watch f/9NBO", "Three birds."),
    "failed": ("watch", {"url": "f/9NBO"}, '{"error": "no format"}', "watch f/9NBO → failed",
               '{"error": "no format"}'),
    "reads of failures": ("read", {"path": "log"}, "Error: none\nError: one", "read log",
                          "Error: none\nError: one"),
    "wrote": ("write", {"path": "b.md", "content": WRITTEN}, "Done.", "write b.md",
              WRITTEN),
    "wrote in vain": ("write", {"path": "b.md", "content": WRITTEN}, "Error: no folder",
                      "write b.md → failed", "Error: no folder"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "arguments", "result", "line", "outcome"), CALLS.values(), ids=CALLS
)
def test_a_call_that_failed_does_not_read_as_done(name, arguments, result, line, outcome):
    session = session_from([*called(name, arguments, result)])
    block = block_of(session.snapshot().exchanges()[0])
    inputs = SimpleNamespace(agent="", count=len)
    assert forms._entry(block, "line", inputs) == line
    assert forms._entry(block, "bare", inputs).endswith(f"→ {outcome}")
