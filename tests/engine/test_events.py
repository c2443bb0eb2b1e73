"""What an engine tells: facts and no contents; hooks that say no, and hooks that fail."""

import asyncio

import msgspec
import pytest

from contextwright import C, Deny, Engine, Replace, Session, replay
from contextwright.errors import SpecError
from contextwright.models import Models, ScriptedLLM

SECRET = "The supplier's word is xyzzy. "
SPEC = C.default() | C.compaction(4000)
NAMES = ("compile", "step", "prepare", "overflow", "pre_compact", "budget")


def begun():
    session = Session("s")
    session.add("system", "You are an agent.")
    session.user("Find the cheapest offer.")
    return session


def grow(session, n):
    session.call("search", {"page": n}, id=f"c{n}")
    session.result(f"c{n}", f"Page {n}. " + SECRET * 25)


def run(engine, steps=30, session=None):
    """An agent's loop; the packs that it sent."""
    session, packs = session or begun(), []
    for n in range(steps):
        packs.append(engine.compile(session))
        grow(session, n)
        engine.record(session)
    return packs


def listening(engine, **options):
    events = []
    for name in NAMES:
        engine.on(name, lambda event, name=name: events.append((name, event)), **options)
    return events


def test_every_pack_is_told_of_with_the_numbers_of_its_manifest():
    engine = Engine(SPEC, "gpt-5")
    events = listening(engine)
    packs = run(engine)
    compiled = [event for name, event in events if name == "compile"]
    assert [event.pack_id for event in compiled] == [pack.manifest.pack_id for pack in packs]
    last, manifest = compiled[-1], packs[-1].manifest
    assert (last.tokens, last.limit, last.blocks) == (manifest.tokens, 4000, len(manifest.kept))
    assert last.tokens_before > last.tokens
    assert last.prefix_tokens == manifest.prefix.tokens
    assert (last.session, last.turn, last.pack) == ("s", 0, None)
    assert set(last.changed) == {change.id for change in manifest.changes}


def test_a_step_is_told_once_before_and_once_after_it_is_taken():
    engine = Engine(SPEC, "gpt-5")
    events = listening(engine)
    packs = run(engine, 90)
    before = [event for name, event in events if name == "pre_compact"]
    after = [event for name, event in events if name == "step"]
    taken = [pack.manifest.folds[0].steps for pack in packs if pack.manifest.folds]
    assert before == after
    assert [event.step for event in after] == sorted(set(taken))
    assert len(after) > 1
    for event in after:
        assert event.tokens_before > event.tokens_after
        assert event.ids
        assert event.lost_prefix_tokens > 0


@pytest.mark.parametrize("limit", [C.default() | C.budget(3_000), C.default() | C.fit(3_000), None])
def test_the_steps_of_every_limit_are_told_once_before_and_once_after(limit):
    options = {"window": 4_000, "reserved_output": 1_000} if limit is None else {}
    events = []
    engine = Engine(limit or C.default(), "gpt-5", suspend=False, **options)
    for name in ("step", "pre_compact"):
        engine.on(name, lambda event, name=name: events.append((name, event)))
    packs = run(engine)
    before = [event for name, event in events if name == "pre_compact"]
    after = [event for name, event in events if name == "step"]
    steps = [pack.manifest.limit_steps for pack in packs]
    assert [event.step for event in before] == [event.step for event in after]
    assert [event.step for event in after] == sorted({*steps} - {0}) and len(after) > 2
    assert steps == sorted(steps)
    assert all(event.tokens_after < event.tokens_before and event.ids for event in after)


@pytest.mark.parametrize("spec", [C.cool(threshold=3_000), C.default() | C.cap(3_000)])
def test_the_steps_of_words_are_told_and_may_be_denied(spec):
    events = []
    engine = Engine(spec, "claude-sonnet-4-5", suspend=False)
    for name in ("step", "pre_compact"):
        engine.on(name, lambda event, name=name: events.append((name, event)))
    packs = run(engine, 24)
    numbers = [event.step for name, event in events if name == "step"]
    assert numbers == [event.step for name, event in events if name == "pre_compact"]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 1
    assert packs[-1].manifest.limit_steps == numbers[-1]
    assert all(event.tokens_after < event.tokens_before for _, event in events)
    denying = Engine(spec, "gpt-5", suspend=False, events={"pre_compact": lambda _: Deny()})
    denied = run(denying, 24)
    assert not denied[-1].manifest.changes and denied[-1].tokens > 3_000


