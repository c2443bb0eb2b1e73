"""Any words one behind the other: an engine that goes on, turn by turn, sends what a replay builds
from nothing, and writes the same of it."""

import itertools
import random

import pytest
from msgspec.structs import replace
from tests.compiler.test_kept_decision import agent_events
from tests.parameters import few
from tests.rules.samples import SAMPLES

from contextwright import C, Engine, Session
from contextwright.compiler.replay_pack import replay
from contextwright.errors import BudgetError, RefError, SessionError, SpecError, StepError
from contextwright.models import Models, ScriptedLLM
from contextwright.testing import target_for
from contextwright.testing.rule_sessions import WORD_STATE
from contextwright.testing.word_suite import standing

REFUSED = (BudgetError, RefError, SessionError, SpecError, StepError)
"""What may come of a compile. Any other error is a bug, a request that is over its limit too."""
FORMATS = ("openai-chat", "anthropic", "gemini", "openai-responses")
WORDS = [sample for name in sorted(SAMPLES) for sample in SAMPLES[name]]
LIMITS = (
    C.budget, C.fit, C.compaction, C.cool,
    lambda tokens: C.budget(tokens, overflow="truncate_least_salient"),
    lambda tokens: C.budget(tokens, overflow="summarize"),
    lambda tokens: C.fit(tokens, strategy="salience"),
    lambda tokens: C.fit(tokens, strategy="strict"),
    lambda tokens: C.allocate(max_tokens=max(900, tokens)),
)  # fmt: skip


def drawn_spec(dice):
    """A term or two of up to three words, mostly into a limit; a pipe that makes no sense is drawn
    again."""
    while True:
        try:
            spec = standing(dice.choice(WORDS))
            for _ in range(dice.choice((0, 0, 1, 1, 2))):
                spec = spec | dice.choice(WORDS)
            if dice.random() < 0.4:
                spec = spec + standing(dice.choice(WORDS))
            if dice.random() < 0.9:
                spec = spec | dice.choice(LIMITS)(dice.choice((150, 300, 600, 1_200)))
        except (SpecError, TypeError):
            continue
        return spec


def disturbed(session, dice):
    """What happens to a session now and then: its state is written, it is rewound."""
    if dice.random() < 0.03:
        session.update({"intent": f"part {len(session)}"})
    if dice.random() < 0.01 and len(session) > 12:
        session.rewind(dice.randint(6, len(session) - 2))


def grown_packs(engine, session, dice, events, disturb=disturbed):
    """The packs of a session that grows event by event, each with its place."""
    for place, event in enumerate(list(agent_events(dice, events, say=dice.choice((4, 12, 40))))):
        session.append(event)
        disturb(session, dice)
        try:
            pack = engine.compile(session)
        except REFUSED:
            continue
        manifest = pack.manifest
        assert manifest.tokens == manifest.fixed_tokens + sum(one.tokens for one in manifest.kept)
        yield place, pack


@pytest.mark.parametrize("seed", few(range(40), 8))
def test_an_engine_that_goes_on_sends_what_a_replay_builds(seed):
    dice = random.Random(seed)
    spec, target = drawn_spec(dice), target_for(dice.choice(FORMATS))
    engine = Engine(spec, target=target, suspend=False)
    session = Session("any", state={"goal": "Find parts.", "intent": "parts"})
    for place, pack in grown_packs(engine, session, dice, 70):
        if place % 4 == 0:
            manifest = pack.manifest
            again = replay(manifest, session)
            assert again.body == pack.body
            # what it shares with the request before it is told of a pack that came after one
            own = replace(manifest, prefix=None, folds=again.manifest.folds)
            assert own.digested() == again.manifest


ASKING = (
    C.compact() | C.fit(400), C.decay(full=2, fold=1) | C.fit(400), C.fit(500),
    C.compact() | C.budget(400, overflow="summarize"),
)  # fmt: skip


