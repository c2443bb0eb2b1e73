"""What a client's answer cost, where it stands in a stream or in a raw response: it is read as it
passes, and nothing of the answer is touched."""

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from contextwright.adapters.port import Body, ContextPort
from contextwright.tokens.usage import Usage, usage_of


def with_bill(port: ContextPort, body: Body, answer: Any, events_in: str = "_iterator") -> Any:
    """An answer of openai's or anthropic's client, whose bill the context hears once it is
    complete.

    Args:
        port: of the context.
        body: as it was given to be compiled.
        answer: a stream, whose events pass unchanged; a raw response; all else is left alone.
        events_in: the attribute of a stream that gives its events.
    """
    events = getattr(answer, events_in, None)
    if isinstance(events, AsyncIterator):
        setattr(answer, events_in, aheard(port, body, events, usage_of))
    elif isinstance(events, Iterator):
        setattr(answer, events_in, heard(port, body, events, usage_of))
    elif (raw := getattr(answer, "http_response", None)) is not None and raw.is_closed:
        port.billed(body, _json_usage(raw))
    return answer


def heard(
    port: ContextPort, body: Body, events: Iterator[Any], usage: Callable[[Any], Usage | None]
) -> Iterator[Any]:
    """Events as they come; the last usage among them goes to the context at the end."""
    bill: Usage | None = None
    for event in events:
        bill = _newer(bill, usage(event))
        yield event
    port.billed(body, bill)


async def aheard(
    port: ContextPort, body: Body, events: AsyncIterator[Any], usage: Callable[[Any], Usage | None]
) -> AsyncIterator[Any]:
    """The same of an asynchronous stream."""
    bill: Usage | None = None
    async for event in events:
        bill = _newer(bill, usage(event))
        yield event
    await port.abilled(body, bill)


def _newer(bill: Usage | None, other: Usage | None) -> Usage | None:
    """The newer of two usages: counts in a stream are sums so far."""
    return other if other is not None and other.input else bill


def _json_usage(response: Any) -> Usage | None:
    try:
        return usage_of(response.json())
    except ValueError:
        return None
