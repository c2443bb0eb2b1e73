"""A part of the log as a model reads it: named by its events, and blocks of what is read alone."""

import pytest
from hypothesis import given

from contextwright import C, Engine, Session
from contextwright.models.embedded import summary
from contextwright.spec import log_part
from contextwright.spec.inputs import digest_of
from contextwright.spec.memo import Memo
from contextwright.testing import sessions

SPEC = C.rolling(2) | C.budget(2000)


def talk(turns: int) -> Session:
    session = Session("s")
    for number in range(turns):
        session.user(f"What became of parcel P-{number}?")
        session.call("find", f'{{"id": "P-{number}"}}', id=f"c{number}")
        session.result(f"c{number}", f"depot {number % 7}")
        session.assistant(f"Parcel P-{number} lies in depot {number % 7}.")
    return session


def first_compile(session: Session) -> tuple[bytes, str]:
    """A request and its manifest, which has the name of what was summarized."""
    pack = Engine(SPEC, "gpt-5").compile(Session("s", list(session.log)))
    return pack.body, pack.manifest.to_json()


@given(sessions())
def test_the_names_by_events_are_those_of_the_blocks(session):
    found = first_compile(session)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_part, "messages_of_events", lambda events: None)
        assert first_compile(session) == found


def test_a_first_compile_makes_blocks_of_what_is_read_alone(monkeypatch):
    monkeypatch.setattr(summary, "READ", 2000)
    made: list[int] = []
    new_block = Memo._new_block

    def counted(memo, exchange):
        made.append(exchange.index)
        return new_block(memo, exchange)

    monkeypatch.setattr(Memo, "_new_block", counted)
    for turns in (100, 400):
        made.clear()
        first_compile(talk(turns))
        assert 0 < len(set(made)) < 240  # of 300 exchanges, and of 1,200


def test_what_a_block_says_is_named_wherever_it_stands(monkeypatch):
    named: list[bytes] = []
    monkeypatch.setattr(
        log_part, "digest_of", lambda messages: named.append(one := digest_of(messages)) or one
    )
    session = talk(20)
    engine = Engine(SPEC, "gpt-5")
    engine.compile(session)
    number = len(named)
    session.user("And parcel P-99?")
    engine.compile(session)
    assert number > 40 and len(named) < number + 8  # those that came since
