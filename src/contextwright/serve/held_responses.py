"""Calls of our own tools in an answer of OpenAI's Responses."""

from collections.abc import Callable
from typing import Any

from contextwright.formats.fields import Json, list_if, object_if
from contextwright.serve.event_lines import event_of
from contextwright.serve.held_calls import HeldCall
from contextwright.serve.inner_requests import InnerRefusal

_BEGINS = ("response.created", "response.queued", "response.in_progress")
_ENDS = ("response.completed", "response.incomplete", "response.failed")


class HeldResponses:
    """An answer of OpenAI's Responses.

    Reasoning is shown once it is known what it led to: a client that sends it back without what
    follows it is refused, so what led to calls of ours alone is held with them.

    Args:
        is_ours: whether a tool of this name is answered here.
        id: of the first answer of a stream: the client knows it by that.
        items: output that the client has seen in answers before this one.
        output: tokens of those answers.
        number: of the client's next event.
        goes_on: whether its calls are answered.
    """

    def __init__(
        self,
        is_ours: Callable[[str], bool],
        id: str = "",
        items: list[Json] | None = None,
        output: int = 0,
        number: int = 0,
        *,
        goes_on: bool = True,
    ) -> None:
        self._is_ours, self._before, self._output = is_ours, items or [], output
        self._number, self._goes_on, self._is_first = number, goes_on, items is None
        self._id = id
        self._items: dict[int, Json] = {}
        self._places: dict[int, int] = {}
        self._waiting: list[tuple[bytes, Json]] = []

    def event(self, raw: bytes, data: Json) -> bytes:
        """What the client sees of an event."""
        kind, index = str(data.get("type")), data.get("output_index")
        if kind in _BEGINS and not self._is_first:
            return b""
        self._id = self._id or str(object_if(data.get("response")).get("id") or "")
        if isinstance(index, int):
            return self._of_item(raw, data, index)
        if kind in _ENDS:
            return self._ended(raw, data, kind)
        return self._numbered(raw, data)

    def _of_item(self, raw: bytes, data: Json, index: int) -> bytes:
        """An event of an item: shown in the item's place, once it is known that it is shown."""
        begins = index not in self._items
        item = object_if(data.get("item")) or self._items.get(index, {})
        self._items[index] = item
        shown = b""
        if begins and not self._is_held(item) and item.get("type") != "reasoning":
            shown = self._show_waiting()
            self._places[index] = self._next_place()
        if index in self._places:
            return shown + self._numbered(raw, data)
        if item.get("type") == "reasoning":
            self._waiting.append((raw, data))
        return b""

    def _show_waiting(self) -> bytes:
        """Reasoning that led to what is shown."""
        waiting, self._waiting = self._waiting, []
        for index in dict.fromkeys(data["output_index"] for _, data in waiting):
            self._places[index] = self._next_place()
        return b"".join(self._numbered(raw, data) for raw, data in waiting)

    def _next_place(self) -> int:
        return len(self._before) + len(self._places)

    def _numbered(self, raw: bytes, data: Json) -> bytes:
        """An event with the client's own numbers; as it came where they are the same.

        Args:
            raw: as it came; empty where it did not.
        """
        made = {**data}
        if "sequence_number" in data:
            made["sequence_number"] = self._number
            self._number += 1
        if "output_index" in data:
            made["output_index"] = self._places[data["output_index"]]
        return raw if raw and made == data else event_of(made, named=True)

    def _ended(self, raw: bytes, data: Json, kind: str) -> bytes:
        response = object_if(data.get("response"))
        self._goes_on = self._goes_on and kind == "response.completed"
        if self.calls():
            self._output += _output_tokens(response)
            return b""
        shown = b"" if self._held_items() else self._show_waiting()
        if self._is_first and len(self._places) == len(self._items):
            return shown + self._numbered(raw, data)
        return shown + self._numbered(b"", {**data, "response": self._all(response)})

    def _all(self, response: Json) -> Json:
        """The whole answer as the client saw it, with the tokens of all that it took."""
        usage = object_if(response.get("usage"))
        if usage:
            output = self._output + _output_tokens(response)
            total = (usage.get("input_tokens") or 0) + output
            usage = {**usage, "output_tokens": output, "total_tokens": total}
        made = {**response, "output": [*self._before, *self._shown()]}
        if self._id:
            made["id"] = self._id
        return {**made, "usage": usage} if usage else made

    def whole(self, answer: Json) -> Json:
        """What the client sees of an answer, with what it saw before."""
        self._items = dict(enumerate(map(object_if, list_if(answer.get("output")))))
        self._goes_on = self._goes_on and answer.get("status") in (None, "completed")
        waiting: list[int] = []
        for index, item in self._items.items():
            if item.get("type") == "reasoning":
                waiting.append(index)
            elif not self._is_held(item):
                for each in (*waiting, index):
                    self._places[each] = self._next_place()
                waiting = []
        if not self._held_items():
            self._places.update((index, self._next_place()) for index in waiting)
        made = self._all(answer)
        self._output += _output_tokens(answer)
        return made

    def _is_held(self, item: Json) -> bool:
        return item.get("type") == "function_call" and self._is_ours(str(item.get("name")))

    def _held_items(self) -> list[Json]:
        return [item for item in self._items.values() if self._is_held(item)]

    def _shown(self) -> list[Json]:
        return [self._items[index] for index in sorted(self._places)]

    def refused(self, refusal: InnerRefusal) -> bytes:
        """The event of an answer that failed."""
        error = {"code": "server_error", "message": refusal.error["message"]}
        failed = {"id": self._id, "object": "response", "status": "failed", "error": error}
        made = {**failed, "output": [*self._before, *self._shown()]}
        data = {"type": "response.failed", "sequence_number": self._number, "response": made}
        return event_of(data, named=True)

    def calls(self) -> list[HeldCall]:
        """The calls that are answered here."""
        if not self._goes_on or any(map(_asks_the_client, self._shown())):
            return []
        return [
            HeldCall(str(item.get("call_id")), str(item["name"]), str(item.get("arguments") or ""))
            for item in self._held_items()
        ]

    def body(self, sent: Json, answers: list[str]) -> Json:
        """The body by which the upstream goes on."""
        items = [self._items[index] for index in sorted(self._items)]
        results = [
            {"type": "function_call_output", "call_id": call.id, "output": answer}
            for call, answer in zip(self.calls(), answers, strict=True)
        ]
        resent = items if sent.get("store") is not False else _without_state(items)
        return {**sent, "input": [*sent["input"], *resent, *results]}

    def next(self, *, goes_on: bool) -> "HeldResponses":
        """For the answer to that body."""
        items = [*self._before, *self._shown()]
        known = self._id, items, self._output, self._number
        return HeldResponses(self._is_ours, *known, goes_on=goes_on)


def _asks_the_client(item: Json) -> bool:
    """Whether an item is a call that the client answers; hosted tools have answered theirs."""
    kind = str(item.get("type"))
    if kind == "tool_search_call":
        return item.get("execution") == "client"
    asks = ("function_call", "custom_tool_call", "computer_call", "local_shell_call",
            "shell_call", "apply_patch_call", "mcp_approval_request")  # fmt: skip
    return kind in asks


def _without_state(items: list[Json]) -> list[Json]:
    """Items for a provider that keeps none: reasoning only where it is all there, and no ids of
    what it belonged to otherwise."""
    bare = [
        one for one in items if one.get("type") == "reasoning" and not one.get("encrypted_content")
    ]
    if not bare:
        return items
    others = [one for one in items if one.get("type") != "reasoning"]
    return [{key: value for key, value in one.items() if key != "id"} for one in others]


def _output_tokens(response: Json) -> int:
    tokens: Any = object_if(response.get("usage")).get("output_tokens")
    return tokens if isinstance(tokens, int) else 0
