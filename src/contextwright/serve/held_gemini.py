"""Calls of our own tools in an answer of Gemini's generateContent."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.serve.event_lines import event_of
from contextwright.serve.held_calls import HeldCall
from contextwright.serve.inner_requests import InnerRefusal

_ANSWERS = ("candidatesTokenCount", "thoughtsTokenCount")
"""Tokens of an answer; each event of a stream says those of the answer so far."""


class HeldGemini:
    """An answer of Gemini; of several candidates the first is read.

    Args:
        is_ours: whether a tool of this name is answered here.
        parts: that the client has seen in answers before this one.
        output: tokens of those answers, by their kind.
        goes_on: whether its calls are answered.
    """

    def __init__(
        self,
        is_ours: Callable[[str], bool],
        parts: list[Json] | None = None,
        output: Counter[str] | None = None,
        *,
        goes_on: bool = True,
    ) -> None:
        self._is_ours, self._before, self._goes_on = is_ours, parts or [], goes_on
        self._output: Counter[str] = Counter(output)
        self._newest: Counter[str] = Counter()
        self._parts: list[Json] = []

    def event(self, raw: bytes, data: Json) -> bytes:
        """What the client sees of an event."""
        made, is_same = self._taken(data)
        if is_same:
            return raw
        candidate = object_if(next(iter(list_if(made.get("candidates"))), None))
        shown = object_if(candidate.get("content")).get("parts")
        if not shown and not candidate.get("finishReason"):
            return b""
        return event_of(made, named=False)

    def whole(self, answer: Json) -> Json:
        """What the client sees of an answer, with what it saw before."""
        made, is_same = self._taken(answer)
        if not self._before:
            return answer if is_same else made
        first, *others = map(object_if, list_if(made.get("candidates")))
        content = object_if(first.get("content"))
        content = {"role": "model", **content, "parts": [*self._before, *content.get("parts", ())]}
        return {**made, "candidates": [{**first, "content": content}, *others]}

    def _taken(self, data: Json) -> tuple[Json, bool]:
        """An answer, or a piece of one, without our calls; and whether it is as it came."""
        made = dict(data)
        first, *others = list(map(object_if, list_if(data.get("candidates")))) or [{}]
        parts = list(map(object_if, list_if(object_if(first.get("content")).get("parts"))))
        self._parts += parts
        shown = [part for part in parts if not self._is_held(part)]
        if len(shown) < len(parts):
            content = {**object_if(first["content"]), "parts": shown}
            made["candidates"] = [{**first, "content": content}, *others]
        usage = object_if(data.get("usageMetadata"))
        self._newest |= Counter({key: usage.get(key) or 0 for key in _ANSWERS})
        if usage and self._output:
            made["usageMetadata"] = self._summed(usage)
        reason = first.get("finishReason")
        self._goes_on = self._goes_on and reason in (None, "STOP")
        if reason and self.calls():  # the answer goes on
            candidate = object_if(next(iter(made["candidates"]), None))
            rest = {key: value for key, value in candidate.items() if key != "finishReason"}
            made["candidates"] = [rest, *others]
        return made, made == data

    def _summed(self, usage: Json) -> Json:
        """The tokens of all that the answer took."""
        sums = {key: (usage.get(key) or 0) + n for key, n in self._output.items() if n}
        total = (usage.get("totalTokenCount") or 0) + self._output.total()
        return {**usage, **sums, "totalTokenCount": total}

    def _is_held(self, part: Json) -> bool:
        called = object_if(part.get("functionCall"))
        return bool(called) and self._is_ours(str(called.get("name")))

    def refused(self, refusal: InnerRefusal) -> bytes:
        """The event of an error."""
        return event_of({"error": {"code": refusal.status, **refusal.error}}, named=False)

    def calls(self) -> list[HeldCall]:
        """The calls that are answered here."""
        called = [part for part in self._parts if part.get("functionCall")]
        if not self._goes_on or not all(map(self._is_held, called)):
            return []
        return [_call_of(object_if(part["functionCall"])) for part in called]

    def body(self, sent: Json, answers: list[str]) -> Json:
        """The body by which the upstream goes on."""
        calls = self.calls()
        results: list[Json] = []
        for call, answer in zip(calls, answers, strict=True):
            response: Json = {"name": call.name, "response": {"result": answer}}
            results.append(
                {"functionResponse": {"id": call.id, **response} if call.id else response}
            )
        new = [{"role": "model", "parts": self._parts}, {"role": "user", "parts": results}]
        return {**sent, "contents": [*sent["contents"], *new]}

    def next(self, *, goes_on: bool) -> "HeldGemini":
        """For the answer to that body."""
        shown = [part for part in self._parts if not self._is_held(part)]
        output = self._output + self._newest
        return HeldGemini(self._is_ours, [*self._before, *shown], output, goes_on=goes_on)


def _call_of(called: Json) -> HeldCall:
    arguments: Any = called.get("args") or {}
    return HeldCall(
        str(called.get("id") or ""), str(called["name"]), msgspec.json.encode(arguments).decode()
    )
