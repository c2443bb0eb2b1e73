"""A call that goes on from the one before does the work of what is new in it."""

import json
from collections import Counter

import pytest
from tests.serve.raw_upstream import tool_loop

from contextwright import C
from contextwright.compiler import prefix
from contextwright.compiler.steps.repeats import Superseded
from contextwright.engine import message_history
from contextwright.engine.conversation import Conversation
from contextwright.formats import read_messages as lists
from contextwright.formats.message_list import KeptMessages, message_list
from contextwright.render import openai_chat_rules
from contextwright.render.openai_chat import OpenAIChatRenderer
from contextwright.serve.compiled_calls import REWRITTEN, CallCompiler
from contextwright.serve.model_calls import model_call
from contextwright.serve.settings import ProxySettings
from contextwright.tokens.usage import usage_of

CALL = model_call("POST", "/v1/chat/completions")


@pytest.fixture
def work(monkeypatch):
    """How often messages were measured, checked, told apart and compared."""
    done = Counter()

    def counted(where, name):
        function = getattr(where, name)

        def one_more(*arguments):
            done[name] += 1
            return function(*arguments)

        monkeypatch.setattr(where, name, one_more)

    counted(OpenAIChatRenderer, "measure_wire")
    counted(openai_chat_rules, "is_object")
    counted(openai_chat_rules, "text_in")
    counted(lists, "detect")
    counted(Superseded, "_add")
    counted(message_history, "digest")
    return done


def test_a_warm_call_looks_at_what_is_new(work):
    """Of 600 messages 2 are, and what a compaction makes of two more; a bill measures nothing."""
    compiler = CallCompiler(ProxySettings(upstream="http://u", spec=C.compaction(20_000)))
    for count in range(300, 350):
        if count > 345:  # the counter was calibrated meanwhile, so all was measured by two
            work.clear()
        raw = json.dumps({**tool_loop(count, lines=9), "n": 1}).encode()
        sent = compiler.compiled(CALL, raw, (), "t")
        assert sent.action == REWRITTEN
        manifest = sent.made.pack.manifest
        counted = manifest.tokens / float(manifest.counter_factor)
        compiler.bill(sent, usage_of({"usage": {"prompt_tokens": int(counted * 1.3)}}))
    assert manifest.counter_factor != "1.00"
    assert len(json.loads(sent.body)["messages"]) > 100
    assert 0 < work["measure_wire"] <= 20 and 0 < work["is_object"] <= 4 and work["digest"] <= 20
    assert 0 < work["text_in"] <= 60 and not work["detect"]


def test_what_early_shortening_asks_for_is_found_out_call_by_call(work):
    """No call weighs what came with the nineteen before it."""
    compiler = CallCompiler(ProxySettings(upstream="http://u", spec=C.compaction(100_000)))
    weighed = []
    for count in range(300, 330):
        work.clear()
        compiler.compiled(CALL, json.dumps(tool_loop(count, lines=9)).encode(), (), "t")
        weighed.append(work["_add"])
    assert max(weighed[1:]) == 1


def test_the_second_call_finds_the_pieces_of_the_first(monkeypatch):
    """They are made behind its answer, when it is billed."""
    made = []
    piece = prefix._piece
    monkeypatch.setattr(prefix, "_piece", lambda value: made.append(value) or piece(value))
    compiler = CallCompiler(ProxySettings(upstream="http://u", spec=C.compaction(20_000)))
    for count in (300, 301):
        made.clear()
        raw = json.dumps(tool_loop(count, lines=9)).encode()
        sent = compiler.compiled(CALL, raw, (), "t")
        before = len(made)
        compiler.bill(sent, usage_of({"usage": {"prompt_tokens": 9_000}}))
    messages = json.loads(sent.body)["messages"]
    assert sent.made.pack.manifest.prefix.tokens and before <= 8 < len(messages)


def test_messages_that_nobody_writes_into_are_known_as_objects():
    one, other = Conversation(), Conversation()
    messages = KeptMessages(tool_loop(5)["messages"])
    for conversation in (one, other):
        assert len(conversation.update({"messages": messages}).log) == len(messages)
    again = KeptMessages([*messages, {"role": "user", "content": "more"}])
    assert one.update({"messages": again}) is one.sessions[-1]
    assert len(one.sessions) == 1 and len(one.sessions[0].log) == len(again)
    # another object that says the same is the same message; one that says something else is not
    copied = KeptMessages([*json.loads(json.dumps(messages)), {"role": "user", "content": "more"}])
    assert len(one.update({"messages": copied}).log) == len(again) and len(one.sessions) == 1
    changed = KeptMessages([messages[0], {**messages[1], "content": "other"}, *messages[2:]])
    one.update({"messages": changed})
    assert len(one.sessions) == 2
    shorter = KeptMessages(again[:4])
    assert len(one.update({"messages": shorter}).log) == 4
    assert message_list({"messages": again}, "here").messages is again