def test_a_step_that_shortens_nothing_is_none():
    engine = Engine(C.compress_results(budget=3_000), "gpt-5", suspend=False)
    events = listening(engine)
    packs = run(engine, 16)
    assert packs[-1].tokens > 3_000 and not packs[-1].manifest.changes
    assert {name for name, _ in events} == {"compile"}


def test_a_selection_that_steps_tells_of_it():
    engine = Engine(C.relevant(max_tokens=3_000, scorer="lexical"), "gpt-5", suspend=False)
    events = listening(engine)
    run(engine, 24)
    assert sum(name == "step" for name, _ in events) > 1


def test_a_sliding_window_tells_its_steps_and_they_may_be_denied():
    events = []
    engine = Engine(C.sliding(3_000), "gpt-5")
    for name in ("step", "pre_compact"):
        engine.on(name, lambda event, name=name: events.append((name, event)))
    packs = run(engine, 24)
    numbers = [event.step for name, event in events if name == "step"]
    assert numbers == [event.step for name, event in events if name == "pre_compact"]
    assert numbers == list(range(1, len(numbers) + 1)) and len(numbers) > 1
    moved = sum(bool(pack.manifest.prefix and pack.manifest.prefix.loss) for pack in packs[1:])
    assert moved == len(numbers)
    denying = Engine(C.sliding(3_000), "gpt-5", suspend=False, events={"pre_compact": deny})
    assert run(denying, 24)[-1].tokens > 3_000


def deny(_):
    return Deny()


@pytest.mark.parametrize("limit", [C.default() | C.budget(3_000), C.default() | C.fit(3_000)])
def test_a_hook_denies_a_step_of_a_limit_and_nothing_is_left_out(limit):
    engine = Engine(limit, "gpt-5", suspend=False, events={"pre_compact": lambda _: Deny()})
    packs = run(engine)
    assert not packs[-1].manifest.changes and packs[-1].tokens > 3_000
    assert any(note.startswith("pre_compact: denied") for note in packs[-1].manifest.notes)


def test_a_step_that_was_recorded_is_not_told_again_by_another_engine():
    session = begun()
    run(Engine(SPEC, "gpt-5"), session=session)
    other = Engine(SPEC, "gpt-5")
    events = listening(other)
    other.compile(session)
    assert [name for name, _ in events] == ["compile"]


def test_what_models_were_asked_is_told():
    llm = ScriptedLLM("They settled " + SECRET)
    engine = Engine(C.rolling(n=1), "gpt-5", models=Models(llm))
    events = listening(engine)
    session = begun()
    for n in range(6):
        session.assistant(SECRET * 20)
        session.user(f"and {n}?")
    engine.compile(session)
    (event,) = [event for name, event in events if name == "prepare"]
    assert (event.kinds, event.fallbacks) == (("summary",), 0)
    assert event.models == ("scripted",)
    assert event.answers == ()


def test_a_refusal_is_told_with_both_sizes():
    engine = Engine(C.default(), "gpt-5")
    events = listening(engine)
    session = begun()
    for n in range(20):
        grow(session, n)
    sent = engine.compile(session)
    pack = engine.recover(session, "prompt is too long: 5000 tokens > 3000 maximum")
    (event,) = [event for name, event in events if name == "overflow"]
    assert (event.tokens_before, event.tokens_after) == (sent.tokens, pack.tokens)
    assert (event.overflow.limit, event.refusals) == (3000, 1)
    assert event.room >= pack.tokens


def test_events_carry_no_contents_unless_they_were_asked_for():
    llm = ScriptedLLM(SECRET)
    engine = Engine(C.rolling(n=1) | C.compaction(3000), "gpt-5", models=Models(llm))
    facts, whole = listening(engine), listening(engine, contents=True)
    session = begun()
    for n in range(14):
        session.user(f"Question {n}. " + SECRET * 6)
        engine.compile(session)
        grow(session, n)
        session.assistant(SECRET * 6)
    sent = engine.compile(session).tokens
    engine.recover(session, f"prompt is too long: {sent} tokens > {sent - 30} maximum. {SECRET}")
    names = {name for name, _ in facts}
    assert {"compile", "prepare", "overflow"} <= names
    assert "xyzzy" not in msgspec.json.encode([event for _, event in facts]).decode()
    assert all(event.pack for name, event in whole if name in {"compile", "overflow"})
    assert any(
        "xyzzy" in answer.value for name, e in whole if name == "prepare" for answer in e.answers
    )


