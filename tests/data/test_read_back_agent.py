"""An agent that sees results in short answers questions about them with the read-back tools alone."""

import json
import re
from random import Random

import pytest
from tests.data.test_real_sessions import session_of_row
from tests.parameters import few

from contextwright import C, Engine, Event, Session
from contextwright.session.event import File, Image, Opaque, Text, ToolResult

QUESTIONS = 100
BUDGET = 4_000
SPEC = C.default() | C.compact() | C.budget(max_tokens=BUDGET)
NEXT = re.compile(r"next: expand\((.*)\)\]$")


def own_session():
    """Results of several kinds, written for this test."""
    session = Session("own")
    session.user("go through the files")
    texts = (
        "\n".join(f"row {n:04} has the value {n * 37 % 7919}" for n in range(3_000)),
        json.dumps([{"id": n, "name": f"customer {n * 31 % 997}"} for n in range(900)]),
        "x" * 9_000 + "needle 4711" + "y" * 9_000,
        "# Title\n\n" + "\n\n".join(f"Paragraph {n} tells of ship {n * 7}." for n in range(500)),
    )
    for n, text in enumerate(texts):
        session.call("read", json.dumps({"path": f"{n}.txt"}), id=f"c{n}")
        session.result(f"c{n}", text)
    session.assistant("I have seen them.")
    session.user("then tell me")
    return session


def long_results(session):
    """The refs of results that are sent in short, with their texts."""
    snapshot = session.snapshot()
    found = {}
    for exchange in snapshot.exchanges():
        for place, call in enumerate(exchange.calls):
            result = exchange.results.get(call.id)
            only_text = result is not None and all(isinstance(p, Text) for p in result.content)
            if only_text and len(result.text) > 1_500:
                found[f"event://{exchange.first.id}#{place}"] = result.text
    return found


class Agent:
    """What a model would do, by rules: it knows nothing of the session but what it is given."""

    def __init__(self, session, spec=SPEC, budget=BUDGET):
        self.session, self.budget = session, budget
        self.engine = Engine(spec, model="gpt-5", window=400_000, read_back=True)
        self.tools = self.engine.tools(session)
        self.calls = 0

    def expand(self, **arguments):
        """One step: a request, a call, its result; it stands whole in the next request."""
        self.engine.compile(self.session)
        text = self.tools.call("expand", arguments)
        self.calls += 1
        id = f"x{len(self.session)}"
        self.session.call("expand", json.dumps(arguments), id=id)
        self.session.result(id, text)
        pack = self.engine.compile(self.session)
        assert pack.tokens <= self.budget
        assert json.dumps(text, ensure_ascii=False) in pack.body.decode()
        return text

    def fragment(self, ref, before):
        """What follows on some words in a text, found and read as a model would."""
        line = self.expand(ref=ref, grep=re.escape(before))
        if before in line:
            return line.partition(before)[2]
        return ""

    def whole(self, ref, **asked):
        """All of a text, or of its lines that match, page by page."""
        text, arguments, steps = "", {"ref": ref, **asked}, 0
        while True:
            page, _, foot = self.expand(**arguments).rpartition("\n[")
            text, steps, more = text + page, steps + 1, NEXT.search(foot)
            if more is None:
                return text, steps
            arguments = dict(re.findall(r"(\w+)=(\"(?:[^\"\\]|\\.)*\"|\d+)", more[1]))
            arguments = {name: json.loads(value) for name, value in arguments.items()}


def questions(sessions, random):
    """Places in long results: the words in front, which are in the text once, and those behind."""
    asked = []
    for session in sessions:
        for ref, text in long_results(session).items():
            for _ in range(150):
                at = random.randrange(0, len(text) - 60)
                before, answer = text[at : at + 20], text[at + 20 : at + 26]
                if (before + answer).isprintable() and text.count(before) == 1:
                    asked.append((session, ref, before, answer))
    random.shuffle(asked)
    return asked[:QUESTIONS]


