"""A manifest is written when somebody reads it, says what it would have said at once, and keeps no
session."""

import copy
import gc
import pickle
import weakref

import msgspec
import pytest
from msgspec.structs import replace

from contextwright import C, Engine, Session, compile, register_model
from contextwright.compiler import build_manifest
from contextwright.compiler.manifest import Manifest
from contextwright.compiler.receipt import Receipt, is_lost
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.formats import read_session
from contextwright.session.event import Text, Thinking
from contextwright.testing import session_of, target_for

BUDGET = C.default() | C.budget(max_tokens=2_000)
SPECS = [
    BUDGET,
    C.window(n=4) | C.compact() | C.budget(max_tokens=2_000),
    C.compaction(2_000),
    C.default() | C.redact(["email"]) | C.budget(max_tokens=2_000),
]

FACTS = (
    "position", "now_ms", "format", "counter", "reserved_system", "tokens", "fixed_tokens",
    "left_out", "folds", "limit_steps", "decided_at", "shows_refs",
)  # fmt: skip


@pytest.fixture
def written(monkeypatch):
    """A list that gets a position for each manifest that is written."""
    positions = []
    write = build_manifest.manifest_of

    def noting(draft, log):
        positions.append(draft.position)
        return write(draft, log)

    monkeypatch.setattr(build_manifest, "manifest_of", noting)
    return positions


def turn(session, n):
    session.user(f"question {n}, to ann@example.com")
    session.call("look", {"n": n}, id=f"c{n}")
    session.result(f"c{n}", f"row {n}: " + "a value, " * 30)


def packs_of(spec, *, turns=12, read=False):
    """A session, and its packs, each read at once or not at all."""
    engine, session, packs = Engine(spec, "gpt-5"), Session("grows"), []
    for n in range(turns):
        turn(session, n)
        packs.append(engine.compile(session))
        if read:
            assert packs[-1].manifest
        session.assistant(f"answer {n}")
        engine.record(session, billed_input=packs[-1].tokens)
    return session, packs


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_read_late_it_says_what_it_said_at_once(spec):
    _, late = packs_of(spec)
    _, soon = packs_of(spec, read=True)
    for one, other in zip(late, soon, strict=True):
        assert one.body == other.body
        assert one.manifest.to_json() == other.manifest.to_json()
        assert one == other


def test_a_loop_writes_none_that_nobody_reads(written):
    _, packs = packs_of(BUDGET)
    grown = [pack for pack in packs if isinstance(pack.receipt, Receipt)]
    assert len(grown) >= 8, "a request that only goes on from the one before"
    assert len(written) == 0
    assert [pack.tokens for pack in packs] and not written
    assert grown[-1].manifest is grown[-1].manifest
    assert written == [grown[-1].manifest.position]


def test_its_facts_are_those_of_the_manifest():
    for spec in SPECS:
        for pack in packs_of(spec)[1]:
            receipt, manifest = pack.receipt, pack.manifest
            for name in FACTS:
                assert getattr(receipt, name) == getattr(manifest, name)
            assert is_lost(receipt) == is_lost(manifest)
            if manifest.prefix is not None:
                told = replace(manifest.prefix, loss=receipt.prefix.loss)
                assert told == receipt.prefix
            assert len(receipt.changes) == len(manifest.changes)


def test_what_the_application_gives_redactions_is_asked_at_once():
    _, packs = packs_of(SPECS[3])
    assert all(isinstance(pack.receipt, Manifest) for pack in packs)


def test_an_engine_holds_no_session_by_what_it_did_not_write():
    engine, session = Engine(BUDGET, "gpt-5"), Session("ends")
    for n in range(4):
        turn(session, n)
        engine.compile(session)
    log = weakref.ref(session.log)
    del session
    gc.collect()
    assert log() is None


def test_a_pack_outlives_its_session_and_then_holds_it_no_more():
    session = Session("ends")
    turn(session, 0)
    pack = SpecCompiler(BUDGET).compile(session.snapshot(), target_for("openai-chat"))
    log = weakref.ref(session.log)
    del session
    gc.collect()
    assert pack.manifest.kept
    gc.collect()
    assert log() is None


