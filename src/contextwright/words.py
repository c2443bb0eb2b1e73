"""`C`: a line a word. What a word means stands in its file under `atoms/`."""

from collections.abc import Callable, Iterable
from functools import reduce
from typing import Any, Literal

from contextwright.atoms.budget.allocate import Allocate, Preset, Profile
from contextwright.atoms.budget.budget import Budget, Overflow
from contextwright.atoms.budget.fit import Fit, FitStrategy
from contextwright.atoms.budget.layer import AsLayer, Name
from contextwright.atoms.budget.priority import Priority
from contextwright.atoms.compress.compact import Compact
from contextwright.atoms.compress.decay import Decay
from contextwright.atoms.compress.dedup import Dedup
from contextwright.atoms.compress.expand import Expand, ExpandRefs
from contextwright.atoms.compress.isolate import Isolate
from contextwright.atoms.compress.project import Project
from contextwright.atoms.compress.summarize import SUMMARY_TOKENS, Summarize
from contextwright.atoms.compress.truncate import Truncate
from contextwright.atoms.protect.fresh import Fresh
from contextwright.atoms.protect.redact import Redact
from contextwright.atoms.protect.validate import Check, Validate
from contextwright.atoms.select.default import Default, Nothing
from contextwright.atoms.select.evidence import Evidence
from contextwright.atoms.select.from_compaction import FromCompaction
from contextwright.atoms.select.from_state import FromState
from contextwright.atoms.select.memory import Memory
from contextwright.atoms.select.recent import Recent
from contextwright.atoms.select.relevant import Relevant
from contextwright.atoms.select.select import EventType, Select
from contextwright.atoms.select.step import Contract, ForStep
from contextwright.atoms.select.template import Template
from contextwright.atoms.select.tools import StepTools
from contextwright.atoms.select.window import Window
from contextwright.atoms.write.capture import Capture
from contextwright.atoms.write.distill import Distill
from contextwright.atoms.write.extract import Extract
from contextwright.atoms.write.notes import Notes, NotesFormat
from contextwright.atoms.write.offload import Offload
from contextwright.atoms.write.write_notes import NotesStrategy, WriteNotes
from contextwright.errors import SpecError
from contextwright.spec.expr import Expr, make
from contextwright.spec.parse import parse_spec
from contextwright.spec.schema import schema_text
from contextwright.spec.task import Scorer

Names = Iterable[str] | str


