"""`C` and `S`: every word, built out of the struct that means it.

A word's options, checks and help are those of its file under `atoms/`; only compositions of words
(molecules) are written here. `words.pyi` says the same to editors and type checkers; it is
generated (`scripts/words_stub.py`), and a test keeps it true.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import reduce, wraps
from typing import TYPE_CHECKING, Any, Literal

from contextwright.errors import SpecError, UnknownWord, nearest
from contextwright.uncalled_word import UncalledWord

if TYPE_CHECKING:
    from contextwright.atoms.compress.expand import Expand, ExpandRefs
    from contextwright.atoms.select.default import Default
    from contextwright.atoms.select.select import Select
    from contextwright.atoms.select.window import Window
    from contextwright.spec.expr import Atom, Expr, When
    from contextwright.spec.registry import Registry
    from contextwright.spec.state_step import StateStep


def _checked(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose calls are checked as those of every word, which is imported at a call."""

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        from contextwright.spec.word import check_call

        check_call(name, function, arguments, options)
        return function(*arguments, **options)

    return UncalledWord(call)


class Words(type):
    """A class whose attributes are the words of a registry, imported when they are first named;
    also those defined later, by a package of others or by a test. Its own functions are words
    that are composed of others."""

    def __new__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> "Words":
        for word, member in members.items():
            if isinstance(member, staticmethod) and word != "registry":
                members[word] = staticmethod(_checked(f"{name}.{word}", member.__func__))
        return super().__new__(cls, name, bases, members)

    def registry(cls) -> Mapping[str, type[Any]]:
        raise NotImplementedError

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        struct = cls.registry().get(name)
        if struct is not None:
            from contextwright.spec.word import word_function

            return word_function(struct)
        raise UnknownWord(
            f"{cls.__name__} has no word {name!r}",
            where=f"{cls.__name__}.{name}",
            fix=nearest(name, _words_of(cls)),
        )

    def __dir__(cls) -> list[str]:
        defined = [name for name in super().__dir__() if name != "registry"]
        return [*defined, *(word for word in cls.registry() if word not in defined)]


