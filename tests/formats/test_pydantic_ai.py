"""Pydantic AI: what is written loads, and says the same; its objects are read in test_objects."""

import json

import pytest
from hypothesis import given
from tests.formats.bodies import PYDANTIC_AI
from tests.formats.rounds import assert_comes_back, document, messages, sessions

from contextwright.formats import pydantic_ai
from contextwright.testing import FormatSuite


class TestPydanticAI(FormatSuite):
    format = pydantic_ai


def test_a_dump_comes_back():
    session = assert_comes_back(pydantic_ai, PYDANTIC_AI)
    assert [event.role for event in session.log] == ["system", "user", "assistant", "tool"]


def test_a_document_around_the_messages_comes_back():
    assert_comes_back(pydantic_ai, {"id": 7, "messages": PYDANTIC_AI})


@given(session=sessions())
def test_what_is_written_of_any_session_loads_and_says_the_same(session):
    adapter = pytest.importorskip("pydantic_ai.messages").ModelMessagesTypeAdapter
    session.user("begin")
    loaded = adapter.validate_python(pydantic_ai.write(session))
    again = pydantic_ai.read(document(json.loads(adapter.dump_json(loaded))))
    assert messages(again) == messages(session)
