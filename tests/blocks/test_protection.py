"""What must stay: the one rule, and the tracer that holds every step to it."""

from typing import ClassVar

import msgspec
import pytest

from contextwright import C, compile
from contextwright.blocks.fidelity import Fidelity
from contextwright.compiler.trace import enforce_protection
from contextwright.errors import ProtectionError, SpecError
from contextwright.spec.expr import ATOMS, Atom
from contextwright.spec.kind import Kind, Verb
from contextwright.testing import session_of

LOOP = "u: the task | a: begun" + "".join(
    f" | c: f({n}) | r: result {n} {'x ' * 200}" for n in range(34)
)


@pytest.fixture
def hostile():
    """A word that rewrites or drops what no word may touch; unknown again afterwards."""

    class Hostile(Atom, frozen=True, kw_only=True):
        word: ClassVar[str] = "hostile"
        kind: ClassVar[Kind] = Kind.TRANSFORM
        verb: ClassVar[Verb] = Verb.COMPRESS
        drops: bool = False

        def apply(self, blocks, inputs):
            if self.drops:
                return blocks[1:]
            first = blocks[0].messages[0]
            parts = (msgspec.structs.replace(first.parts[0], text="something else"),)
            mine = (msgspec.structs.replace(first, parts=parts),)
            return (msgspec.structs.replace(blocks[0], messages=mine), *blocks[1:])

    yield Hostile
    del ATOMS["hostile"]


@pytest.fixture
def production():
    enforce_protection(strict=False)
    yield
    enforce_protection()


@pytest.mark.parametrize("drops", [False, True])
def test_a_word_that_touches_what_is_protected_raises_in_tests(hostile, drops):
    session = session_of("u: the task | a: yes | u: and now?")
    with pytest.raises(ProtectionError, match=r"e0: (the user's words|task framing)"):
        compile(session, C.default() | hostile(drops=drops), model="gpt-5")


@pytest.mark.parametrize("drops", [False, True])
def test_in_production_it_is_undone_and_noted(hostile, production, drops):
    session = session_of("u: the task | a: yes | u: and now?")
    plain = compile(session, C.default(), model="gpt-5")
    pack = compile(session, C.default() | hostile(drops=drops), model="gpt-5")
    assert pack.request == plain.request
    assert [c.action for c in pack.manifest.changes] == []
    assert "was undone for e0" in pack.manifest.notes[0]


@pytest.mark.parametrize("mode", ["tests", "production"])
def test_nothing_is_protected_from_redaction(mode):
    """What a step makes of text is redacted again at the end, in the live edge as elsewhere."""
    enforce_protection(strict=mode == "tests")
    session = session_of("u: I am ada@example.com | c: find(1) | r: x")
    session.call("find", '{"q": "ada\\u0040example.com"}', id="n")
    session.result("n", '{"mail": "ada\\u0040example.com", "rows": [' + "1, " * 900 + "2]}")
    for spec in (C.default(), C.default() | C.truncate(20), C.default() | C.compact()):
        for limit in (C.budget(400), C.compaction(400), C.fit(400)):
            pack = compile(session, spec | C.redact("email") | limit, model="gpt-5")
            assert "ada@example.com" not in pack.body.decode()
            assert not any("was undone" in note for note in pack.manifest.notes)
    for spec in (
        C.from_state("topic") + (C.window(n=1) | C.redact("email")),
        C.from_state("topic") + (C.default() | C.redact("email") | C.compact()),
        C.notes(key="x").or_else(C.window(n=1) | C.redact("email")),
        C.from_state("topic") + (C.window(steps=1) | C.redact("email")),  # the engine adds the task
    ):
        pack = compile(session, spec, model="gpt-5")
        assert "ada@example.com" not in pack.body.decode(), spec
    enforce_protection()


EVASIONS = {
    "as a section": {"messages": (), "text": "something else"},
    "unpinned": {"pinned": False, "tier": 4},
    "moved": {"order": 0},
    "called redacted": {"messages": (), "text": "something else", "why": "redacted"},
}


