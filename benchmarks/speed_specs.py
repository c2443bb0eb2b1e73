"""What `python -m benchmarks` times: whole specs, and every word over the whole history into a
budget, with settings as somebody would use them."""

from tests.rules.samples import SAMPLES

from contextwright import C, PackBuilder
from contextwright.errors import SpecError
from contextwright.spec import ATOMS
from contextwright.spec.expr import Expr
from contextwright.testing.word_suite import standing

LIMIT = 8_000
README = C.window(n=10) | C.compact() | C.budget(max_tokens=LIMIT)
BUDGET = C.default() | C.budget(max_tokens=LIMIT)
WHOLE: dict[str, Expr] = {
    "the README's": README,
    "the README's, four turns": C.window(n=4) | C.compact() | C.budget(max_tokens=LIMIT),
    "tiers": (C.window(3) | C.priority(1)) + (C.default() | C.priority(3)) | C.budget(LIMIT),
    "whole history into a budget": BUDGET,
    "redacted, into a budget": C.default() | C.redact(["email", "phone"]) | C.budget(LIMIT),
    "compaction, 8,000": C.compaction(LIMIT),
    "compaction, 32,000": C.compaction(32_000),
    "Context Pack": PackBuilder(max_tokens=LIMIT).spec,
    "rolling": C.rolling(5) | C.budget(LIMIT),
    "window and relevant": C.window(5) + C.relevant(top_k=5) | C.budget(LIMIT),
    "window and premise": C.window(5) + C.premise() | C.budget(LIMIT),
}
"""Specs that somebody would send, by what they are called on the page."""
GOALS = frozenset(WHOLE) - {"window and relevant", "window and premise", "rolling"}
"""Those of which the turn is to stay flat and below ten milliseconds."""

SETTINGS: dict[str, Expr] = {
    "allocate": C.allocate(max_tokens=LIMIT),
    "budget": C.budget(LIMIT),
    "cap": C.default() + (C.from_state("profile") | C.cap(60)),
    "compaction": C.compaction(LIMIT),
    "compress_results": C.compress_results(900),
    "cool": C.cool(4096),
    "decay": C.decay(),
    "expand_refs": C.window(5) + C.expand_refs("event://e1"),
    "failures": C.default() + C.failures(2),
    "fit": C.fit(LIMIT),
    "from_compaction": C.from_compaction() | C.window(5),
    "isolate": C.isolate(),
    "offload": C.window(5) + C.offload(400),
    "priority": C.priority(3),
    "project": C.project(exclude=["note"]),
    "recent": C.recent(10),
    "relevant": C.window(5) + C.relevant(top_k=5),
    "salient": C.salient(0.4),
    "sliding": C.sliding(window=LIMIT),
    "summarize": C.window(5) + C.summarize(max_tokens=200, scope="before_window"),
    "summary_constraint": C.summary_constraint(0.1, 0.3, window=LIMIT),
    "truncate": C.truncate(200),
    "validate": C.validate(["completeness", "freshness"]),
    "window": C.window(10),
}
"""A word's spec where its first sample would not do: too small for a long session."""


def word_specs() -> dict[str, Expr]:
    """Every word, over the conversation, into a budget where the word is none itself."""
    return {f"C.{word}": _limited(_over_conversation(word)) for word in sorted(ATOMS)}


def _over_conversation(word: str) -> Expr:
    return C.none() if word == "none" else standing(SETTINGS.get(word, SAMPLES[word][0]))


def _limited(spec: Expr) -> Expr:
    try:
        return spec | C.budget(LIMIT)
    except SpecError:
        return spec  # it ends in a limit of its own


def specs() -> dict[str, Expr]:
    """All that is timed, by name."""
    return {**WHOLE, **word_specs()}
