"""What words tell of the log is what they make of the blocks, to the last byte."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.work_counts import exchanges_read

from contextwright import C, Engine, Session
from contextwright.atoms.compress.summarize import Summarize
from contextwright.atoms.write.distill import Distill
from contextwright.atoms.write.extract import Extract
from contextwright.errors import ContextwrightError
from contextwright.spec.inputs import Inputs
from contextwright.testing import target_for
from contextwright.testing.session_strategies import sessions

RECORD = C.extract({"who": "str?", "amounts": "list[float]?"}, key="record")
SPECS = (
    C.window(n=1) + C.summarize(scope="before_window", max_tokens=100) | C.budget(2_000),
    C.window(steps=2) + C.summarize(scope="before_window", max_tokens=100) | C.budget(2_000),
    C.rolling(2, stride=2) | C.budget(1_500),
    C.summarize(max_tokens=100) | C.budget(2_000),
    C.window(n=2) + C.distill() | C.budget(2_000),
    C.default() + RECORD | C.budget(2_000),
)
WORDS = (Summarize, Distill, Extract)


def requests(spec, events, format: str, every: int) -> list[object]:
    """Request and receipt as a session grows, or the error."""
    target = target_for(format)
    engine = Engine(spec, target.model, format=format, window=128_000, reserved_output=0)
    session, made = Session("grown"), []
    for place, event in enumerate(events):
        session.append(event)
        if place % every == 0 or place == len(events) - 1:
            try:
                pack = engine.compile(session)
            except ContextwrightError as error:
                made.append(str(error))
            else:
                made.append((pack.body, pack.manifest.to_json()))
    return made


@settings(
    suppress_health_check=list(HealthCheck), max_examples=8, deadline=None, phases=[Phase.generate]
)
@given(
    session=sessions(max_turns=10), spec=st.sampled_from(SPECS), every=st.integers(1, 5),
    format=st.sampled_from(("openai-chat", "anthropic", "gemini")),
)  # fmt: skip
def test_sessions_of_every_shape_give_what_the_blocks_give(session, spec, every, format):
    events = list(session.log)
    told = requests(spec, events, format, every)
    with pytest.MonkeyPatch.context() as patch:
        made_of_blocks(patch)
        assert requests(spec, events, format, every) == told


def made_of_blocks(patch: pytest.MonkeyPatch) -> None:
    """No word tells what it makes of the log: each is given its blocks."""
    for word in WORDS:
        patch.setattr(word, "of_log", lambda self, inputs, tokens: None)
    patch.setattr(Summarize, "divides_at", lambda self, inputs, tokens: 0)


TURNS = 40
"""Turns behind which the last ones are looked at, and four times as many."""


def chat(turns: int) -> Session:
    """Turns with a call each, a failure among them that nothing made good."""
    session = Session("chat")
    for turn in range(turns):
        session.user(f"Question {turn}: where is parcel {turn} of the tenth of May now?")
        failed = turn == 3
        session.call("weigh" if failed else "track", f'{{"parcel": {turn}}}', id=f"c{turn}")
        session.result(f"c{turn}", f"Parcel {turn} is in depot {turn % 7}.", error=failed)
        session.assistant(f"Parcel {turn} is in depot {turn % 7}, and will leave at noon.")
    return session


def blocks_brought(work) -> int:
    """Blocks that are brought of the conversation while something works."""
    counts: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        for name in ("blocks", "until"):
            whole = getattr(Inputs, name)

            def counted(inputs, *arguments, whole=whole):
                made = whole(inputs, *arguments)
                counts.append(len(made))
                return made

            patch.setattr(Inputs, name, counted)
        work()
    return sum(counts)


@pytest.mark.parametrize("spec", SPECS, ids=repr)
def test_a_turn_looks_at_no_more_of_a_long_session(spec):
    looks: list[tuple[int, int]] = []
    for turns in (TURNS, 4 * TURNS):
        session, engine = chat(turns), Engine(spec, "gpt-5", window=128_000, reserved_output=0)
        engine.compile(session)
        most = (0, 0)
        for turn in range(6):  # windows move meanwhile
            session.user(f"And parcel {turn}?")
            session.assistant(f"Parcel {turn} is in the depot.")
            read: list[int] = []
            brought = blocks_brought(
                lambda: read.append(exchanges_read(lambda: engine.compile(session)))  # noqa: B023
            )
            most = max(most[0], brought), max(most[1], read[0])
        looks.append(most)
    (brought, read), (later, read_later) = looks
    assert later <= brought * 1.2  # a look at the conversation begins at a round place
    assert read_later <= read * 1.2


def test_a_summary_of_many_exchanges_names_their_ends():
    session, engine = chat(TURNS), Engine(SPECS[0], "gpt-5", window=128_000, reserved_output=0)
    [summary] = [b for b in engine.compile(session).manifest.kept if b.source.startswith("summary")]
    assert summary.lineage == ("event://e1#..e12", "event://e15#..e155")
    assert summary.ref == "event://e1#..e155"  # the failure among them is read, too