def answered(sessions, spec=SPEC, most=QUESTIONS, budget=BUDGET):
    """How many questions were asked and how many answered rightly, and the most calls that one
    took."""
    random = Random(42)
    right, calls, asked = 0, [], questions(sessions, random)[:most]
    for session, ref, before, answer in asked:
        agent = Agent(session, spec, budget)
        right += agent.fragment(ref, before).startswith(answer)
        calls.append(agent.calls)
        agent.session.assistant(answer)
        agent.session.user("next question")
    return len(asked), right, max(calls)


def test_a_hundred_questions_about_results_that_were_written_here():
    assert answered([own_session()]) == (QUESTIONS, QUESTIONS, 1)


@pytest.mark.parametrize(
    "words",
    [C.default(), C.default() | C.fit(BUDGET), C.cool(BUDGET // 2), C.isolate(), C.window(steps=4),
     C.default() | C.compress_results(budget=BUDGET // 2), C.default() | C.dedup(), C.decay()],
    ids=repr,
)  # fmt: skip
def test_whatever_left_it_out_a_result_is_read(words):
    spec = words if "fit" in repr(words) else words | C.budget(BUDGET)
    assert answered([own_session()], spec, 5) == (5, 5, 1)


@pytest.mark.parametrize("name", few(["se_agent", "swe_agent", "webdancer", "pi_coding"], 1))
def test_a_hundred_questions_about_recorded_results(name, read_rows):
    sessions = [session_of_row(row) for row in read_rows(name, limit=9)]
    for session in sessions:
        session.user("Some questions about that.")
    assert answered(sessions) == (QUESTIONS, QUESTIONS, 1)


@pytest.mark.parametrize("name", ["own", "se_agent", "webdancer"])
def test_every_byte_is_reached_in_bounded_calls(name, request):
    if name == "own":
        sessions = [own_session()]
    else:
        rows = request.getfixturevalue("read_rows")(name, limit=2)
        sessions = [session_of_row(row) for row in rows]
    for session in sessions:
        session.user("All of it, please.")
        largest = sorted(long_results(session).items(), key=lambda item: len(item[1]))[-2:]
        for ref, text in largest:
            agent = Agent(session)
            tokens = agent.engine.target.counter.count(text)
            whole, steps = agent.whole(ref)
            assert whole == text
            assert steps <= 2 + 3 * tokens // (BUDGET // 4)
            session.assistant("I have read it.")
            session.user("And the next?")


ROWS = "\n".join(f"row {n:04} has the value {n * 37 % 7919}" for n in range(1_500))
FORMS = {
    "rows": ROWS,
    "CRLF": ROWS.replace("\n", "\r\n"),
    "CR": ROWS.replace("\n", "\r"),
    "other ends": ROWS.replace("\n", "\x0b", 50)
    .replace("\n", "\x85", 50)
    .replace("\n", "\u2028", 9),
    "blank ends": "\n\n\n" + ROWS + "\n\n   \n",
    "one line of JSON": json.dumps(
        [{"id": n, "name": f"buyer {n * 31 % 997}"} for n in range(900)]
    ),
    "one line": "x" * 20_000 + "needle 4711" + "y" * 20_000,
    "long lines": "\n".join("abc def " * 900 for _ in range(9)),
    "unicode": "\n".join(f"größe {n} 漢字 \U0001f600 e\u0301 \u200b x" for n in range(900)),
    "joined": "\U0001f469\u200d\U0001f469\u200d\U0001f467" * 2_000,
    "control": "a\x00b\x1b[31mred\n" * 2_000,
    "our own foot": '[page 1 of 2; next: expand(ref="x", page=2)]\n' * 900,
    "quotes": '"\\"\\\\' * 6_000,
    "blanks": "\t\tx\n" * 4_000,
}
"""Texts in which lines, pages, marks or counts could go wrong."""


def one_result(*content):
    """A session that was given one result, and its ref."""
    session = Session("one")
    session.user("read it")
    call = session.call("read", "{}", id="c0")
    result = ToolResult(call_id="c0", name="read", content=content)
    session.append(Event(id="r0", role="tool", parts=(result,)))
    session.assistant("I have seen it.")
    session.user("All of it, please.")
    return session, f"event://{call.id}#0"


@pytest.mark.parametrize("budget", [1_000, 2_000, 8_000, 32_000])
@pytest.mark.parametrize("form", FORMS)
def test_every_byte_of_any_form_is_reached_at_any_budget(form, budget):
    text = FORMS[form]
    session, ref = one_result(Text(text=text))
    agent = Agent(session, C.default() | C.compact() | C.budget(budget), budget)
    whole, steps = agent.whole(ref)
    assert whole == text
    assert steps <= 2 + 3 * agent.engine.target.counter.count(text) // (budget // 4)


@pytest.mark.parametrize("budget", [1_000, 2_000, 8_000, 32_000])
@pytest.mark.parametrize("form", ["rows", "CRLF", "CR", "one line of JSON", "one line"])
def test_what_stands_behind_some_words_is_found_in_one_call_at_any_budget(form, budget):
    text = FORMS[form]
    session, ref = one_result(Text(text=text))
    agent = Agent(session, C.default() | C.compact() | C.budget(budget), budget)
    random, asked = Random(7), 0
    while asked < 5:
        at = random.randrange(0, len(text) - 60)
        at = text.find("needle") if form == "one line" else at
        before, answer = text[at : at + 20], text[at + 20 : at + 26]
        if (before + answer).isprintable() and text.count(before) == 1:
            assert agent.fragment(ref, before).startswith(answer)
            asked += 1
            session.assistant(answer)
            session.user("next question")
    assert agent.calls == asked


def test_pictures_files_and_other_data_of_a_result_are_reached_by_their_refs():
    picture = Image(media_type="image/png", data="aGk=" * 90)
    paper = File(media_type="application/pdf", data="eGk=" * 2_000)
    other = Opaque(format="openai-chat", kind="weather", value={"rain": "much " * 2_000})
    away = Image(media_type="image/png", url="https://example.org/a.png")
    held = (picture, Text(text=ROWS), paper, other, away)
    session, ref = one_result(*held)
    agent = Agent(session)
    whole, _ = agent.whole(ref)
    lines = whole.splitlines()
    assert "\n".join(lines[1:1501]) == ROWS
    refs = [line.rstrip("]").rpartition(": ")[2] for line in (lines[0], *lines[1501:])]
    assert refs == [f"{ref}.{place}" for place in (0, 2, 3, 4)]
    wanted = (f"data:image/png;base64,{picture.data}", f"data:application/pdf;base64,{paper.data}",
              json.dumps(other.value, separators=(",", ":")), away.url)  # fmt: skip
    assert [agent.whole(one)[0] for one in refs] == list(wanted)


@pytest.mark.parametrize("content", [(), (Text(text=""),)])
def test_an_empty_result_is_read_as_empty(content):
    session, ref = one_result(*content)
    assert Agent(session).whole(ref) == ("", 1)


@pytest.mark.slow
@pytest.mark.parametrize("budget", [2_000, 8_000, 32_000])
@pytest.mark.parametrize("name", ["se_agent", "swe_agent", "webdancer", "pi_coding"])
def test_a_hundred_questions_about_recorded_results_at_any_budget(name, budget, read_rows):
    sessions = [session_of_row(row) for row in read_rows(name, limit=9)]
    for session in sessions:
        session.user("Some questions about that.")
    spec = C.default() | C.compact() | C.budget(budget)
    assert answered(sessions, spec, budget=budget) == (QUESTIONS, QUESTIONS, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["se_agent", "swe_agent", "webdancer"])
def test_in_a_thousand_tokens_a_line_is_read_in_pages_and_what_has_no_room_is_asked_again(
    name, read_rows
):
    """The instruction, the two tools and the live edge take most of it: the step after has room."""
    sessions = [session_of_row(row) for row in read_rows(name, limit=9)]
    for session in sessions:
        session.user("Some questions about that.")
    spec, steps = C.default() | C.compact() | C.budget(1_000), []
    for session, ref, before, answer in questions(sessions, Random(42)):
        agent = Agent(session, spec, 1_000)
        line, _ = agent.whole(ref, grep=re.escape(before))
        if "tokens are left here" in line or not line:
            line, _ = agent.whole(ref, grep=re.escape(before))
        assert line.partition(before)[2].startswith(answer)
        steps.append(agent.calls)
        session.assistant(answer)
        session.user("next question")
    assert len(steps) == QUESTIONS and max(steps) <= 40
