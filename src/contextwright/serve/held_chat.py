"""Calls of our own tools in an answer of OpenAI's Chat Completions."""

from collections.abc import Callable
from typing import Any

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.serve.event_lines import event_of
from contextwright.serve.held_calls import HeldCall
from contextwright.serve.inner_requests import InnerRefusal


class HeldChat:
    """An answer of OpenAI's Chat Completions; of several choices the first is read.

    Args:
        is_ours: whether a tool of this name is answered here.
        head: of the first answer: what the client knows the stream by.
        text: that the client has seen in answers before this one.
        output: tokens of those answers.
        goes_on: whether its calls are answered.
    """

    def __init__(
        self,
        is_ours: Callable[[str], bool],
        head: Json | None = None,
        text: str = "",
        output: int = 0,
        *,
        goes_on: bool = True,
    ) -> None:
        self._goes_on = goes_on
        self._is_ours, self._head, self._before, self._output = is_ours, head or {}, text, output
        self._text = ""
        self._calls: dict[int, Json] = {}
        self._places: dict[int, int] = {}

    def event(self, raw: bytes, data: Json) -> bytes:
        """What the client sees of an event."""
        self._head = self._head or {key: data[key] for key in ("id", "created") if key in data}
        choice = object_if(next(iter(list_if(data.get("choices"))), None))
        if not choice:
            return self._usage(raw, data)
        delta = dict(object_if(choice.get("delta")))
        if isinstance(delta.get("content"), str):
            self._text += delta["content"]
        ours_before = len(self._places) < len(self._calls)
        shown = [one for one in map(self._take, list_if(delta.pop("tool_calls", None))) if one]
        if shown:
            delta["tool_calls"] = shown
        if choice.get("finish_reason") and self.calls():
            return b""
        if not self._before and not self._output and len(self._places) == len(self._calls):
            return raw
        if not delta and not choice.get("finish_reason"):
            return b""
        made = {**choice, "delta": delta}
        if ours_before and not self._places and choice.get("finish_reason") == "tool_calls":
            made["finish_reason"] = "stop"
        return event_of({**data, **self._head, "choices": [made]}, named=False)

    def _take(self, call: Any) -> Json | None:
        """A piece of a call as the client sees it; None where it is held."""
        piece = object_if(call)
        index, function = piece.get("index", 0), object_if(piece.get("function"))
        known = self._calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        known["id"] = piece.get("id") or known["id"]
        known["name"] += function.get("name") or ""
        known["arguments"] += function.get("arguments") or ""
        if self._is_ours(known["name"]):
            return None
        place = self._places.setdefault(index, len(self._places))
        return {**piece, "index": place}

    def _usage(self, raw: bytes, data: Json) -> bytes:
        usage = object_if(data.get("usage"))
        if not usage:
            return raw
        if self.calls():
            self._output += usage.get("completion_tokens") or 0
            return b""
        if not self._output:
            return raw
        return event_of({**data, **self._head, "usage": self._summed(usage)}, named=False)

    def _summed(self, usage: Json) -> Json:
        output = self._output + (usage.get("completion_tokens") or 0)
        total = (usage.get("prompt_tokens") or 0) + output
        return {**usage, "completion_tokens": output, "total_tokens": total}

    def whole(self, answer: Json) -> Json:
        """What the client sees of an answer, with what it saw before."""
        choice = dict(object_if(next(iter(list_if(answer.get("choices"))), None)))
        message = dict(object_if(choice.get("message")))
        self._text = str(message.get("content") or "")
        listed = list_if(message.pop("tool_calls", None))
        shown = [
            call for n, call in enumerate(listed) if self._take({**object_if(call), "index": n})
        ]
        if shown:
            message["tool_calls"] = shown
        if self._before:
            message["content"] = self._before + self._text
        if len(shown) < len(listed) and not shown:
            choice["finish_reason"] = "stop"
        made = {**answer, "choices": [{**choice, "message": message}]}
        if usage := object_if(answer.get("usage")):
            made["usage"] = self._summed(usage)
            self._output = made["usage"]["completion_tokens"]
        return made

    def refused(self, refusal: InnerRefusal) -> bytes:
        """The event of an error."""
        return event_of({"error": {"code": refusal.status, **refusal.error}}, named=False)

    def calls(self) -> list[HeldCall]:
        """The calls that are answered here."""
        if not self._goes_on or self._places:
            return []
        return [HeldCall(one["id"], one["name"], one["arguments"]) for one in self._calls.values()]

    def body(self, sent: Json, answers: list[str]) -> Json:
        """The body by which the upstream goes on."""
        calls = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
            for c in self.calls()
        ]
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": answer}
            for call, answer in zip(self.calls(), answers, strict=True)
        ]
        spoken = {"role": "assistant", "content": self._text or None, "tool_calls": calls}
        return {**sent, "messages": [*sent["messages"], spoken, *results]}

    def next(self, *, goes_on: bool) -> "HeldChat":
        """For the answer to that body."""
        text = self._before + self._text
        return HeldChat(self._is_ours, self._head, text, self._output, goes_on=goes_on)
