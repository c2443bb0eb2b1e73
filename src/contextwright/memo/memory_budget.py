"""One budget in bytes for all that a process remembers, whoever it is about.

Time is counted in generations: one lasts until half of the budget was remembered anew. What was
used in neither the running generation nor the one before is forgotten, so that the least recently
used goes first, of all sessions and within a long one, at no cost for each use.
"""

import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Protocol
from weakref import ref

import msgspec

from contextwright.errors import ContextwrightError
from contextwright.forked_process import held_over_a_fork

DEFAULT_BYTES = 256 << 20


class Owner(Protocol):
    """Who remembers: the tables of a session, an index."""

    def turn_over(self) -> None:
        """Forget what was not used in the running generation, and begin another."""
        ...

    def forget_before(self) -> int:
        """Forget what was not used in the running generation, but for what grows with a session,
        and give the bytes of that."""
        ...

    def forget(self) -> None:
        """Forget everything."""
        ...


class Account(ref[Any]):
    """The bytes that an owner holds, of this generation and the one before. It ends with its
    owner, which it does not keep alive."""

    __slots__ = ("before", "young")
    young: int
    before: int
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


class MemoryUse(msgspec.Struct, frozen=True):
    """What this process remembers to save time.

    Args:
        held_bytes: about what all of it takes.
        max_bytes: what it may take.
        owners: sessions and indexes that something is remembered of.
    """

    held_bytes: int
    max_bytes: int
    owners: int


class MemoryBudget:
    """Bytes that all owners share.

    Attributes:
        lock: of these numbers.
    """

    def __init__(self, max_bytes: int = DEFAULT_BYTES) -> None:
        self.max_bytes = max_bytes
        # work that nobody awaits any more settles wherever it is collected: in the middle of these
        # as well, where it is left out, and measured the next time
        self.lock = threading.RLock()
        self._is_counting = False
        self._accounts: set[Account] = set()
        # a collected owner says so from whatever thread, in the middle of anything: no lock there
        self._ended: deque[Account] = deque()
        self._young = 0
        self._before = 0

    def account(self, owner: Owner) -> Account:
        """An account for an owner."""
        account = Account(owner, self._ended.append)
        account.young = account.before = 0
        with self.lock:
            self._accounts.add(account)
        return account

    def settle(self, account: Account, young: int, before: int) -> None:
        """What an owner holds now. Where it is too much, all owners forget."""
        with self.lock:
            if self._is_counting:
                return
            self._is_counting = True
            try:
                self._forget_ended()
                self._young += young - account.young
                self._before += before - account.before
                account.young, account.before = young, before
                self._make_room()
            finally:
                self._is_counting = False

    def limit(self, max_bytes: int) -> None:
        """Set what all may hold together."""
        with self._counting():
            self.max_bytes = max_bytes
            self._forget_ended()
            self._make_room()

    def forget(self) -> None:
        """Forget everything. Only costs time: whatever is asked next is worked out again."""
        with self._counting():
            self._forget_ended()
            for account in self._accounts:
                owner = account()
                if owner is not None:
                    owner.forget()
                account.young = account.before = 0
            self._young = self._before = 0

    def use(self) -> MemoryUse:
        """What is held now."""
        with self._counting():
            self._forget_ended()
            held = [account for account in self._accounts if account.young + account.before]
            return MemoryUse(self._young + self._before, self.max_bytes, len(held))

    @contextmanager
    def _counting(self) -> Generator[None]:
        """Nobody settles meanwhile."""
        with self.lock:
            before, self._is_counting = self._is_counting, True
            try:
                yield
            finally:
                self._is_counting = before

    def _forget_ended(self) -> None:
        while self._ended:
            account = self._ended.popleft()
            self._accounts.discard(account)
            self._young -= account.young
            self._before -= account.before

    def _make_room(self) -> None:
        if self._young > self.max_bytes // 2:
            self._turn_over()
        if self._young + self._before > self.max_bytes:
            self._forget_before()
        if self._young + self._before > self.max_bytes:
            self._turn_over()

    def _forget_before(self) -> None:
        """One use that remembers more than there is room for, such as the first compile of a very
        long session, leaves the next one what it could not go on without."""
        for account in self._accounts:
            owner = account()
            account.before = owner.forget_before() if owner is not None else 0
        self._before = sum(account.before for account in self._accounts)

    def _turn_over(self) -> None:
        for account in self._accounts:
            owner = account()
            if owner is not None:
                owner.turn_over()
            account.before, account.young = account.young, 0
        self._before, self._young = self._young, 0


BUDGET = MemoryBudget()
"""The process's."""
held_over_a_fork(BUDGET.lock)


def memory(max_bytes: int | None = None) -> MemoryUse:
    """What this process remembers of sessions to save time, and how much it may.

    It is measured after each compile: one may hold more while it runs. Requests do not depend on
    it. A session that needs more than the budget is compiled from nothing at every turn.

    Args:
        max_bytes: from now on no more than so many, of all sessions together; by default 256 MB.

    Raises:
        ContextwrightError: no number of bytes.
    """
    if max_bytes is not None:
        limit: object = max_bytes
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
            raise ContextwrightError(
                f"max_bytes is {max_bytes!r}, expected a number of bytes",
                where="contextwright.memory(max_bytes=...)",
                fix="such as 64_000_000; 0 remembers nothing",
            )
        BUDGET.limit(max_bytes)
    return BUDGET.use()


def forget_remembered() -> None:
    """Forget all that was remembered, of all sessions: what was erased must not live on here."""
    BUDGET.forget()
