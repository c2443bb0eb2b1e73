"""Whatever a framework or Bedrock dumps comes back byte for byte, and for a provider's request
nothing of it is lost in silence: it is sent, or the manifest names it."""

import copy
import json
import re
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.formats.generated import DUMPS
from tests.render.bodies import BODIES

from contextwright import C, compile, read_session, write_session
from contextwright.compiler import unrendered_fields
from contextwright.formats import format_named
from contextwright.session import Opaque
from contextwright.stores import SQLiteSessions

FEW = settings(
    suppress_health_check=list(HealthCheck), deadline=None, max_examples=40, phases=[Phase.generate]
)
MARK = re.compile(r"said\d+\.")
MODELS = {
    "openai-chat": "gpt-5",
    "openai-responses": "gpt-5",
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
}
CONTEXT = {"messages", "system", "model", "modelId", "toolConfig", "inferenceConfig"}


REQUESTS = ("bedrock", "vercel-ai-model")
ASKED = {"temperature", "maxOutputTokens", "toolChoice"}


def _choice(dump):
    fields = dump if isinstance(dump, dict) else {}
    return fields.get("toolConfig", fields).get("toolChoice")


def text(value):
    return json.dumps(value, ensure_ascii=False)


def written(session, format):
    return text(format_named(format).write(session))


@pytest.mark.parametrize("format", DUMPS)
def test_a_dump_comes_back_byte_for_byte_out_of_a_file_and_a_store_too(format, tmp_path):
    number = count()

    @FEW
    @given(DUMPS[format])
    def check(dump):
        before = copy.deepcopy(dump)
        session = read_session(dump, format=format, id="s")
        assert text(dump) == text(before)
        assert written(session, format) == text(dump)
        assert written(read_session(write_session(session)), format) == text(dump)
        if next(number) % 8 == 0:
            path = tmp_path / f"{next(number)}.db"
            SQLiteSessions(path).save(session)
            assert written(SQLiteSessions(path).load("s"), format) == text(dump)

    check()


@pytest.mark.parametrize("target", MODELS)
@pytest.mark.parametrize("format", DUMPS)
def test_all_that_was_said_is_sent_to_any_provider_and_the_rest_is_named(format, target):
    @settings(FEW, max_examples=15)
    @given(DUMPS[format])
    def check(dump):
        session = read_session(dump, format=format)
        pack = compile(session, C.default(), model=MODELS[target], format=target, cache=False)
        sent, lost = text(pack.request), pack.manifest.unrendered
        assert set(MARK.findall(sent)) == set(MARK.findall(text(dump)))
        parts = [part for event in session.log for part in event.parts]
        parts += [p for event in session.log for result in event.results for p in result.content]
        opaque = sum(isinstance(part, Opaque) for part in parts)
        assert sum(one.part == "opaque" for one in lost) == opaque
        reasons = " ".join(one.reason for one in lost if one.part == "parameter")
        assert not any(one.part == "tool" for one in lost if "'toolSpec'" in one.reason)
        of_request = isinstance(dump, dict) and format in REQUESTS
        for key in set(dump if of_request else ()) - CONTEXT:
            assert f"'{key}'" in reasons or dump[key] is None or key in ASKED
        assert ("toolChoice'" in reasons) == (_choice(dump) in ({"kindOfTomorrow": {}}, {"x": 1}))

    check()


FRAME = {"model", "max_tokens", "messages", "input", "contents", "system", "instructions",
         "systemInstruction", "config"}  # fmt: skip
FIELDS = {**BODIES, "bedrock": DUMPS["bedrock"]}
SAID_BY_OTHERS = {"input", "args", "arguments", "response", "json"}
"""What a call is given, and what a tool gave as data: the keys within are the caller's own."""


def _planted(value, path, taken):
    """The unknown fields of messages and parts, but for those of parts that are named whole."""
    if isinstance(value, list):
        for item in value:
            yield from _planted(item, f"{path}[]", taken)
    elif isinstance(value, dict) and value not in taken:
        for key, item in value.items():
            if key.startswith("x_"):
                yield from [f"{path}.{key}"] if item not in (None, "", [], {}) else []
            elif key not in SAID_BY_OTHERS:
                yield from _planted(item, f"{path}.{key}", taken)


def _in_context(body, taken):
    """The same of a body's messages and its system text."""
    body = {"messages": body} if isinstance(body, list) else body
    for key in ("messages", "input", "contents", "system"):
        yield from _planted(body.get(key), key, taken)
    for holder in (body, body.get("config") or {}):
        for key in ("systemInstruction", "system_instruction"):
            parts = holder[key]["parts"] if isinstance(holder.get(key), dict) else None
            yield from _planted(parts, "systemInstruction.parts", taken)


@pytest.mark.parametrize("target", MODELS)
@pytest.mark.parametrize("format", FIELDS)
def test_unknown_fields_of_messages_and_parts_are_named_at_another_provider(
    format, target, monkeypatch
):
    monkeypatch.setattr(unrendered_fields, "_NAMED", 99)

    @settings(FEW, max_examples=25)
    @given(FIELDS[format])
    def check(body):
        if isinstance(body, dict):
            body = {key: item for key, item in body.items() if key in FRAME}
        session = read_session(body, format=format)
        pack = compile(session, C.default(), model=MODELS[target], format=target, cache=False)
        reasons = [one.reason for one in pack.manifest.unrendered if one.part == "field"]
        parts = [part for event in session.log for part in event.parts]
        parts += [p for event in session.log for one in event.results for p in one.content]
        taken = [part.value for part in parts if isinstance(part, Opaque)]
        named = {reason.split("'")[1] for reason in reasons}
        known = {"input[].content[].annotations"}  # of which no other provider has any
        planted = set() if format == target else set(_in_context(body, taken))
        assert named - known == planted and len(named) == len(reasons)

    check()
