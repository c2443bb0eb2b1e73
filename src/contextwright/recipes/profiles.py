"""Compiler profiles (message-compiler.md#one-contract): how much policy an agent wants, each a
spec.

Only one contract is mandatory, `Compiler.compile(snapshot, target)`. A policy is replaced by
another word, or by one of your own (`docs/how-to/policies.md`).
"""

from functools import reduce
from operator import or_

import msgspec

from contextwright.compiler.pack import Pack
from contextwright.engine.one_call import compile
from contextwright.errors import SpecError
from contextwright.render.target import Target
from contextwright.session.checked_call import CheckedCall
from contextwright.session.snapshot import Snapshot
from contextwright.spec.expr import Atom, Expr
from contextwright.words import C


class Recipe(msgspec.Struct, metaclass=CheckedCall, frozen=True):
    """A frozen value that stands for a spec; a `Compiler` too. What it means is its `spec`, which
    can be printed, stored, checked, piped into more words, and given to `compile` and `Engine`.
    """

    @property
    def spec(self) -> Expr:
        """The spec.

        Raises:
            SpecError: a recipe of somebody's own that does not say it.
        """
        raise SpecError(
            f"{type(self).__name__} has no spec",
            where=f"{type(self).__name__}.spec",
            fix="take one that has it, such as PragmaticCompiler(); one of your own defines the "
            "property `spec`",
        )

    def compile(
        self, snapshot: Snapshot, target: Target, *, now_ms: int | None = None, agent: str = ""
    ) -> Pack:
        """The pack that `contextwright.compile` makes of the spec, byte for byte.

        Args:
            now_ms: milliseconds since 1970, where a rule of the spec needs a clock.
            agent: the agent that the request is for.

        Raises:
            SpecError: the spec can not be met by this session. BudgetError: what must stay does
                not fit.
        """
        return compile(snapshot, self.spec, target=target, now_ms=now_ms, agent=agent)


class PragmaticCompiler(Recipe, frozen=True, kw_only=True):
    """The default: one view of the log. What does not fit the window goes, oldest first.

    Args:
        view: the projection: `C.view("reasoning")`, or `"conversation"`.
    """

    view: Expr = C.view("reasoning")

    @property
    def spec(self) -> Expr:
        """The view."""
        return self.view


class BudgetAwareCompiler(PragmaticCompiler, frozen=True, kw_only=True):
    """A view, compacted when its budget is near.

    Args:
        compaction: when and how: a terminal, `C.compaction(...)`, `C.fit(...)`, `C.budget(...)`.
    """

    compaction: Atom = C.compaction()

    @property
    def spec(self) -> Expr:
        """The view and its limit."""
        return self.view | self.compaction


class PolicyDrivenCompiler(BudgetAwareCompiler, frozen=True, kw_only=True):
    """The whole chain: view, tool-trace isolation, transforms, compaction.

    Normalizing is no step of its own: exchanges are whole by construction, and every request is
    checked by its provider's rules.

    Args:
        isolation: what of finished tool traces stays in sight.
        transforms: what is done to the rest in any case, in this order.
    """

    isolation: Atom = C.isolate("boundary")
    transforms: tuple[Atom, ...] = ()

    @property
    def spec(self) -> Expr:
        """View, isolation, transforms, limit."""
        return reduce(or_, (self.isolation, *self.transforms, self.compaction), self.view)
