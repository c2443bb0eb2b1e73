"""A word that divides the conversation makes the same of it in two parts as in one."""

import random
from functools import partial
from importlib import import_module

import pytest
from tests.compiler.test_fold import calls_of
from tests.compiler.test_horizon import chat
from tests.compiler.test_step_left import engine_of, steps_of
from tests.parameters import few
from tests.work_counts import exchanges_read

from contextwright import C, Engine, Session
from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.compress.decay import Decay
from contextwright.atoms.compress.summarize import Summarize
from contextwright.atoms.protect.fresh import Fresh
from contextwright.atoms.scored_blocks import ScoredBlocks
from contextwright.atoms.select import sliding
from contextwright.atoms.select.sliding import Sliding
from contextwright.blocks.of_exchange import block_of
from contextwright.compiler import word_left
from contextwright.compiler.replay_pack import replay
from contextwright.compiler.trace import Tracer
from contextwright.compiler.word_at_step import WordAtStep
from contextwright.models import Models, ScriptedLLM
from contextwright.session.event import Image
from contextwright.spec.memo import Memo
from contextwright.testing import target_for
from contextwright.tokens.counter import counter_for

SPECS = (
    C.decay(full=2, fold=2, step=2, max_tokens=60), C.decay(1, 1, step=1, summary=False, subtasks=True),
    C.default() | C.summarize(max_tokens=60), C.decay(2, 3, max_tokens=60) | C.compact() | C.budget(500),
)  # fmt: skip


def compared_in_two_parts(spec, words, seed, acts, monkeypatch, format="openai-chat"):
    """Compare request and receipt, turn after turn, with what the words make of all at once; how
    often they were made in two parts."""
    divided, whole, made = engine_of(spec, format), engine_of(spec, format), list[bool]()
    session, copy = Session("grown"), Session("grown")
    session.user("Find it all.")
    for name in ("_left", "_of_log"):
        left = getattr(word_left, name)
        monkeypatch.setattr(word_left, name, partial(_noted, left, made))
    for _ in steps_of(session, random.Random(seed), acts):
        copy.extend(list(session.log)[len(copy) :])
        pack = divided.compile(session)
        with pytest.MonkeyPatch.context() as patch:
            for word in words:
                patch.setattr(word, "divides_at", lambda self, *given: 0)
            other = whole.compile(copy)
        assert pack.body == other.body
        assert pack.manifest.to_json() == other.manifest.to_json()
    return len(made)


def _noted(left, made, *given, **options):
    found = left(*given, **options)
    made += [True] * (found is not None)
    return found


@pytest.mark.parametrize("seed", few(range(24), 4))
def test_two_parts_are_as_good_as_one(seed, monkeypatch):
    spec = SPECS[seed % len(SPECS)]
    assert compared_in_two_parts(spec, (Decay, Summarize), seed, 70, monkeypatch) > 20


