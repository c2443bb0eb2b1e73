"""Every recorded session as a request body of each provider: what no word touches leaves byte for byte."""

import json

import pytest
from benchmarks.recorded import FILES, evenly, rows, sessions
from tests.parameters import few

from contextwright import C, compile, read_session, write_session

LONGEST = 40
"""Messages of a recorded session that are looked at."""
BESIDE = {
    "openai-chat": {"model": "gpt-5", "seed": 1},
    "openai-responses": {"model": "gpt-5", "store": False, "text": {"verbosity": "low"}},
    "anthropic": {"model": "claude-sonnet-4-5", "max_tokens": 99, "thinking": {"type": "disabled"}},
    "gemini": {"generationConfig": {"temperature": 1.0}},
}
_LISTS = {"openai-responses": "input", "gemini": "contents"}


def bodies(format, source):
    """A request of this format with the messages of a session, its tools and instruction."""
    data = json.loads(write_session(source, format))
    key = _LISTS.get(format, "messages")
    whole = data if isinstance(data, dict) else {key: data}
    whole[key] = whole[key][:LONGEST]
    return {**{k: v for k, v in whole.items() if k not in ("id", "config")}, **BESIDE[format]}


@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize("format", BESIDE)
@pytest.mark.parametrize("name", few(FILES))
def test_a_recorded_session_leaves_as_the_body_that_it_came_in(name, format):
    try:
        sources = evenly(sessions(name), 1)
    except OSError:
        pytest.skip(f"no sessions in {name}")
    for source in sources:
        body = bodies(format, source)
        model = "gemini-2.5-pro" if format == "gemini" else None
        pack = compile(read_session(body, format=format), C.default(), model=model)
        assert is_answered(pack) or json.dumps(pack.request) == json.dumps(body)


def is_answered(pack):
    """Whether calls that have no result got one, as no provider takes one without."""
    kinds = {one.kind for one in pack.manifest.inserted}
    return bool(kinds) and kinds <= {"interrupted_result", "pending_result", "merged"}


@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize(
    "name", few(["tau_bench_airline", "pi_coding", "se_agent", "webdancer", "sgd"])
)
def test_rows_as_they_were_recorded_do_too(name):
    row = next(iter(rows(name)))
    body = {"model": "gpt-5", "messages": row["messages"][:LONGEST], "metadata": {"row": row["id"]}}
    pack = compile(read_session(body), C.default(), model="gpt-5")
    assert is_answered(pack) or json.dumps(pack.request) == json.dumps(body)