@pytest.mark.parametrize("change", EVASIONS.values(), ids=EVASIONS)
def test_no_way_around_the_rule_is_open_to_a_word(change, production):
    class Evasive(Atom, frozen=True, kw_only=True):
        word: ClassVar[str] = "evasive"
        kind: ClassVar[Kind] = Kind.TRANSFORM
        verb: ClassVar[Verb] = Verb.COMPRESS

        def apply(self, blocks, inputs):
            return tuple(msgspec.structs.replace(block, **change) for block in blocks)

    session = session_of("u: the task | a: yes | u: an old wish | u: and now?")
    session.user("remember this", pinned=True)
    session.assistant("I do")
    session.user("go on")
    try:
        pack = compile(session, C.default() | Evasive(), model="gpt-5")
    finally:
        del ATOMS["evasive"]
    sent = [message["content"] for message in pack.request["messages"]]
    assert {"the task", "remember this", "go on"} <= set(sent)
    assert any("C.evasive() was undone" in note for note in pack.manifest.notes)
    assert not any(change.action == "redacted" for change in pack.manifest.changes)
    assert {"e0", "e4", "e6"}.isdisjoint(change.id for change in pack.manifest.changes)


def test_a_selection_that_stands_alone_may_not_change_it_either(production):
    class Rewrites(Atom, frozen=True, kw_only=True):
        word: ClassVar[str] = "rewrites"
        kind: ClassVar[Kind] = Kind.REFINER
        verb: ClassVar[Verb] = Verb.SELECT

        def over(self, inputs):
            return inputs.conversation("rewrites")

        def apply(self, blocks, inputs):
            return tuple(self.changed(block) for block in blocks)

        def changed(self, block):
            message = block.messages[0]
            parts = (msgspec.structs.replace(message.parts[0], text="something else"),)
            mine = (msgspec.structs.replace(message, parts=parts),)
            return msgspec.structs.replace(block, messages=mine)

    session = session_of("u: the task | a: yes | u: an old wish | a: fine | u: and now?")
    try:
        pack = compile(session, Rewrites(), model="gpt-5")
    finally:
        del ATOMS["rewrites"]
    sent = [message["content"] for message in pack.request["messages"]]
    assert sent == ["the task", "something else", "an old wish", "something else", "and now?"]
    assert any("C.rewrites() was undone for e0" in note for note in pack.manifest.notes)
    assert {change.id for change in pack.manifest.changes} == {"e1", "e3"}


def test_a_word_that_gives_no_blocks_is_named():
    class Mute(Atom, frozen=True, kw_only=True):
        word: ClassVar[str] = "mute"
        kind: ClassVar[Kind] = Kind.TRANSFORM
        verb: ClassVar[Verb] = Verb.COMPRESS

        def apply(self, blocks, inputs):
            return None

    try:
        with pytest.raises(SpecError, match=r"expected a tuple of blocks, got NoneType") as raised:
            compile(session_of("u: hi"), C.default() | Mute(), model="gpt-5")
    finally:
        del ATOMS["mute"]
    assert "Mute.apply" in str(raised.value)


@pytest.mark.parametrize(
    "spec",
    [
        C.window(n=1), C.window(steps=2), C.recent(1, min_score=0.9), C.relevant("none", top_k=1),
        C.default() | C.cap(30), C.default() | C.fresh(0), C.default() | C.select(role="tool"),
        C.sliding(60, recent=20), C.default() | C.salient(1), C.default() | C.truncate(5),
    ],
    ids=repr,
)  # fmt: skip
def test_what_must_stay_stays_word_for_word(spec):
    session = session_of(
        "u: the task | c: f(1) | e: broke once | c: f(2) | e: broke again | c: g(1) | r: fine"
        " | u: more | a: done | u: pinned words | a: ok | u: and now? | c: h(1) | r: the newest"
    )
    body = compile(session, spec, model="gpt-5").body.decode()
    for text in ("the task", "broke again", "and now?", "the newest"):
        assert text in body, text


