"""Bodies that stand in another one: Gemini's command line, logged in, sends its requests as the
`request` of an object that names the model and the project, and is answered in a `response`."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from contextwright.errors import ProxyError
from contextwright.formats.fields import Json, object_if
from contextwright.redaction.redactor import with_strings
from contextwright.serve.event_lines import event_data, event_of
from contextwright.serve.held_calls import HeldAnswer, HeldCall
from contextwright.serve.held_gemini import HeldGemini
from contextwright.serve.inner_requests import InnerRefusal
from contextwright.serve.model_calls import ModelCall
from contextwright.typed_decoding import decoder

REQUEST, RESPONSE = "request", "response"
_NAMES = ("model", "project")
"""What the provider looks up: a redaction of it would ask for something else."""


class CallEnvelope(msgspec.Struct, frozen=True):
    """What stands around a body.

    Args:
        fields: of the object, `request` among them, as their JSON.
    """

    fields: Mapping[str, msgspec.Raw]

    def around(self, body: bytes) -> bytes:
        """The object with another body in the place of the one that came."""
        return msgspec.json.encode({**self.fields, REQUEST: msgspec.Raw(body)})

    def cleaned(self, clean: Callable[[str], str]) -> "CallEnvelope":
        """The same without what a redaction finds in its other fields."""
        whole = {*_NAMES, REQUEST}
        decoded = {n: msgspec.json.decode(v) for n, v in self.fields.items() if n not in whole}
        fields = {n: _raw(with_strings(value, clean)) for n, value in decoded.items()}
        return CallEnvelope({**self.fields, **fields})


def opened(call: ModelCall, raw: bytes) -> tuple[ModelCall, bytes, CallEnvelope | None]:
    """A call with the model that stands around its body, the body, and what is around it; a call
    whose body stands in none, as it is.

    Raises:
        ProxyError: it is no such object.
    """
    if not call.is_enveloped:
        return call, raw, None
    try:
        fields = decoder(dict[str, msgspec.Raw]).decode(raw)
        model: Any = msgspec.json.decode(fields.get("model", b'""'))
        body = bytes(fields[REQUEST])
    except (msgspec.DecodeError, UnicodeError, RecursionError, KeyError) as error:
        what = f"the body is no JSON object with a {REQUEST!r}"
        fix = "send what Gemini's command line sends"
        raise ProxyError(what, where="the request's body", fix=fix) from error
    named = msgspec.structs.replace(call, model=model) if isinstance(model, str) else call
    return named, body, CallEnvelope(fields)


class HeldEnvelope:
    """An answer of Gemini that stands in the `response` of another object.

    Args:
        is_ours: whether a tool of this name is answered here.
        held: what reads it.
    """

    def __init__(self, is_ours: Callable[[str], bool], held: HeldAnswer | None = None) -> None:
        self._is_ours = is_ours
        self._held: HeldAnswer = held or HeldGemini(is_ours)

    def event(self, raw: bytes, data: Json) -> bytes:
        """What the client sees of an event."""
        if RESPONSE not in data:
            return raw
        inner = object_if(data[RESPONSE])
        came = event_of(inner, named=False)
        shown = self._held.event(came, inner)
        if shown is came or not shown:
            return raw if shown else b""
        return event_of({**data, RESPONSE: event_data(shown)}, named=False)

    def whole(self, answer: Json) -> Json:
        """What the client sees of an answer, with what it saw before."""
        return {**answer, RESPONSE: self._held.whole(object_if(answer.get(RESPONSE)))}

    def refused(self, refusal: InnerRefusal) -> bytes:
        """The event of an error."""
        return self._held.refused(refusal)

    def calls(self) -> list[HeldCall]:
        """The calls that are answered here."""
        return self._held.calls()

    def body(self, sent: Json, answers: list[str]) -> Json:
        """The body by which the upstream goes on."""
        return {**sent, REQUEST: self._held.body(object_if(sent[REQUEST]), answers)}

    def next(self, *, goes_on: bool) -> "HeldEnvelope":
        """For the answer to that body."""
        return HeldEnvelope(self._is_ours, self._held.next(goes_on=goes_on))


def _raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value))
