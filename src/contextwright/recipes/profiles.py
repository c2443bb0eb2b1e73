"""Compiler profiles (document 002): how much policy an agent wants, each a spec.

Only one contract is mandatory, `Compiler.compile(snapshot, target)`. A profile is a frozen value
whose `spec` says what it does, so that it can be printed, stored, checked and replayed; a policy
is replaced by another word, or by one of your own (`docs/how-to/policies.md`).
"""

from functools import reduce
from typing import Protocol

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.render.target import Target
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom, Expr
from contextwright.words import C


class Profile(Protocol):
    """What stands for a spec."""

    @property
    def spec(self) -> Expr:
        """The spec."""
        ...


def _compiled(profile: Profile, snapshot: Snapshot, target: Target) -> Pack:
    return SpecCompiler(profile.spec).compile(snapshot, target)


class PragmaticCompiler(msgspec.Struct, frozen=True, kw_only=True):
    """The default: one view of the log, as it is. What does not fit the window goes, oldest first.

    Args:
        view: the projection: `C.view("reasoning")`, or `"conversation"`.
    """

    view: Expr = C.view("reasoning")

    @property
    def spec(self) -> Expr:
        """The view."""
        return self.view

    def compile(self, snapshot: Snapshot, target: Target) -> Pack:
        """The pack for the next call."""
        return _compiled(self, snapshot, target)


class BudgetAwareCompiler(msgspec.Struct, frozen=True, kw_only=True):
    """A view, compacted when its budget is near.

    Args:
        view: the projection.
        compaction: when and how: a terminal, `C.compaction(...)`, `C.fit(...)`, `C.budget(...)`.
    """

    view: Expr = C.view("reasoning")
    compaction: Atom = C.compaction()

    @property
    def spec(self) -> Expr:
        """The view and its limit."""
        return self.view | self.compaction

    def compile(self, snapshot: Snapshot, target: Target) -> Pack:
        """The pack for the next call."""
        return _compiled(self, snapshot, target)


class PolicyDrivenCompiler(msgspec.Struct, frozen=True, kw_only=True):
    """The whole chain: view, tool-trace isolation, transforms, compaction.

    Normalizing is no step of its own: exchanges are whole by construction, and every request is
    checked by its provider's rules.

    Args:
        view: the projection.
        isolation: what of finished tool traces stays in sight.
        transforms: what is done to the rest in any case, in this order.
        compaction: when and how.
    """

    view: Expr = C.view("reasoning")
    isolation: Atom = C.isolate("boundary")
    transforms: tuple[Atom, ...] = ()
    compaction: Atom = C.compaction()

    @property
    def spec(self) -> Expr:
        """View, isolation, transforms, limit."""
        steps = (self.isolation, *self.transforms, self.compaction)
        return reduce(lambda left, right: left | right, steps, self.view)

    def compile(self, snapshot: Snapshot, target: Target) -> Pack:
        """The pack for the next call."""
        return _compiled(self, snapshot, target)