def test_the_part_in_front_is_made_once_while_its_place_stands(monkeypatch):
    session, engine = Session("long"), engine_of(C.decay(full=2, fold=2, step=8))
    for n in range(60):
        session.user(f"What of {n}?")
        session.assistant(f"It is {n}. " * 9)
    engine.compile(session)
    given = list[int]()
    apply = Decay.apply
    monkeypatch.setattr(
        Decay, "apply", lambda self, blocks, inputs: given.append(len(blocks)) or apply(self, blocks, inputs)
    )  # fmt: skip
    counts = []
    for n in range(8):
        given.clear()
        session.user(f"And {n}?")
        session.assistant("So it is.")
        session.user("Good.")
        engine.compile(session)
        counts.append(sum(given))
    assert sorted(counts)[len(counts) // 2] < 40


@pytest.mark.parametrize(
    "spec", (C.decay(full=2, fold=2, step=2), C.fresh(4, stale_action="summarize"), C.summarize()),
    ids=repr,
)  # fmt: skip
def test_where_the_place_moves_the_log_tells_what_lies_in_front(spec, monkeypatch):
    """Of a long session no more blocks are looked at than of a short one."""
    given = list[int]()
    for word in (Decay, Fresh, Summarize):
        apply = word.apply
        monkeypatch.setattr(
            word, "apply",
            lambda self, blocks, inputs, apply=apply: given.append(len(blocks)) or apply(self, blocks, inputs),
        )  # fmt: skip

    def most(turns):
        session, engine = chat(turns), engine_of(C.default() | spec)
        engine.compile(session)
        given.clear()
        for n in range(24):
            session.user(f"And {n}?")
            session.assistant("So it is.")
            session.user("Good.")
            engine.compile(session)
        return max(given)

    assert most(200) <= most(50) + 4 < 40


def test_nothing_is_written_of_a_look_that_an_answer_is_missing_for(monkeypatch):
    """It is made anew with the answer, and only that is read."""
    session, engine = Session("long"), engine_of(C.decay(full=2, fold=2, step=8))
    for n in range(120):
        session.user(f"What of {n}?")
        session.assistant(f"It is {n}. " * 9)
    compare, written = Tracer._compare, list[object]()
    monkeypatch.setattr(
        Tracer, "_compare", lambda *given, **more: written.append(given) or compare(*given, **more)
    )
    engine.compile(session)
    assert len(written) < 20


FRESH = (
    C.fresh(3, stale_action="summarize"), C.default() | C.fresh(2, stale_action="summarize") | C.compact(),
    C.fresh(5, stale_action="summarize") | C.budget(500),
)  # fmt: skip


@pytest.mark.parametrize("seed", few(range(24), 3))
def test_what_is_stale_is_the_same_summary_in_two_parts(seed, monkeypatch):
    """Turn after turn; pinned and failed exchanges among them."""
    spec = FRESH[seed % len(FRESH)]
    assert compared_in_two_parts(spec, (Fresh,), seed, 90, monkeypatch) > 8


SLIDING = (
    C.sliding(window=300, sinks=4, recent=80), C.sliding(window=500, sinks=60, recent=0) | C.compact(),
    C.sliding(window=260, sinks=0, recent=30) | C.budget(600), C.default() | C.sliding(window=280, recent=60),
    C.sliding(window=90, sinks=4, recent=80), C.default() | C.sliding(window=120, sinks=80, recent=20) | C.budget(900),
    (C.default() | C.sliding(window=300, recent=60)) + C.failures(2), C.sliding(window=60, sinks=25, recent=29),
)  # fmt: skip


@pytest.mark.parametrize("seed", few(range(24), 3))
def test_a_window_in_tokens_is_the_same_in_two_parts(seed, monkeypatch):
    """Step after step; pinned and failed exchanges among them."""
    spec = SLIDING[seed % len(SLIDING)]
    assert compared_in_two_parts(spec, (Sliding,), seed, 90, monkeypatch) > 8


@pytest.mark.parametrize("format", ("text", "anthropic", "gemini", "openai-responses"))
@pytest.mark.parametrize("seed", few(range(16), 2))
def test_so_it_is_in_every_format(seed, format, monkeypatch):
    """In a text each exchange costs what brought it, too."""
    monkeypatch.setattr(sliding, "REACH", 2)
    spec = SLIDING[seed % len(SLIDING)]
    compared_in_two_parts(spec, (Sliding,), seed, 60, monkeypatch, format)


@pytest.mark.parametrize("seed", few(range(24), 3))
def test_a_window_that_weighs_only_what_is_near_is_the_same_in_two_parts(seed, monkeypatch):
    monkeypatch.setattr(sliding, "REACH", 1)
    spec = SLIDING[seed % len(SLIDING)]
    assert compared_in_two_parts(spec, (Sliding,), seed, 90, monkeypatch) > 8


@pytest.mark.parametrize(
    "spec",
    (C.sliding(window=500, recent=100), C.default() | C.sliding(window=500, recent=90)),
    ids=repr,
)
def test_a_window_in_tokens_makes_no_more_blocks_of_a_long_session(spec, monkeypatch):
    """At each step, while what came last has not settled, and where it is too large to stay."""
    monkeypatch.setattr(sliding, "REACH", 2)
    made = list[int]()
    for turns in (100, 400):
        session, engine, blocks = (
            chat(turns),
            engine_of(spec),
            calls_of(monkeypatch, Memo, "_new_block"),
        )
        for n in range(40):
            session.user(f"What of {n}?")
            session.assistant(f"It is {n}. " * (90 if n == 20 else 9))
            engine.compile(session)
        made.append(len(blocks))
    assert 0 < made[1] < made[0] * 1.2, made


def test_a_step_of_a_window_in_tokens_weighs_what_is_near(monkeypatch):
    monkeypatch.setattr(sliding, "REACH", 2)
    scored, found = calls_of(monkeypatch, ScoredBlocks, "append"), list[int]()
    for turns in (100, 200, 400):
        session = Session("long")
        for n in range(turns):
            session.user(f"What of {n}?")
            session.assistant(f"It is {n}. " * 9)
        scored.clear()
        engine_of(C.sliding(window=500, recent=100)).compile(session)
        found.append(len(scored))
    assert 0 < max(found) < 120, found


CAPPED = (
    C.default() | C.cap(300), C.cap(500) | C.compact() | C.budget(400), C.cap(260) | C.compaction(900),
    (C.default() | C.cap(400)) + C.window(2), C.cap(300) | C.fit(350), C.cap(240) + C.failures(2) | C.budget(700),
)  # fmt: skip


@pytest.mark.parametrize("seed", few(range(24), 6))
def test_a_cap_is_the_same_in_two_parts(seed, monkeypatch):
    """Step after step; what is protected among them, and more than the cap."""
    spec = CAPPED[seed % len(CAPPED)]
    assert compared_in_two_parts(spec, (WordAtStep,), seed, 120, monkeypatch) > 8


SHORT = C.compact(min_tokens=4, max_tokens=9)
FRONTED = (
    SHORT | C.decay(2, 3, step=2, max_tokens=60), C.default() | SHORT | C.cap(300) | C.budget(400),
    C.default() | C.truncate(12) | C.decay(1, 1, step=1, summary=False, subtasks=True),
    C.minify() | C.truncate(9) | C.decay(2, 2, max_tokens=40) | C.budget(500),
    C.compact("stale", stale_after=2, min_tokens=4, max_tokens=9) | C.decay(2, 2, max_tokens=60) | C.budget(600),
    C.default() | SHORT | C.cap(260) | C.compaction(900), (C.default() | SHORT | C.cap(300)) + C.window(2),
    SHORT | C.fresh(3, stale_action="summarize") | C.budget(500), SHORT | C.decay(2, 2) | C.fit(400),
    (SHORT | C.decay(1, 2, max_tokens=50)) + C.failures(2) | C.budget(600),
    C.priority(3) | C.truncate(10) | C.decay(2, 2, max_tokens=50) | C.budget(500), SHORT | C.cap(200),
    C.compact("stale", stale_after=2, min_tokens=4, max_tokens=9) | C.cap(240) | C.fit(500),
)  # fmt: skip
"""Words that divide the conversation behind others that look at each exchange alone."""


@pytest.mark.parametrize("seed", few(range(52), 13))
def test_behind_words_that_look_at_each_exchange_it_is_the_same_in_two_parts(seed, monkeypatch):
    """Request and receipt, turn after turn."""
    spec, words = FRONTED[seed % len(FRONTED)], (Decay, Fresh, Summarize, WordAtStep)
    assert compared_in_two_parts(spec, words, seed, 90, monkeypatch) > 8


@pytest.mark.parametrize(
    "word", [C.decay(), C.cap(600), C.cool(600), C.compress_results(budget=600)]
)
def test_behind_words_that_look_at_each_exchange_a_turn_reads_what_is_new(word):
    def read(turns: int) -> int:
        session, engine = Session("long"), engine_of(C.compact() | word | C.budget(1000))
        for n in range(turns):
            ask(session, n)
        engine.compile(session)
        counts = list[int]()
        for n in range(9):
            ask(session, turns + n)
            counts.append(exchanges_read(lambda: engine.compile(session)))
        return sorted(counts)[len(counts) // 2]

    assert read(400) < read(100) + 20


@pytest.mark.parametrize(
    "word",
    [C.decay(2, 2), C.fresh(4, stale_action="summarize"), C.summarize(max_tokens=60), C.cap(600)],
    ids=repr,
)
def test_a_first_compile_behind_words_makes_what_is_read_of_a_long_session(word, monkeypatch):
    """All that there was is told in a summary, or left out for want of room: of what its model does
    not read, and of what has none, words make nothing."""
    monkeypatch.setattr(import_module("contextwright.models.embedded.summary"), "READ", 6_000)
    compacted = calls_of(monkeypatch, Compact, "compacted")

    def made_of(turns: int) -> int:
        session = Session("long")
        for n in range(turns):
            ask(session, n)
        compacted.clear()
        engine_of(C.compact() | word | C.budget(1000)).compile(session)
        return len(compacted)

    assert made_of(800) <= made_of(200) * 1.1 < 400


@pytest.mark.parametrize("seed", few(range(24), 4))
def test_what_has_no_room_may_stand_as_it_came(seed, monkeypatch):
    """From nothing, at every turn: request and receipt of a cap that is given what words leave of
    all, and how often it was not."""
    fitted = calls_of(monkeypatch, word_left, "made_to_fit")
    spec = (SHORT | C.cap(200), C.default() | SHORT | C.cap(260) | C.budget(500))[seed % 2]
    session = Session("grown")
    session.user("Find it all.")
    for _ in steps_of(session, random.Random(seed), 60):
        pack = engine_of(spec).compile(session)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(WordAtStep, "divides_at", lambda self, *given: 0)
            other = engine_of(spec).compile(session)
        assert pack.body == other.body
        assert pack.manifest.to_json() == other.manifest.to_json()
    assert len(fitted) > 8


@pytest.mark.parametrize("text", ["short", "It is long, and says little. " * 40])
def test_what_is_shortened_takes_no_less_than_it_does_without_its_texts(text):
    session = Session("one")
    session.call("find", {"what": text}, id="c1")
    session.result("c1", text)
    [block] = map(block_of, session.snapshot().exchanges(0))
    least = Compact().least_of(block, Counted())
    assert (least is block) == (text == "short")
    texts = [part.text for part in least.results]
    assert texts == [text if text == "short" else ""]


class Counted:
    """Inputs of a word that counts."""

    count = counter_for("gpt-5").count


def test_what_a_model_reads_behind_words_is_what_they_leave():
    """The whole of it, where the model at hand reads everything; nothing that a word took out."""
    session, read = Session("long"), list[str]()
    for n in range(90):
        session.user(f"What of {n}?")
        session.call("find", {"n": n}, id=f"c{n}")
        session.result(f"c{n}", f'{{"n": {n}, "secret": "s{n}"}}')
        session.assistant(f"It is {n}.")

    def answer(prompt):
        read.append(str(prompt))
        return "In short."

    spec = C.project(exclude=["secret"]) | C.decay(2, 2, max_tokens=60) | C.budget(4000)
    Engine(spec, "gpt-5", models=Models(ScriptedLLM(answer))).compile(session)
    assert all(f'"n":{n}' in "".join(read) for n in range(60))
    assert "secret" not in "".join(read)


def test_a_summary_tells_what_it_stands_for_as_it_was_in_the_log():
    """Not also what words in front of it made of each, which nobody was sent."""
    session = Session("long")
    for n in range(60):
        ask(session, n)
    manifest = engine_of(SHORT | C.decay(2, 3, step=2, max_tokens=60)).compile(session).manifest
    [summary] = [one for one in manifest.changes if one.action == "summarized"]
    alone = engine_of(C.decay(2, 3, step=2, max_tokens=60)).compile(session).manifest
    [raw] = [one for one in alone.changes if one.action == "summarized"]
    assert summary.tokens_before == raw.tokens_before
    assert 0 < sum(one.action == "compacted" for one in manifest.changes) < 12


def ask(session: Session, n: int) -> None:
    session.user(f"What of {n}?")
    session.call("find", {"what": n}, id=f"c{n}")
    session.result(f"c{n}", f"It is {n}, as was said. " * 30)
    session.assistant(f"It is {n}.")


def test_between_two_steps_a_window_in_tokens_looks_at_what_is_new():
    def looked_at(turns: int) -> int:
        session, engine = Session("long"), engine_of(C.sliding(window=2000))
        for n in range(turns):
            session.user(f"What of {n}?")
            session.assistant(f"It is {n}. " * 9)
        engine.compile(session)
        given, counts = list[int](), list[int]()
        apply = Sliding.apply

        def counted(self, blocks, inputs):
            given.append(len(blocks))
            return apply(self, blocks, inputs)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Sliding, "apply", counted)
            for n in range(9):
                given.clear()
                session.user(f"And {n}?")
                session.assistant("So it is.")
                session.user("Good.")
                engine.compile(session)
                counts.append(sum(given))
        return sorted(counts)[len(counts) // 2]

    assert looked_at(400) < looked_at(80) + 40


@pytest.mark.parametrize("format", ["openai-chat", "openai-responses", "anthropic", "gemini"])
def test_an_answer_that_told_that_there_is_no_summary_is_in_the_receipt(format):
    """A summary of a picture says nothing. A replay missed the answer, and called an honest receipt
    edited."""
    picture = Image(data="iVBORw0KGgo=", width=300, height=200)
    session = Session("pictures")
    session.user("Find parts.")
    session.user(picture)
    for _ in range(14):
        session.user("Next?")
        session.assistant("Done.")
    session.user(picture)
    session.user(picture)
    pack = Engine(C.decay() | C.budget(9_000), target=target_for(format)).compile(session)
    assert [(answer.kind, answer.value) for answer in pack.manifest.answers] == [("summary", "")]
    assert replay(pack.manifest, session).body == pack.body
