"""A spec is a tree of frozen values. `+` is union, `|` is pipe; building one does nothing else.

Python binds `+` tighter than `|`, so `a | priority(1) + b | priority(2) | budget(9)` reaches us
as `((a | (priority(1) + b)) | priority(2)) | budget(9)`. The builders below make it mean what it
says (precedence.md): a union that begins with a bare transform continues what stands to its left,
and leaves its last term open for the block-scoped transforms that follow.
"""

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import msgspec

from contextwright.errors import SpecError
from contextwright.spec.kind import BARE, BLOCK_SCOPED, Kind, Verb
from contextwright.spec.predicate import holds, keys_of, parsed
from contextwright.spec.ranges import Ranges
from contextwright.spec.registry import Registry
from contextwright.spec.traits import PLAIN, Gives, Traits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from contextwright.blocks.block import Blocks
    from contextwright.spec.inputs import Inputs

ATOMS: Registry["Atom"] = Registry()
"""Every atom by its word."""


class Expr(msgspec.Struct, frozen=True):
    """A spec, or a piece of one."""

    def __add__(self, other: "Expr") -> "Expr":
        return union(self, _spec(other, self, "+"))

    def __or__(self, other: "Expr") -> "Expr":
        return pipe(self, _spec(other, self, "|"))

    def __radd__(self, other: object) -> "Expr":
        return union(_spec(other, self, "+"), self)

    def __ror__(self, other: object) -> "Expr":
        return pipe(_spec(other, self, "|"), self)

    def or_else(self, other: "Expr") -> "Expr":
        """This, or `other` where this gives nothing.

        Raises:
            SpecError: one of them holds a terminal, which must come last.
        """
        if not isinstance(other, Expr):
            raise SpecError(
                f"a {type(other).__name__} is not a spec",
                where=f"({self!r}).or_else({other!r})"[:200],
                fix="build it with C, such as C.window(n=5)",
            )
        _refuse_terminal((self, other), f"({self!r}).or_else({other!r})", "a.or_else(b)")
        return Fallback(_closed(self), _closed(other))


def _spec(value: object, other: Expr, operator: str) -> Expr:
    """The operand of an operator, which must be a spec."""
    if isinstance(value, Expr):
        return value
    name = str(getattr(value, "__qualname__", ""))
    word = name if name.startswith("C.") else ""
    raise SpecError(
        f"expected a spec beside {operator!r}, got {word or type(value).__name__}"
        + (" without its parentheses" if word else ""),
        where=f"{other!r} and {word or repr(value)[:60]}"[:200],
        fix=f"call it: {word}(...)" if word else "leave it out, or build it with C: C.window(n=5)",
    )


