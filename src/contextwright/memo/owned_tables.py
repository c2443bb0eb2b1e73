"""What was worked out before, in tables of an owner's own, each in two generations."""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from itertools import compress, islice
from math import inf, isqrt
from operator import attrgetter, ne
from typing import Any, Generic, TypeVar

import msgspec

from contextwright.memo.memory_budget import BUDGET, MemoryBudget
from contextwright.memo.sizes import bytes_of, shared

T = TypeVar("T")

SLOT = 80
"""Bytes of an entry's place in a dict."""
OFTEN = 256
"""Entries that are taken for as large as the ones before them, where these were as many: what comes
is looked into once a table has twice as many as when that was done last, or so many more."""
SLOW, SLOWLY = 32, 12
"""An owner that grew by less than a thirty-second is not measured at its next twelve scopes' ends,
six turns of an engine that records: one of a long session adds little, and measuring is a tenth
of its time."""
BRIEF = 12
"""Scopes after which a brief table begins a generation: six turns of an engine that records."""
LASTING = 8 * BRIEF
"""Scopes after which any other one does, but for what grows: so a session that goes on holds what
its requests still ask for, and not all that they ever asked. It is long enough that a limit which
is filled in some fifty calls has at its step what it found out at each."""
AT_ONCE = 64
"""Forgotten entries that are let go of at the beginning of a scope: all those of a first compile at
once take as long as a call may, and 512 a third of a turn."""
NEWEST = "newest"
"""Entry of a table with what was looked up last, and what was found."""
_NOTHING: Any = object()
_MEASURED, _BYTES = attrgetter("measured"), attrgetter("bytes")
_BYTES_BEFORE = attrgetter("bytes_before")


class _Scopes:
    """How many scopes of an owner began."""

    __slots__ = ("begun",)

    def __init__(self) -> None:
        self.begun: int = 0


_NOBODYS = _Scopes()
"""Those of a table that no owner has: none."""


