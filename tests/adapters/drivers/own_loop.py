"""An agent loop of our own over a client: what a user without a framework writes."""

import asyncio
import inspect
import json
from contextlib import suppress

DENIED = "The operator denied this call."


def schema(tool):
    properties = {name: {"type": "string"} for name in inspect.signature(tool).parameters}
    return {"type": "object", "properties": properties, "required": list(properties)}


class TurnedAway(Exception):
    """The caller has heard enough of a stream."""


def heard(pieces, piece, most):
    pieces.append(piece)
    if len(pieces) == most:
        raise TurnedAway


class OwnLoop:
    """Subclasses say how a provider's messages look, and send them.

    The loop yields what must be done outside of it: `("ask", messages)` and `("help", task)`.
    """

    def __init__(self, setup, histories=None):
        self.setup = setup
        self.histories = histories if histories is not None else {}
        self.helper = type(self)(setup.helper) if setup.helper else None

    def loop(self, question, conversation, picture):
        history = self.histories.setdefault(conversation, self.beginning())
        history += self.user(question, picture)
        while True:
            answer = yield "ask", history
            history += self.recorded(answer)
            calls = self.calls(answer)
            if not calls:
                return self.text(answer)
            outputs = []
            for call, name, arguments in calls:
                if name == "ask_helper":
                    output = yield "help", arguments["task"]
                else:
                    output = self.output(name, arguments)
                outputs.append((call, name, output))
            history += self.results(outputs)

    def output(self, name, arguments):
        if name == self.setup.denied:
            return DENIED
        if self.setup.context and self.setup.context.read_back:
            reader = self.setup.context.tools()
            if reader.handles(name):
                return reader.call(name, arguments)
        if name == "look":
            return self.picture(self.setup.look)
        tools = {tool.__name__: tool for tool in self.setup.tools}
        try:
            output = tools[name](**arguments)
        except (KeyError, OSError, TypeError) as error:
            return f"Error: {error}"
        return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)

    def picture(self, data):
        """A picture as a result."""
        raise NotImplementedError

    def functions(self):
        """Name, description and schema of each tool."""
        tools = [(t.__name__, inspect.getdoc(t), schema(t)) for t in self.setup.tools]
        if self.setup.look:
            tools.append(("look", "Look at a picture.", schema(self.picture_of)))
        if self.helper:
            task = {"type": "object", "properties": {"task": {"type": "string"}}}
            tools.append(("ask_helper", "Let the helper do a task.", task))
        return tools

    @staticmethod
    def picture_of(path): ...

    async def run(self, question, *, conversation="main", picture=b""):
        loop = self.loop(question, conversation, picture)
        answer = None
        while True:
            try:
                what, payload = loop.send(answer)
            except StopIteration as end:
                return end.value
            answer = await (self.aask(payload) if what == "ask" else self.helper.run(payload))

    def run_sync(self, question):
        return self._run_sync(question, self.ask)

    def trim(self, turns):
        kept = self.histories["main"]
        starts = [n for n, each in enumerate(kept) if self.is_users(each)]
        del kept[starts[0] : starts[-turns]]

    async def stream(self, question, most=None):
        pieces = []

        def ask(history):
            pieces.clear()
            return self.streamed(history, pieces, most)

        with suppress(TurnedAway):
            await asyncio.to_thread(self._run_sync, question, ask)
        return pieces

    def _run_sync(self, question, ask):
        loop = self.loop(question, "main", b"")
        answer = None
        while True:
            try:
                what, payload = loop.send(answer)
            except StopIteration as end:
                return end.value
            answer = ask(payload) if what == "ask" else self.helper.run_sync(payload)

    def history(self, conversation="main"):
        return json.dumps(
            [self.setup.instructions, self.histories[conversation]], ensure_ascii=False, default=str
        )

    def restarted(self, setup):
        return type(self)(setup, json.loads(json.dumps(self.histories)))

    def beginning(self):
        return []


ANSWER = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
    "additionalProperties": False,
}
