"""What words are told of the log where a spec redacts is what is left of it."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.compiler.test_word_of_log import RECORD, TURNS, made_of_blocks, requests
from tests.compiler.test_words_behind_everything import GROWN, sent
from tests.work_counts import exchanges_read

from contextwright import C, Engine, Session

REDACTION, NOTHING = C.redact(["email", "phone"]), C.redact("no text has this")
WORDS = (
    C.default(),
    C.dedup(),
    C.dedup("structural"),
    C.salient(0.4),
    C.recent(2, by="salience"),
    C.select(role="user"),
    C.relevant(top_k=2),
    C.compact(min_gain=10, min_tokens=5),
    C.validate(["completeness", "freshness", "token_efficiency"]),
    C.rolling(2, stride=2),
    C.summarize(max_tokens=40),
    C.window(n=2) + C.distill(),
    C.window(n=2) + RECORD,
    C.decay(2, 2),
    C.sliding(300, recent=60),
    C.cap(300),
    C.fresh(1, stale_action="summarize"),
    C.default() | C.sliding(400, recent=60),
    C.default() | C.cap(300),
    C.window(n=2) + C.dedup(),
    C.dedup() + C.salient(0.4),
)
LIMITS = (
    C.budget(500),
    C.budget(2_000),
    C.budget(500, overflow="truncate_least_salient"),
    C.fit(700),
    C.fit(700, strategy="salience"),
    C.compaction(900),
)
FEW = (C.dedup(), C.relevant(top_k=4), C.rolling(4), C.decay(4, 4), C.sliding(600, recent=200))


RUNS = settings(
    suppress_health_check=list(HealthCheck), max_examples=25, deadline=None, phases=[Phase.generate]
)


@RUNS
@given(word=st.sampled_from(WORDS), limit=st.sampled_from(LIMITS), **GROWN)
def test_a_redaction_that_finds_nothing_changes_nothing(session, word, limit, every, format):
    events = list(session.log)
    plain, redacting = (
        sent(requests(spec | limit, events, format, every)) for spec in (word, word | NOTHING)
    )
    assert plain == redacting


READERS = (
    C.window(n=1) + C.summarize(scope="before_window", max_tokens=100),
    C.rolling(2, stride=2),
    C.summarize(max_tokens=40),
    C.window(n=2) + C.distill(),
    C.window(n=2) + RECORD,
)


@RUNS
@given(spec=st.sampled_from(READERS), **GROWN)
def test_what_is_made_of_a_redacted_log_is_what_its_blocks_give(session, spec, every, format):
    spec, events = spec | C.redact([r"\d\d"]) | C.budget(2_000), list(session.log)
    told = sent(requests(spec, events, format, every))
    with pytest.MonkeyPatch.context() as patch:
        made_of_blocks(patch)
        assert sent(requests(spec, events, format, every)) == told


def test_what_says_the_same_once_it_is_redacted_is_said_once():
    """Also where the first that said it is no longer looked at."""
    session = Session("chat")
    for turn in range(TURNS):
        session.user(f"Question {turn}: where is parcel {turn} of the tenth of May now?")
        session.assistant(f"Its sender, sender{turn}@corp.com, knows best; please ask them there.")
    spec = C.dedup() | REDACTION | C.budget(400)
    pack = Engine(spec, "gpt-5").compile(session)
    assert pack.body.count(b"knows best") == 1  # the live edge, which nothing leaves out
    plain = Engine(C.dedup() | C.budget(400), "gpt-5").compile(session)
    assert plain.body.count(b"knows best") > 1


def chat(turns: int) -> Session:
    session = Session("chat")
    for turn in range(turns):
        session.user(f"Question {turn}: parcel {turn} of ann{turn}@corp.com, where is it now?")
        session.call("track", f'{{"parcel": {turn}}}', id=f"c{turn}")
        session.result(f"c{turn}", f"Parcel {turn} is in depot {turn % 7}, call 202-555-0{turn}.")
        session.assistant(f"Parcel {turn} is in depot {turn % 7}, and will leave at noon.")
    return session


@pytest.mark.parametrize("word", FEW, ids=repr)
def test_a_turn_reads_no_more_of_a_long_session(word):
    read: list[int] = []
    for turns in (TURNS, 4 * TURNS):
        session, engine = chat(turns), Engine(word | REDACTION | C.budget(2_000), "gpt-5")
        engine.compile(session)
        session.user("And parcel 5?")
        read.append(exchanges_read(lambda: engine.compile(session)))  # noqa: B023
    assert read[1] <= read[0] * 1.2


@pytest.mark.parametrize("word", FEW, ids=repr)
def test_what_a_table_knows_for_a_spec_that_does_not_redact_is_not_asked(word):
    session = chat(TURNS)
    plain = Engine(word | C.budget(2_000), "gpt-5").compile(session)
    assert b"@corp.com" in plain.body
    packs = [Engine(word | REDACTION | C.budget(2_000), "gpt-5").compile(session)]
    packs.append(Engine(word | REDACTION | C.budget(2_000), "gpt-5").compile(chat(TURNS)))
    assert packs[0].body == packs[1].body
    assert b"@corp.com" not in packs[0].body + packs[0].manifest.to_json()
