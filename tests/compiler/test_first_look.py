"""A first compile under a fold makes no block of what decides nothing, and nobody can tell."""

import json
import re
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from tests.compiler.test_fold import work
from tests.compiler.test_known_prefix import MAPPED, TERMS, outcome
from tests.parameters import few
from tests.work_counts import exchanges_read

from contextwright import C
from contextwright.compiler.plan import plan
from contextwright.compiler.spec_compiler import PendingTasks, SpecCompiler
from contextwright.compiler.steps import origins, stepped
from contextwright.session.event import Event, Text, ToolResult
from contextwright.session.session import Session
from contextwright.spec.inputs import Memo
from contextwright.testing import target_for

SPEC, CHAT = C.compaction(700), target_for("openai-chat")
LESS = (C.cool(200), C.default() | C.cool(60), C.compress_results(budget=150, min_tokens=20))
"""Words that make each exchange as short as they can, once all are more than their own limit."""


@pytest.fixture(autouse=True)
def often(monkeypatch):
    """Steps begin anew often."""
    monkeypatch.setattr(origins, "SPACES", 2)
    monkeypatch.setattr(origins, "SHORTENED", 4)


@pytest.fixture
def told(monkeypatch) -> list[int]:
    """Exchanges that first compiles did not look at."""
    places: list[int] = []
    own = stepped.told_prefix

    def noting(limit, inputs):
        prefix = own(limit, inputs)
        places.append(0 if prefix is None else prefix.place)
        return prefix

    monkeypatch.setattr(stepped, "told_prefix", noting)
    return places


@pytest.fixture
def everything(monkeypatch) -> Callable[..., object]:
    """What a first compile gives that looks at everything."""

    def looked(spec, session, target):
        with monkeypatch.context() as patch:
            patch.setattr(stepped, "told_prefix", lambda limit, inputs: None)
            return outcome(spec, session, target)

    return looked


def blocks_made(session: Session, spec=SPEC) -> int:
    made: list[int] = []
    new = Memo._new_block
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Memo, "_new_block", lambda memo, one: made.append(1) or new(memo, one))
        outcome(spec, session, CHAT)
    return len(made)


def texts_asked(session: Session, spec) -> int:
    """How many texts are summarized for a first compile."""
    wants = PendingTasks()
    assert SpecCompiler(spec).try_compile(session.snapshot(), CHAT, wants) is None
    return len(wants.asked)


def append(session: Session, other: Session) -> None:
    for event in other.log:
        session.append(replace(event, id=f"of {event.id}"))


def test_a_first_compile_makes_as_many_blocks_of_a_long_session_as_of_a_short_one():
    more, most = (blocks_made(work(count, 3)) for count in (400, 1_200))
    assert most < 1.3 * more


@pytest.mark.parametrize("term", [C.redact("pii"), C.compact(min_tokens=25)], ids=repr)
def test_so_it_does_behind_words_but_for_those_that_say_what_holds_from_there_on(term):
    texts = str([event.text for event in work(1_200, 3).log])
    rules = len(re.findall("Never touch|The box of rack", texts))
    more, most = (blocks_made(work(count, 3), term | SPEC) for count in (400, 1_200))
    assert most - rules < 1.1 * more


def test_where_words_leave_of_it_what_there_is_room_for_nothing_is_told_in_a_note(told):
    session = Session("large results")
    session.user("Read the ledgers.")
    for n in range(80):
        session.call("read", {"ledger": n}, id=f"c{n}")
        session.result(f"c{n}", f"Ledger {n} says: " + "so much of it, " * 400)
    body, manifest = outcome(C.truncate(8) | C.compaction(6_000), session, CHAT)
    assert max(told) > 40 and b"earlier/" not in manifest and body.count(b'ledger\\"') == 80


@pytest.mark.parametrize("term", [*few((*TERMS, *MAPPED), 5), *LESS], ids=repr)
@pytest.mark.parametrize("format", few(("openai-chat", "anthropic", "gemini"), 1))
def test_it_gives_what_looking_at_everything_gives(term, format, told, everything):
    spec, target = term | SPEC, target_for(format)
    for seed, count in enumerate((120, 170, 230)):
        session = work(count, seed)
        assert outcome(spec, session, target) == everything(spec, session, target)
    assert max(told) > 40


@pytest.mark.parametrize("term", few(LESS, 2), ids=repr)
def test_a_session_grows_behind_such_a_word_as_it_would_from_nothing(term, told):
    session, memo, events = Session("grown"), Memo(), list(work(200, 3).log)
    for place, event in enumerate(events):
        session.append(event)
        if place % 9 == 0 or event is events[-1]:
            assert outcome(term | SPEC, session, CHAT, memo) == outcome(term | SPEC, session, CHAT)
    assert max(told) > 40