@pytest.mark.parametrize("answer", [Deny("an audit runs"), False])
def test_a_hook_denies_a_step_and_the_whole_conversation_is_sent(answer):
    plain = run(Engine(C.default(), "gpt-5"))
    packs = run(Engine(SPEC, "gpt-5", events={"pre_compact": lambda _: answer}))
    assert [pack.body for pack in packs] == [pack.body for pack in plain]
    noted = [note for note in packs[-1].manifest.notes if note.startswith("pre_compact: denied")]
    assert len(noted) == 1
    assert packs[-1].manifest.folds == ()


def test_what_was_denied_is_taken_where_the_window_is_full():
    engine = Engine(
        SPEC, "gpt-5", window=8000, reserved_output=500, events={"pre_compact": lambda _: Deny()}
    )
    packs = run(engine, 60)
    assert max(pack.tokens for pack in packs) > 4000
    assert all(pack.tokens <= 7500 for pack in packs)


def test_a_hook_puts_another_spec_in_the_place_of_a_step():
    other = C.window(n=1) | C.compact() | C.budget(max_tokens=2500)
    session = begun()
    engine = Engine(SPEC, "gpt-5", events={"pre_compact": lambda _: Replace(other, "cheaper")})
    packs = run(engine, session=session)
    replaced = [pack for pack in packs if any("replaced by" in n for n in pack.manifest.notes)]
    assert replaced
    assert all(pack.tokens <= 2500 for pack in replaced)
    assert replay(replaced[-1], session).body == replaced[-1].body


def test_a_hook_that_fails_ends_no_turn_and_is_named():
    def breaking(event):
        raise ValueError(SECRET)

    plain = run(Engine(SPEC, "gpt-5"))
    session = begun()
    engine = Engine(SPEC, "gpt-5", events={name: [breaking] for name in NAMES})
    packs = run(engine, session=session)
    assert [pack.body for pack in packs] == [pack.body for pack in plain]
    notes = [note for pack in packs for note in pack.manifest.notes]
    for name in ("compile", "step", "pre_compact"):
        assert any(f"of {name!r} failed (ValueError)" in note for note in notes)
    assert not any("xyzzy" in note for note in notes)
    assert replay(packs[-1], session).body == packs[-1].body


def test_a_hook_that_is_to_be_stopped_stops_the_turn():
    def interrupting(event):
        raise KeyboardInterrupt

    engine = Engine(SPEC, "gpt-5", events={"compile": interrupting})
    with pytest.raises(KeyboardInterrupt):
        engine.compile(begun())


def test_an_answer_that_is_none_is_noted_and_the_step_taken():
    packs = run(Engine(SPEC, "gpt-5", events={"pre_compact": lambda _: "no"}))
    assert packs[-1].manifest.folds[0].steps
    assert any("gave str: not understood" in n for pack in packs for n in pack.manifest.notes)


def test_a_replacement_may_be_a_text_and_what_is_no_spec_ends_no_turn():
    for other, note in (
        ("C.window(n=1) | C.compact() | C.budget(max_tokens=2500)", "replaced by C.window(n=1)"),
        ("C.windw()", "a spec that is none (SpecError)"),
        (7, "a spec that is none (SpecError)"),
        (C.default() | C.budget(60), "the step is taken"),
    ):
        hook = {"pre_compact": lambda _, other=other: Replace(other, "cheaper")}
        packs = run(Engine(SPEC, "gpt-5", events=hook), 24)
        assert any(note in one for pack in packs for one in pack.manifest.notes), other


def test_events_come_in_an_event_loop_too():
    engine, session = Engine(SPEC, "gpt-5"), begun()
    events = listening(engine)

    async def work():
        for n in range(40):
            await engine.acompile(session)
            grow(session, n)
            await engine.arecord(session)

    asyncio.run(work())
    assert [name for name, _ in events].count("compile") == 40
    assert "step" in [name for name, _ in events]


async def later(event):
    """An async hook."""


@pytest.mark.parametrize(
    ("name", "hook"), [("compiled", print), ("compile", 3), ("compile", later)]
)
def test_a_hook_that_would_never_be_called_is_refused(name, hook):
    with pytest.raises(SpecError) as caught:
        Engine(SPEC, "gpt-5").on(name, hook)
    assert caught.value.fix
    with pytest.raises(SpecError):
        Engine(SPEC, "gpt-5", events={name: hook})
