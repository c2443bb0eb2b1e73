"""google-genai's client: its methods and chats meet in the client of its interface."""

import copy
import json
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import chain, islice
from typing import Any

from contextwright.adapters.port import Body, ContextPort, refuse_unredacted
from contextwright.adapters.stream_bills import aheard, heard
from contextwright.tokens.usage import Usage, usage_of

_METHODS = (":generateContent", ":streamGenerateContent")
_UNCOMPILED_METHODS = (":countTokens", ":computeTokens", ":batchGenerateContent", "interactions")
"""Methods that take contents, and are no call that answers them."""


def wrapped_gemini(client: Any, port: ContextPort) -> Any:
    """A copy of the client, whose requests to a model are compiled."""
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
    calls = _GeminiCalls(client._api_client, port)
    api.request, api.request_streamed = calls.request, calls.request_streamed
    api.async_request = calls.async_request
    api.async_request_streamed = calls.async_request_streamed
    return wrapped


class _GeminiCalls:
    """The four methods of the client of an interface."""

    def __init__(self, api: Any, port: ContextPort) -> None:
        self._api, self._port = api, port.of_format("gemini")

    def _is_model_call(self, path: str) -> bool:
        path = path.partition("?")[0]
        if path.endswith(_UNCOMPILED_METHODS):
            refuse_unredacted(self._port, path)
        return path.endswith(_METHODS)

    def request(self, verb: str, path: str, body: Body, *rest: Any) -> Any:
        if not self._is_model_call(path):
            return self._api.request(verb, path, body, *rest)
        shown = _shown(path, body)

        def sent(new: Body) -> Any:
            answer = self._api.request(verb, path, _sent(body, new), *rest)
            self._port.billed(shown, _usage(answer))
            return answer

        return self._port.send(shown, sent)

    def request_streamed(self, verb: str, path: str, body: Body, *rest: Any) -> Iterator[Any]:
        method: Callable[..., Iterator[Any]] = self._api.request_streamed
        if not self._is_model_call(path):
            yield from method(verb, path, body, *rest)
            return
        shown = _shown(path, body)

        def sent(new: Body) -> Iterator[Any]:
            chunks = method(verb, path, _sent(body, new), *rest)
            # a refusal comes with the first chunk, if there is one
            return chain([*islice(chunks, 1)], chunks)

        yield from heard(self._port, shown, self._port.send(shown, sent), _usage)

    async def async_request(self, verb: str, path: str, body: Body, *rest: Any) -> Any:
        if not self._is_model_call(path):
            return await self._api.async_request(verb, path, body, *rest)
        shown = _shown(path, body)

        async def sent(new: Body) -> Any:
            answer = await self._api.async_request(verb, path, _sent(body, new), *rest)
            await self._port.abilled(shown, _usage(answer))
            return answer

        return await self._port.asend(shown, sent)

    async def async_request_streamed(self, verb: str, path: str, body: Body, *rest: Any) -> Any:
        method = self._api.async_request_streamed
        if not self._is_model_call(path):
            return await method(verb, path, body, *rest)
        shown = _shown(path, body)

        async def sent(new: Body) -> AsyncIterator[Any]:
            return await method(verb, path, _sent(body, new), *rest)

        return aheard(self._port, shown, await self._port.asend(shown, sent), _usage)


def _shown(path: str, body: Body) -> Body:
    """The body with the model of its path; what begins with a mark is the client's own."""
    model = path.partition(":")[0].rpartition("/")[2]
    return {"model": model, **{k: v for k, v in body.items() if not k.startswith("_")}}


def _sent(body: Body, new: Body) -> Body:
    own = {key: value for key, value in body.items() if key.startswith("_")}
    sent = {key: value for key, value in new.items() if key != "model"}
    if "tools" in sent:
        sent["tools"] = [_on_the_wire(tool) for tool in sent["tools"]]
    return {**sent, **own}


def _on_the_wire(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool as the interface has it; those that the context adds are as the SDK's user writes."""
    if "function_declarations" not in tool:
        return tool
    wire = {"parameters_json_schema": "parametersJsonSchema"}
    functions = tool["function_declarations"]
    return {
        "functionDeclarations": [{wire.get(k, k): v for k, v in each.items()} for each in functions]
    }


def _usage(response: Any) -> Usage | None:
    """What a response says it cost, or a chunk of one."""
    try:
        return usage_of(json.loads(response.body or "{}"))
    except ValueError:
        return None
