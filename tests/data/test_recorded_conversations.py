"""Every recorded session as a body, turn by turn: the sessions and packs are those of the session itself."""

import gzip
import json

import msgspec
import pytest
from benchmarks.recorded import FILES, evenly, sessions
from tests.parameters import few

from contextwright import C, Context, Conversation, Engine, read_session, write_session
from contextwright.errors import BudgetError

MODELS = {
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
}
_LISTS = ("messages", "input", "contents")
LONGEST = 60
"""Messages of a recorded session that are looked at."""


def recorded(name):
    try:
        return evenly(sessions(name), 1)
    except (OSError, gzip.BadGzipFile, KeyError):
        return []


def lists(session, format):
    data = json.loads(write_session(session, format))
    if isinstance(data, list):
        return data[:LONGEST], lambda messages: messages
    key = next((key for key in _LISTS if key in data), None)
    return (data[key][:LONGEST], lambda messages: {**data, key: messages}) if key else ([], None)


def decoded(source):
    return msgspec.json.decode(msgspec.json.encode(source))


@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize("format", MODELS)
@pytest.mark.parametrize("name", few(FILES))
def test_turn_by_turn_the_session_is_that_of_the_whole(name, format):
    for session in recorded(name):
        messages, source = lists(session, format)
        conversation = Conversation(format=format)
        for count in [*range(1, len(messages), 3), len(messages)]:
            grown = conversation.update(decoded(source(messages[:count])))
        if messages:
            whole = read_session(decoded(source(messages)), format=format)
            assert list(grown.log) == list(whole.log)
            assert grown.tools == whole.tools


@pytest.mark.usefixtures("data_dir")
@pytest.mark.parametrize("format", MODELS)
@pytest.mark.parametrize("name", few(["swe_agent", "tau_bench_airline", "pi_coding", "sgd"]))
def test_turn_by_turn_the_packs_are_those_of_a_session_that_lives(name, format):
    spec = C.default() | C.compaction(6_000)
    for session in recorded(name)[:1]:
        messages, source = lists(session, format)
        context = Context(spec, model=MODELS[format], format=format)
        engine, living = Engine(spec, MODELS[format], format=format), None
        for count in range(2, len(messages) + 1):
            last = messages[count - 1]
            if last.get("role") in ("assistant", "model") or last.get("type") == "function_call":
                continue  # nobody calls a model between a call and its result
            body = decoded(source(messages[:count]))
            whole = read_session(body, format=format, id="run")
            if living is None or whole.log[: len(living.log)] != list(living.log):
                living = whole
            else:
                living.extend(whole.log[len(living.log) :])
            try:
                expected = engine.compile(living).body
            except BudgetError:
                with pytest.raises(BudgetError):
                    context.compile(body, id="run")
                return
            made = context.compile(body, id="run").body
            if context.session.id == "run":  # an answer that grew is a session of another name
                assert made == expected
