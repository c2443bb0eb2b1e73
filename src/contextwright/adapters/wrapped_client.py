"""`wrap(client, spec)`: a provider's client whose requests are compiled before they leave.

    client = wrap(OpenAI(), C.compaction(100_000))
    client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)

It hooks in where every method of a client meets, below `create`, `parse`, `stream`,
`with_raw_response` and the asynchronous ones, so that all of them are compiled and each answers as
it always did. Tested with openai 2.54 and 3.54, anthropic 2.12, google-genai 2.34 and 3.4.
"""

import inspect
from typing import Any, TypeVar

from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.stream_bills import with_bill
from contextwright.adapters.wrapped_gemini import wrapped_gemini
from contextwright.errors import SpecError

ClientT = TypeVar("ClientT")
_STAINLESS = ("/chat/completions", "/responses", "/v1/messages", "/v1/messages?beta=true")
_NOT_GIVEN = {"Omit", "NotGiven"}


def wrap(client: ClientT, spec: Any = None, **options: Any) -> ClientT:
    """A client of the same type, whose requests to a model are compiled; the given one stays as
    it is.

    Args:
        client: of openai, anthropic or google-genai, synchronous or not, Azure's and others'
            kinds of them too.
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given.

    Raises:
        SpecError: it is no such client.
    """
    port = ContextPort(context_of(spec, options))
    home = type(client).__module__.partition(".")[0]
    known = {each.__module__.partition(".")[0] for each in type(client).__mro__} | {home}
    if known & {"openai", "anthropic"} and hasattr(client, "with_options"):
        return _stainless(client, port)
    if "google" in known and hasattr(client, "_api_client"):
        return wrapped_gemini(client, port)
    raise SpecError(
        f"a {type(client).__name__} can not be wrapped",
        where="wrap(client, ...)",
        fix="give a client of openai, anthropic or google-genai; frameworks have adapters of "
        "their own (docs/how-to/frameworks.md)",
    )


def _stainless(client: Any, port: ContextPort) -> Any:
    """A client of openai's or anthropic's kind; both are made by one generator."""
    wrapped = client.with_options()
    request, copied = wrapped.request, wrapped.copy

    def compiled(options: Any, body: dict[str, Any]) -> Any:
        return options.model_copy(update={"json_data": body})

    def body_of(options: Any) -> dict[str, Any] | None:
        data = options.json_data
        if options.method.lower() != "post" or not options.url.endswith(_STAINLESS):
            return None
        # what is not given is a value of the SDK's own, which it takes out at last
        return {key: item for key, item in data.items() if type(item).__name__ not in _NOT_GIVEN}

    def sent(cast_to: Any, options: Any, **rest: Any) -> Any:
        body = body_of(options)
        if body is None:
            return request(cast_to, options, **rest)

        def answered(new: Body) -> Any:
            return with_bill(port, body, request(cast_to, compiled(options, new), **rest))

        return port.send(body, answered)

    async def asent(cast_to: Any, options: Any, **rest: Any) -> Any:
        body = body_of(options)
        if body is None:
            return await request(cast_to, options, **rest)

        async def answered(new: Body) -> Any:
            answer = await request(cast_to, compiled(options, new), **rest)
            return with_bill(port, body, answer)

        return await port.asend(body, answered)

    wrapped.request = asent if inspect.iscoroutinefunction(request) else sent

    def copy_of(**other: Any) -> Any:
        return _stainless(copied(**other), port)

    # a copy with other options is wrapped as well
    wrapped.copy = wrapped.with_options = copy_of
    return wrapped
