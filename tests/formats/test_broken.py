"""Whatever stands in a file, a reader gives a session that comes back, or a named error."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.formats.rounds import document, sessions, values

from contextwright.errors import SessionError
from contextwright.formats import (
    adk,
    agent_framework,
    bedrock,
    claude_code,
    codex,
    langchain,
    llama_index,
    pydantic_ai,
    swe_agent,
    tau_bench,
    vercel_ai,
    vercel_ai_model,
)
from contextwright.formats.provenance import residue

FORMATS = [
    adk, agent_framework, bedrock, claude_code, codex, langchain, llama_index, pydantic_ai,
    swe_agent, vercel_ai, vercel_ai_model,
]  # fmt: skip
ODD = values | st.sampled_from([[], {}, "", [[]], [{}], [None], {"type": "text"}, [{"type": "x"}]])


def places(value, path=()):
    yield path
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in inner:
            yield from places(item, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    whole = copy.copy(value)
    whole[path[0]] = replaced(whole[path[0]], path[1:], new)
    return whole


@pytest.mark.parametrize("module", FORMATS, ids=lambda module: module.NAME)
@given(session=sessions(), odd=ODD, data=st.data())
def test_one_odd_value_anywhere(module, session, odd, data):
    session.user("begin", id="begin")
    written = module.write(session)
    inside = [path for path in places(written) if len(path) > 1]
    broken = replaced(written, data.draw(st.sampled_from(inside)), odd)
    found = document(broken, lines=module.LINES)
    module.sniff(found)
    try:
        read = module.read(found)
    except SessionError as error:
        assert error.where
        assert error.fix
    else:
        assert residue(module.write(read), broken) == {}


@pytest.mark.parametrize("module", [*FORMATS, tau_bench], ids=lambda module: module.NAME)
@given(value=values)
def test_a_file_of_anything_is_looked_at_without_a_crash(module, value):
    module.sniff(document(value))
    module.sniff(document([value], lines=True))
    module.sniff(document([], lines=True))
