"""The suite for readers of traces, on each that is here, and on one that does it wrong."""

import json

import pytest
from tests.traces.agent_calls import openinference_messages, otlp, otlp_span, parts_message
from tests.traces.test_exports import langchain_message, observation, run

from contextwright.testing import RuleViolation, TraceSuite

MOMENT = "2026-10-01T10:00:{:02}.000Z"


def counts(call):
    return {"prompt_tokens": call.usage.input, "completion_tokens": call.usage.output}


def span(call, attributes):
    own = call.conversation.encode().hex()
    trace, id = own.zfill(32)[-32:], f"{own}{call.number:02}".zfill(16)[-16:]
    return otlp_span(call.number, attributes, traceId=trace, spanId=id)


class TestGenAISpans(TraceSuite):
    def export(self, calls):
        return otlp([span(call, self.attributes(call)) for call in calls])

    def attributes(self, call):
        system = [m for m in call.messages if m["role"] == "system"]
        rest = [parts_message(m) for m in call.messages if m["role"] != "system"]
        texts = [{"type": "text", "content": m["content"]} for m in system]
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "gpt-5",
            "gen_ai.conversation.id": call.conversation,
            "gen_ai.input.messages": json.dumps(rest),
            **({"gen_ai.system_instructions": json.dumps(texts)} if texts else {}),
            "gen_ai.output.messages": json.dumps([parts_message(call.answer)]),
            "gen_ai.usage.input_tokens": call.usage.input,
            "gen_ai.usage.cache_read.input_tokens": call.usage.cached,
            "gen_ai.usage.output_tokens": call.usage.output,
        }


class TestOpenInference(TraceSuite):
    def export(self, calls):
        return otlp([span(call, self.attributes(call)) for call in calls])

    def attributes(self, call):
        flat = {
            "openinference.span.kind": "LLM",
            "llm.model_name": "gpt-5",
            "session.id": call.conversation,
            "llm.token_count.prompt": call.usage.input,
            "llm.token_count.completion": call.usage.output,
            "llm.token_count.prompt_details.cache_read": call.usage.cached,
        }
        return {**flat, **openinference_messages(call.messages, call.answer)}


class TestLangfuse(TraceSuite):
    def export(self, calls):
        return {"data": [self.row(call) for call in calls]}

    def row(self, call):
        usage = {"input": 388, "input_cached_tokens": 512, "output": 20, "total": 920}
        return observation(
            call.number,
            call.messages,
            call.answer,
            id=f"{call.conversation}-{call.number}",
            traceId=call.conversation,
            sessionId=call.conversation,
            usageDetails=usage,
        )


class TestLangSmithOfOpenAI(TraceSuite):
    name = "runs.jsonl"

    def export(self, calls):
        return [self.row(call) for call in calls]

    def row(self, call):
        usage = {"input_tokens": 900, "output_tokens": 20, "total_tokens": 920}
        usage["input_token_details"] = {"cache_read": call.usage.cached}
        outputs = {"choices": [{"index": 0, "message": call.answer}], "usage_metadata": usage}
        inputs = {"messages": call.messages, "model": "gpt-5"}
        id = f"{call.conversation}-{call.number}"
        own = {"extra": {"metadata": {"thread_id": call.conversation}}, "id": id, "trace_id": id}
        return run(call.number, inputs, outputs, **own)


class TestLangSmithOfLangChain(TestLangSmithOfOpenAI):
    def row(self, call):
        inputs = {"messages": [[langchain_message(message) for message in call.messages]]}
        message = langchain_message(call.answer)
        outputs = {"generations": [[{"text": "", "message": message}]]}
        more = {"prompt_token_details": {"cache_read": call.usage.cached}, **counts(call)}
        id = f"{call.conversation}-{call.number}"
        own = {"extra": {"metadata": {"thread_id": call.conversation}}, "id": id, "trace_id": id}
        return run(call.number, inputs, outputs, **more, **own)


class TestInspectLog(TraceSuite):
    usage = False  # our sample has none

    def export(self, calls):
        samples = {}
        for call in calls:
            samples.setdefault(call.conversation, []).append(call)
        rows = [self.sample(id, own) for id, own in samples.items()]
        return {"version": 2, "eval": {"task": "t"}, "samples": rows}

    def sample(self, id, calls):
        events = [
            {
                "event": "model",
                "model": "openai/gpt-5",
                "input": [own_message(n, m) for n, m in enumerate(call.messages)],
                "tools": [],
                "output": {
                    "choices": [{"message": own_message(len(call.messages), call.answer)}],
                    "usage": {"input_tokens": call.usage.input, "output_tokens": 20},
                },
                "timestamp": MOMENT.format(call.number),
            }
            for call in calls
        ]
        return {"id": id, "epoch": 1, "target": "", "messages": [], "events": events}


def own_message(number, message):
    calls = [
        {
            "id": one["id"],
            "function": one["function"]["name"],
            "arguments": json.loads(one["function"]["arguments"]),
        }
        for one in message.get("tool_calls", ())
    ]
    plain = {**message, "content": message.get("content") or "", "id": f"m{number}"}
    return {**plain, **({"tool_calls": calls} if calls else {})}


class Forgetful(TestLangSmithOfOpenAI):
    """An export without the results of tools."""

    def row(self, call):
        kept = [message for message in call.messages if message["role"] != "tool"]
        return super().row(
            type(call)(call.number, call.conversation, kept, call.answer, [], call.usage)
        )


Forgetful.__test__ = False


def test_an_export_that_lacks_messages_breaks_the_rule_by_name(tmp_path):
    with pytest.raises(RuleViolation) as broken:
        Forgetful().test_every_message_is_read("tools", tmp_path)
    assert broken.value.rule == "every-message-is-read"