def test_the_loop_of_one_turn_is_history_behind_its_edge():
    session = session_of(LOOP)
    whole = compile(session, C.default(), model="gpt-5").tokens
    pack = compile(session, C.window(steps=5) | C.silent(), model="gpt-5")
    assert pack.tokens < whole / 4
    assert [kept.id for kept in pack.manifest.kept][0] == "e0"
    assert len(pack.manifest.kept) == 6
    for word in (
        C.compact(max_tokens=20),
        C.truncate(9),
        C.compress_results(max_tokens=375, min_tokens=20),
    ):
        after = compile(session, C.default() | word, model="gpt-5")
        assert after.tokens < whole * 0.8 or word == C.compress_results(
            max_tokens=375, min_tokens=20
        )
        assert "result 33" in after.body.decode()


def test_nothing_is_called_dropped_that_is_sent():
    session = session_of("u: old | a: a | u: now")
    event = session.log[0]
    assert event.id == "e0"
    pack = compile(session, C.default() | C.window(n=1) | C.silent(), model="gpt-5")
    assert [m["content"] for m in pack.request["messages"]] == ["old", "now"]
    assert [(c.id, c.action) for c in pack.manifest.changes] == [("e1", "dropped")]


def test_what_one_term_shortened_and_another_brought_whole_is_not_called_shortened():
    session = session_of("u: task | c: f(1) | r: " + "long " * 300 + " | u: b | a: c | u: d")
    spec = (C.default() | C.compact()) + C.select(type="tool_result")
    pack = compile(session, spec, model="gpt-5")
    (kept,) = [k for k in pack.manifest.kept if k.id == "e1"]
    called = [c.action for c in pack.manifest.changes if c.id == "e1"]
    assert called == ([] if kept.fidelity == Fidelity.RAW.label else ["compacted"])


@pytest.mark.parametrize(
    "spec",
    [C.window(n=2), C.window(n=3) | C.compact() | C.budget(900), C.budget(900), C.fit(900),
     C.compaction(900), C.decay(full=2, fold=2), C.sliding(900, recent=300), C.rolling(n=2),
     C.recent(3), C.salient(0.5), C.isolate("boundary") | C.budget(900)],
    ids=repr,
)  # fmt: skip
def test_the_tasks_words_stay_whatever_limits_the_rest(spec):
    session = session_of("u: Count the valves of pump 7, never those of pump 8.")
    for n in range(40):
        session.assistant(f"answer {n} " + "word " * 60)
        session.user(f"question {n}")
    pack = compile(session, spec, model="gpt-5")
    assert "never those of pump 8." in pack.body.decode()


def test_an_exchange_that_a_word_splits_is_put_together_again(production):
    class Splits(Atom, frozen=True, kw_only=True):
        word: ClassVar[str] = "splits"
        kind: ClassVar[Kind] = Kind.TRANSFORM
        verb: ClassVar[Verb] = Verb.COMPRESS

        def apply(self, blocks, inputs):
            return tuple(msgspec.structs.replace(b, messages=b.messages[:1]) for b in blocks)

    session = session_of("u: go | c: f(1) | r: one | c: f(2) | r: two | u: and? | c: f(3) | r: x")
    try:
        pack = compile(session, C.default() | Splits(), model="gpt-5")
    finally:
        del ATOMS["splits"]
    assert pack.request == compile(session, C.default(), model="gpt-5").request
    assert any("stay or leave together" in note for note in pack.manifest.notes)


@pytest.mark.parametrize(
    "spec", [C.select(author="nobody"), C.default() | C.budget(420), C.window(steps=1)], ids=str
)
def test_what_an_operator_says_behind_the_newest_results_takes_no_place_of_theirs(spec):
    """An agent whose instructions change as it runs has a message of the system's behind the
    results that it was just given: it would have called for them again."""
    session = session_of(f"{LOOP} | s: now in {'short ' * 30} words")
    pack = compile(session, spec, model="gpt-5")
    *_, call, result, said = pack.request["messages"]
    assert call["tool_calls"] and result["content"].startswith("result 33")
    assert said["content"].startswith("now in short")
