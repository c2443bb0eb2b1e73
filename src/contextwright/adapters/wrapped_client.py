"""`wrap(client, spec)`: a provider's client whose requests are compiled before they leave.

    client = wrap(OpenAI(), C.compaction(100_000))
    client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)

It hooks in where every method of a client meets, below `create`, `parse`, `stream`,
`with_raw_response` and the asynchronous ones, so that all of them are compiled and each answers as
it always did. Tested with openai 2.54 and 3.54, anthropic 2.12, google-genai 2.34.
"""

import copy
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from contextwright.adapters.port import ContextPort, context_of
from contextwright.errors import SpecError

ClientT = TypeVar("ClientT")
_STAINLESS = ("/chat/completions", "/responses", "/v1/messages", "/v1/messages?beta=true")
_NOT_GIVEN = {"Omit", "NotGiven"}
_GEMINI = (":generateContent", ":streamGenerateContent")


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
        return _gemini(client, port)
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
        return port.send(body, lambda new: request(cast_to, compiled(options, new), **rest))

    async def asent(cast_to: Any, options: Any, **rest: Any) -> Any:
        body = body_of(options)
        if body is None:
            return await request(cast_to, options, **rest)
        return await port.asend(body, lambda new: request(cast_to, compiled(options, new), **rest))

    wrapped.request = asent if inspect.iscoroutinefunction(request) else sent

    def copy_of(**other: Any) -> Any:
        return _stainless(copied(**other), port)

    # a copy with other options is wrapped as well
    wrapped.copy = wrapped.with_options = copy_of
    return wrapped


def _gemini(client: Any, port: ContextPort) -> Any:
    """A client of google-genai; its methods and chats meet in the client of its interface."""
    api = copy.copy(client._api_client)
    wrapped = copy.copy(client)
    wrapped._api_client = api
    wrapped._aio = copy.copy(client._aio)
    wrapped._models = type(client._models)(api)
    wrapped._aio._models = type(client._aio._models)(api)
    wrapped._aio._api_client = api
    # the connection is the given client's: it lives and is closed with it
    wrapped.close = api.close = lambda: None
    wrapped._wrapped = client
    for name in ("request", "request_streamed", "async_request", "async_request_streamed"):
        setattr(api, name, _gemini_method(getattr(api, name), port))
    return wrapped


def _gemini_method(method: Callable[..., Any], port: ContextPort) -> Callable[..., Any]:
    def parts(path: str) -> bool:
        return path.partition("?")[0].endswith(_GEMINI)

    def body_of(path: str, body: dict[str, Any]) -> dict[str, Any]:
        model = path.partition(":")[0].rpartition("/")[2]
        return {"model": model, **{k: v for k, v in body.items() if not k.startswith("_")}}

    def back(body: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
        own = {key: value for key, value in body.items() if key.startswith("_")}
        return {**{key: value for key, value in new.items() if key != "model"}, **own}

    def sent(verb: str, path: str, body: dict[str, Any], *rest: Any) -> Any:
        if not parts(path):
            return method(verb, path, body, *rest)
        return port.send(
            body_of(path, body), lambda new: method(verb, path, back(body, new), *rest)
        )

    async def asent(verb: str, path: str, body: dict[str, Any], *rest: Any) -> Any:
        if not parts(path):
            return await method(verb, path, body, *rest)
        return await port.asend(
            body_of(path, body), lambda new: method(verb, path, back(body, new), *rest)
        )

    return asent if inspect.iscoroutinefunction(method) else sent
