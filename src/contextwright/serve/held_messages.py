"""Calls of our own tools in an answer of Anthropic's Messages."""

from collections.abc import Callable

import msgspec

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.serve.event_lines import event_of
from contextwright.serve.held_calls import HeldCall, arguments_object
from contextwright.serve.inner_requests import InnerRefusal

_ERRORS = {
    400: "invalid_request_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


class HeldMessages:
    """An answer of Anthropic's Messages.

    Args:
        is_ours: whether a tool of this name is answered here.
        blocks: content that the client has seen in answers before this one.
        output: tokens of those answers.
        goes_on: whether its calls are answered.
    """

    def __init__(
        self,
        is_ours: Callable[[str], bool],
        blocks: list[Json] | None = None,
        output: int = 0,
        *,
        goes_on: bool = True,
    ) -> None:
        self._is_ours, self._before, self._output = is_ours, blocks or [], output
        self._goes_on = goes_on
        self._blocks: dict[int, Json] = {}
        self._inputs: dict[int, str] = {}
        self._shown: dict[int, int] = {}
        self._is_first = blocks is None

    def event(self, raw: bytes, data: Json) -> bytes:
        """What the client sees of an event."""
        kind, index = data.get("type"), data.get("index")
        if kind == "message_start":
            return raw if self._is_first else b""
        if isinstance(index, int):
            return self._of_block(raw, data, str(kind), index)
        if kind in ("message_delta", "message_stop") and self.calls():
            self._output += object_if(data.get("usage")).get("output_tokens") or 0
            return b""
        if kind == "message_delta" and (self._output or len(self._shown) < len(self._blocks)):
            return event_of(self._last(data), named=True)
        return raw

    def _of_block(self, raw: bytes, data: Json, kind: str, index: int) -> bytes:
        if kind == "content_block_start":
            block = dict(object_if(data.get("content_block")))
            self._blocks[index], self._inputs[index] = block, ""
            if not self._is_held(block):
                self._shown[index] = len(self._before) + len(self._shown)
        elif kind == "content_block_delta":
            self._grow(index, object_if(data.get("delta")))
        place = self._shown.get(index)
        if place is None:
            return b""
        return raw if place == index else event_of({**data, "index": place}, named=True)

    def _grow(self, index: int, delta: Json) -> None:
        block = self._blocks.setdefault(index, {})
        for key, field in (("text", "text"), ("thinking", "thinking"), ("signature", "signature")):
            if isinstance(delta.get(key), str):
                block[field] = str(block.get(field) or "") + delta[key]
        self._inputs[index] = self._inputs.get(index, "") + str(delta.get("partial_json") or "")

    def _is_held(self, block: Json) -> bool:
        return block.get("type") == "tool_use" and self._is_ours(str(block.get("name")))

    def _last(self, data: Json) -> Json:
        """The event that ends the answer, with the tokens of all that it took."""
        usage = object_if(data.get("usage"))
        output = self._output + (usage.get("output_tokens") or 0)
        delta = dict(object_if(data.get("delta")))
        if not self._has_other_calls() and delta.get("stop_reason") == "tool_use":
            delta["stop_reason"] = "end_turn"
        return {**data, "delta": delta, "usage": {**usage, "output_tokens": output}}

    def whole(self, answer: Json) -> Json:
        """What the client sees of an answer, with what it saw before."""
        blocks = [dict(object_if(block)) for block in list_if(answer.get("content"))]
        self._blocks = dict(enumerate(blocks))
        shown = [block for block in blocks if not self._is_held(block)]
        self._shown = {n: n for n, block in self._blocks.items() if not self._is_held(block)}
        last = self._last({"delta": {"stop_reason": answer.get("stop_reason")}, **answer})
        made = {**answer, "content": [*self._before, *shown]}
        if answer.get("usage"):
            made["usage"] = last["usage"]
            self._output = last["usage"]["output_tokens"]
        if not self.calls() and len(shown) < len(blocks):
            made["stop_reason"] = last["delta"]["stop_reason"]
        return made

    def _has_other_calls(self) -> bool:
        used = [block for block in self._blocks.values() if block.get("type") == "tool_use"]
        return any(not self._is_held(block) for block in used)

    def refused(self, refusal: InnerRefusal) -> bytes:
        """The event of an error."""
        kind = _ERRORS.get(refusal.status, "api_error")
        return event_of({"type": "error", "error": {"type": kind, **refusal.error}}, named=True)

    def calls(self) -> list[HeldCall]:
        """The calls that are answered here."""
        if not self._goes_on or self._has_other_calls():
            return []
        return [
            HeldCall(str(block.get("id")), str(block["name"]), self._arguments(index))
            for index, block in self._blocks.items()
            if self._is_held(block)
        ]

    def _arguments(self, index: int) -> str:
        text = self._inputs.get(index)
        return text or msgspec.json.encode(self._blocks[index].get("input") or {}).decode()

    def _content(self) -> list[Json]:
        made: list[Json] = []
        for index, block in sorted(self._blocks.items()):
            if block.get("type") == "tool_use":
                block = {**block, "input": arguments_object(self._arguments(index))}
            made.append(block)
        return made

    def body(self, sent: Json, answers: list[str]) -> Json:
        """The body by which the upstream goes on."""
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": answer}
            for call, answer in zip(self.calls(), answers, strict=True)
        ]
        new = [
            {"role": "assistant", "content": self._content()},
            {"role": "user", "content": results},
        ]
        return {**sent, "messages": [*sent["messages"], *new]}

    def next(self, *, goes_on: bool) -> "HeldMessages":
        """For the answer to that body."""
        shown = [self._content()[index] for index in sorted(self._shown)]
        blocks = [*self._before, *shown]
        return HeldMessages(self._is_ours, blocks, self._output, goes_on=goes_on)