class Table(dict[Any, Any]):
    """What one function gave, by its argument. Known entries are a dict's look-up, and a dict's
    own speed; those of the generation before are taken over when they are asked for by
    `table[key]`, `remembered` or `recall`. It is the same object for as long as its owner lives.
    """

    __slots__ = (
        "_assumed", "_began", "_looked_into", "_scopes", "_typical", "before", "bytes",
        "bytes_before", "ends", "grows", "in_use", "lasts", "make", "measured",
    )  # fmt: skip

    def __init__(
        self,
        make: Callable[[Any], Any] | None = None,
        *,
        brief: bool = False,
        stays: bool = False,
        grows: bool = False,
        scopes: "_Scopes | None" = None,
    ) -> None:
        super().__init__()
        self.make = make  # from the first, for other threads see a table as soon as it is there
        self.lasts = inf if stays or grows else BRIEF if brief else LASTING
        self._scopes = scopes = _NOBODYS if scopes is None else scopes
        self._began = scopes.begun
        self.ends = self._began + self.lasts + 1  # the scope at whose beginning it turns over
        self.grows = grows
        self.in_use = False  # whether somebody has its look-up, and would go on with it
        self.before: dict[Any, Any] = {}
        self.bytes = self.bytes_before = self.measured = 0
        # entries of all generations whose size was told by samples, and those that came since
        self._looked_into = self._assumed = 0
        self._typical = 0  # bytes of an entry

    def __missing__(self, key: Any) -> Any:
        value = self.before.pop(key, _NOTHING) if self.before else _NOTHING
        if value is _NOTHING:
            if (make := self.make) is None:
                raise KeyError(key)
            value = make(key)
        self[key] = value
        return value

    def recall(self, key: Any, default: Any = _NOTHING) -> Any:
        """An entry of the generation before, which is of this one from now on."""
        value = self.before.pop(key, _NOTHING)
        if value is _NOTHING:
            return default
        self[key] = value
        return value

    def known(self, key: Any) -> Any:
        """An entry of this generation or of the one before; None where there is none."""
        value = self.get(key)
        return self.recall(key, None) if not value and self.before else value

    def remembered(self, key: Any, make: Callable[[Any], T]) -> T:
        """What `make` gave for a key before, or gives now."""
        value = self.get(key, _NOTHING)
        if value is _NOTHING:
            value = self.before.pop(key, _NOTHING) if self.before else _NOTHING
            if value is _NOTHING:
                value = make(key)
            self[key] = value
        return value

    def turn_over(self) -> None:
        """Forget what was not used since the last time."""
        self.before = dict(self)
        self.clear()
        self.bytes_before, self.bytes = self.bytes, 0
        self.measured = 0
        self._began = self._scopes.begun
        self.ends = self._began + self.lasts + 1

    def let_go(self) -> None:
        """Forget all; other threads may go on in between."""
        while self:
            _let_go_of(self)
        self.before = {}
        self.bytes = self.bytes_before = self.measured = 0

    @property
    def uses(self) -> int:
        """Scopes of its owner's since its generation began."""
        return self._scopes.begun - self._began

    def end_generation(self) -> None:
        """Who fills a table that stays did so once more: forget what was not used since the last
        time, unless that was a few uses ago."""
        if self.uses > LASTING:
            self.turn_over()

    def measure(self) -> None:
        """Measure what is new. What an entry holds is told by samples: of four entries all, of a
        million five hundred."""
        if self.grows:
            self.bytes = sum(map(bytes_of, list(self.values())))
            return
        new = len(self) - self.measured
        if new <= 0:
            return
        self._assumed += new
        if self._assumed > min(self._looked_into, OFTEN) and not self._look_into(new):
            return
        self.bytes += new * self._typical
        self.measured += new

    def _look_into(self, new: int) -> bool:
        """Tell by the newest entries what one holds; whether that could be told. Not by the last
        of many, which is the largest as a rule: a whole request, counted behind its parts."""
        step = 1 + new // (isqrt(new) // 2 + 4)
        try:
            keys = list(islice(reversed(self), step // 2, new, step))
        except RuntimeError:  # another thread adds to it: measured next time
            return False
        if not keys:  # another thread forgot it meanwhile
            return False
        sizes = shared(keys)
        values = list(map(self.get, keys))
        held = sum(bytes_of(v) for k, v in zip(keys, values, strict=True) if v is not k)
        self._typical = SLOT + (sum(sizes) + held) // len(keys)
        self._looked_into += self._assumed
        self._assumed = 0
        return True


class GrowingUse(msgspec.Struct, Generic[T], eq=False):
    """What grows, while it is used. It is asked for many times a turn."""

    table: Table
    make: Callable[[], T]
    grown: Any = None

    def __enter__(self) -> T:
        held = self.table.pop("", _NOTHING)
        if held is _NOTHING:
            held = self.table.before.pop("", _NOTHING)
        grown = self.grown = self.make() if held is _NOTHING else held
        return grown

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if kind is None:
            self.table[""] = self.grown


class Tables:
    """What was worked out for one owner, such as a session: it ends with its owner, and goes
    before where the process remembers too much. Only saves time: a result is the same with empty
    tables. Several threads may use it at once."""

    def __init__(self, budget: MemoryBudget = BUDGET) -> None:
        self.tables: dict[Any, Table] = {}
        self._scopes: list[None] = []
        self._begun = _Scopes()
        self._due: dict[float, list[tuple[Any, Table]]] = {}  # scope -> tables that may end there
        self._forgotten: list[dict[Any, Any]] = []  # nobody looks into them any more
        self._passing: list[Table] = []
        self._unmeasured = self._waits = 0  # scopes that ended, and that may before it is measured
        self._measured = 0
        self._is_forgetting = False
        self._budget = budget
        self._account = budget.account(self)

    def table(
        self,
        key: Any,
        make: Callable[[Any], Any] | None = None,
        *,
        brief: bool = False,
        stays: bool = False,
        passing: bool = False,
    ) -> Table:
        """The remembered results of one function, or of one under one condition.

        Args:
            make: the function, where the table is asked by `table[key]`.
            brief: whether an entry is forgotten that the next compiles do not use: for what is
                another one at nearly every turn.
            stays: whether a generation lasts until who fills it says that it ends, however many
                uses that takes.
            passing: whether entries are forgotten as soon as nobody remembers any more: for what is
                asked of a whole session at once, and of little of it ever again.
        """
        table = self.tables.get(key)
        if table is None:
            made = Table(make, brief=brief, stays=stays or passing, scopes=self._begun)
            table = self.tables.setdefault(key, made)
            if table is made:  # else another thread was first
                self._await_end(key, table)
                if passing:
                    self._passing.append(table)
        return table

    def newest(self, key: Any) -> Any:
        """The entry `NEWEST` of a table, for what is looked up several times a turn; None where
        there is none."""
        table = self.tables.get(key)
        if table is None:
            return None
        value = table.get(NEWEST)
        return table.recall(NEWEST, None) if value is None and table.before else value

    def computed(
        self, key: Any, make: Callable[[Any], Any], *, brief: bool = False
    ) -> Callable[[Any], Any]:
        """`make`, from memory where it was called before; `key` holds all that it depends on.

        `make` is kept: it may hold nothing of the owner's, which would never end then. `brief` as
        for `table`.
        """
        table = self.table(key, make, brief=brief)
        table.in_use, table.make = True, make
        return table.__getitem__

    def growing(self, key: Any, make: Callable[[], T]) -> "GrowingUse[T]":
        """What grows with what it is shown, such as sums over a conversation; forgotten as a
        whole. It says its size as `held_bytes`. It is taken out while it is used: a compile at
        the same time starts anew, and so does the next one after an error, which may have left
        it half grown."""
        key = "growing", key
        table = self.tables.get(key)
        if table is None:
            table = self.tables.setdefault(key, Table(grows=True, scopes=self._begun))
        return GrowingUse(table, make)

    def begin(self) -> None:
        """A scope begins: what does not grow is older by one use."""
        self._scopes.append(None)
        if self._forgotten:
            self._let_go()
        begun = self._begun.begun = self._begun.begun + 1
        for key, table in self._due.pop(begun, ()):
            if self.tables.get(key) is not table:
                continue  # it was empty, and went
            if table.ends <= begun:
                if table.before:
                    self._forgotten.append(table.before)
                self._turn_over(key, table)
            self._await_end(key, table)

    def _await_end(self, key: Any, table: Table) -> None:
        """Look at a table again at the scope at which its generation ends: so a scope looks at
        those alone that are due at its beginning."""
        if table.ends < inf:
            self._due.setdefault(table.ends, []).append((key, table))

    def end(self) -> None:
        """A scope ends. What came is measured once nobody remembers any more, or did not for a
        while."""
        self._scopes.pop()
        if self._passing and not self._scopes:
            for table in self._passing:
                if table or table.before:  # at most turns nothing came
                    table.let_go()
        self._unmeasured += 1
        is_due = self._is_forgetting or self._unmeasured > self._waits
        if (not self._scopes and is_due) or self._unmeasured > BRIEF:
            self.settle()

    def settle(self) -> None:
        """Measure what came since, and make room where that was too much."""
        if self._is_forgetting and not self._scopes:
            self._is_forgetting = False
            self.forget()
        self._unmeasured = 0
        tables = list(self.tables.values())
        # most have what they had; of what grows nothing counts as measured
        for table in compress(tables, map(ne, map(len, tables), map(_MEASURED, tables))):
            table.measure()
        young, before = sum(map(_BYTES, tables)), sum(map(_BYTES_BEFORE, tables))
        grown = young + before - self._measured
        self._waits = SLOWLY if 0 <= grown * SLOW < self._measured else 0
        self._measured = young + before
        self._budget.settle(self._account, young, before)

    def turn_over(self) -> None:
        """Forget what was not used since the last time."""
        for key, table in list(self.tables.items()):
            self._turn_over(key, table)

    def forget_before(self) -> int:
        """Forget what was not used since the last time, but for what grows."""
        for table in list(self.tables.values()):
            if not table.grows:
                table.before, table.bytes_before = {}, 0
        return sum(table.bytes_before for table in list(self.tables.values()))

    def forget(self) -> None:
        """Forget everything; where a compile runs, what it uses once it ended."""
        self._forgotten.clear()
        self.turn_over()
        if self._scopes:
            self._is_forgetting = True
        else:
            self.turn_over()

    def _let_go(self) -> None:
        left = AT_ONCE
        while left > 0 and self._forgotten:
            try:
                entries = self._forgotten.pop()
            except IndexError:  # another thread was first
                return
            if len(entries) <= left:
                left -= len(entries)
                entries.clear()
                continue
            _let_go_of(entries, left)
            self._forgotten.append(entries)
            return

    def _turn_over(self, key: Any, table: Table) -> None:
        table.turn_over()
        if not table.before and not table.in_use:
            self.tables.pop(key, None)


def _let_go_of(entries: dict[Any, Any], most: int = OFTEN) -> None:
    """Let go of so many entries, or of all: another thread may go on in between."""
    with suppress(KeyError):  # there were no more
        deque(islice(iter(entries.popitem, None), most), maxlen=0)
