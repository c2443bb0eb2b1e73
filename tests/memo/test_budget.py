"""One budget in bytes for all owners, the least recently used out."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import memory
from contextwright.engine.run_tasks import _scope_of
from contextwright.errors import ContextwrightError
from contextwright.memo.memory_budget import DEFAULT_BYTES, MemoryBudget
from contextwright.memo.owned_tables import Tables


def fill(owner, name, count=10, size=1000):
    for place in range(count):
        owner.table("texts").remembered((name, place), lambda key: "x" * size)
    owner.settle()


def known(owner, name):
    table = owner.tables.get("texts", {})
    return (name, 0) in table or (name, 0) in getattr(table, "before", {})


def test_the_least_recently_used_goes_first():
    budget = MemoryBudget(50_000)
    old, used = Tables(budget), Tables(budget)
    fill(old, "old")
    for number in range(20):
        fill(used, "every turn")
        fill(used, f"turn {number}")
        assert budget.use().held_bytes <= 50_000
    assert not known(old, "old")
    assert known(used, "every turn") and known(used, "turn 19") and not known(used, "turn 2")


class Index:
    """Grows with a session."""

    held_bytes = 9_000


def index_of(owner):
    with owner.growing("index", Index) as index:
        return index


def test_one_use_of_more_than_there_is_room_for_leaves_what_grows():
    """The first compile of a very long session: its index is what the next one goes on from."""
    budget = MemoryBudget(50_000)
    owner = Tables(budget)
    index = index_of(owner)
    fill(owner, "first", count=200)
    assert index_of(owner) is index and not known(owner, "first")
    assert budget.use().held_bytes <= 50_000
    for number in range(20):
        fill(owner, f"turn {number}")
    assert index_of(owner) is not index  # nothing used it


def test_an_index_that_has_no_room_is_forgotten():
    budget = MemoryBudget(5_000)
    owner = Tables(budget)
    index = index_of(owner)
    fill(owner, "first", count=200)
    assert index_of(owner) is not index and budget.use().held_bytes <= 5_000


def test_what_an_owner_held_is_free_when_it_ends():
    budget = MemoryBudget()
    owners = [Tables(budget) for _ in range(5)]
    for owner in owners:
        fill(owner, "text")
    assert budget.use().owners == 5
    held = budget.use().held_bytes
    del owner, owners[0]
    assert budget.use().owners == 4
    assert budget.use().held_bytes == held * 4 // 5
    owners.clear()
    assert budget.use().held_bytes == 0


def test_without_a_budget_nothing_is_remembered():
    budget = MemoryBudget(0)
    owner = Tables(budget)
    fill(owner, "text")
    assert not known(owner, "text") and budget.use().held_bytes == 0


def test_a_lower_limit_holds_at_once():
    budget = MemoryBudget()
    owner = Tables(budget)
    fill(owner, "text", count=100)
    budget.limit(10_000)
    assert budget.use().held_bytes <= 10_000


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), st.integers(0, 3000))))
def test_never_more_is_held_than_may_be(turns):
    budget = MemoryBudget(20_000)
    owners = [Tables(budget) for _ in range(4)]
    for turn, (owner, count, size) in enumerate(turns):
        if count == 0:
            owners[owner] = Tables(budget)
        fill(owners[owner], turn % 5, count, size)
        use = budget.use()
        assert use.held_bytes <= 20_000
        held = sum(one._account.young + one._account.before for one in owners)
        assert held == use.held_bytes


def test_threads_share_it():
    budget = MemoryBudget(30_000)

    def work(number):
        for turn in range(200):
            owner = Tables(budget)
            fill(owner, turn)
            assert owner.table("texts").remembered((turn, 0), lambda key: "x" * 1000)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert budget.use().held_bytes == 0


def test_the_process_says_what_it_holds_and_takes_a_limit():
    assert memory().max_bytes == DEFAULT_BYTES
    try:
        assert memory(max_bytes=1000).max_bytes == 1000
        assert memory().held_bytes <= 1000
    finally:
        memory(max_bytes=DEFAULT_BYTES)


@pytest.mark.parametrize("wrong", [-1, "64MB", 1.5, True])
def test_a_limit_is_a_number_of_bytes(wrong):
    with pytest.raises(ContextwrightError, match="number of bytes"):
        memory(max_bytes=wrong)


class Collecting:
    """An owner at whose turn-over the garbage is collected, as may happen at any line."""

    def turn_over(self):
        gc.collect()

    def forget_before(self):
        gc.collect()
        return 0

    def forget(self):
        gc.collect()


def test_work_that_nobody_awaits_may_be_collected_in_the_middle_of_counting():
    """Such as an `acompile` that was cancelled: its scope ends, and settles, where the collector
    finds it, in a thread that holds the budget's lock already."""
    budget = MemoryBudget(1_000)
    owner, collecting = Tables(budget), Collecting()
    account = budget.account(collecting)
    for use in (
        lambda: budget.settle(account, 10_000, 0), budget.use, lambda: budget.limit(10), budget.forget,
    ):  # fmt: skip
        asking = _scope_of(owner, iter([()]))
        next(asking)
        circle = [asking]
        circle.append(circle)
        del asking, circle
        worker = threading.Thread(target=use, daemon=True)
        worker.start()
        worker.join(20)
        assert not worker.is_alive()
    assert owner._scopes == []
