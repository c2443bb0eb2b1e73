"""SELECT: which information enters the context."""

from functools import reduce
from typing import Literal

from contextwright.atoms.select.default import Default, Nothing
from contextwright.atoms.select.from_compaction import FromCompaction
from contextwright.atoms.select.from_state import FromState
from contextwright.atoms.select.recent import Recent
from contextwright.atoms.select.relevant import Relevant
from contextwright.atoms.select.salient import Salient
from contextwright.atoms.select.select import EventType, Select
from contextwright.atoms.select.sliding import Sliding
from contextwright.atoms.select.template import Template
from contextwright.atoms.select.view import View
from contextwright.atoms.select.window import Window
from contextwright.errors import SpecError
from contextwright.spec.expr import Expr, make
from contextwright.spec.task import Scorer
from contextwright.words.names import Names, names_of


class SelectWords:
    """SELECT: which information enters the context."""

    @staticmethod
    def window(n: int | None = None, *, steps: int | None = None) -> Window:
        """The newest `n` turns, or the newest `steps` exchanges."""
        return make(Window, n=n, steps=steps)

    @staticmethod
    def last_n_turns(n: int = 5) -> Window:
        """The older name of `window`."""
        return make(Window, n=n)

    @staticmethod
    def select(
        author: str | None = None,
        *,
        role: Literal["system", "user", "assistant", "tool"] | None = None,
        type: EventType | None = None,
        tag: str | None = None,
        position: Literal["first", "last"] | None = None,
        scope: Literal["all", "before_window", "tool_results"] = "all",
        not_authors: Names = (),
    ) -> Select:
        """Exchanges with an event that has all of these attributes."""
        return make(
            Select,
            author=author,
            role=role,
            type=type,
            tag=tag,
            position=position,
            scope=scope,
            not_authors=names_of(not_authors),
        )

    @staticmethod
    def recent(
        half_life: float = 10,
        *,
        decay: Literal["exponential", "linear", "step"] = "exponential",
        window: int = 20,
        min_score: float = 0.1,
        by: Literal["recency", "salience"] = "recency",
    ) -> Recent:
        """Exchanges that are recent, or salient, enough, with that as score."""
        return make(
            Recent, decay=decay, half_life=half_life, window=window, min_score=min_score, by=by
        )

    @staticmethod
    def relevant(
        query_key: str = "",
        *,
        query: str = "",
        top_k: int = 5,
        max_tokens: int = 0,
        model: str = "",
        scorer: Scorer | Literal["salience"] = "llm",
    ) -> Relevant:
        """What matters most for a query: a state key's, a literal one, or what is asked now
        (`__user_content__`); so many blocks, or so many tokens."""
        return make(
            Relevant,
            query_key=query_key,
            query=query,
            top_k=top_k,
            max_tokens=max_tokens,
            model=model,
            scorer=scorer,
        )

    @staticmethod
    def salient(
        min_score: float = 0,
        *,
        entities: Names = (),
        recency: float = 0.3,
        entity: float = 0.3,
        user_reference: float = 0.2,
        structural: float = 0.2,
        half_life: float = 10,
    ) -> Salient:
        """Exchanges that are salient enough, with their salience as score."""
        return make(
            Salient,
            min_score=min_score,
            entities=names_of(entities),
            recency=recency,
            entity=entity,
            user_reference=user_reference,
            structural=structural,
            half_life=half_life,
        )

    @staticmethod
    def sliding(window: int = 4096, *, sinks: int = 4, recent: int = 1024) -> Sliding:
        """The first exchanges, the newest, and the most salient in between, in so many tokens."""
        return make(Sliding, window=window, sinks=sinks, recent=recent)

    @staticmethod
    def from_state(
        *keys: str, format: Literal["labeled", "json", "plain"] = "labeled"
    ) -> FromState:
        """What the session remembers under these keys."""
        return make(FromState, keys=keys, format=format)

    @staticmethod
    def from_compaction() -> FromCompaction:
        """A summary that is in the log already, and what it does not cover; or nothing."""
        return FromCompaction()

    @staticmethod
    def template(text: str) -> Template:
        """A text with `{state_keys}` in it."""
        return make(Template, text=text)

    @staticmethod
    def none() -> Nothing:
        """No context but the instruction and what is asked now."""
        return Nothing()

    @staticmethod
    def default() -> Default:
        """The whole conversation."""
        return Default()

    @staticmethod
    def view(name: Literal["reasoning", "conversation"] = "reasoning") -> View:
        """The log with its tool trace, or without."""
        return make(View, name=name)

    @staticmethod
    def user_only() -> Select:
        """What the user said: `C.select(role="user")`."""
        return make(Select, role="user")

    @staticmethod
    def from_agents(*names: str) -> Expr:
        """What these agents said: a `C.select(author=...)` each, united."""
        if not names:
            raise SpecError(
                "from_agents needs a name", where="C.from_agents()", fix='C.from_agents("writer")'
            )
        selects: list[Expr] = [make(Select, author=name) for name in names]
        return reduce(lambda left, right: left + right, selects)

    @staticmethod
    def from_agents_windowed(**turns: int | None) -> Expr:
        """What these agents said, each in its own newest turns; None for all:
        `C.from_agents_windowed(researcher=1, critic=None)`."""
        if not turns:
            raise SpecError(
                "from_agents_windowed needs a name",
                where="C.from_agents_windowed()",
                fix="C.from_agents_windowed(researcher=1)",
            )
        terms: list[Expr] = [
            make(Select, author=name)
            if n is None
            else make(Select, author=name) | make(Window, n=n)
            for name, n in turns.items()
        ]
        return reduce(lambda left, right: left + right, terms)

    @staticmethod
    def user(strategy: Literal["all", "first", "last", "bookend"] = "all") -> Expr:
        """What the user said: all of it, the first or the last message, or both (`bookend`)."""
        if strategy == "all":
            return make(Select, role="user")
        if strategy == "bookend":
            return make(Select, role="user", position="first") + make(
                Select, role="user", position="last"
            )
        return make(Select, role="user", position=strategy)

    @staticmethod
    def exclude_agents(*names: str) -> Select:
        """Everything but what these agents said."""
        return make(Select, not_authors=names)
