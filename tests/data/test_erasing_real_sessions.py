"""People in real sessions that no one here wrote: erased from them, and every session still whole."""

import json
import re

import pytest
from tests.data.test_real_sessions import session_of_row
from tests.parameters import few

from contextwright import C, compile
from contextwright.retention import DataSubject, Lethe, scrub_session
from contextwright.stores import SQLiteSessions
from contextwright.testing import FORMATS, assert_valid, target_for

FILES = ("locomo", "sgd", "tau_bench_airline", "tooltalk", "swe_agent", "pi_coding", "who_when")
_NAME = re.compile(r"\b[A-Z][a-z]{3,}\b")


def commonest(session):
    """The word that looks most like a name."""
    said = " ".join(event.text for event in session.log)
    said += " ".join(result.text for event in session.log for result in event.results)
    found = _NAME.findall(said)
    return max(set(found), key=found.count, default="Nobody")


@pytest.mark.parametrize("name", few(FILES))
def test_a_real_session_without_a_person_is_whole(name, read_rows, tmp_path):
    store = SQLiteSessions(tmp_path / "s.db")
    for row in read_rows(name, limit=3):
        session = session_of_row(row)
        if session is None:
            continue
        person = DataSubject("nobody-0", (commonest(session),))
        store.save(session)
        with_lethe = Lethe(tmp_path / "l.db", store)
        with_lethe.erase(person)
        with_lethe.close()
        after = store.load(store.ids()[0])
        assert [(e.role, len(e.parts)) for e in after.log] == [
            (e.role, len(e.parts)) for e in session.log
        ]
        for one, other in zip(session.log, after.log, strict=True):
            for call, kept in zip(one.calls, other.calls, strict=True):
                assert is_json(kept.arguments) or not is_json(call.arguments)
        assert scrub_session(after, person).snapshot().digest == after.snapshot().digest
        for format in FORMATS:
            target = target_for(format, 1_000_000)
            assert_valid(compile(after, C.default(), target=target), target)
        word = re.compile(rf"(?<![^\W_]){person.names[0]}(?![^\W_])".encode(), re.IGNORECASE)
        store.close()
        held = b"".join(path.read_bytes() for path in tmp_path.glob("s.db*"))
        assert not word.search(re.sub(rb"[\x80-\xff]", b"x", held))
        store = SQLiteSessions(tmp_path / "s.db")
        store.delete(store.ids()[0])
    store.close()


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
