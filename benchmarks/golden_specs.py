"""The specs of the golden run: every word's samples, whole specs of the README, recipes."""

from collections.abc import Iterable, Iterator

from tests.rules.samples import SAMPLES

from contextwright import C, PackBuilder
from contextwright.errors import SpecError
from contextwright.recipes.injectors import (
    InjectionOrchestrator,
    knowledge,
    plan,
    system_role,
    todo,
    user_memory,
)
from contextwright.recipes.profiles import (
    BudgetAwareCompiler,
    PolicyDrivenCompiler,
    PragmaticCompiler,
)
from contextwright.spec.expr import Expr
from contextwright.testing.word_suite import standing

README = C.window(n=10) | C.compact() | C.budget(max_tokens=8000)
BENCHMARK = (
    C.window(n=10) | C.compact() | C.dedup() | C.redact(["email"])
    + C.from_state("goal") | C.budget(max_tokens=8000)
)  # fmt: skip
BUDGETS = tuple(C.default() | C.budget(limit) for limit in (2_000, 8_000, 32_000))
COMPACTIONS = (C.compaction(8_000), C.compaction(32_000), C.default() | C.compaction(3_000))
FITS = tuple(
    C.fit(5_000, strategy=name)
    for name in ("compact_then_summarize", "summarize_only", "salience", "strict")
)
PACKS = (
    PackBuilder().spec,
    PackBuilder(
        role="planner", profile="research", preset="cost", max_tokens=9_000,
        more_evidence=C.relevant(top_k=3), more_memory=C.from_state("profile"), recite=True,
    ).spec,
    InjectionOrchestrator(
        (system_role("You close cases."), user_memory(), knowledge(), plan(), todo())
    ).spec,
    PragmaticCompiler().spec,
    BudgetAwareCompiler(compaction=C.compaction(6_000)).spec,
    PolicyDrivenCompiler(
        compaction=C.compaction(6_000), transforms=(C.compact(), C.dedup("structural"))
    ).spec,
)  # fmt: skip
MOLECULES = (
    C.all(), C.last(2), C.last_n_turns(4), C.user_only(), C.user("first"), C.user("last"),
    C.user("bookend"), C.from_agents("researcher", "critic", "user"),
    C.from_agents_windowed(researcher=C.last(1), critic=C.all()), C.exclude_agents("critic"),
    C.rolling(5), C.rolling(3, stride=1), C.rolling(steps=6), C.rolling(4, summarize=False),
    C.manus_cascade(budget=4_000),
    C.when("intent", C.window(3), otherwise=C.window(1)), C.window(9) | C.when("missing", C.compact()),
)  # fmt: skip
POLICIES = (
    C.window(n=4) | C.compact() | C.budget(8_000),
    C.default() | C.redact("pii") | C.budget(8_000),
    C.default() | C.redact(["email"]) | C.compaction(5_000),
    C.default() | C.dedup("structural") | C.budget(8_000),
    C.default() | C.compact("tool_results") | C.budget(8_000),
    C.isolate() | C.budget(8_000),
    C.isolate("masking") | C.compaction(5_000),
    C.decay() | C.budget(8_000),
    C.decay(step=1) | C.fit(6_000),
    C.salient(0.4) | C.budget(6_000),
    C.sliding(8_000),
    C.cool(2_000) | C.budget(8_000),
    C.window(5) + C.relevant(top_k=5) | C.budget(8_000),
    C.window(5) + C.premise() | C.budget(8_000),
    (C.window(3) | C.priority(1)) + (C.default() | C.compact() | C.priority(3)) | C.budget(5_000),
    C.window(6) + C.notes("case") + C.from_state("profile") | C.allocate(max_tokens=8_000),
    C.default() | C.validate(["completeness"]) | C.budget(8_000),
    C.default() | C.compress_results(2_000) | C.budget(8_000),
    C.default() + C.offload(200) | C.budget(8_000),
    C.default() | C.fresh(4, stale_action="compact") | C.budget(8_000),
    C.default() | C.budget(6_000, overflow="summarize"),
    C.default() | C.budget(6_000, overflow="truncate_least_salient"),
    C.default() | C.budget(6_000, overflow="truncate_lowest_priority"),
)
LONG = (README, BENCHMARK, BUDGETS[1], COMPACTIONS[0], PACKS[0], *POLICIES[2:6], C.rolling(5))
"""For sessions of thousands of events."""


def word_specs() -> list[Expr]:
    """Every word's samples over the conversation, each word in front of a budget, and the rest."""
    found: dict[str, Expr] = {}
    for spec in (*_samples(), *_within(2_500), *_rest()):
        found.setdefault(repr(spec), spec)
    return list(found.values())


def one_each() -> list[Expr]:
    """One spec of each word, in front of a budget where it can be, and whole specs."""
    whole = [samples[0] for samples in SAMPLES.values() if not _ends_in_budget(samples[0])]
    return [*_within(2_500), *whole, *LONG]


def _ends_in_budget(sample: Expr) -> bool:
    try:
        return bool(standing(sample) | C.budget(1))
    except SpecError:
        return False


def _rest() -> Iterable[Expr]:
    return (README, BENCHMARK, *BUDGETS, *COMPACTIONS, *FITS, *PACKS, *MOLECULES, *POLICIES)


def _samples() -> Iterator[Expr]:
    for samples in SAMPLES.values():
        for sample in samples:
            yield sample
            yield standing(sample)


def _within(limit: int) -> Iterator[Expr]:
    for samples in SAMPLES.values():
        try:
            yield standing(samples[0]) | C.budget(limit)
        except SpecError:
            continue  # a terminal
