"""`C.cool` and `C.summary_constraint`, and the core by which both shorten a text."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Session, compile
from contextwright.atoms.shorten import shortened, summary_task
from contextwright.engine.embedded import EMBEDDED
from contextwright.errors import SpecError
from contextwright.models import Models, ScriptedLLM
from contextwright.spec.task import Answer
from contextwright.stores import Refs
from contextwright.testing import sessions, target_for
from contextwright.text.sentence_cut import is_whole, sentence_cut
from contextwright.tokens.counter import named_counter

COUNT = named_counter("o200k_base").count
LONG = " ".join(f"Supplier {n} confirmed order A{n} at {n} euros." for n in range(60))


def talk(turns=6, author=""):
    session = Session()
    for n in range(turns):
        session.user(f"question {n}: {LONG}")
        session.assistant(f"Answer {n}. {LONG}", author=author)
    session.user("and now?")
    return session


def sent(pack, role):
    return [m["content"] for m in pack.request["messages"] if m["role"] == role]


def tokens_of(session):
    return compile(session, C.default(), model="gpt-5").tokens


# the core


@given(st.text(max_size=400), st.integers(0, 60))
def test_a_cut_is_never_longer_than_asked_and_what_fits_is_itself(text, room):
    made = sentence_cut(text, room, COUNT)
    assert COUNT(made) <= room
    if COUNT(text) <= room:
        assert made == text


def test_a_cut_ends_with_a_whole_sentence_and_says_so():
    made = sentence_cut(LONG, 60, COUNT)
    head, _, marker = made.rpartition("\n")
    assert LONG.startswith(head)
    assert head.endswith("euros.")
    assert marker == "[... cut ...]"


def test_one_overlong_sentence_ends_at_a_word():
    text = "unbelievably " * 200
    head, _, marker = sentence_cut(text, 40, COUNT).rpartition("\n")
    assert set(head.split()) == {"unbelievably"}
    assert marker == "[... cut ...]"


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_a_code_block_that_is_cut_is_closed(fence):
    text = f"{fence}python\n" + "print('a line of code')\n" * 100 + f"{fence}\nDone."
    for room in (30, 60, 200):
        made = sentence_cut(text, room, COUNT)
        assert is_whole(made)
        assert "\nprint('a line of code')\n" in made
    intro = "Here is the code.\n" + text
    assert is_whole(sentence_cut(intro, 60, COUNT))


def test_a_cut_falls_between_graphemes():
    family = "👨‍👩‍👧‍👦"
    head = sentence_cut(family * 100, 60, COUNT).partition("\n")[0]
    assert head.replace(family, "") == ""


def answered(text, value, room, model="m"):
    task = summary_task(text, room)
    return Answer(fingerprint=task.fingerprint, kind="summary", value=value, model=model)


def test_a_summary_that_fits_is_taken_and_named():
    short = shortened(LONG, 100, answered(LONG, "All confirmed.", 100), COUNT)
    assert (short.text, short.by, short.why) == ("All confirmed.", "m", "")


def test_a_summary_that_is_too_long_is_cut_at_a_sentence_and_says_so():
    said = "All of it was confirmed. " * 40
    short = shortened(LONG, 50, answered(LONG, said, 50), COUNT)
    assert COUNT(short.text) <= 50
    assert short.text.endswith("confirmed.\n[... cut ...]")
    assert "where 50 were asked" in short.why


@pytest.mark.parametrize("said", ["", "  ", "```python\nhalf"])
def test_a_summary_that_says_nothing_or_half_falls_back(said):
    short = shortened(LONG, 50, answered(LONG, said, 50), COUNT)
    assert short.text.startswith("Supplier 0 confirmed")
    assert short.by == "cut"
    assert short.why


@given(st.text(max_size=300), st.integers(1, 40), st.text(max_size=100))
def test_nothing_gets_longer_and_nothing_passes_its_room(text, room, said):
    short = shortened(text, room, answered(text, said, room), COUNT, tail="\n[full: event://e1]")
    assert COUNT(short.text) <= max(room, 0) or short.text == text
    assert COUNT(short.text) <= COUNT(text)


def test_a_long_text_is_asked_about_in_blocks_that_are_read_whole():
    task = summary_task(LONG, 100)
    assert len(task.blocks) > 5
    assert "\n".join(block.text for block in task.blocks).split() == LONG.split()


# C.cool


@given(sessions())
def test_under_the_threshold_cooling_is_identity(session):
    target = target_for("openai-chat")
    plain = compile(session, C.default(), target=target)
    cooled = compile(session, C.default() | C.cool(1_000_000), target=target)
    assert cooled.body == plain.body
    assert [c for c in cooled.manifest.changes if c.step.startswith("C.cool")] == []


def test_over_the_threshold_the_oldest_outputs_are_summarized_until_it_is_under():
    session = talk(author="researcher")
    threshold = tokens_of(session) - 600
    pack = compile(session, C.default() | C.cool(threshold, steps=False), model="gpt-5")
    assert pack.tokens <= threshold
    changed = [c.id for c in pack.manifest.changes if c.action == "summarized"]
    assert changed == [f"e{n}" for n in (1, 3, 5, 7)]
    assert all("over" in c.reason and "extractive" in c.reason for c in pack.manifest.changes)
    assert sent(pack, "assistant")[5] == f"Answer 5. {LONG}"


def test_the_users_words_the_running_turn_and_pinned_blocks_stay_whole():
    session = Session()
    session.add("system", LONG)
    session.user(LONG)
    session.assistant(LONG, pinned=True)
    session.assistant(LONG)
    session.user("go")
    session.call("search", "{}", id="a")
    session.result("a", LONG)
    pack = compile(session, C.default() | C.cool(50), model="gpt-5")
    assert sent(pack, "system") == [LONG]
    assert sent(pack, "user") == [LONG, "go"]
    assert sent(pack, "assistant")[0] == LONG
    assert len(sent(pack, "assistant")[1]) < len(LONG) / 2
    assert sent(pack, "tool") == [LONG]
    (change,) = pack.manifest.changes
    assert "tokens over it stay" in change.reason


def test_tool_results_and_context_texts_are_cooled_and_their_refs_resolve():
    session = Session(state={"report": LONG})
    session.user("find")
    session.call("search", "{}", id="a")
    session.result("a", LONG)
    session.assistant("found")
    session.user("go on")
    spec = C.default() + C.from_state("report") | C.cool(300)
    assert "report" in repr(spec)
    pack = compile(session, spec, model="gpt-5", refs="show")
    (result,) = sent(pack, "tool")
    ref = result.rpartition("[full output: ")[2].partition(",")[0]
    assert Refs(session.snapshot()).read(ref) == LONG


def written(calls=3):
    """An agent that wrote long files, in a turn that is done."""
    session = Session()
    session.user("write them")
    for n in range(calls):
        session.call("write", json.dumps({"path": f"p{n}.md", "content": LONG}), id=f"w{n}")
        session.result(f"w{n}", "ok")
    session.assistant("done")
    session.user("go on")
    return session


def test_long_arguments_of_calls_are_cut_and_can_be_read_again():
    session = written()
    pack = compile(session, C.default() | C.cool(1_000), model="gpt-5", refs="show")
    assert pack.tokens <= 1_000
    calls = [m["tool_calls"][0] for m in pack.request["messages"] if m.get("tool_calls")]
    made = [json.loads(call["function"]["arguments"]) for call in calls]
    assert [one["path"] for one in made] == ["p0.md", "p1.md", "p2.md"]
    short = made[0]["content"]
    assert COUNT(short) < COUNT(LONG) / 2
    ref = short.rpartition("in full: ")[2].removesuffix("]")
    assert json.dumps(LONG)[1:-1] in Refs(session.snapshot()).read(ref)
    (first, *_) = pack.manifest.changes
    assert first.action == "summarized" and first.tokens_after < first.tokens_before / 2


def test_arguments_that_fit_and_those_of_the_newest_call_stay():
    session = written()
    session.call("write", json.dumps({"path": "new.md", "content": LONG}), id="new")
    session.result("new", "ok")
    pack = compile(session, C.default() | C.cool(900), model="gpt-5")
    calls = [m["tool_calls"][0] for m in pack.request["messages"] if m.get("tool_calls")]
    assert json.loads(calls[-1]["function"]["arguments"])["content"] == LONG
    whole = compile(session, C.default() | C.cool(100_000), model="gpt-5")
    assert whole.body == compile(session, C.default(), model="gpt-5").body


def test_a_spec_asks_its_model_once_and_says_who_answered():
    session = talk(2)
    llm = ScriptedLLM("All orders were confirmed.")
    models = Models(llm)
    spec = C.default() | C.cool(2000, prompt="Keep the prices.")
    pack = compile(session, spec, model="gpt-5", models=models)
    assert any(text.startswith("All orders were confirmed.") for text in sent(pack, "assistant"))
    assert "Keep the prices." in llm.prompts[0].text
    assert "scripted" in pack.manifest.changes[0].reason
    asked = len(llm.prompts)
    compile(session, spec, model="gpt-5", models=models)
    assert len(llm.prompts) == asked


def test_cooled_blocks_keep_their_bytes_while_a_step_lasts():
    session = talk(6)
    spec = C.default() | C.cool(tokens_of(session) - 600)
    before = compile(session, spec, model="gpt-5").request["messages"]
    session.assistant("Noted.")
    session.user("one more")
    after = compile(session, spec, model="gpt-5").request["messages"]
    assert after[: len(before)] == before


def test_unprepared_cooling_chooses_sentences_and_marks_what_is_missing():
    session = talk(2)
    from contextwright import Engine

    pack = Engine(C.default() | C.cool(500), model="gpt-5").assemble(session)
    assert "sentences left out]" in sent(pack, "assistant")[0]


@pytest.mark.parametrize(
    "make",
    [
        lambda: C.cool(0),
        lambda: C.summary_constraint(1.5),
        lambda: C.summary_constraint(0.5, 0),
        lambda: C.summary_constraint(window=0),
        lambda: C.summary_constraint(max_tokens=-1),
    ],
)
def test_what_means_nothing_is_refused(make):
    with pytest.raises(SpecError) as caught:
        make()
    assert caught.value.fix


# C.summary_constraint


def test_below_the_pressure_messages_between_agents_are_untouched():
    session = talk(2, author="researcher")
    plain = compile(session, C.default(), model="gpt-5")
    spec = C.default() | C.summary_constraint(window=100_000)
    assert compile(session, spec, model="gpt-5").body == plain.body


def test_at_the_pressure_other_agents_are_heard_in_a_fifth_of_their_tokens():
    session = Session()
    session.user(LONG)
    session.assistant(LONG, author="researcher")
    session.assistant(LONG, author="writer")
    session.user("now?")
    session.assistant(LONG, author="critic")
    session.assistant("done", author="writer")
    spec = C.default() | C.summary_constraint(0.8, 0.2, window=2000)
    pack = compile(session, spec, model="gpt-5", agent="writer")
    task, *told = sent(pack, "user")
    assert sent(pack, "assistant") == [LONG, "done"]
    assert task == LONG
    told = [text for text in told if text != "now?"]
    assert [re.match(r'<context_block source="agent:(\w+)">', text)[1] for text in told] == [
        "researcher",
        "critic",
    ]
    for text in told:  # what was said, without the lines that say who said it
        said = text.split("\n", 1)[1].rpartition("\n")[0].split(": ", 1)[1]
        assert COUNT(said) <= COUNT(LONG) // 5
    assert "pressure of 0.8" in pack.manifest.changes[0].reason


def test_cooling_twice_is_cooling_once():
    session = Session("t")
    session.user("do it")
    for n in range(12):
        session.call("read", f'{{"path": "f{n}.py"}}', id=f"c{n}")
        session.result(
            f"c{n}", "\n".join(f"line {i} of file {n}: value {i * n}" for i in range(80))
        )
    once = compile(session, C.default() | C.cool(1_500), model="gpt-5")
    twice = compile(session, C.default() | C.cool(1_500) | C.cool(1_500), model="gpt-5")
    assert json.loads(twice.body)["messages"] == json.loads(once.body)["messages"]
    over = [c.reason for c in once.manifest.changes if "tokens over it stay" in c.reason]
    assert over  # what could not be brought under it says so


def test_a_program_keeps_its_signatures_whatever_words_are_frequent_in_it():
    lines = ["import os", "class Basket:"]
    for n in range(30):
        lines += [f"    def step_{n}(self):", "        total = total + price * amount"] * (n % 3)
        lines += ["        total = total + price * amount"] * 4
    text = "\n".join(lines)
    (answer,) = EMBEDDED.answer_now([summary_task(text, 60)])
    short = shortened(text, 60, answer, COUNT)
    assert "class Basket:" in short.text and "def step_1(self):" in short.text
    assert short.by == "code"


def test_a_program_in_colours_is_read_as_one():
    text = "\n".join(
        f"\x1b[32mdef step_{n}(self):\x1b[0m\n    total = price * amount" for n in range(60)
    )
    (answer,) = EMBEDDED.answer_now([summary_task(text, 60)])
    short = shortened(text, 60, answer, COUNT)
    assert short.by == "code"
    assert "def step_0(self):" in short.text and "\x1b" not in short.text
