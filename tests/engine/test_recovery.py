"""A provider refuses a request for its length: the next one fits, and is never the same."""

import asyncio

import httpx2
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from contextwright import C, Engine, Session, compile, replay, session_from
from contextwright.compiler.step_places import GRAIN
from contextwright.errors import (
    ContextOverflowError,
    NotInThisFormat,
    ReplayError,
    SessionError,
    SpecError,
)
from contextwright.render.target import target as target_for_model
from contextwright.testing import session_of

TEXT = "The supplier confirmed order A17 and the price of 49 euros. "


def history(exchanges=60, size=12):
    session = Session("s")
    session.add("system", "You are an agent.")
    session.user("Find the cheapest offer.")
    for n in range(exchanges):
        session.call("search", {"page": n}, id=f"c{n}")
        session.result(f"c{n}", f"Page {n}. " + TEXT * size)
    return session


class Provider:
    """Refuses requests of more than `limit` tokens, which it counts `ratio` times as ours."""

    def __init__(self, limit, ratio=1.0, say="{used} > {limit}"):
        self.limit, self.ratio, self.say, self.bodies = limit, ratio, say, []

    def create(self, pack):
        self.bodies.append(pack.body)
        used = int(pack.tokens * self.ratio)
        if used > self.limit:
            raise self.error(self.say.format(used=used, limit=self.limit, over=used - self.limit))
        return used

    @staticmethod
    def error(text, status=400):
        response = httpx2.Response(status, request=httpx2.Request("POST", "http://localhost/"))
        return openai.BadRequestError(text, response=response, body={"message": text, "code": None})


def loop(engine, session, provider, times=8):
    pack = engine.compile(session)
    for _ in range(times):
        try:
            return provider.create(pack), pack
        except Exception as error:  # noqa: BLE001
            pack = engine.recover(session, error)
    raise AssertionError("it never fitted")


SAYS = [
    "prompt is too long: {used} tokens > {limit} maximum",
    "This model's maximum context length is {limit} tokens. However, your messages resulted in {used} tokens.",
    "The input token count exceeds the maximum number of tokens allowed ({limit}).",
    "prompt too long; exceeded max context length by {over} tokens",
    "Your input exceeds the context window of this model.",
    "Request exceeds the maximum size",
]
SPECS = [
    C.default(),
    C.default() | C.compaction(16000),
    C.window(n=40) | C.compact() | C.budget(max_tokens=12000),
]


def least_behind_a_step(manifest):
    """A step goes down to half of what exchanges may have (ADR 0044), beside what is fixed in whole
    twentieths, and an exchange that does not fit stays out whole."""
    largest = max(block.tokens for block in manifest.kept)
    return manifest.fixed_tokens + manifest.budget * (GRAIN - 1) // GRAIN // 2 - largest


@pytest.mark.parametrize("say", SAYS)
@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_three_lines_end_within_the_true_limit_and_no_bytes_are_sent_twice(say, spec):
    session, provider = history(), Provider(7000, 1.4, say)
    engine = Engine(spec, "gpt-5")
    used, pack = loop(engine, session, provider)
    assert used <= 7000
    assert len(set(provider.bodies)) == len(provider.bodies) > 1
    if "{used}" in say:
        assert len(provider.bodies) == 2  # by the numbers, at the first try
        assert pack.tokens > least_behind_a_step(pack.manifest)
    assert any("compiled again for at most" in note for note in pack.manifest.notes)
    assert replay(pack, session).body == pack.body
    session.assistant("Page 3 is the cheapest.")
    session.user("Go on.")
    provider.create(engine.compile(session))  # what was learned holds


def test_what_was_learned_of_the_window_holds_for_other_sessions():
    engine, provider = Engine(C.default(), "gpt-5"), Provider(7000, 1.0, SAYS[1])
    loop(engine, history(), provider)
    count = len(provider.bodies)
    other = history(70)
    other.id = "other"
    provider.create(engine.compile(other))
    assert len(provider.bodies) == count + 1


def test_an_error_that_is_no_overflow_is_raised_again():
    engine, session = Engine(C.default(), "gpt-5"), history(3)
    engine.compile(session)
    for error in (
        Provider.error("tool_use ids were found without tool_result"),
        ValueError("no"),
        KeyboardInterrupt(),
    ):
        with pytest.raises(type(error)) as caught:
            engine.recover(session, error)
        assert caught.value is error
    with pytest.raises(SpecError, match="expected a provider's refusal"):
        engine.recover(session, {"error": {"message": "rate limit"}})