def test_it_is_copied_and_sent_elsewhere_as_a_manifest():
    pack = packs_of(BUDGET, turns=2)[1][-1]
    for other in (copy.copy(pack), copy.deepcopy(pack), pickle.loads(pickle.dumps(pack))):
        assert other == pack
        assert other.manifest == pack.manifest
    assert isinstance(pickle.loads(pickle.dumps(pack)).receipt, Manifest)
    assert pack != "a pack"
    assert repr(pack).startswith("<Pack pack_")


def test_what_the_application_counts_with_is_asked_at_once():
    class Counts:
        per_token = 4

        def count(self, text):
            return len(text) // self.per_token

    counter = Counts()
    engine, session = Engine(BUDGET, "gpt-5", counter=counter), Session("counted")
    packs = []
    for n in range(4):
        turn(session, n)
        packs.append(engine.compile(session))
    counter.per_token = 2
    assert all(isinstance(pack.receipt, Manifest) for pack in packs)


def test_what_was_lost_costs_what_it_cost_then():
    def costs(*, changes):
        def register(price):
            register_model("priced", window=100_000, input_price=price, cached_price=price / 10)

        register(1.0)
        engine, session, packs = Engine(C.window(n=16), "priced"), Session("priced"), []
        for n in range(24):
            turn(session, n)
            packs.append(engine.compile(session))
            session.assistant(f"answer {n}")
        if changes:
            register(9.0)
        losses = [pack.manifest.prefix.loss for pack in packs[1:]]
        return [loss.microdollars for loss in losses if loss is not msgspec.UNSET]

    then = costs(changes=False)
    assert sum(then) > 0
    assert costs(changes=True) == then


def read_and_other():
    """A pack of messages with fields that its format has no word for, and one of another session
    that is told what it shares with the first."""
    said = [{"role": "user", "content": f"question {n}", "custom": n} for n in range(4)]
    first = read_session({"model": "gpt-5", "messages": said}, format="openai-chat", id="read")
    other, target, spec = Session("other"), target_for("anthropic"), C.default()
    other.user("of something else")
    before = SpecCompiler(spec).compile(first.snapshot(), target)
    now = SpecCompiler(spec).compile(other.snapshot(), target, previous=before)
    return before, now


def test_the_request_before_may_be_of_another_session():
    before, now = read_and_other()
    soon = before.manifest.to_json(), now.manifest.to_json()
    assert before.manifest.unrendered
    before, now = read_and_other()
    assert now.manifest.to_json() == soon[1]
    assert before.manifest.to_json() == soon[0]


def test_who_reads_while_another_thread_does_needs_no_log_of_theirs():
    session = Session("ends")
    turn(session, 0)
    pack = SpecCompiler(BUDGET).compile(session.snapshot(), target_for("openai-chat"))
    del session
    log = pack.receipt.log

    def read_meanwhile():
        """What the other one does, between two looks of this one."""
        pack.receipt.log = log
        assert pack.manifest
        gc.collect()
        return log()

    pack.receipt.log = read_meanwhile
    assert pack.manifest.kept
    gc.collect()
    assert log() is None


def test_why_reasoning_stayed_behind_goes_by_what_the_model_did_with_it_then():
    def told(*, changes):
        register_model("thinks", window=100_000, provider="anthropic", reasoning="strip-old")
        session = Session("thought")
        for n in range(3):
            session.user(f"question {n}")
            thought = Thinking(text=f"thought {n}", signature=f"sig{n}", provider="anthropic")
            session.assistant(thought, Text(text="answer"))
        session.user("and now?")
        target = replace(target_for("anthropic"), model="thinks")
        pack = SpecCompiler(C.default()).compile(session.snapshot(), target)
        if changes:
            register_model("thinks", window=100_000, provider="anthropic", reasoning="keep")
        return pack.manifest.unrendered

    then = told(changes=False)
    assert len(then) == 3
    assert told(changes=True) == then


def test_nothing_of_what_was_said_is_in_what_a_traceback_prints():
    session = session_of("u: my number is 5551234 | c: look(5551234) | r: 5551234 is Ann | a: Ann")
    pack = compile(session, C.default() | C.budget(2000), "gpt-5")
    draft = pack.receipt.source
    assert repr(pack.receipt) == f"<Receipt: openai-chat, {pack.receipt.tokens} tokens, 0 changes>"
    assert "5551234" not in repr(pack.receipt) + repr(draft) + repr(pack)
