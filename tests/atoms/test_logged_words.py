"""What matters for a question is told from the log's words, as by a look at every exchange."""

import random

import pytest
from tests.compiler.test_horizon import agent, named
from tests.parameters import few

from contextwright import C, Engine, Session, replay
from contextwright.atoms import logged_words
from contextwright.models import Models, ScriptedLLM
from contextwright.spec.inputs import Memo

SPECS = (
    C.window(1) + C.relevant(top_k=2), C.relevant(top_k=3, scorer="lexical"),
    C.window(2) + C.relevant("about", top_k=4), C.relevant(query="order ORD-101", top_k=1),
)  # fmt: skip


class Asked(Models):
    """Models that are asked for every score."""

    by_words = frozenset[str]()


def growing(dice: random.Random) -> Session:
    return dice.choice((agent, named))(dice)


@pytest.mark.parametrize("seed", few(range(12), 4))
def test_the_same_is_chosen_as_by_a_look_at_all(seed):
    """As results come late, exchanges are pinned, and where fewer than wanted say a word of it."""
    dice = random.Random(seed)
    spec = SPECS[seed % len(SPECS)] | C.budget(2_000)
    session = Session("grown", state={"about": "where is ORD-104"})
    by_log, asked = Engine(spec, "gpt-5"), Engine(spec, "gpt-5", models=Asked())
    for place, event in enumerate(growing(dice).log):
        session.append(event)
        if place >= 2 and place % 7 == 0:
            pack = by_log.compile(session)
            assert pack.body == asked.compile(session).body
            assert not any(answer.value for answer in pack.manifest.answers)
            assert replay(pack, session).body == pack.body


def test_of_many_the_same_are_found(monkeypatch):
    """Many are looked at roughly first, and the best of them to the last digit."""
    session, spec = named(random.Random(5)), SPECS[0] | C.budget(2_000)
    whole = Engine(spec, "gpt-5").compile(session).body
    monkeypatch.setattr(logged_words, "MANY", 1)
    assert Engine(spec, "gpt-5").compile(named(random.Random(5))).body == whole


def test_no_block_is_made_of_what_only_says_something():
    """Its words are told from its event; the window, and what calls, have blocks."""
    counts: list[int] = []
    for turns in (50, 100):
        session = Session("talk")
        for n in range(turns):
            session.user(f"What about ORD-{n}?")
            session.assistant(f"ORD-{n} was sent.")
        made, new = list[int](), Memo._new_block
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Memo, "_new_block", lambda memo, one: made.append(1) or new(memo, one))
            Engine(SPECS[0] | C.budget(2_000), "gpt-5").compile(session)
        counts.append(len(made))
    assert counts[0] == counts[1] < 20


def test_a_language_model_is_given_every_exchange():
    session = named(random.Random(3))
    llm = ScriptedLLM(lambda prompt: '{"scores": []}')
    pack = Engine(SPECS[0] | C.budget(2_000), "gpt-5", models=Models(llm)).compile(session)
    assert llm.prompts
    assert len(pack.manifest.answers[0].value) > 20
