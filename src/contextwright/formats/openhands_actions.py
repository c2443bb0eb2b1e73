"""Events of OpenHands before 1.0: an `action` with its `args`, or an `observation` with the `cause`
that it answers."""

from typing import Any

import msgspec

from contextwright.formats.fields import Fields, Json, list_if, object_if, text_if, text_of
from contextwright.formats.tool_schemas import tool_of
from contextwright.session.event import (
    AnyPart,
    Image,
    Role,
    Text,
    Thinking,
    Tool,
    ToolCall,
    ToolResult,
)

_SILENT = {
    "recall",
    "agent_state_changed",
    "null",
    "change_agent_state",
    "condensation",
    "condense",
}
"""What no model reads as it stands."""
_OWN = {"thought", "confirmation_state", "security_risk", "is_confirmed", "hidden", "blocking"}
"""Arguments of an action that no tool was given."""


class OlderEvent(msgspec.Struct, frozen=True):
    """What an event says.

    Args:
        role: whose message it is; None for one that is not shown.
        response: id of the answer that asked for it; empty where it is not there.
        tools: what the agent may call, where the event says it.
    """

    role: Role | None = None
    parts: list[AnyPart] = []
    response: str = ""
    tools: list[Tool] = []


_NOTHING = OlderEvent()


class OlderEvents:
    """Reads events one after the other; remembers what was called."""

    def __init__(self) -> None:
        self._calls: dict[Any, str] = {}
        self._responses: set[str] = set()

    def read(self, event: Fields) -> OlderEvent:
        """What an event says."""
        if "observation" in event.whole:
            return self._observation(event)
        action = event.text("action", "")
        args = object_if(event.get("args"))
        if action == "system":
            listed = list_if(args.get("tools"))
            tools = [tool_of(tool, event.place("args.tools"), "openai-chat") for tool in listed]
            return OlderEvent("system", _texts(args.get("content")), tools=tools)
        if action == "message" and not object_if(event.get("tool_call_metadata")):
            role: Role = "user" if event.get("source") == "user" else "assistant"
            return OlderEvent(role, [*_texts(args.get("content")), *_pictures(args)])
        if action in _SILENT or event.get("source") != "agent":
            return _NOTHING
        return self._action(event, action, args)

    def _action(self, event: Fields, action: str, args: Json) -> OlderEvent:
        about = object_if(event.get("tool_call_metadata"))
        response = object_if(about.get("model_response"))
        id = text_if(about.get("tool_call_id"), f"call-{event.get('id')}")
        self._calls[str(event.get("id"))] = id
        answer = _answer(response)
        calls = [object_if(call) for call in list_if(answer.get("tool_calls"))]
        own = next((call for call in calls if call.get("id") == id), {})
        written = object_if(own.get("function")).get("arguments")
        own_args = {key: value for key, value in args.items() if key not in _OWN}
        arguments = written if isinstance(written, str) else text_of(own_args)
        call = ToolCall(
            id=id, name=text_if(about.get("function_name"), action), arguments=arguments
        )
        name = text_if(response.get("id"))
        words = self._words(name, answer, args)
        return OlderEvent("assistant", [*words, call], name)

    def _words(self, response: str, answer: Json, args: Json) -> list[AnyPart]:
        """What the model said with its calls, with the first of them."""
        if response and response in self._responses:
            return []
        self._responses.add(response)
        reasoning = text_if(answer.get("reasoning_content"))
        content = answer.get("content") if answer else args.get("thought")
        thought: list[AnyPart] = [Thinking(text=reasoning)] if reasoning else []
        return [*thought, *_texts(content)]

    def _observation(self, event: Fields) -> OlderEvent:
        kind = event.get("observation")
        about = object_if(event.get("tool_call_metadata"))
        id = text_if(about.get("tool_call_id"), self._calls.get(str(event.get("cause")), ""))
        text = event.text("content", "")
        if not id:
            is_shown = kind not in _SILENT and text
            return OlderEvent("user", [Text(text=text)]) if is_shown else _NOTHING
        failed = kind == "error" or event.get("success") is False
        status = "error" if failed else "ok"
        name = text_if(about.get("function_name"))
        result = ToolResult(call_id=id, name=name, content=(Text(text=text),), status=status)
        return OlderEvent("tool", [result])


def _answer(response: Json) -> Json:
    """The message of an answer."""
    choices = list_if(response.get("choices"))
    return object_if(object_if(choices[0]).get("message")) if choices else {}


def _texts(value: Any) -> list[AnyPart]:
    if isinstance(value, str):
        return [Text(text=value)] if value else []
    texts = (text_if(object_if(block).get("text")) for block in list_if(value))
    return [Text(text=text) for text in texts if text]


def _pictures(args: Json) -> list[AnyPart]:
    return [Image(url=url) for url in list_if(args.get("image_urls")) if isinstance(url, str)]
