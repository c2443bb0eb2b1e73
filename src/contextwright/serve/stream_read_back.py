"""Read-back inside an answer: the model's calls of our tools are held back, answered, and the
upstream goes on within the same answer to the client."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec

from contextwright.engine.context import ContextCall
from contextwright.engine.read_back import ReadBack
from contextwright.formats.fields import Json, list_if, object_if
from contextwright.serve.call_envelopes import HeldEnvelope
from contextwright.serve.event_lines import EventLines, event_data, event_of
from contextwright.serve.held_calls import HeldAnswer
from contextwright.serve.held_chat import HeldChat
from contextwright.serve.held_gemini import HeldGemini
from contextwright.serve.held_messages import HeldMessages
from contextwright.serve.held_responses import HeldResponses
from contextwright.serve.inner_requests import InnerAnswer, InnerRefusal, InnerRequests
from contextwright.serve.upstream import UpstreamAnswer, UpstreamReset
from contextwright.serve.usage_reader import UsageReader
from contextwright.tokens.usage import Usage
from contextwright.worker_threads import off_loop

_HELD: dict[str, Callable[[Callable[[str], bool]], HeldAnswer]] = {
    "anthropic": HeldMessages,
    "gemini": HeldGemini,
    "gemini, enveloped": HeldEnvelope,
    "openai-chat": HeldChat,
    "openai-responses": HeldResponses,
}
"""What reads the answers to a call."""
ROUNDS = 4
"""Times that an answer goes on; after them calls of our tools are told to do without."""
_ENOUGH = "Not read: enough was read for one answer. Go on with what is in sight."
_LONGEST = 16 * 1024 * 1024
"""Bytes of an answer that is no stream; a longer one is passed on as it comes."""


def can_hold(format: str, body: Json) -> bool:
    """Whether calls of ours can be held back from an answer to a body.

    Of several answers one could be read. A stream has one id from its first event on: were the
    answer kept by the provider, a client that goes on from that id would go on from a call without
    its result.
    """
    configs = (object_if(body.get(key)) for key in ("generationConfig", "generation_config"))
    counts: list[Any] = [body.get("n"), *(config.get("candidateCount") for config in configs)]
    if any(isinstance(count, int) and count > 1 for count in counts):
        return False
    is_kept = format == "openai-responses" and body.get("store") is not False
    return not (is_kept and body.get("stream"))


class StreamReadBack:
    """The answer to a call whose request has our tools.

    Args:
        answers: what they look like, as a `ModelCall` says it.
        made: what was compiled.
        sent: the body that was sent.
        requests: sends the next ones.

    Attributes:
        note: why the answer went on from the original; empty where it did not.
        rest: what comes behind the beginning of an answer that is too long to be read.
    """

    def __init__(
        self, answers: str, made: ContextCall, sent: bytes, requests: InnerRequests
    ) -> None:
        self._reader: ReadBack = made.engine.tools(made.session)
        self._answers, self._sent = answers, object_if(msgspec.json.decode(sent))
        self._requests, self._has_our_usage = requests, False
        names = frozenset(self._reader.names)
        self._held = _HELD[answers](names.__contains__)
        self._listed: list[Json] = []
        self._round = 0
        self._readers: list[UsageReader] = []
        self.note = ""
        self.rest: AsyncIterator[bytes] | None = None

    def bills(self) -> list[Usage | None]:
        """What the upstream billed for each answer, the first one's in front; None where it does
        not say."""
        return [reader.usage() for reader in self._readers]

    async def events(self, answer: UpstreamAnswer) -> AsyncIterator[bytes]:
        """What the client sees of a stream. Where the upstream does not go on, it ends with an
        error as the provider's streams do.

        Args:
            answer: to the body that was sent. It is not closed.

        Raises:
            UpstreamReset: the upstream broke off.
        """
        current = answer
        while True:
            async for chunk in self._events(current):
                yield chunk
            if current is not answer:
                current.close()
            if not self._held.calls():
                return
            try:
                current = await self._next()
            except InnerRefusal as refusal:
                yield self._held.refused(refusal)
                return

    async def whole(self, answer: UpstreamAnswer) -> bytes:
        """What the client sees of an answer that is no stream of events.

        Raises:
            InnerRefusal: the upstream did not go on. UpstreamReset: it broke off.
        """
        current = answer
        while True:
            text = await self._whole(current)
            if current is not answer:
                current.close()
            if not self._held.calls():
                return text
            current = await self._next()

    async def _events(self, answer: UpstreamAnswer) -> AsyncIterator[bytes]:
        lines, reader = EventLines(), self._new_reader()
        async for chunk in answer.plain_chunks():
            reader.feed(chunk)
            shown = b"".join(map(self._shown, lines.feed(chunk)))
            if shown:
                yield shown
        if rest := lines.rest():
            yield rest

    def _new_reader(self, kind: bytes = b"text/event-stream") -> UsageReader:
        """What reads the bill of the next answer, which comes plain."""
        self._readers.append(UsageReader([(b"content-type", kind)]))
        return self._readers[-1]

    def _shown(self, raw: bytes) -> bytes:
        data = event_data(raw)
        if data is None:  # `[DONE]`, a comment: of the last answer only
            return b"" if self._held.calls() else raw
        shown = self._held.event(raw, data)
        is_usage = self._has_our_usage and data.get("choices") == [] and data.get("usage")
        return b"" if is_usage else shown

    async def _whole(self, answer: UpstreamAnswer) -> bytes:
        text, chunks = b"", answer.plain_chunks()
        async for chunk in chunks:
            text += chunk
            if len(text) > _LONGEST and self._round:
                raise UpstreamReset(f"the answer has more than {_LONGEST:,} bytes")
            if len(text) > _LONGEST:
                self.rest = chunks
                return text
        self._new_reader(b"application/json").feed(text)
        try:
            source: Any = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            source = None
        if isinstance(source, dict):
            return msgspec.json.encode(self._held.whole(object_if(source)))
        pieces = list_if(source)
        if pieces and all(isinstance(piece, dict) for piece in pieces):
            return self._pieces(pieces)  # Gemini's streams, unless events are asked for
        if self._round:
            raise UpstreamReset("what it went on with is no answer of a model")
        return text  # a page of something in front of the upstream, or nothing: the caller's

    def _pieces(self, listed: list[Any]) -> bytes:
        """A stream that is a list: what the client sees of it, with what it saw before."""
        for piece in map(object_if, listed):
            shown = self._held.event(event_of(piece, named=False), piece)
            if shown:
                self._listed.append(event_data(shown) or piece)
        return msgspec.json.encode(self._listed)

    async def _next(self) -> UpstreamAnswer:
        """The answer that goes on."""
        self._round += 1
        answers: list[str] = []
        for call in self._held.calls():
            if self._round > ROUNDS:
                answers.append(_ENOUGH)
            else:
                answers.append(await off_loop(self._reader.call, call.name, call.arguments))
        self._sent = self._held.body(self._sent, answers)
        following = await self._requests.answer(self._answers, self._sent)
        self._note(following)
        goes_on = self._round <= ROUNDS and not following.is_to_original
        self._held = self._held.next(goes_on=goes_on)
        return following.answer

    def _note(self, following: InnerAnswer) -> None:
        self._has_our_usage = self._has_our_usage or following.has_our_usage
        if following.is_to_original:
            self.note = "original: the upstream refused to go on from what was read"
