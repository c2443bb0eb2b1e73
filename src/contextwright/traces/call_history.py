"""The course of one conversation, put together from what its calls were sent.

A call goes on with a history where it begins with all of its messages, or holds its newest ones:
a window of the newest messages, a summary in front of them, old results cleared away. What happened
is then all messages ever sent, each once, and each call is marked with what it was really sent. A
call that fits nowhere begins a history of its own: a title, a sub-agent, a rewritten task.
"""

import re
from typing import Any, cast

import msgspec

from contextwright.formats.fields import list_if, object_if, text_of
from contextwright.formats.message_content import canonical, digest
from contextwright.formats.message_list import message_list
from contextwright.formats.read_messages import read_list
from contextwright.formats.tool_schemas import tool_of
from contextwright.session.session import Session
from contextwright.traces.call_mark import TRACE, CallMark, TraceRecord
from contextwright.traces.recorded_call import RecordedCall

_LISTS = ("messages", "input", "contents")
_SYSTEM = ("system", "developer")
_NUMBERS = re.compile(r"\d+")


class Request(msgspec.Struct, frozen=True, eq=False):
    """What a call was sent, in pieces that compare.

    Args:
        call: the call.
        key: of the body's list of messages.
        system: messages at its beginning that are the system's; messages: the others.
        digests: of the messages.
        front: of all in front of them: the system text and the tools.
        form: of the same with every number as one, for texts that hold the time of day.
    """

    call: RecordedCall
    key: str
    system: list[Any]
    messages: list[Any]
    digests: list[bytes]
    front: bytes
    form: bytes


class _Match(msgspec.Struct, frozen=True):
    """How a request goes on with a history.

    Args:
        start: its first message that is new. run: known messages right in front of it.
        whole: whether it begins with all of the history.
    """

    start: int
    run: int
    whole: bool


class Digests:
    """Digests of messages; one that was seen in the same bytes is not worked out again."""

    def __init__(self) -> None:
        self._known: dict[bytes, bytes] = {}

    def of(self, message: Any) -> bytes:
        """What a message says, in 32 bytes."""
        data = msgspec.json.encode(message)
        known = self._known.get(data)
        if known is None:
            known = self._known[data] = digest(canonical(message))
        return known


def request_of(call: RecordedCall, digests: Digests) -> Request:
    """A call's request, in pieces."""
    key = next(key for key in _LISTS if key in call.body)
    listed = cast("list[Any]", call.body[key])
    roles = [object_if(message).get("role") for message in listed]
    count = next((n for n, role in enumerate(roles) if role not in _SYSTEM), len(listed))
    rest = {name: value for name, value in call.body.items() if name != key}
    front = [listed[:count], rest.get("system"), rest.get("instructions"), rest.get("tools")]
    return Request(
        call=call,
        key=key,
        system=listed[:count],
        messages=listed[count:],
        digests=[digests.of(message) for message in listed[count:]],
        front=digest(front),
        form=digest(_NUMBERS.sub("0", text_of(front))),
    )


