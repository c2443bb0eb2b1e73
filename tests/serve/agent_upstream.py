"""A scripted model for real coding agents: it calls their shell, holds what it gets to the provider's
rules of pairing and to a window, and bills what it was sent."""

import json

from tests.serve.raw_upstream import RawAnswer, RawUpstream

from contextwright.testing.strict_server.billing import Billed
from contextwright.testing.strict_server.chat_api import ChatApi, as_text
from contextwright.testing.strict_server.gemini_api import GeminiApi
from contextwright.testing.strict_server.messages_api import MessagesApi
from contextwright.testing.strict_server.refusal import text_tokens
from contextwright.testing.strict_server.reply import Reply, ReplyCall
from contextwright.testing.strict_server.responses_api import ResponsesApi

APIS = {
    "/chat/completions": ChatApi(),
    "/responses": ResponsesApi(),
    "/messages": MessagesApi(),
    "generateContent": GeminiApi(),
    "streamGenerateContent": GeminiApi(),
}
SHELLS = (
    "Bash",
    "bash",
    "exec_command",
    "shell",
    "shell_command",
    "run_shell_command",
    "run_commands",
)
DONE = "All files are read, the word was heron."


class AgentUpstream(RawUpstream):
    """Replies to turns (requests with tools) with one command each, and then a text.

    Args:
        commands: that the agent's shell is told to run.
        is_typed: whether its user runs them: then every request is a turn, and is told to go on.
    """

    def __init__(self, commands, *, is_typed=False):
        super().__init__(self.answered)
        self.commands, self.turns, self.broken = commands, [], []
        self.is_typed = is_typed

    def answered(self, seen):
        path = seen.path.partition("?")[0]
        api = next((api for end, api in APIS.items() if path.endswith(end)), None)
        if api is None:
            return RawAnswer(404 if seen.method == "GET" else 200)
        body = json.loads(seen.body)
        if isinstance(api, GeminiApi):
            body["model"] = path.rpartition("/")[2].partition(":")[0]
        reply = Reply(text="A title")
        tools = dict(map(parameters_of, tools_of(body)))
        if tools or self.is_typed:
            self.turns.append(body)
            self.broken += list(broken_pairs(body))
            done = len(results_of(body))
            reply = Reply(text=DONE)
            if self.is_typed and len(self.turns) <= len(self.commands):
                reply = Reply(text=f"Run the {len(self.turns)}. command.")
            elif len(self.turns) <= len(self.commands):
                shell = next(name for name in SHELLS if name in tools)
                called = arguments_of(self.commands[len(self.turns) - 1], tools[shell])
                reply = Reply(
                    calls=(ReplyCall(shell, called, id=f"call_{len(self.turns)}_{done}"),)
                )
        answer = api.answer(
            body, reply, Billed(text_tokens(body), 0, 9), {f"i{len(self.seen)}": ""}
        )
        if "streamGenerateContent" not in path and not body.get("stream"):
            return RawAnswer(body=json.dumps(answer).encode())
        events = tuple(
            f"{f'event: {name}' + chr(10) if name else ''}data: {as_text(data)}\n\n".encode()
            for name, data in api.events(body, answer)
        )
        return RawAnswer(headers=(("content-type", "text/event-stream"),), chunks=events)


def tools_of(body):
    """The functions that a request declares."""
    for tool in body.get("tools") or ():
        yield from tool.get("functionDeclarations", [tool])


def parameters_of(tool):
    """The name of a tool and the schema of its arguments."""
    plain = tool.get("function", tool)
    keys = ("parameters", "input_schema", "parametersJsonSchema")
    return plain.get("name"), next((plain[key] for key in keys if key in plain), {})


def arguments_of(command, schema):
    """Arguments that run a command, for a shell of any agent's."""
    made = {}
    for name, field in schema.get("properties", {}).items():
        is_list = "array" in str(field.get("type"))
        if name in ("command", "cmd", "commands"):
            made[name] = ["bash", "-c", command] if is_list and name != "commands" else command
            made[name] = [command] if name == "commands" else made[name]
        elif name in schema.get("required", ()):
            made[name] = {"boolean": False, "number": 60, "integer": 60}.get(
                field.get("type"), "reads"
            )
    return made


def items_of(body):
    """All objects in a request's messages."""
    pending = [body.get(key) for key in ("messages", "input", "contents")]
    while pending:
        value = pending.pop(0)
        if isinstance(value, list):
            pending = value + pending
        elif isinstance(value, dict):
            yield value
            nested = [
                value[k]
                for k in ("content", "parts", "tool_calls")
                if isinstance(value.get(k), list)
            ]
            pending = nested + pending


def calls_of(body):
    """The ids of its calls."""
    for item in items_of(body):
        if item.get("type") in ("function", "tool_use") and "id" in item:
            yield item["id"]
        elif item.get("type") == "function_call":
            yield item["call_id"]
        elif "functionCall" in item:
            yield item["functionCall"].get("id", item["functionCall"]["name"])


def results_of(body):
    """The ids that its results are of."""
    found = []
    for item in items_of(body):
        if item.get("role") == "tool":
            found.append(item["tool_call_id"])
        elif item.get("type") == "tool_result":
            found.append(item["tool_use_id"])
        elif item.get("type") == "function_call_output":
            found.append(item["call_id"])
        elif "functionResponse" in item:
            response = item["functionResponse"]
            found.append(response.get("id", response["name"]))
    return found


def broken_pairs(body):
    """What a provider refuses of calls and their results."""
    calls, results = list(calls_of(body)), results_of(body)
    if sorted(calls) != sorted(results):
        yield f"calls {calls} have results {results}"