@pytest.mark.parametrize("seed", [5, *few(range(40), 3)])
@pytest.mark.parametrize("spec", ASKING, ids=repr)
def test_a_replay_needs_no_answer_that_is_not_in_the_receipt(spec, seed):
    """Of a model that never says the same: what a step left while an answer was missing, which it
    had asked for twice, was taken for what it leaves."""
    dice, count = random.Random(seed), itertools.count()
    llm = ScriptedLLM(lambda _: f"Summary {next(count)}: " + "It went on. " * dice.randint(0, 6))
    target = target_for(dice.choice(FORMATS))
    engine = Engine(spec, target=target, suspend=False, models=Models(llm))
    session = Session("any", state={"goal": "Find parts.", "intent": "parts"})
    for place, pack in grown_packs(engine, session, dice, 40, lambda *_: None):
        if place % 3 == 0:
            assert replay(pack.manifest, session).body == pack.body


STATE = {
    **WORD_STATE,
    "goal": "Find parts.",
    "_notes_case": [{"text": f"Offer {n} costs {n * 90} euros."} for n in range(18)],
    "evidence": [
        {"uri": f"artifact://tasks/42/step-3/{n}.md", "summary": f"Offer {n}, of delivery."}
        for n in range(9)
    ],
    "knowledge": [{"text": f"Buyer {n} wants short terms.", "score": n / 9} for n in range(9)],
    "passages": [{"text": f"Passage {n}, on part {n * 3}.", "id": f"p{n}"} for n in range(20)],
}
TEXTS = (
    C.notes("case"), C.notes("case", format="checklist"), C.notes("case") | C.truncate(8),
    C.evidence(), C.memory(), C.memory() | C.summarize(max_tokens=30), C.recite("case"),
    C.within(300), C.within(200, key="knowledge"), C.from_state("intent", "profile"), C.step(),
)  # fmt: skip


def with_fewer_notes(session, dice):
    """As `disturbed`, and now and then notes are taken away."""
    disturbed(session, dice)
    if dice.random() < 0.05:
        session.update({"_notes_case": STATE["_notes_case"][: dice.randint(1, 17)]})


def drawn_texts(dice):
    """A conversation beside up to four terms that bring texts, into a limit."""
    spec = C.window(dice.randint(1, 9)) | dice.choice((C.compact(), C.truncate(20), C.priority(2)))
    for text in dice.sample(TEXTS, dice.randint(1, 4)):
        spec = spec + text if dice.random() < 0.7 else text + spec
    return spec | dice.choice(LIMITS)(dice.choice((200, 300, 450, 600, 900, 1_200, 2_000)))


@pytest.mark.parametrize("seed", few(range(40), 8))
def test_texts_beside_a_conversation_are_held_to_a_limit(seed):
    """Each stands once, and a replay builds the same."""
    dice = random.Random(seed)
    spec, target = drawn_texts(dice), target_for(dice.choice((*FORMATS, "text")))
    if target.format != "text":
        target = replace(target, refs=dice.choice(("auto", "show", "hide")))
    engine = Engine(spec, target=target, suspend=False)
    session = Session("any", state=STATE)
    for place, pack in grown_packs(engine, session, dice, 40, with_fewer_notes):
        kept = pack.manifest.kept
        assert len({(one.id, one.source) for one in kept}) == len(kept)
        if place % 5 == 0:
            assert replay(pack.manifest, session).body == pack.body


@pytest.mark.parametrize("seed", [5, 9, 44])
def test_a_fold_that_had_looked_at_all_goes_on_from_what_was_saved(seed):
    """In a session whose state is written and which is rewound, beside a word that asks."""
    dice = random.Random(seed)
    spec = (C.default() + C.within(max_tokens=64, key="knowledge")) | C.compaction(300)
    engine = Engine(spec, target=target_for("anthropic"), suspend=False)
    session = Session("f", state={"goal": "Find parts."})
    for event in agent_events(dice, 160, say=dice.choice((4, 12))):
        session.append(event)
        try:
            pack = engine.compile(session)
        except REFUSED:
            continue
        if len(session) % 8 == 0:
            assert replay(pack.manifest, session).body == pack.body
        if dice.random() < 0.5:
            engine.record(session)
        if dice.random() < 0.01 and len(session) > 12:
            session.rewind(dice.randint(5, len(session) - 2))
        if dice.random() < 0.02:
            session.update({"intent": str(len(session))})