class CallHistory:
    """Calls that go on with each other.

    Attributes:
        requests: of its calls, oldest first.
        messages: all that were sent, each once.
    """

    def __init__(self, first: Request) -> None:
        self.requests: list[Request] = []
        self.messages: list[Any] = []
        self._digests: list[bytes] = []
        self._ends: list[int] = []
        self._add(first, 0)

    def rank(self, request: Request) -> tuple[bool, int] | None:
        """How well a request goes on with it; None where it does not."""
        match = self._match(request)
        return None if match is None else (request.form == self.requests[-1].form, match.run)

    def take(self, request: Request) -> None:
        """Go on with a request that fits."""
        match = self._match(request)
        assert match is not None
        self._add(request, match.start)

    def _add(self, request: Request, start: int) -> None:
        self.requests.append(request)
        self.messages += request.messages[start:]
        self._digests += request.digests[start:]
        self._ends.append(len(self.messages))

    def _match(self, request: Request) -> _Match | None:
        own, other = self._digests, request.digests
        if request.key != self.requests[-1].key or not own:
            return None
        is_alike = request.form == self.requests[-1].form
        if other[: len(own)] == own:
            is_new = len(other) > len(own) or is_alike
            is_sure = is_alike or len(own) > 1
            return _Match(len(own), len(own), whole=True) if is_new and is_sure else None
        for end in range(len(other) - 1, -1, -1):
            if other[end] != own[-1]:
                continue
            run = 1
            while run <= end and run < len(own) and other[end - run] == own[-1 - run]:
                run += 1
            if run > 1 or (is_alike and len(own) == 1):
                return _Match(end + 1, run, whole=False)
        return None

    def session(self, id: str, source: str) -> Session:
        """The session of all messages, with its calls marked.

        Raises:
            SessionError: its messages are of no known format.
        """
        last = self.requests[-1]
        models = [each.call.model for each in self.requests if each.call.model]
        gaps = list(dict.fromkeys(gap for each in self.requests for gap in each.call.gaps))
        front = [*last.system, *self.messages]
        body = {**last.call.body, last.key: [*front, *last.call.answer]}
        read = read_list(message_list(body, last.call.where), None)
        session = read.session
        session.id = id
        if not session.tools:  # beside messages whose format has none
            tools = list_if(last.call.body.get("tools"))
            session.tools = tuple(tool_of(tool, last.call.where, "openai-chat") for tool in tools)
        record = TraceRecord(
            source=source,
            conversation=last.call.conversation,
            model=models[-1] if models else "",
            calls=self._marks(len(last.system), [span[1] for span in read.spans], front),
            messages=front if any(self._is_partial(n) for n in range(len(self.requests))) else [],
            gaps=gaps,
        )
        session.metadata[TRACE] = msgspec.to_builtins(record)
        return session

    def _is_partial(self, number: int) -> bool:
        """Whether a call was sent anything but all messages so far behind the newest front."""
        request = self.requests[number]
        own = self._digests[: self._ends[number]]
        return request.digests != own or request.front != self.requests[-1].front

    def _marks(self, system: int, lasts: list[int], front: list[Any]) -> list[CallMark]:
        """The marks of the calls.

        Args:
            system: how many messages the front has. lasts: of each event, its last message.
        """
        places = {digest: system + n for n, digest in enumerate(self._digests)}
        marks: list[CallMark] = []
        before: Request | None = None
        for number, request in enumerate(self.requests):
            end = system + self._ends[number]
            shared = _shared(before, request)
            sent = None
            if self._is_partial(number):
                is_front = request.front == self.requests[-1].front
                first: list[Any] = list(range(system)) if is_front else list(request.system)
                pairs = zip(request.digests, request.messages, strict=True)
                sent = [*first, *(places.get(digest, message) for digest, message in pairs)]
            call = request.call
            marks.append(
                CallMark(
                    at=sum(last < end for last in lasts),
                    id=call.id,
                    model=call.model,
                    time_ms=call.start_ms,
                    usage=call.usage,
                    shared=shared,
                    sent=sent,
                    lost=before is not None and shared < len(before.system) + len(before.messages),
                )
            )
            before = request
        return marks


def _shared(before: Request | None, request: Request) -> int:
    """Messages at its beginning that the request before began with too."""
    if before is None or before.front != request.front:
        return 0
    count = 0
    for old, new in zip(before.digests, request.digests, strict=False):
        if old != new:
            break
        count += 1
    return len(request.system) + count


def histories_of(requests: list[Request]) -> list[CallHistory]:
    """The histories of one conversation's requests, in the order in which they began."""
    histories: list[CallHistory] = []
    for request in requests:
        ranked = [(rank, n) for n, one in enumerate(histories) if (rank := one.rank(request))]
        if ranked:
            histories[max(ranked)[1]].take(request)
        else:
            histories.append(CallHistory(request))
    return histories