class Atom(Expr, frozen=True, kw_only=True):
    """One word of the spec: its options are its fields, its meaning stands beside them.

    A subclass names its `word`, `kind` and `verb`.
    """

    namespace: ClassVar[str] = "C"
    word: ClassVar[str] = ""
    kind: ClassVar[Kind]
    verb: ClassVar[Verb]
    variadic: ClassVar[str] = ""
    """The tuple field that a call fills with its positional arguments, as in
    `C.from_state("a", "b")`; such a word has no other positional option."""
    positional: ClassVar[int] = 1
    """Options that a call may give by position, in the order of the fields: only those whose
    meaning the word itself tells, as in `C.window(5)`."""
    judges: ClassVar[bool] = False
    """Whether a source only reads what it is over, to say something of it: what it does not bring
    was never to be sent, and no manifest names it."""
    ranges: ClassVar[Ranges] = {}
    """The values that a search may try, by option."""
    selects: ClassVar[Literal["conversation", "other"] | None] = None
    """What a source brings, where its kind does not tell: refiners and transforms stand on the
    conversation, other sources do not."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.variadic:
            cls.positional = 0
        if cls.word:
            ATOMS[cls.word] = cls

    @property
    def traits(self) -> Traits:
        """What others may know of it without running it."""
        return PLAIN

    def reads(self) -> tuple[str, ...]:
        """The state keys that it reads, as they are stored."""
        return ()

    def cites(self) -> tuple[str, ...]:
        """The refs that it names itself."""
        return ()

    def written(self) -> tuple[str, ...]:
        """The state keys that it writes, as they are stored."""
        return ()

    @property
    def selects_conversation(self) -> bool:
        """Whether it brings blocks of the conversation where it stands alone."""
        if self.selects is not None:
            return self.selects == "conversation"
        return self.kind not in {Kind.SOURCE, Kind.WRITER}

    def bring(self, inputs: "Inputs") -> "Blocks":
        """The blocks that a source stands for."""
        raise NotImplementedError(f"{self.word} brings no blocks")

    def over(self, inputs: "Inputs") -> "Blocks | None":
        """What it is applied to with nothing to its left. None: a source brings its own blocks,
        a transform stands on the whole conversation."""
        return None

    def apply(self, blocks: "Blocks", inputs: "Inputs") -> "Blocks":
        """What comes out of a transform. It never records: the tracer compares before and after."""
        raise NotImplementedError(f"{self.word} changes no blocks")

    def __repr__(self) -> str:
        arguments = [repr(value) for value in getattr(self, self.variadic, ())]
        defaults = struct_defaults(type(self))
        for field in self.__struct_fields__:
            value = getattr(self, field)
            if field != self.variadic and (field not in defaults or value != defaults[field]):
                arguments.append(f"{field}={_code(field, value)}")
        return f"C.{self.word}({', '.join(arguments)})"


class Chain(Expr, frozen=True):
    """Transforms without anything to their left yet: `C.compact() | C.redact()`."""

    steps: tuple[Atom, ...]

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.steps))


class Pipe(Expr, frozen=True):
    """A head whose blocks go through the steps in order."""

    head: Expr
    steps: tuple[Atom, ...]

    def __repr__(self) -> str:
        return " | ".join([_grouped(self.head), *map(repr, self.steps)])


class Union(Expr, frozen=True):
    """The blocks of every term, in order.

    `open` says that a block-scoped transform piped behind applies to the last term. It is the
    builder's memory, not part of the meaning: unions are equal if their terms are.
    """

    terms: tuple[Expr, ...]
    open: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Union) and self.terms == other.terms

    def __hash__(self) -> int:
        return hash(self.terms)

    def __repr__(self) -> str:
        return " + ".join(
            repr(term) if isinstance(term, (Atom, Fallback, When)) else f"({term!r})"
            for term in self.terms
        )


class Fallback(Expr, frozen=True):
    """The first expression, or the second where the first gives nothing."""

    first: Expr
    second: Expr

    def __repr__(self) -> str:
        return f"{_grouped(self.first, Atom)}.or_else({self.second!r})"


class When(Expr, frozen=True):
    """An expression where a condition on the state holds, else another one, or nothing. What is
    not used is not run: no model is asked for it.

    Args:
        condition: as `spec.predicate` reads it.

    Raises:
        SpecError: it is no condition; a branch holds a terminal, which must come last.
    """

    condition: str
    then: Expr
    otherwise: Expr | None = None

    def __post_init__(self) -> None:
        parsed(self.condition)
        for branch in self.branches:
            _refuse_terminal((branch,), repr(self), "C.when(...)")

    @property
    def branches(self) -> tuple[Expr, ...]:
        """What may be used."""
        return (self.then,) if self.otherwise is None else (self.then, self.otherwise)

    @property
    def keys(self) -> tuple[str, ...]:
        """The state keys that the condition reads."""
        return keys_of(self.condition)

    def chosen(self, state: "Mapping[str, Any]") -> Expr | None:
        """The branch that a state is for."""
        return self.then if holds(self.condition, state) else self.otherwise

    def __repr__(self) -> str:
        last = "" if self.otherwise is None else f", otherwise={self.otherwise!r}"
        return f"C.when({self.condition!r}, {self.then!r}{last})"


def union(left: Expr, right: Expr) -> Expr:
    """`left + right`: flat, without `none`.

    Raises:
        SpecError: a term holds a terminal, which must come last.
    """
    terms = tuple(term for side in (left, right) for term in _terms(side) if not _is_none(term))
    _refuse_terminal(terms, f"({left!r}) + ({right!r})", "(... + ...)")
    if len(terms) == 1:
        return terms[0]
    return Union(terms) if terms else left


def _refuse_terminal(parts: tuple[Expr, ...], where: str, whole: str) -> None:
    for part in parts:
        last = _terminal(part)
        if last is not None:
            raise SpecError(
                f"{last.word} comes last, once: it cannot end a part of a spec",
                where=where,
                fix=f"{whole} | {last!r}",
            )


def pipe(left: Expr, right: Expr) -> Expr:
    """`left | right`, by the kinds of what stands there.

    Raises:
        SpecError: a pipe that means nothing; names both sides, their kinds and the fix.
    """
    if isinstance(right, Atom):
        return _pipe_atom(left, right)
    if isinstance(right, Chain):
        return _fold(left, right.steps)
    if isinstance(right, Union) and is_bare(right.terms[0]):
        return _continue(left, right)
    if isinstance(right, When) and is_bare(right.then):
        last = left if right.otherwise is None else pipe(left, right.otherwise)
        return When(right.condition, pipe(left, right.then), last)
    if isinstance(right, Pipe) and isinstance(right.head, Atom) and right.head.kind is Kind.REFINER:
        return _fold(left, (right.head, *right.steps))
    return _fallback(left, right)


def is_bare(expr: Expr) -> bool:
    """Whether it means nothing without something to its left."""
    return isinstance(expr, Chain) or (isinstance(expr, Atom) and expr.kind in BARE)


def _pipe_atom(left: Expr, atom: Atom) -> Expr:
    _refuse(left, atom)
    if atom.judges:
        raise SpecError(
            f"{atom.word} judges by all that is known, not by what stands to its left",
            where=f"{left!r} | {atom!r}",
            fix=f"{left!r} + {atom!r}",
        )
    if atom.kind is Kind.SOURCE or (atom.kind is Kind.REFINER and _may_be_empty(left)):
        return _fallback(left, atom)
    if isinstance(left, Union) and left.open and atom.kind in BLOCK_SCOPED:
        return Union((*left.terms[:-1], pipe(left.terms[-1], atom)), open=True)
    if isinstance(left, Pipe):
        return Pipe(left.head, (*left.steps, atom))
    if is_bare(left):
        return Chain((*_steps(left), atom))
    return Pipe(_closed(left), (atom,))


def _fold(left: Expr, atoms: tuple[Atom, ...]) -> Expr:
    for atom in atoms:
        left = _pipe_atom(left, atom)
    return left


def _continue(left: Expr, right: Union) -> Expr:
    """`x | (t + b)`: t belongs to the last term of x, then b is added and stays open."""
    first, rest = right.terms[0], right.terms[1:]
    if isinstance(left, Union):
        left = Union(left.terms, open=True)
    for step in _steps(first):
        left = _pipe_atom(left, step)
    whole = left
    for term in rest:
        whole = union(whole, term)
    return Union(whole.terms, open=True) if isinstance(whole, Union) else whole


def _fallback(left: Expr, right: Expr) -> Expr:
    if is_bare(left):
        raise SpecError(
            f"{left!r} has nothing to its left, so nothing can replace it",
            where=f"{left!r} | {right!r}",
            fix=f"{right!r} | {left!r}",
        )
    compress = _compressing(left)
    if compress is not None:
        raise _select_after_compress(left, compress, right)
    return left.or_else(right)


def _refuse(left: Expr, atom: Atom) -> None:
    """The pipes that mean nothing (context-algebra.md#pipe-rules)."""
    where = f"{left!r} | {atom!r}"
    if isinstance(left, Atom) and left.kind is Kind.WRITER:
        raise SpecError(
            f"{left.word} is a writer: it gives nothing that {atom.word} ({atom.kind.value}) "
            "could take",
            where=where,
            fix=f"{atom!r} + {left!r}" if not is_bare(atom) else f"C.default() | {atom!r}",
        )
    if atom.kind is Kind.WRITER:
        raise SpecError(
            f"{atom.word} is a writer: it takes nothing from a pipe",
            where=where,
            fix=f"{left!r} + {atom!r}",
        )
    last = _terminal(left)
    if last is not None and not _adds_nothing(atom):
        one = f"one of them: ... | {last!r}, or ... | {atom!r}"
        raise SpecError(
            f"{last.word} ({last.kind.value}) comes last; {atom.word} ({atom.kind.value}) "
            "follows it",
            where=where,
            fix=one if atom.kind is last.kind else f"... | {atom!r} | {last!r}",
        )
    compress = _compressing(left)
    if atom.verb is Verb.SELECT and compress is not None:
        raise _select_after_compress(left, compress, atom)


def _adds_nothing(atom: Atom) -> bool:
    """Whether it may follow a terminal: what it leaves is no longer than what came."""
    return atom.kind is Kind.ASSEMBLY or bool(atom.traits.tier)


def _select_after_compress(left: Expr, compress: Atom, right: Expr) -> SpecError:
    kind = f" ({right.kind.value})" if isinstance(right, Atom) else ""
    return SpecError(
        f"cannot select after compressing: {right!r}{kind} follows {compress!r} "
        f"({compress.kind.value})",
        where=f"{left!r} | {right!r}",
        fix=f"select first: ... | {right!r} | {compress!r}, or say ({left!r}).or_else({right!r})",
    )


def _compressing(left: Expr) -> Atom | None:
    """The step of the last term that compresses, if there is one."""
    if isinstance(left, Union) and left.open:
        return _compressing(left.terms[-1])
    for step in _steps(left):
        if step.verb is Verb.COMPRESS:
            return step
    return None


def _terminal(expr: Expr) -> Atom | None:
    for step in _steps(expr):
        if step.kind is Kind.TERMINAL:
            return step
    return None


def _steps(expr: Expr) -> tuple[Atom, ...]:
    if isinstance(expr, (Chain, Pipe)):
        return expr.steps
    return (expr,) if isinstance(expr, Atom) and expr.kind in BARE else ()


def _terms(expr: Expr) -> tuple[Expr, ...]:
    return expr.terms if isinstance(expr, Union) else (expr,)


def _is_none(expr: Expr) -> bool:
    return isinstance(expr, Atom) and expr.traits.gives is Gives.NOTHING


def _may_be_empty(expr: Expr) -> bool:
    return isinstance(expr, Atom) and expr.traits.gives is Gives.OFTEN_NOTHING


def _closed(expr: Expr) -> Expr:
    return Union(expr.terms) if isinstance(expr, Union) and expr.open else expr


def _grouped(expr: Expr, plain: type | tuple[type, ...] = (Atom, Fallback, When)) -> str:
    return repr(expr) if isinstance(expr, plain) else f"({expr!r})"


def literal(value: Any) -> str:
    """A value as the code that makes it; lists read better than tuples."""
    return repr(list(value)) if isinstance(value, tuple) else repr(value)  # pyright: ignore


def _code(field: str, value: Any) -> str:
    if field != "schema":
        return literal(value)
    from contextwright.spec.schema import shorthand

    return repr(shorthand(value))


def struct_defaults(atom: type[msgspec.Struct]) -> dict[str, Any]:
    """The fields that have a default, with it."""
    fields = atom.__struct_fields__
    defaults = atom.__struct_defaults__
    return dict(zip(fields[len(fields) - len(defaults) :], defaults, strict=True))
