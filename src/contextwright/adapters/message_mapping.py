"""Messages of a framework's own classes through a context, and back by identity.

Each message is shown to the context as one or several chat messages; what comes back unchanged is
the framework's own object, what was changed is a copy of it with the new content, and what the
context added is a new message. The framework's own list and objects are never touched.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, Generic, TypeVar

from contextwright.adapters.answer_schemas import AnswerSchema, answer_schema, with_schema
from contextwright.adapters.answered_tools import is_our_tool
from contextwright.adapters.message_forms import MessageMapping
from contextwright.adapters.message_origins import MessageOrigins
from contextwright.adapters.message_sources import Wire, message_sources, plain_text
from contextwright.adapters.port import Body
from contextwright.adapters.redacted_tools import (
    expect_same_tools,
    redacted_tools,
    with_words_of_options,
    words_of_options,
)
from contextwright.memo.owned_tables import Tables
from contextwright.memo.ownership import remembering
from contextwright.tokens.models import reasoning_profile

MessageT = TypeVar("MessageT")
_FILES = Tables()
"""Pictures and files of this process's requests, as texts: a turn costs those that are new."""


class MappedRequest(Generic[MessageT]):
    """A framework's request, and the body that stands for it.

    Args:
        mapping: of its messages.
        messages: all of them, oldest first.
        model: its name; empty where only the context knows it.
        system: text that stands in front of all messages, or the parts of one.
        tools: name, description and parameters of each; ours are left to the context.
        output: what the framework has of the shape of an answer that is data.
        options: other arguments of its call that may hold words, and `tools`, of which some may
            run at a provider.
        apart: whether the framework's messages are a user's and an assistant's alone: what the
            context adds to the instruction is a part of its system text then.

    Attributes:
        messages: the framework's own.
        body: in OpenAI Chat's form.
        reads_back: whether tools of ours are among the request's. Of one that declares none at all
            nobody knows: its framework may write them into a text.
    """

    def __init__(
        self,
        mapping: MessageMapping[MessageT],
        messages: Sequence[MessageT],
        *,
        model: str,
        system: str | Sequence[str] | None = None,
        tools: Iterable[Mapping[str, Any]] = (),
        output: Any = None,
        options: Mapping[str, Any] | None = None,
        apart: bool = False,
    ) -> None:
        self._mapping, self.messages, self._apart = mapping, list(messages), apart
        with remembering(_FILES):
            self._shown = [mapping.wires(message) for message in self.messages]
            annexes = dict(self._annexes())
        content = _content(system)
        self._system = plain_text(content)
        front: list[Wire] = [{"role": "system", "content": content}] if content else []
        self._origins = MessageOrigins(front)
        for place, shown in enumerate(self._shown):
            is_of_tool = mapping.is_of_tool(self.messages[place])
            self._origins.show(place, shown, is_of_tool=is_of_tool)
        self.body: Body = {"messages": self._origins.wires}
        if model:
            self.body["model"] = model
        self.body |= annexes
        declared = [dict(tool) for tool in tools]
        self.body |= words_of_options(options, declared)
        functions = [tool for tool in declared if not is_our_tool(tool)]
        self.reads_back = not declared or len(functions) < len(declared)
        self._output = output
        if (shape := answer_schema(output)) is not None:
            schema = {"name": shape.name, "schema": shape.schema}
            schema |= {"description": shape.description} if shape.description else {}
            self.body["response_format"] = {"type": "json_schema", "json_schema": schema}
        if functions:
            self.body["tools"] = [{"type": "function", "function": each} for each in functions]

    def system_of(self, compiled: Body) -> str | None:
        """The system text of a compiled body; None where it is the framework's."""
        leading = self._instruction(compiled)
        text = "\n\n".join(plain_text(wire.get("content")) for wire in leading)
        return None if not leading or text == self._system else text

    def system_parts_of(self, compiled: Body, most: int | None = None) -> list[str]:
        """The parts of the system text of a compiled body.

        Args:
            most: the last of so many holds the rest.
        """
        contents = [wire.get("content") or "" for wire in self._instruction(compiled)]
        texts = [
            plain_text([part] if isinstance(part, dict) else part)
            for content in contents
            for part in ([content] if isinstance(content, str) else content)
        ]
        if most and len(texts) > most:
            texts = [*texts[: most - 1], "\n\n".join(texts[most - 1 :])]
        return texts

    def _instruction(self, compiled: Body) -> list[Wire]:
        wires: list[Wire] = compiled["messages"]
        sources = message_sources(self.body["messages"], wires) if self._apart else []
        return wires[: self._leading(wires, sources)]

    def _leading(self, compiled: Sequence[Wire], sources: Sequence[int | None]) -> int:
        """How many chat messages in front are the system text; none where it is the framework's
        own message."""
        leading = len(list(takewhile(lambda wire: wire.get("role") == "system", compiled)))
        own = min(leading, 1 if self._system else 0)
        if not self._apart:
            return own
        return own + len(list(takewhile(lambda source: source is None, sources[own:leading])))

    def tools_of(self, compiled: Body, tools: Iterable[Any]) -> list[Any]:
        """Of the framework's tools those in a compiled body, with what it says of them."""
        return redacted_tools(tools, self.body, compiled)

    def output_of(self, compiled: Body) -> Any:
        """What the framework has of the shape of an answer, with what a compiled body says of it.

        Raises:
            SpecError: it says something else, and the framework does not take that.
        """
        new: Body = compiled.get("response_format") or {}
        if new == self.body.get("response_format", {}):
            return self._output
        shape = new["json_schema"]
        named = AnswerSchema(shape["name"], shape.get("description"), shape["schema"])
        return with_schema(self._output, named)

    def arguments_of(self, compiled: Body, own: Mapping[str, Any]) -> dict[str, Any]:
        """A framework's arguments, with `tools` and `response_format` as a compiled body has them.

        Raises:
            SpecError: as `output_of` says.
        """
        new = with_words_of_options(own, compiled)
        # providers refuse an empty list
        if tools := self.tools_of(compiled, own.get("tools") or ()):
            new["tools"] = tools
        if own.get("response_format"):
            new["response_format"] = self.output_of(compiled)
        return new

    def messages_of(self, compiled: Body) -> list[MessageT]:
        """The framework's messages that a compiled body stands for. Where the model binds reasoning
        to its prefix, what stands behind the first change goes without it."""
        with remembering(_FILES):
            sent = [
                self._message(place, wires, compiled.get(_key(place), self.body.get(_key(place))))
                for place, wires in self._groups(compiled["messages"])
            ]
        own = self.messages
        if reasoning_profile(str(self.body.get("model", ""))) != "bound":
            return sent
        pairs = enumerate(zip(sent, own, strict=False))
        same = next((n for n, (one, other) in pairs if one is not other), len(own))
        return [*sent[:same], *map(self._mapping.without_thinking, sent[same:])]

    def messages_alone(self, compiled: Body) -> list[MessageT]:
        """The same, for a hook that hands over nothing else.

        Raises:
            SpecError: the compiled body has other tools.
        """
        return self.messages_of(expect_same_tools(self.body, compiled))

    def _groups(self, compiled: Sequence[Wire]) -> list[tuple[int, dict[int, Wire]]]:
        """Compiled chat messages by the framework's message that they are of; -1 for an added
        one. The system text is none."""
        sources = message_sources(self.body["messages"], compiled)
        start = self._leading(compiled, sources)
        return self._origins.groups(compiled[start:], sources[start:])

    def _message(self, place: int, wires: dict[int, Wire], annex: Any) -> MessageT:
        """The framework's message of these chat messages: its own object where all is the same.

        Args:
            annex: what is left of what no chat message shows.
        """
        if place < 0:
            return self._mapping.made(self._named(wires[0]))
        shown, message = self._shown[place], self.messages[place]
        if annex != self.body.get(_key(place)):
            message = self._mapping.with_annex(message, annex)
        if len(wires) == len(shown) and all(wire is shown[n] for n, wire in wires.items()):
            return message
        return self._mapping.changed(message, wires)

    def _named(self, wire: Wire) -> Wire:
        """A chat message that was added; of a result, with the name of its tool."""
        calls = [call for each in self.body["messages"] for call in each.get("tool_calls") or ()]
        names = {call["id"]: call["function"]["name"] for call in calls}
        name = names.get(wire.get("tool_call_id", ""))
        return {**wire, "name": name} if name else wire

    def _annexes(self) -> Iterator[tuple[str, Any]]:
        """What was thought, and of the files of results what may be words, beside the messages:
        nobody counts it there, and a redaction looks at each message's once."""
        for place, message in enumerate(self.messages):
            if values := self._mapping.annex(message):
                yield _key(place), values


def _key(place: int) -> str:
    """Where a body has what a message says that no chat message shows."""
    return f"framework_annex_{place}"


def _content(system: str | Sequence[str] | None) -> Any:
    """The content of the chat message of a system text: of several parts a list."""
    texts = [system or ""] if isinstance(system, str | None) else list(system)
    if len(texts) < 2:
        return "".join(texts)
    return [{"type": "text", "text": text} for text in texts]


def function_schema(name: str, description: str | None, parameters: Any) -> Wire:
    """A tool as a request names it."""
    return {"name": name, "description": description or "", "parameters": parameters}
