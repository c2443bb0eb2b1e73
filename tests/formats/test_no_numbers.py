"""JSON has no NaN and no infinity: a body with one would leave as another, so it is refused."""

import math
from typing import Any

import pytest

from contextwright import C, Context, compile
from contextwright.errors import SessionError


def _bodies() -> list[tuple[str, Any]]:
    hello = {"role": "user", "content": "Hello"}
    called = {"type": "tool_use", "id": "t", "name": "f", "input": {"v": [1, math.inf]}}
    answer = {"type": "tool_result", "tool_use_id": "t", "content": "3"}
    rounds = [{"role": "assistant", "content": [called]}, {"role": "user", "content": [answer]}]
    part = {"text": "Hello", "weight": -math.inf}
    return [
        ("parameter", {"model": "gpt-5", "messages": [hello], "temperature": math.nan}),
        ("inner", {"model": "gpt-5", "messages": [hello], "x": {"y": [{"z": math.nan}]}}),
        ("field", {"model": "gpt-5", "messages": [{**hello, "score": math.nan}]}),
        ("call", {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [hello, *rounds]}),
        ("part", {"model": "gemini-2.5-pro", "contents": [{"role": "user", "parts": [part]}]}),
        ("item", {"model": "gpt-5", "input": [{**hello, "type": "message", "y": math.nan}]}),
    ]


BODIES = dict(_bodies())


@pytest.mark.parametrize("name", BODIES)
def test_a_number_that_json_has_not_is_refused_by_name(name: str) -> None:
    for door in (lambda body: compile(body, C.default()), Context(C.default())):
        with pytest.raises(SessionError, match="is no JSON") as raised:
            door(BODIES[name])
        assert raised.value.fix
