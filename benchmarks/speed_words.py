"""What a word takes at 10,000 events, beside the limits that the context algebra sets (its §10): on
the newest 20 turns, after a new one. Of so many turns the quickest counts: a busy machine only adds.
"""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.generated import generated_session, grow
from contextwright import C, Engine, Session
from contextwright.compiler.call_setup import setup_for
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import PendingTasks, SpecCompiler
from contextwright.engine.engine import memo_of
from contextwright.models import Models, ScriptedLLM
from contextwright.spec.expr import Expr
from contextwright.testing import target_for

EVENTS, TIMES = 10_000, 31
TARGET = target_for("openai-chat")
NEWEST = C.window(20)
WORDS: tuple[tuple[str, int, Any], ...] = (
    ("C.window(n)", 2, C.window(10)),
    ("C.select(...)", 2, C.select(type="tool_result")),
    ("C.recent(...)", 2, C.recent(10)),
    ("C.from_state(...)", 1, C.from_state("goal", "city")),
    ("C.notes(...)", 1, C.notes("case")),
    ("C.compact(...)", 3, C.compact()),
    ("C.expand(...)", 5, C.expand("event://e2#0")),
    ('C.dedup("exact")', 2, C.dedup()),
    ('C.dedup("structural")', 3, C.dedup("structural")),
    ("C.project(...)", 2, C.project(["id"])),
    ("C.truncate(...)", 1, C.truncate(200)),
    ("C.priority(...)", 1, C.priority(2)),
    ("C.fresh(...)", 1, C.fresh(10)),
    ("C.redact(...)", 3, C.redact(["email", "phone", "ssn"])),
    ("C.validate(...) simple", 1, C.validate(["completeness", "freshness"])),
)
"""Name, limit in milliseconds, the word."""
FEW = C.window(5)
ASKING: tuple[tuple[str, int, Expr, Expr], ...] = (
    ("C.relevant(...)", 3, FEW, FEW + C.relevant(top_k=5)),
    ("C.summarize(...)", 3, C.rolling(n=5, summarize=False), C.rolling(n=5)),
    ('C.dedup("semantic")', 3, NEWEST, NEWEST | C.dedup("semantic")),
    ("C.extract(...)", 3, FEW, FEW + C.extract({"city": "str"}, key="record")),
    ("C.distill(...)", 3, FEW, FEW + C.distill("case")),
    ("C.validate(...) contradictions", 3, FEW, FEW | C.validate("contradictions")),
)
"""Words that ask models."""
ALL = ("no word that asks", 10, FEW + C.select(author="critic") | C.compact() | C.budget(8000))
"""A whole pipeline, with its limit."""


def word_rows() -> Iterator[tuple[str, int, float]]:
    """Each word by itself: name, limit, what it takes."""
    session = _session()
    compiler, places = (
        SpecCompiler(C.default(), memo=memo_of(session.log)),
        iter(range(10**6, 10**7)),
    )

    def taken(atom: Any) -> float:
        seed = next(places)
        grow(session, seed, random.Random(seed))
        now = session.snapshot()
        setup = setup_for(TARGET, plan(atom), now, compiler.agent, compiler.memo)
        inputs = compiler._inputs(now, setup, PendingTasks(), (), dry=False)
        if atom.kind.value.startswith("source"):
            return _milliseconds(lambda: atom.bring(inputs))
        blocks = NEWEST.bring(inputs)
        return _milliseconds(lambda: atom.apply(blocks, inputs))

    for name, limit, atom in WORDS:
        yield name, limit, min(taken(atom) for _ in range(TIMES))


def asking_rows() -> Iterator[tuple[str, int, float]]:
    """Words that ask models, over all of the events, their answers at hand: what a word adds to a
    compile."""
    session = _session()

    def taken(spec: Expr) -> float:
        engine = Engine(spec, TARGET.model, models=Models(ScriptedLLM(_reply)))
        engine.compile(session)
        return min(_milliseconds(lambda: engine.compile(session)) for _ in range(TIMES))

    for name, limit, without, with_word in ASKING:
        yield name, limit, taken(with_word) - taken(without)
    name, limit, spec = ALL
    yield name, limit, taken(spec)


def _session() -> Session:
    session = generated_session(EVENTS)
    session.note("case", [f"note {n}" for n in range(20)])
    return session


def _milliseconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def _reply(prompt: Any) -> str:
    names = {"scores": '{"scores": []}', "pairs": '{"pairs": []}', "facts": '{"facts": ["a 1"]}'}
    known = next((reply for name, reply in names.items() if f'"{name}"' in prompt.schema), None)
    return known or ('{"city": "Lyon"}' if prompt.schema else "In short.")