def test_a_word_that_maps_the_log_is_no_such_word():
    assert all(plan(term | SPEC).lessens for term in LESS)
    assert not any(plan(term | SPEC).lessens for term in (*TERMS, *MAPPED))


def test_such_a_word_asks_as_much_of_a_model_in_a_long_session_as_in_a_short_one():
    more, most = (texts_asked(work(count, 3), LESS[0] | SPEC) for count in (400, 1_200))
    assert 0 < most < 1.3 * more


def test_a_turn_behind_such_a_word_reads_as_much_of_a_long_session_as_of_a_short_one():
    def read(count: int) -> int:
        session, memo = work(count, 2), Memo()
        outcome(LESS[0] | SPEC, session, CHAT, memo)
        session.user("And now?")
        return exchanges_read(lambda: outcome(LESS[0] | SPEC, session, CHAT, memo))

    assert read(800) < 1.5 * read(200)


def test_of_what_a_note_stands_for_such_a_word_tells_nothing():
    manifest = json.loads(outcome(LESS[0] | SPEC, work(400, 3), CHAT)[1])
    assert len(manifest["changes"]) < 12 and "earlier/e1" in str(manifest["changes"])


@pytest.mark.parametrize("term", [LESS[0] | C.redact(["part"]), C.cool(100_000)], ids=repr)
def test_what_is_redacted_or_within_its_limit_is_looked_at_as_a_whole(term, everything):
    session = work(200, 4)
    assert outcome(term | SPEC, session, CHAT) == everything(term | SPEC, session, CHAT)


def test_pinned_words_and_a_long_task_are_sent_from_in_front_of_it(told, everything):
    session = Session("long task")
    session.add("system", "You read ledgers.")
    session.user("Compare the ledgers of the branches. " * 40)
    session.user("Keep the totals in euros.", pinned=True)
    append(session, work(200, 5))
    assert outcome(SPEC, session, CHAT) == everything(SPEC, session, CHAT)
    body = outcome(SPEC, session, CHAT)[0]
    assert max(told) > 40 and b"Keep the totals" in body


def test_where_results_answer_no_call_all_is_looked_at(told, everything):
    session = Session("orphan")
    session.user("Go on.")
    found = ToolResult(call_id="nobody", content=(Text(text="what was found " * 9),))
    session.append(Event(id="x", role="tool", parts=(found,)))
    append(session, work(160, 6))
    assert outcome(SPEC, session, CHAT) == everything(SPEC, session, CHAT)
    assert told and not any(told)


def test_turns_go_on_from_it_as_from_a_look_at_everything(everything):
    session, memo = Session("grown"), Memo()
    events = list(work(230, 7).log)
    for event in events[:-60]:
        session.append(event)
    for place, event in enumerate(events[-60:]):
        session.append(event)
        if place % 7 == 0 or event is events[-1]:
            assert outcome(SPEC, session, CHAT, memo) == everything(SPEC, session, CHAT)


@pytest.mark.parametrize(
    "words, stretches",
    [
        ((), [4_000, 64_000, 128_000, 128_000, 128_000, 256_000]),
        ((C.redact("email"),), [4_000, 64_000, 128_000, 128_000, 128_000, 256_000]),
        ((C.redact("email"), C.compact()), [8_000, 128_000, 128_000, 128_000, 128_000, 256_000]),
    ],
    ids=repr,
)
def test_a_stretch_is_some_spaces_or_what_a_large_limit_can_use(words, stretches, monkeypatch):
    monkeypatch.undo()
    spaces = (500, 8_000, 16_000, 30_000, 32_000, 64_000)
    inputs = SimpleNamespace(mapping=words, goes_by_log=bool(words))
    assert [origins.stretch(space, inputs) for space in spaces] == stretches


def test_a_large_limit_looks_at_no_more_than_its_stretches(told, monkeypatch):
    """As if large were small: what it looks at does not grow with its space."""
    looked_at: list[int] = []
    session = work(600, 1)
    for most in (5_600, 2_800):
        monkeypatch.setattr(origins, "SPACES", 8)
        monkeypatch.setattr(origins, "STRETCH", most)
        outcome(SPEC, session, CHAT)
        looked_at.append(session.snapshot().exchange_count - told[-1])
    assert told[-1] and looked_at[1] < 0.75 * looked_at[0]
