"""Requests do not depend on what is remembered, and little is remembered that is of no more use."""

import gc
import random
import sys
import threading
from itertools import pairwise

import pytest
from benchmarks.generated import generated_session, grow
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, compile, write_session
from contextwright.blocks.block import Block
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.compiler.steps.file_states import SEEN
from contextwright.compiler.steps.fold import Fold
from contextwright.engine.engine import memo_of
from contextwright.errors import ContextwrightError
from contextwright.memo import owned_tables
from contextwright.memo.memory_budget import BUDGET, forget_remembered
from contextwright.memo.owned_tables import BRIEF
from contextwright.spec.memo import Memo
from contextwright.testing import target_for
from contextwright.testing.spec_strategies import specs

TARGET = target_for("openai-chat")
GROWING = {
    "window": C.window(n=4) | C.compact() | C.budget(3000),
    "default": C.default() | C.budget(3000),
    "compaction": C.compaction(3000),
    "rolling": C.rolling(4) | C.budget(3000),
    "decay": C.default() | C.decay() | C.budget(3000),
    "relevant": C.window(n=4) + C.relevant("invoice", top_k=5) | C.budget(3000),
}


class ForgetfulMemo(Memo):
    """Forgets at random, between compiles and in the middle of one."""

    def __init__(self, dice: random.Random) -> None:
        super().__init__()
        self._dice = dice

    def table(self, key, make=None, **how):
        chance = self._dice.random()
        if chance < 0.1:
            self.turn_over()
        elif chance > 0.95:
            self.forget()
        return super().table(key, make, **how)


def outcome(compiler, session):
    try:
        return compiler.compile(session.snapshot(), TARGET).body
    except ContextwrightError as error:
        return str(error)


@given(specs(), st.integers(0, 1 << 20))
def test_whatever_is_forgotten_the_bytes_are_the_same(spec, seed):
    dice = random.Random(seed)
    session, memo = generated_session(24, seed=dice.randrange(9)), ForgetfulMemo(dice)
    for turn in range(3):
        body = outcome(SpecCompiler(spec, memo=memo), session)
        assert body == outcome(SpecCompiler(spec, memo=Memo()), session)
        grow(session, 1000 + turn, dice)


def memo_after(turns, session, spec, dice):
    """What is remembered of a session that goes on for so many turns."""
    for _ in range(turns):
        compile(session, spec, target=TARGET)
        grow(session, 1000 + len(session), dice)
    return memo_of(session.log)


@pytest.mark.parametrize("name", GROWING)
def test_a_turn_leaves_no_more_behind_than_what_came_with_it(name):
    session, dice = generated_session(150), random.Random(1)

    def held_after(turns):
        memo = memo_after(turns, session, GROWING[name], dice)
        memo.settle()
        return memo._account.young + memo._account.before, len(session)

    held_after(20)
    first, before = held_after(20)
    last, after = held_after(60)
    # what is remembered of an event does not grow with the turns that it went through
    assert last / after < 1.25 * first / before


@pytest.mark.parametrize("spec", [C.window(10) | C.compact() | C.budget(8000), C.compaction(8000)])
def test_what_was_tried_on_the_way_is_not_held(spec):
    """A server may have a thousand sessions of 60 events: it holds their blocks, and what is sent
    of them."""
    session = generated_session(60)
    compile(session, spec, target=TARGET)
    memo = memo_of(session.log)
    memo.settle()
    held = memo._account.young + memo._account.before
    assert held < 12 * len(write_session(session, "contextwright"))


@pytest.mark.parametrize("name", GROWING)
def test_nothing_grows_over_compiles_of_new_sessions(name):
    def blocks_after(seeds):
        for seed in seeds:
            compile(generated_session(9, seed=seed), GROWING[name], target=TARGET)
        gc.collect()
        return sys.getallocatedblocks()

    held = [blocks_after(range(100 * n, 100 * n + 100)) for n in range(4)]
    # what others allocate comes once; a leak has one block for each at least, each time
    assert min(after - before for before, after in pairwise(held)) < 100


@pytest.mark.parametrize("name", GROWING)
def test_a_session_that_goes_on_holds_what_its_requests_ask_for(name, monkeypatch):
    monkeypatch.setattr(owned_tables, "LASTING", turns := 2 * BRIEF)
    session, dice = generated_session(60), random.Random(1)

    def held_after(turns):
        memo = memo_after(turns, session, GROWING[name], dice)
        return sum(len(table) + len(table.before) for table in memo.tables.values())

    held_after(2 * turns)
    before = held_after(turns)
    assert held_after(turns) < 1.25 * before


def test_erasing_while_a_compile_runs_ends_no_turn():
    session = generated_session(150)
    expected = compile(session, GROWING["relevant"], target=TARGET).body
    done = threading.Event()

    def erase():
        while not done.is_set():
            forget_remembered()

    thread = threading.Thread(target=erase)
    thread.start()
    try:
        for _ in range(10):
            assert compile(session, GROWING["relevant"], target=TARGET).body == expected
    finally:
        done.set()
        thread.join()
    forget_remembered()
    account = memo_of(session.log)._account
    assert account.young == account.before == 0
    tables = memo_of(session.log).tables.values()  # whose look-up somebody may have, is empty
    assert not any(table or table.before for table in tables)


def test_a_session_that_needs_more_than_the_budget_is_compiled_all_the_same():
    session, spec = generated_session(150), GROWING["compaction"]
    expected = compile(session, spec, target=TARGET).body
    before = BUDGET.max_bytes
    try:
        for limit in (0, 10_000, 300_000):
            BUDGET.limit(limit)
            for _ in range(2):
                assert compile(session, spec, target=TARGET).body == expected
            assert BUDGET.use().held_bytes <= limit
    finally:
        BUDGET.limit(before)


def test_of_a_session_that_goes_on_few_notes_and_blocks_are_held():
    """Each note names all that it stands for, and each block is in the log."""
    session, dice = generated_session(600), random.Random(5)
    for seed in range(200):
        compile(session, C.compaction(1500), target=TARGET)
        grow(session, 10**6 + seed, dice)
    tables = memo_of(session.log).tables.values()
    keys = [key for table in tables for key in (*table, *table.before)]
    notes = {key for key in keys if isinstance(key, Block) and key.order < 0 and key.lineage}
    fold = next(grown for table in tables if isinstance(grown := table.get(""), Fold))
    blocks = list(fold.blocks)
    assert len({note.why for note in notes}) <= 2 * BRIEF
    assert sum(block is not None for block in blocks) < SEEN + 200 < len(blocks) / 1.5
