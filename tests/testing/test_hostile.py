"""Parts that break one rule each: the kits catch every one, by the name of the rule."""

import copy
import inspect
import re
from typing import ClassVar

import msgspec
import pytest

from contextwright.blocks import Block, Layer
from contextwright.errors import StoreError
from contextwright.formats import openai_chat
from contextwright.render.providers import provider_named
from contextwright.session import Session, Text
from contextwright.spec import ATOMS, Atom, Kind, Verb
from contextwright.stores import FileArtifacts, SQLiteMemory, SQLiteSessions
from contextwright.testing import (
    WORD_RULES,
    ArtifactStoreSuite,
    FormatSuite,
    MemoryStoreSuite,
    RendererSuite,
    RuleViolation,
    SessionStoreSuite,
    check_rule,
    target_for,
)


@pytest.fixture(autouse=True)
def words_are_taken_back(monkeypatch):
    """A word that a test defines is none of the others'."""
    before = dict(ATOMS)
    yield
    ATOMS.clear()
    ATOMS.update(before)


def broken_rules(*samples):
    """The rules that a word breaks."""
    broken = set()
    for rule in WORD_RULES:
        try:
            check_rule(rule, *samples, formats=("openai-chat",))
        except RuleViolation as violation:
            assert violation.rule == rule and violation.subject and violation.place
            broken.add(rule)
    return broken


def defined(name, change):
    """A transform whose `apply` is this function."""

    class Hostile(Atom, frozen=True, kw_only=True):
        word: ClassVar[str] = name
        kind: ClassVar[Kind] = Kind.TRANSFORM
        verb: ClassVar[Verb] = Verb.COMPRESS

        def apply(self, blocks, inputs):
            return tuple(change(blocks, inputs))

    return Hostile()


def with_text(block, role, text):
    messages = tuple(
        msgspec.structs.replace(m, parts=(Text(text=text),)) if m.role == role else m
        for m in block.messages
    )
    return msgspec.structs.replace(block, messages=messages)


def test_a_word_that_rewrites_old_user_messages_in_place():
    def paraphrase(blocks, inputs):
        for block in blocks:
            old = block.role == "user" and block.turn < inputs.snapshot.turn
            yield with_text(block, "user", "U1 the user wants offers") if old else block

    assert "user-words-are-never-rewritten" in broken_rules(defined("paraphrase", paraphrase))


@pytest.mark.parametrize(
    ("protected", "rule"),
    [
        (lambda block: block.pinned, "pinned-stays"),
        (lambda block: block.failed, "open-failures-stay"),
        (lambda block: block.order in {0, 1}, "task-framing-stays"),
    ],
)
def test_a_word_that_drops_what_is_protected(protected, rule):
    def drop(blocks, inputs):
        return [block for block in blocks if not protected(block)]

    assert rule in broken_rules(defined("drop", drop))


def test_a_word_that_splits_an_exchange():
    def split(blocks, inputs):
        for block in blocks:
            yield msgspec.structs.replace(block, messages=block.messages[:1])

    assert "protected-blocks-stay" in broken_rules(defined("split", split))


def test_a_word_that_rewrites_what_agents_said_and_calls_it_raw():
    def smooth(blocks, inputs):
        for block in blocks:
            old = not inputs.protection.whole_reason(block) and not block.results
            yield with_text(block, "assistant", "all is well") if old else block

    assert "kept-is-sent" in broken_rules(defined("smooth", smooth))


def test_a_word_that_remembers_how_often_it_ran():
    runs = []

    def count(blocks, inputs):
        runs.append(1)
        yield from blocks
        yield Block(
            id="runs", source="runs", layer=Layer.TASK, text=f"run {len(runs)}", lineage=("runs",)
        )

    assert "deterministic" in broken_rules(defined("count", count))


def test_a_word_that_writes_the_state():
    def note(blocks, inputs):
        inputs.snapshot.state["todo"].append({"text": "mine"})
        return blocks

    from contextwright.testing.rule_sessions import WORD_STATE
    from contextwright.testing.word_suite import SESSIONS

    before = copy.deepcopy(WORD_STATE["todo"])
    try:
        assert "reading-never-mutates" in broken_rules(defined("note", note))
    finally:
        for build in SESSIONS.values():
            build().state["todo"][:] = before
        WORD_STATE["todo"][:] = before


def test_a_violation_names_rule_word_and_event():
    def paraphrase(blocks, inputs):
        return [with_text(b, "user", "U1 shorter") if b.turn == 1 else b for b in blocks]

    with pytest.raises(RuleViolation) as caught:
        check_rule("user-words-are-never-rewritten", defined("shorter", paraphrase))
    assert "C.shorter()" in str(caught.value)
    assert re.search(r"chat/openai-chat/\S.*e\d+", str(caught.value))


class Renderer:
    """The chat renderer, and one fault."""

    def __init__(self, fault):
        self.inner, self.fault = provider_named("openai-chat").renderer, fault

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def request(self, layout, target):
        request = self.inner.request(layout, target)
        self.fault(request["messages"])
        return request


