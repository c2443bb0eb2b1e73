"""`wrap(client, spec)`: a provider's client whose requests are compiled before they leave.

    client = wrap(OpenAI(), C.compaction(100_000))
    client.chat.completions.create(model="gpt-5", messages=messages, tools=tools)

It hooks in where every method of a client meets, below `create`, `parse`, `stream`,
`with_raw_response` and the asynchronous ones, so that all of them are compiled and each answers as
it always did. Tested with openai 2.54 and 3.54, anthropic 2.12, google-genai 2.34 and 3.4.
"""

import inspect
from typing import Any, TypeVar

from contextwright.adapters.port import Body, ContextPort, context_of, refuse_unredacted
from contextwright.adapters.stream_bills import with_bill
from contextwright.adapters.wrapped_gemini import wrapped_gemini
from contextwright.errors import SpecError

ClientT = TypeVar("ClientT")
_FORMATS = {
    "/chat/completions": "openai-chat",
    "/responses": "openai-responses",
    "/v1/messages": "anthropic",
}
"""Ends of the paths of calls that are compiled, and what their bodies are: messages of role and
text would be any of them."""
_UNCOMPILED_PATHS = (
    "/completions", "/responses/compact", "/responses/input_tokens", "/messages/count_tokens",
    "/messages/batches",
)  # fmt: skip
"""Paths that take a conversation, or a prompt, and are no call that answers it."""
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
        SpecError: it is no such client, or an option that it has itself.
    """
    if "format" in options:
        raise SpecError(
            "a client's requests have a format of their own",
            where="wrap(client, ..., format=...)",
            fix="leave it out",
        )
    port = ContextPort(context_of(spec, options))
    home = type(client).__module__.partition(".")[0]
    known = {each.__module__.partition(".")[0] for each in type(client).__mro__} | {home}
    if known & {"openai", "anthropic"} and hasattr(client, "with_options"):
        return _stainless(client, port)
    if "google" in known and hasattr(client, "_api_client"):
        return wrapped_gemini(client, port)
    raise SpecError(
        f"can not be wrapped: {type(client).__name__} is no client that is known here",
        where="wrap(client, ...)",
        fix="give a client of openai, anthropic or google-genai; frameworks have adapters of "
        "their own (docs/how-to/frameworks.md)",
    )


def _data(options: Any) -> dict[str, Any]:
    """What a request says: what its caller gave in `extra_body` stands over the rest, as in the
    SDK. Nothing of bytes that somebody wrote, or of a form."""
    data, more = options.json_data, options.extra_json
    return {**data, **(more or {})} if isinstance(data, dict) else {}


def _compiled(options: Any, body: dict[str, Any]) -> Any:
    """The options of a request with what a context made of its body."""
    if "model" not in _data(options):
        body = {key: item for key, item in body.items() if key != "model"}
    return options.model_copy(update={"json_data": body, "extra_json": None})


def _call_of(options: Any, port: ContextPort) -> tuple[ContextPort, Body] | None:
    """The body of a call that is compiled, and the port for its format; None of any other.

    Raises:
        SpecError: it is one beside these that holds a conversation, and the spec redacts.
    """
    path, data = options.url.partition("?")[0], _data(options)
    if options.method.lower() != "post" or not data:
        return None
    format = next((name for end, name in _FORMATS.items() if path.endswith(end)), "")
    if not format:
        if path.endswith(_UNCOMPILED_PATHS):
            refuse_unredacted(port, path)
        return None
    # what is not given is a value of the SDK's own, which it takes out at last
    body = {key: item for key, item in data.items() if type(item).__name__ not in _NOT_GIVEN}
    if "model" not in body and port.model:
        body = {"model": port.model, **body}
    return port.of_format(format), body


def _stainless(client: Any, port: ContextPort) -> Any:
    """A client of openai's or anthropic's kind; both are made by one generator."""
    wrapped = client.with_options()
    request, copied = wrapped.request, wrapped.copy

    def sent(cast_to: Any, options: Any, **rest: Any) -> Any:
        call = _call_of(options, port)
        if call is None:
            return request(cast_to, options, **rest)
        known, body = call

        def answered(new: Body) -> Any:
            return with_bill(known, body, request(cast_to, _compiled(options, new), **rest))

        return known.send(body, answered)

    async def asent(cast_to: Any, options: Any, **rest: Any) -> Any:
        call = _call_of(options, port)
        if call is None:
            return await request(cast_to, options, **rest)
        known, body = call

        async def answered(new: Body) -> Any:
            answer = await request(cast_to, _compiled(options, new), **rest)
            return with_bill(known, body, answer)

        return await known.asend(body, answered)

    wrapped.request = asent if inspect.iscoroutinefunction(request) else sent

    def copy_of(**other: Any) -> Any:
        return _stainless(copied(**other), port)

    # a copy with other options is wrapped as well
    wrapped.copy = wrapped.with_options = copy_of
    return wrapped
