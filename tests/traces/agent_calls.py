"""What the tests of traces share: the calls of an agent that looks for an order, as each tool keeps
them. All are written by hand in the shape that the tool's own types have."""

import json
from pathlib import Path
from typing import Any

SYSTEM = {"role": "system", "content": "You are a support agent."}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_order",
            "description": "An order by its number.",
            "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
        },
    }
]
USAGE = {"prompt_tokens": 900, "completion_tokens": 20}


def call_message(number: int) -> dict[str, Any]:
    arguments = json.dumps({"id": f"A-{number}"})
    function = {"name": "get_order", "arguments": arguments}
    calls = [{"id": f"c{number}", "type": "function", "function": function}]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def result_message(number: int, size: int = 1) -> dict[str, Any]:
    content = json.dumps({"order": f"A-{number}", "note": f"packed in hall {number} " * size})
    return {"role": "tool", "tool_call_id": f"c{number}", "content": content}


def history(steps: int, size: int = 1) -> list[dict[str, Any]]:
    """A question and so many calls with their results."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Where is order A-1?"}]
    for number in range(1, steps + 1):
        messages += [call_message(number), result_message(number, size)]
    return messages


def agent_calls(steps: int = 4, size: int = 1) -> list[tuple[list[Any], dict[str, Any]]]:
    """The input and the answer of each call: as many as there are steps, and one more."""
    whole = [*history(steps, size), {"role": "assistant", "content": "It is on its way."}]
    places = [n for n, message in enumerate(whole) if message["role"] == "assistant"]
    return [([SYSTEM, *whole[:n]], whole[n]) for n in places]


def parts_message(message: dict[str, Any]) -> dict[str, Any]:
    """A message of Chat as OpenTelemetry's conventions have it."""
    parts: list[dict[str, Any]] = []
    if message["role"] == "tool":
        id = message["tool_call_id"]
        parts.append({"type": "tool_call_response", "id": id, "response": message["content"]})
    elif message["content"]:
        parts.append({"type": "text", "content": message["content"]})
    for call in message.get("tool_calls", ()):
        function = call["function"]
        arguments = json.loads(function["arguments"])
        one = {"type": "tool_call", "id": call["id"], "name": function["name"]}
        parts.append({**one, "arguments": arguments})
    return {"role": message["role"], "parts": parts}


def genai_attributes(
    messages: list[Any], answer: Any = None, conversation: str = "case-7"
) -> dict[str, Any]:
    """The attributes of a span in today's spelling."""
    inputs = [parts_message(each) for each in messages if each["role"] != "system"]
    system = [{"type": "text", "content": m["content"]} for m in messages if m["role"] == "system"]
    tools = [{"type": "function", **tool["function"]} for tool in TOOLS]
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.conversation.id": conversation,
        "gen_ai.input.messages": json.dumps(inputs),
        "gen_ai.system_instructions": json.dumps(system),
        "gen_ai.tool.definitions": json.dumps(tools),
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.usage.cache_read.input_tokens": 512,
    }
    if answer is not None:
        attributes["gen_ai.output.messages"] = json.dumps([parts_message(answer)])
    return attributes


def openinference_messages(messages: list[Any], answer: Any) -> dict[str, Any]:
    """The attributes of a span of OpenInference that hold its messages, flattened."""
    attributes: dict[str, Any] = {}
    for kind, listed in (("input", messages), ("output", [answer])):
        for n, message in enumerate(listed):
            start = f"llm.{kind}_messages.{n}.message."
            attributes[start + "role"] = message["role"]
            attributes[start + "content"] = message.get("content") or ""
            if "tool_call_id" in message:
                attributes[start + "tool_call_id"] = message["tool_call_id"]
            for m, call in enumerate(message.get("tool_calls", ())):
                inner = f"{start}tool_calls.{m}.tool_call."
                attributes[inner + "id"] = call["id"]
                attributes[inner + "function.name"] = call["function"]["name"]
                attributes[inner + "function.arguments"] = call["function"]["arguments"]
    return attributes


def openinference_attributes(messages: list[Any], answer: Any) -> dict[str, Any]:
    """The attributes of a span of OpenInference, flattened."""
    attributes: dict[str, Any] = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "gpt-5",
        "session.id": "case-7",
        "llm.token_count.prompt": 900,
        "llm.token_count.completion": 20,
        "llm.token_count.prompt_details.cache_read": 512,
        "llm.tools.0.tool.json_schema": json.dumps(TOOLS[0]),
    }
    return {**attributes, **openinference_messages(messages, answer)}


def otlp_value(value: Any) -> dict[str, Any]:
    """A value of OTLP's JSON."""
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


def otlp_span(number: int, attributes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A span of OTLP's JSON."""
    pairs = [{"key": key, "value": otlp_value(value)} for key, value in attributes.items()]
    return {
        "traceId": "a" * 32,
        "spanId": f"{number:016x}",
        "name": "chat gpt-5",
        "startTimeUnixNano": str(1_790_000_000_000_000_000 + number * 1_000_000_000),
        "attributes": pairs,
        **more,
    }


def otlp(spans: list[dict[str, Any]]) -> dict[str, Any]:
    """A batch of OTLP's JSON."""
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]}


def genai_export(steps: int = 4, size: int = 1) -> dict[str, Any]:
    """An agent's calls as a collector writes them."""
    calls = agent_calls(steps, size)
    return otlp([otlp_span(n, genai_attributes(*call)) for n, call in enumerate(calls)])


def written(folder: Path, value: Any, name: str = "export.json") -> Path:
    """A file of JSON, or of lines of it."""
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(line) + "\n" for line in value))
    else:
        path.write_text(json.dumps(value))
    return path