def loses_a_result(messages):
    messages.remove(next((m for m in messages if m["role"] == "tool"), messages[-1]))


def adds_text(messages):
    messages[-1]["content"] = [
        {"type": "text", "text": "Take a deep breath and think."},
        {"type": "text", "text": str(messages[-1]["content"])},
    ]


def cuts_a_result(messages):
    for message in messages:
        if message["role"] == "tool":
            message["content"] = message["content"][:20]


def suite_breaks(suite, fixtures):
    """The rules that something breaks, out of every test of a suite."""
    broken = set()
    for name, test in inspect.getmembers(suite, inspect.isroutine):
        if not name.startswith("test_"):
            continue
        for options in cases_of(test):
            needed = {n: fixtures[n]() for n in inspect.signature(test).parameters if n in fixtures}
            try:
                test(**needed, **options)
            except RuleViolation as violation:
                broken.add(violation.rule)
    return broken


def cases_of(test):
    for mark in getattr(test, "pytestmark", ()):
        name, values = mark.args[:2]
        return [{name: value} for value in values]
    return [{}]


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        (loses_a_result, "nothing-is-lost"),
        (loses_a_result, "provider-rules"),
        (cuts_a_result, "nothing-is-lost"),
        (adds_text, "nothing-is-added"),
        (lambda messages: messages.reverse(), "order-stays"),
        (lambda messages: messages.extend([messages[-1]] * 3), "the-parts-bound-the-whole"),
    ],
)
def test_a_hostile_renderer(fault, rule):
    class Suite(RendererSuite):
        renderer, target = Renderer(fault), target_for("openai-chat")

    assert rule in suite_breaks(Suite(), {})


class ForgetsTheLast(SQLiteSessions):
    def load(self, session_id):
        whole = super().load(session_id)
        return Session(session_id, list(whole.log)[:-1], tools=whole.tools)


class AcceptsTornAppends(SQLiteSessions):
    def append(self, session_id, events, *, expected):
        try:
            return super().append(session_id, events, expected=expected)
        except StoreError:
            stored = len(self.load(session_id).log)
            return super().append(session_id, events[:1], expected=stored)


class TakesNoRewind(SQLiteSessions):
    """Takes what follows the last event that is stored for what is new, whatever stands before."""

    def save(self, session):
        known = self.ids()
        if session.id not in known:
            super().save(session)
        else:
            length = self.length(session.id)
            super().append(session.id, session.log[length:], expected=length)


@pytest.mark.parametrize(
    ("hostile", "rule"),
    [
        (ForgetsTheLast, "what-is-saved-is-loaded"),
        (ForgetsTheLast, "what-was-saved-survives-a-reopening"),
        (TakesNoRewind, "a-rewound-session-takes-the-place-of-what-it-left"),
        (AcceptsTornAppends, "an-append-at-the-wrong-place-writes-nothing"),
    ],
)
def test_a_hostile_session_store(hostile, rule, tmp_path):
    opened = []

    def store():
        opened.append(hostile(tmp_path / f"{len(opened)}.db"))
        return opened[-1]

    def reopen():
        return lambda: hostile(opened[-1].path)

    assert rule in suite_breaks(SessionStoreSuite(), {"store": store, "reopen": reopen})


def test_a_hostile_artifact_store(tmp_path):
    class Truncates(FileArtifacts):
        def get(self, ref):
            return super().get(ref)[:100]

    make = lambda: Truncates(tmp_path / "artifacts")  # noqa: E731
    assert "bytes-come-back" in suite_breaks(ArtifactStoreSuite(), {"artifacts": make})


def test_a_hostile_memory_store(tmp_path):
    class Gossips(SQLiteMemory):
        def search(self, query, k=5, *, scope="", kinds=()):
            return super().search(query, k, scope="alice", kinds=kinds)

    places = iter(range(99))
    make = lambda: Gossips(tmp_path / f"{next(places)}.db")  # noqa: E731
    assert "scopes-do-not-see-each-other" in suite_breaks(MemoryStoreSuite(), {"memory": make})


class Format:
    """The chat format, and one fault."""

    NAME, LINES = "hostile", openai_chat.LINES

    def sniff(self, document):
        return False

    def read(self, document):
        return openai_chat.read(document)

    def write(self, session):
        return openai_chat.write(session)


class LosesResults(Format):
    def read(self, document):
        whole = super().read(document)
        return Session("x", [event for event in whole.log if event.role != "tool"])


class RaisesKeyErrors(Format):
    def read(self, document):
        for record in document.records:
            for message in record.value if isinstance(record.value, list) else [record.value]:
                message["role"]
        return super().read(document)


class Mutates(Format):
    def read(self, document):
        whole = super().read(document)
        for record in document.records:
            record.value.clear()
        return whole


@pytest.mark.parametrize(
    ("hostile", "rule"),
    [
        (LosesResults, "what-is-written-is-read-back"),
        (RaisesKeyErrors, "broken-input-is-named"),
        (Mutates, "reading-never-mutates"),
    ],
)
def test_a_hostile_format(hostile, rule):
    class Suite(FormatSuite):
        format = hostile()

    assert rule in suite_breaks(Suite(), {})
