"""A Gemini request as its caller made it: the SDK's, with a `config`, or the REST API's, both in
either spelling, mixed."""

from collections.abc import Callable
from typing import Any, cast

import msgspec

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.render.body_context import is_touched, with_context
from contextwright.render.idle_choice import without_idle_choice
from contextwright.render.source_messages import SourceMessages
from contextwright.render.source_wires import SourceWire
from contextwright.render.wire import Wire
from contextwright.session.event import Tool

SYSTEM = ("system_instruction", "systemInstruction")
DECLARATIONS = ("function_declarations", "functionDeclarations")
ANSWER_SCHEMAS = (
    "response_json_schema", "responseJsonSchema", "response_schema", "responseSchema",
)  # fmt: skip
_LIMITS = ("max_output_tokens", "maxOutputTokens")
_GENERATION = ("generationConfig", "generation_config")


def config_of(request: Json) -> Json:
    """Where a request has its instruction and its tools: its config, or the request itself."""
    config = request.get("config")
    return cast(Json, config) if isinstance(config, dict) else request


def spellings(snake: str) -> tuple[str, str]:
    """A name in snake_case and in camelCase."""
    head, *rest = snake.split("_")
    return snake, head + "".join(map(str.title, rest))


def either(part: Any, snake: str) -> Json:
    """An object under its snake_case or camelCase name; empty where there is none."""
    fields = object_if(part)
    return next(filter(None, (object_if(fields.get(key)) for key in spellings(snake))), {})


def declarations(tools: Any) -> list[Wire]:
    """The functions that tools declare, and those tools that declare none."""
    out: list[Wire] = []
    for group in list_if(tools):
        fields = object_if(group)
        listed = [one for key in DECLARATIONS for one in list_if(fields.get(key))]
        rest = {key: item for key, item in fields.items() if key not in DECLARATIONS}
        out += [*listed, *([rest] if rest else [])]
    return out


def json_text(value: Any) -> str:
    """JSON data as text."""
    return msgspec.json.encode(value).decode()


class GeminiBody:
    """A body in the making: its fields with those replaced that hold context.

    Args:
        sources: the body that came.
    """

    def __init__(self, sources: SourceMessages) -> None:
        self._sources = sources
        fields = sources.body.fields
        self._of_sdk = isinstance(fields.get("config"), dict)
        self._fields: Json = dict(fields["config"] if self._of_sdk else fields)
        self._system_key = next((k for k in SYSTEM if self._fields.get(k) is not None), None)

    @property
    def system(self) -> Any:
        """The system instruction as it came; None without one."""
        return self._fields[self._system_key] if self._system_key is not None else None

    def say(self, own: list[Wire], added: str) -> None:
        """Set the system instruction.

        Args:
            own: what became of that which came.
            added: what stands behind it.
        """
        touched = any(map(is_touched, own))
        if self._system_key is None:
            if added:
                key = SYSTEM[0] if self._of_sdk else SYSTEM[1]
                self._fields[key] = added if self._of_sdk else {"parts": [{"text": added}]}
            return
        if not (touched or added or not own):
            return
        parts = [part for wire in own for part in wire["parts"]]
        if isinstance(self.system, str):
            texts = [str(part.get("text", "")) for part in parts]
            self._fields[self._system_key] = "\n\n".join([*texts, *([added] if added else [])])
            return
        parts += [{"text": added}] if added else []
        if isinstance(self.system, dict):
            whole = {**self.system, "parts": []}
            clean = self._sources.redaction.parameter(self._system_key, whole, "gemini")
            self._fields[self._system_key] = {**clean, "parts": parts}
        else:
            self._fields[self._system_key] = parts

    def declare(self, tools: tuple[Tool, ...], made: Callable[[Tool], Wire]) -> None:
        """Leave only these tools, and those that declare no function."""
        if tools == self._sources.body.tools:
            return
        wanted = {tool.name for tool in tools}
        known = {tool.name for tool in self._sources.body.tools if tool in tools}
        groups: list[Json] = []
        for group in list_if(self._fields.get("tools")):
            fields = dict(object_if(group))
            for key in DECLARATIONS:
                if key in fields:
                    listed = list_if(fields[key])
                    fields[key] = [one for one in listed if object_if(one).get("name") in known]
                    if not fields[key]:
                        del fields[key]
            clean = self._sources.redaction.parameter("tools", fields, "gemini")
            groups += [clean] if fields else []
        new = [self._spelled(made(tool)) for tool in tools if tool.name in wanted - known]
        if new:
            _add(groups, new, DECLARATIONS[0] if self._of_sdk else DECLARATIONS[1])
        self._fields.pop("tools", None)
        if groups:
            self._fields["tools"] = groups
        self._fields = without_idle_choice(self._fields)

    def _spelled(self, declared: Wire) -> Wire:
        """A declaration of ours in the spelling of the body."""
        if self._of_sdk:
            return declared
        return {spellings(key)[1]: value for key, value in declared.items()}

    def limit(self, tokens: int) -> None:
        """Set how long the answer may be."""
        self._set(_LIMITS, tokens)

    def ask(self, answer: Json) -> None:
        """Set the shape of the answer."""
        for key, value in answer.items():
            self._set(spellings(key), value)

    def _set(self, names: tuple[str, str], value: Any) -> None:
        place = self._fields
        if not self._of_sdk:
            key = next((key for key in _GENERATION if key in self._fields), _GENERATION[0])
            place = self._fields[key] = dict(object_if(self._fields.get(key)))
        name = next((name for name in names if name in place), names[0 if self._of_sdk else 1])
        place[name] = value

    def request(self, contents: list[Wire], model: str, *, came: bool) -> Json:
        """The body with these contents."""
        listed = [
            wire.source.data if isinstance(wire, SourceWire) and wire.as_it_came else wire
            for wire in contents
        ]
        body, fields = self._sources.body, self._fields
        contents_value = listed[0] if body.single and came and len(listed) == 1 else listed
        if self._of_sdk:
            config = self._sources.redaction.parameters(fields, body.format)
            context = {"contents": contents_value, "config": config}
            return with_context(self._sources, context, ("contents", "config"), model)
        changed = {k: v for k, v in fields.items() if body.fields.get(k) is not v}
        dropped = tuple(key for key in body.fields if key not in fields)
        context = {**changed, "contents": contents_value}
        return with_context(self._sources, context, ("contents", *changed, *dropped), model)


def _add(groups: list[Json], new: list[Wire], otherwise: str) -> None:
    """Declare functions beside those that are declared: Vertex takes one tool that declares some.

    Args:
        otherwise: the key for them, where none are.
    """
    for group in reversed(groups):
        for key in DECLARATIONS:
            if key in group:
                group[key] = [*list_if(group[key]), *new]
                return
    groups.append({otherwise: new})