class C:
    """Context atoms. `+` unites, `|` pipes, `.or_else` falls back; nothing runs until a compile.

    >>> C.window(n=5) | C.compact() | C.priority(tier=2)
    C.window() | C.compact() | C.priority(tier=2)
    """

    # SELECT: which information enters the context

    @staticmethod
    def window(n: int = 5) -> Window:
        """The newest `n` turns."""
        return make(Window, n=n)

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
            not_authors=_names(not_authors),
        )

    @staticmethod
    def recent(
        half_life: float = 10,
        *,
        decay: Literal["exponential", "linear", "step"] = "exponential",
        window: int = 20,
        min_score: float = 0.1,
    ) -> Recent:
        """Exchanges that are recent enough, with their recency as score."""
        return make(Recent, decay=decay, half_life=half_life, window=window, min_score=min_score)

    @staticmethod
    def relevant(
        query_key: str = "",
        *,
        query: str = "",
        top_k: int = 5,
        max_tokens: int = 0,
        model: str = "",
        scorer: Scorer = "llm",
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

    # The layers of a Context Pack (document 001)

    @staticmethod
    def step(
        role: str = "operator", *, contract: Contract = "system", recite: bool = False
    ) -> ForStep:
        """The step at hand, its limits and its checklist; makes a pack of the request."""
        return make(ForStep, role=role, contract=contract, recite=recite)

    @staticmethod
    def tools(*names: str, examples: bool = True) -> StepTools:
        """Only these tools, or those of the step, are sent."""
        return make(StepTools, names=names, examples=examples)

    @staticmethod
    def evidence(*uris: str, top_k: int = 8) -> Evidence:
        """Summaries and addresses of artifacts: these, or those that the state lists."""
        return make(Evidence, uris=uris, top_k=top_k)

    @staticmethod
    def memory(top_k: int = 5, *, min_score: float = 0.05) -> Memory:
        """What is remembered that matters for the step, with its dates."""
        return make(Memory, top_k=top_k, min_score=min_score)

    @staticmethod
    def layer(name: Name) -> AsLayer:
        """What stands to the left as a layer of a pack."""
        return make(AsLayer, name=name)

    # COMPRESS: fewer tokens, the same meaning

    @staticmethod
    def compact(
        strategy: Literal["all", "tool_results", "stale"] = "all",
        *,
        stale_after: int = 5,
        min_tokens: int = 100,
        max_tokens: int = 150,
    ) -> Compact:
        """Old tool results and long outputs become excerpts with a ref."""
        return make(
            Compact,
            strategy=strategy,
            stale_after=stale_after,
            min_tokens=min_tokens,
            max_tokens=max_tokens,
        )

    @staticmethod
    def expand(*refs: str) -> Expand | ExpandRefs:
        """What these refs name; after a pipe and without refs: every block whole."""
        return make(ExpandRefs, refs=refs) if refs else Expand()

    @staticmethod
    def expand_refs(*refs: str) -> ExpandRefs:
        """What these refs name."""
        return make(ExpandRefs, refs=refs)

    @staticmethod
    def dedup(
        strategy: Literal["exact", "structural", "semantic"] = "exact", *, model: str = ""
    ) -> Dedup:
        """One version of what stands there more than once."""
        return make(Dedup, strategy=strategy, model=model)

    @staticmethod
    def summarize(
        scope: Literal["all", "before_window", "tool_results"] = "all",
        *,
        max_tokens: int = SUMMARY_TOKENS,
        model: str = "",
        prompt: str = "",
        schema: Any = None,
    ) -> Summarize:
        """A summary of what stands to the left, or of its scope; with a schema, a record."""
        return make(
            Summarize,
            scope=scope,
            max_tokens=max_tokens,
            model=model,
            prompt=prompt,
            schema=schema_text(schema),
        )

    @staticmethod
    def project(fields: Names = (), *, exclude: Names = ()) -> Project:
        """Of structured outputs, only these fields, or all but those."""
        return make(Project, fields=_names(fields), exclude=_names(exclude))

    @staticmethod
    def isolate(policy: Literal["boundary", "masking", "transparent"] = "boundary") -> Isolate:
        """Finished tool traces out of the way: concluded, masked, or left."""
        return make(Isolate, policy=policy)

    @staticmethod
    def decay(full: int = 4, fold: int = 6, **options: Any) -> Decay:
        """The newest turns whole, those before folded, the rest a summary. Options are `Decay`'s:
        `by`, `summary`, `images`, `subtasks`, `step`, `max_tokens`, `model`."""
        return make(Decay, full=full, fold=fold, **options)

    @staticmethod
    def truncate(
        max_tokens: int, *, strategy: Literal["head", "tail", "bookend"] = "tail"
    ) -> Truncate:
        """Cut each output and result."""
        return make(Truncate, max_tokens=max_tokens, strategy=strategy)

    # WRITE: what is recorded for later, and read back

    @staticmethod
    def capture(key: str, *, what: Literal["user", "output"] = "user") -> Capture:
        """The newest message becomes state."""
        return make(Capture, key=key, what=what)

    @staticmethod
    def notes(key: str = "default", *, format: NotesFormat = "text") -> Notes:
        """What was written down under a key."""
        return make(Notes, key=key, format=format)

    @staticmethod
    def write_notes(
        key: str = "default", *, strategy: NotesStrategy = "append", model: str = ""
    ) -> WriteNotes:
        """After the turn, what the agent said is written down."""
        return make(WriteNotes, key=key, strategy=strategy, model=model)

    @staticmethod
    def extract(schema: Any, key: str, *, model: str = "", prompt: str = "") -> Extract:
        """Before the turn, the conversation fills a schema, kept under a state key."""
        return make(Extract, schema=schema_text(schema), key=key, model=model, prompt=prompt)

    @staticmethod
    def offload(min_tokens: int = 500, *, max_tokens: int = 80, model: str = "") -> Offload:
        """After the turn, large tool results become artifacts, listed for `C.evidence()`."""
        return make(Offload, min_tokens=min_tokens, max_tokens=max_tokens, model=model)

    @staticmethod
    def distill(key: str = "facts", *, model: str = "", prompt: str = "") -> Distill:
        """Before the turn, the conversation's facts are kept, for `C.notes(key)`."""
        return make(Distill, key=key, model=model, prompt=prompt)

    # BUDGET: tiers and limits

    @staticmethod
    def priority(tier: int) -> Priority:
        """1 critical, 2 important, 3 supplementary, 4 archive."""
        return make(Priority, tier=tier)

    @staticmethod
    def budget(max_tokens: int, *, overflow: Overflow = "truncate_oldest") -> Budget:
        """At most so many tokens, as they are sent."""
        return make(Budget, max_tokens=max_tokens, overflow=overflow)

    @staticmethod
    def fit(target_tokens: int, *, strategy: FitStrategy = "cascade") -> Fit:
        """Shorten by a cascade until it fits."""
        return make(Fit, target_tokens=target_tokens, strategy=strategy)

    @staticmethod
    def allocate(
        profile: Profile = "balanced", *, preset: Preset = "balanced", max_tokens: int = 0
    ) -> Allocate:
        """The window shared out among the layers of a pack."""
        return make(Allocate, profile=profile, preset=preset, max_tokens=max_tokens)

    # PROTECT: is the context safe, current, complete?

    @staticmethod
    def fresh(
        max_age: int,
        *,
        stale_action: Literal["exclude", "warn", "compact", "summarize"] = "exclude",
    ) -> Fresh:
        """What is more than `max_age` turns old is left out, marked or shortened."""
        return make(Fresh, max_age=max_age, stale_action=stale_action)

    @staticmethod
    def redact(patterns: Names = (), *, fields: Names = ()) -> Redact:
        """What these patterns find and these fields hold is not sent."""
        return make(Redact, patterns=_names(patterns), fields=_names(fields))

    @staticmethod
    def validate(
        checks: Iterable[Check] | Check,
        *,
        keys: Names = (),
        max_age: int = 20,
        on_failure: Literal["annotate", "raise"] = "annotate",
        model: str = "",
    ) -> Validate:
        """Check the assembled context; warn in it, or fail."""
        wanted: tuple[Check, ...] = (checks,) if isinstance(checks, str) else tuple(checks)  # pyright: ignore[reportAssignmentType]
        return make(
            Validate,
            checks=wanted,
            keys=_names(keys),
            max_age=max_age,
            on_failure=on_failure,
            model=model,
        )

    # Molecules: compositions of the words above (document 000 §7.4)

    @staticmethod
    def rolling(n: int = 5, *, summarize: bool = True, **options: Any) -> Expr:
        """The newest turns, and a summary of those before:
        `C.window(n=5) + C.summarize(scope="before_window")`. Options are `summarize`'s."""
        window = C.window(n=n)
        return window + C.summarize(scope="before_window", **options) if summarize else window

    @staticmethod
    def manus_cascade(budget: int = 128_000, *, n: int = 20, stale_after: int = 5) -> Expr:
        """References first, summaries when that is not enough: `C.window(n=20) |
        C.compact(strategy="stale") | C.fit(target_tokens=budget)`."""
        stale = C.compact(strategy="stale", stale_after=stale_after)
        return C.window(n=n) | stale | C.fit(target_tokens=budget)


WORDS: dict[str, Callable[..., Expr]] = {
    name: getattr(C, name) for name in vars(C) if not name.startswith("_")
}
"""The words that a spec in text may use."""


def parse(text: str) -> Expr:
    """The spec that an expression says, such as `C.window(n=5) | C.compact()`. Nothing is
    evaluated.

    Raises:
        SpecError: anything but words of `C`, operators and literals.
    """
    return parse_spec(text, WORDS)


def _names(names: Names) -> tuple[str, ...]:
    if isinstance(names, str):
        return (names,)
    try:
        return tuple(names)
    except TypeError as error:
        raise SpecError(
            f"a name or a list of names is expected, {type(names).__name__} was given",
            where=repr(names)[:80],
            fix='such as "email" or ["email", "phone"]',
        ) from error
