"""What the spec does not touch leaves byte for byte."""

import json
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from tests.render.bodies import BODIES

from contextwright import C, compile, read_session, write_session
from contextwright.stores import SQLiteSessions

MODELS = {"gemini": "gemini-2.5-pro"}
FEW = settings(
    suppress_health_check=list(HealthCheck),
    deadline=None,
)


def text(value):
    return json.dumps(value, ensure_ascii=False)


@pytest.mark.parametrize("format", BODIES)
def test_a_body_that_no_word_touches_leaves_byte_for_byte(format):
    @FEW
    @given(BODIES[format])
    def check(body):
        session = read_session(body, format=format)
        pack = compile(session, C.default(), model=MODELS.get(format))
        assert text(pack.request) == text(body)
        assert not pack.manifest.unrendered and not pack.manifest.inserted

    check()


@pytest.mark.parametrize("format", BODIES)
def test_it_does_so_from_a_file_as_well(format):
    @settings(FEW, max_examples=10)
    @given(BODIES[format])
    def check(body):
        stored = write_session(read_session(body, format=format))
        pack = compile(read_session(stored), C.default(), model=MODELS.get(format))
        assert text(pack.request) == text(body)

    check()


@pytest.mark.parametrize("format", BODIES)
def test_it_does_so_out_of_a_store(format, tmp_path):
    number = count()

    @settings(FEW, max_examples=5)
    @given(BODIES[format])
    def check(body):
        path = tmp_path / f"{next(number)}.db"
        session = read_session(body, format=format, id="s")
        SQLiteSessions(path).save(session)
        loaded = SQLiteSessions(path).load("s")
        pack = compile(loaded, C.default(), model=MODELS.get(format))
        assert text(pack.request) == text(body)

    check()


@pytest.mark.parametrize("format", BODIES)
def test_a_pack_leads_back_to_the_body_byte_for_byte(format):
    @settings(FEW, max_examples=10)
    @given(BODIES[format])
    def check(body):
        session = read_session(body, format=format)
        pack = compile(session, C.default() | C.redact("email"), model=MODELS.get(format))
        assert text(pack.original(session)) == text(body)

    check()