class C(metaclass=Words):
    """Context atoms. `+` unites, `|` pipes, `.or_else` falls back; nothing runs until a compile.

    >>> C.window(n=5) | C.compact() | C.priority(tier=2)
    C.window() | C.compact() | C.priority(tier=2)
    """

    @staticmethod
    def registry() -> "Registry[Atom]":
        from contextwright.spec.expr import ATOMS

        return ATOMS

    @staticmethod
    def last_n_turns(n: int = 5) -> "Window":
        """The older name of `window`."""
        return C.window(n=n)

    @staticmethod
    def last(n: int = 1) -> "Window":
        """The newest turns; of an agent, as `C.from_agents_windowed(researcher=C.last(1))`."""
        return C.window(n=n)

    @staticmethod
    def all() -> "Default":
        """The whole conversation; of an agent, as `C.from_agents_windowed(critic=C.all())`."""
        return C.default()

    @staticmethod
    def when(condition: str, spec: "Expr", *, otherwise: "Expr | None" = None) -> "When":
        """This spec where a condition on the state holds, else the other one, or nothing:
        `C.when("intent == 'billing'", C.notes("refunds"))`. A state key by itself holds where it
        is there and not empty. After a pipe a transform is a step that is taken or not:
        `C.window(n=9) | C.when("slow", C.compact())`."""
        from contextwright.spec.expr import Expr, When

        for name, value in (("spec", spec), ("otherwise", otherwise)):
            if not isinstance(value, Expr) and (name == "spec" or value is not None):
                raise SpecError(
                    f"C.when: expected a spec as {name}, got {type(value).__name__}",
                    where=f"C.when({condition!r}, ...)"[:200],
                    fix="C.when(CONDITION, C.notes('case')), the condition first",
                )
        if not isinstance(condition, str):
            raise SpecError(
                f"C.when: expected a condition as text, got {type(condition).__name__}",
                where="C.when(condition, spec)",
                fix='name a state key, or write such as "urgency >= 3"; what a function finds '
                "out goes to the state first: session.update({'urgent': True})",
            )
        return When(condition, spec, otherwise)

    @staticmethod
    def user_only() -> "Select":
        """What the user said: `C.select(role="user")`."""
        return C.select(role="user")

    @staticmethod
    def user(strategy: Literal["all", "first", "last", "bookend"] = "all") -> "Expr":
        """What the user said: all of it, the first or the last message, or both (`bookend`)."""
        if strategy not in ("all", "first", "last", "bookend"):
            raise SpecError(
                f"C.user: expected a strategy, got {_shown(strategy)}",
                where="C.user(strategy)",
                fix="one of 'all', 'first', 'last', 'bookend'",
            )
        if strategy == "all":
            return C.select(role="user")
        if strategy == "bookend":
            first = C.select(role="user", position="first")
            return first + C.select(role="user", position="last")
        return C.select(role="user", position=strategy)

    @staticmethod
    def from_agents(*names: str) -> "Expr":
        """What these agents said: a `C.select(author=...)` each, united."""
        _need_names(names, "from_agents", '"writer"')
        selects: list[Expr] = [C.select(author=name) for name in names]
        return reduce(lambda left, right: left + right, selects)

    @staticmethod
    def from_agents_windowed(**turns: "int | Expr | None") -> "Expr":
        """What these agents said, each in its own window: a number of newest turns, `C.last(1)`,
        `C.window(steps=3)`; `C.all()` or None for all of it:
        `C.from_agents_windowed(researcher=C.last(1), critic=C.all())`."""
        _need_names(tuple(turns), "from_agents_windowed", "researcher=C.last(1)")
        terms = [_windowed(name, window) for name, window in turns.items()]
        return reduce(lambda left, right: left + right, terms)

    @staticmethod
    def exclude_agents(*names: str) -> "Select":
        """Everything but what these agents said."""
        return C.select(not_authors=names)

    @staticmethod
    def expand(*refs: str) -> "Expand | ExpandRefs":
        """What these refs name; after a pipe and without refs: every block whole."""
        from contextwright.atoms.compress.expand import Expand, ExpandRefs
        from contextwright.spec.word import make

        return make(ExpandRefs, refs=refs) if refs else Expand()

    @staticmethod
    def rolling(
        n: int | None = None,
        *,
        steps: int | None = None,
        stride: int | None = None,
        summarize: bool = True,
        **options: Any,
    ) -> "Expr":
        """The newest turns, or steps, and a summary of those before:
        `C.window(n=5, stride=8) + C.summarize(scope="before_window")`. Options are `summarize`'s.

        It moves by eight turns, or by twice `n` where that is less, so that a provider's
        cache keeps its prefix in between; with `stride=1` at every turn."""
        from contextwright.atoms.select.window import TURNS, stride_of

        if not isinstance(summarize, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise SpecError(
                f"C.rolling: expected a bool as summarize, got {_shown(summarize)}",
                where="C.rolling(summarize=...)",
                fix="summarize=False sends the newest alone",
            )
        window = C.window(n=n, steps=steps)
        stride = stride_of(window.n or window.steps or TURNS) if stride is None else stride
        window = C.window(n=n, steps=steps, stride=stride)
        if not summarize:
            return window
        return window + C.summarize(**{"scope": "before_window", **options})

    @staticmethod
    def manus_cascade(budget: int = 128_000, *, n: int = 20, stale_after: int = 5) -> "Expr":
        """References first, summaries when that is not enough: `C.window(n=20) |
        C.compact(strategy="stale") | C.fit(target_tokens=budget)`."""
        stale = C.compact(strategy="stale", stale_after=stale_after)
        return C.window(n=n) | stale | C.fit(target_tokens=budget)


class S(metaclass=Words):
    """State steps, run by `record(session, S.tag("approved"))`."""

    @staticmethod
    def registry() -> "Registry[StateStep]":
        from contextwright.spec.state_step import STATE_STEPS

        return STATE_STEPS


def _shown(value: object) -> str:
    from contextwright.spec.word import shown

    return shown(value)


def _windowed(name: str, window: Any) -> "Expr":
    """What an agent said, in a window of its own."""
    from contextwright.spec.expr import Atom
    from contextwright.spec.kind import Kind

    chosen = C.select(author=name)
    if window is None or window == C.default():
        return chosen
    if isinstance(window, int) and not isinstance(window, bool):
        window = C.window(n=window)
    if not isinstance(window, Atom) or window.kind is not Kind.REFINER:
        raise SpecError(
            f"C.from_agents_windowed: expected a window for {name}, got {window!r}"[:200],
            where=f"C.from_agents_windowed({name}=...)",
            fix=f"{name}=C.last(1), {name}=C.all(), or a number of turns",
        )
    return chosen | window


def _need_names(names: tuple[str, ...], word: str, example: str) -> None:
    if not names:
        raise SpecError(
            f"C.{word}: expected the name of an agent, got none",
            where=f"C.{word}()",
            fix=f"C.{word}({example})",
        )


def _words_of(cls: Words) -> list[str]:
    written = [name for name in vars(cls) if not name.startswith("_") and name != "registry"]
    return [*written, *(name for name in cls.registry() if name not in written)]


class _ByName(Mapping[str, Callable[..., "Expr"]]):
    """The words that a spec in text may use, with what makes them."""

    def __getitem__(self, word: str) -> Callable[..., "Expr"]:
        try:
            return getattr(C, word)
        except AttributeError:
            raise KeyError(word) from None

    def __iter__(self) -> Iterator[str]:
        return iter(_words_of(C))

    def __len__(self) -> int:
        return len(_words_of(C))


def words() -> Mapping[str, Callable[..., "Expr"]]:
    """The words that a spec in text may use, with what makes them."""
    return _ByName()


def parse(text: str) -> "Expr":
    """The spec that an expression says, such as `C.window(n=5) | C.compact()`. Nothing is
    evaluated.

    Raises:
        SpecError: anything but words of `C`, operators and literals.
    """
    from contextwright.spec.parse import parse_spec

    return parse_spec(text, words())
