"""Specs out of hypothesis."""

from typing import TYPE_CHECKING, Any

from contextwright.spec.expr import Expr
from contextwright.spec.kind import Kind
from contextwright.testing.lazy_hypothesis import hypothesis_strategies
from contextwright.words import C

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


def specs() -> "SearchStrategy[Expr]":
    """Valid specs of every shape, with and without a limit."""
    st = hypothesis_strategies()
    sources, steps = _sources(st), _steps(st)

    @st.composite
    def terms(draw: Any) -> Expr:
        term = draw(sources)
        if getattr(term, "kind", None) is Kind.WRITER:
            return term
        for step in draw(st.lists(steps, max_size=2)):
            term = term | step
        return term

    @st.composite
    def built(draw: Any) -> Expr:
        whole = draw(terms())
        for other in draw(st.lists(terms(), max_size=2)):
            whole = whole + other
        if getattr(whole, "kind", None) is Kind.WRITER:
            whole = whole + C.window(n=2)
        if draw(st.booleans()):
            whole = whole | C.redact(["email"])
        if draw(st.booleans()):
            checks = ("completeness", "freshness", "token_efficiency", "contradictions")
            whole = whole | C.validate(checks)
        limits = st.integers(60, 4000)
        overflow = st.sampled_from(
            (
                "truncate_oldest",
                "truncate_lowest_priority",
                "truncate_least_salient",
                "summarize",
            )
        )
        strategy = st.sampled_from(
            ("cascade", "compact_then_summarize", "summarize_only", "salience", "strict")
        )
        kind = draw(st.integers(0, 5))
        if kind == 5:
            return whole | C.compaction(draw(limits), low=draw(st.sampled_from((20, 45, 70))))
        if kind >= 3:
            contract = draw(st.sampled_from(("system", "payload", "none")))
            pack = (C.step(contract=contract) + whole) if kind == 4 else whole
            return pack | C.allocate(max_tokens=draw(st.integers(300, 6000)))
        if kind == 1:
            return whole | C.budget(draw(limits), overflow=draw(overflow))
        return whole | C.fit(draw(limits), strategy=draw(strategy)) if kind == 2 else whole

    return built()


def _sources(st: Any) -> Any:
    return st.sampled_from(
        (
            C.window(n=1), C.window(n=3), C.default(), C.none(), C.user_only(), C.recent(2),
            C.select(author="researcher"), C.select(type="tool_result"), C.select(tag="approved"),
            C.select(role="user", position="first"), C.from_state("intent", "profile"),
            C.notes("case"), C.notes("case", format="checklist"), C.template("hello {intent?}"),
            C.recent(decay="linear", window=2), C.exclude_agents("critic"),
            C.capture("asked"), C.from_compaction(), C.relevant(top_k=2),
            C.relevant("intent", top_k=1, scorer="lexical"), C.distill("case"),
            C.extract({"intent": "str", "amounts": "list[float]?"}, key="record"),
            C.write_notes("case"), C.evidence(), C.evidence(top_k=1), C.memory(), C.memory(2),
            C.tools("search"), C.tools(), C.offload(20), C.recite("case"), C.failures(2),
            C.salient(), C.salient(0.5, entities=["word"]), C.recent(1, by="salience"),
            C.relevant(top_k=2, scorer="salience"), C.sliding(), C.sliding(90, recent=30),
            C.window(n=3) | C.salient(0.3, structural=1),
            C.select(role="user") | C.sliding(60, sinks=20, recent=30),
            C.premise(), C.premise(unknown=True), C.when("intent", C.notes("case")),
            C.when("intent == 'x'", C.default() | C.compact(), otherwise=C.window(n=2)),
            C.when("intent", C.default() | C.redact(["email"]), otherwise=C.default()),
        )
    )  # fmt: skip


def _steps(st: Any) -> Any:
    return st.sampled_from(
        (
            C.compact(), C.compact("tool_results", min_tokens=10, max_tokens=30),
            C.compact("stale", stale_after=1), C.dedup(), C.dedup("structural"),
            C.truncate(20), C.truncate(30, strategy="bookend"), C.truncate(9, strategy="head"),
            C.project(["results"]), C.priority(1), C.priority(2), C.priority(3), C.priority(4),
            C.fresh(1), C.fresh(1, stale_action="warn"), C.fresh(1, stale_action="compact"),
            C.fresh(0, stale_action="summarize"), C.expand(), C.summarize(max_tokens=40),
            C.summarize(schema={"decisions": "list[str]"}), C.dedup("semantic"),
            C.layer("memory"), C.layer("evidence"), C.isolate(), C.isolate("masking"),
            C.decay(1, 1), C.decay(1, 0, summary=False, subtasks=True), C.decay(1, 2, step=2),
            C.cap(60), C.phase("system"), C.phase("runtime"), C.vary(3),
            C.compress_results(900, min_tokens=20), C.clock_last(), C.minify(),
            C.decay(200, 300, by="tokens", images=1), C.decay(1, 1, spare=0.4), C.cool(60),
            C.cool(900), C.summary_constraint(0.1, 0.3, window=800),
            C.summary_constraint(0.0, max_tokens=9),
        )
    )  # fmt: skip