def test_what_was_not_compiled_here_can_not_be_recovered():
    with pytest.raises(SessionError, match="nothing was compiled"):
        Engine(C.default(), "gpt-5").recover(history(1), "prompt is too long")


def test_where_what_must_stay_is_larger_the_error_names_both_sizes():
    session = Session()
    session.user(TEXT * 900)
    engine = Engine(C.default(), "gpt-5")
    engine.compile(session)
    with pytest.raises(ContextOverflowError) as caught:
        engine.recover(session, "prompt is too long: 14000 tokens > 700 maximum")
    said = str(caught.value)
    assert "14000 tokens where 700 may be" in said
    assert "tokens must be sent" in said
    assert caught.value.fix


def test_a_request_that_can_not_change_is_not_tried_for_ever():
    class Fixed:
        def compile(self, snapshot, target):
            return pack

    session = session_of("u: hi | a: hello | u: bye")
    pack = Engine(C.default(), "gpt-5").compile(session)
    engine = Engine(Fixed(), "gpt-5")
    engine.compile(session)
    with pytest.raises(ContextOverflowError, match="the same bytes"):
        engine.recover(session, "prompt is too long")


def test_refusals_without_end_come_to_an_end():
    session, engine = history(200), Engine(C.default(), "gpt-5")
    engine.compile(session)
    sizes = []
    with pytest.raises(ContextOverflowError, match="again and again"):
        for _ in range(20):
            sizes.append(engine.recover(session, "prompt is too long").tokens)
    assert len(sizes) == 4
    assert sizes == sorted(sizes, reverse=True)


def test_the_async_twin_gives_the_same():
    session, other = history(), history()
    one, two = Engine(C.default(), "gpt-5"), Engine(C.default(), "gpt-5")
    error = Provider.error(SAYS[0].format(used=14000, limit=6000))
    one.compile(session)

    async def recovered():
        await two.acompile(other)
        return await two.arecover(other, error)

    assert asyncio.run(recovered()).body == one.recover(session, error).body


def test_the_answers_room_gives_way_where_the_window_is_small():
    base = target_for_model("gpt-5")
    engine, session = Engine(C.default(), "gpt-5"), history(30)
    engine.compile(session)
    pack = engine.recover(session, SAYS[1].format(used=9000, limit=4096))
    assert base.reserved_output > 4096
    assert pack.tokens <= 4096
    assert pack.manifest.window <= 4096


BODIES = {
    "openai-chat": {
        "model": "gpt-5",
        "messages": [
            {"role": "system", "content": "S"},
            {"role": "user", "content": [{"type": "text", "text": "hi"}]},
        ],
        "tools": [
            {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
        ],
        "tool_choice": "auto",
        "not_known": {"a": [1, None]},
    },
    "anthropic": {
        "model": "claude-sonnet-4-5",
        "max_tokens": 50,
        "system": [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral"}}],
        "messages": [{"role": "user", "content": "hi"}],
        "not_known": {"a": [1, None]},
    },
}


@pytest.mark.parametrize("format", BODIES)
def test_the_users_own_body_can_be_had_back_as_it_came(format):
    body = BODIES[format]
    session = session_from(body)
    pack = compile(
        session, C.redact(patterns=["pii"]) | C.budget(max_tokens=900), model=body["model"]
    )
    assert pack.original(session) == body
    session.assistant("hello")
    assert pack.original(session) == body
    messages = session_from(body["messages"])
    again = compile(messages, C.default(), model=body["model"]).original(messages)
    assert again == body["messages"]


def test_an_original_of_another_session_or_of_a_text_is_refused():
    session = session_of("u: hi | a: hello")
    with pytest.raises(ReplayError, match="not the session"):
        compile(session, C.default(), model="gpt-5").original(session_of("u: other | a: hello"))
    with pytest.raises(NotInThisFormat, match="no messages"):
        compile(session, C.default(), model="gpt-5", format="text").original(session)


@given(st.integers(10, 90), st.floats(0.6, 2.4), st.integers(2500, 9000), st.sampled_from(SAYS))
def test_whatever_the_ratio_it_ends_within_the_limit_or_says_why(exchanges, ratio, limit, say):
    provider = Provider(limit, ratio, say)
    engine = Engine(C.default(), "gpt-5")
    try:
        used, _ = loop(engine, history(exchanges, 4), provider)
        assert used <= limit
    except ContextOverflowError as error:
        assert "tokens" in str(error)  # noqa: PT017
    assert len(set(provider.bodies)) == len(provider.bodies)
