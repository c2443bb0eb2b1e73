"""A callback of LiteLLM's: the SDK, its router and its proxy call it with the request for the
deployment that was chosen. Tested with litellm 1.106."""

from collections.abc import Mapping
from typing import Any

import litellm
from litellm.integrations.custom_logger import CustomLogger

from contextwright.adapters.port import Body, ContextPort, context_of
from contextwright.adapters.stream_bills import with_bill
from contextwright.tokens.context_overflow import overflow_of

_LISTS = ("messages", "input")
_SHOWN = (
    *_LISTS,
    "model",
    "system",
    "instructions",
    "tools",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "previous_response_id",
    "conversation",
)
"""What a context reads of a request; all else is LiteLLM's."""
_CALLS = {"completion", "acompletion", "responses", "aresponses", "anthropic_messages"}
_DONE = "contextwright_compiled"
"""Marks a request that `completion` compiled, for the hook."""


class ContextCallback(CustomLogger):
    """What requests hold, for `litellm.callbacks` or a proxy's `litellm_settings.callbacks`.

    In the proxy a conversation is told by its messages and the key that asks: nothing is shared
    between two keys.

    Args:
        spec: what requests hold, or a `Context`; without, the default of `Context`.
        options: of `Context`, where none is given: `model=...` and others.
    """

    def __init__(self, spec: Any = None, **options: Any) -> None:
        super().__init__()
        self.port = ContextPort(context_of(spec, options))

    @property
    def context(self) -> Any:
        """The context: its newest pack, session and manifest."""
        return self.port.context

    def completion(self, **request: Any) -> Any:
        """`litellm.completion`, which has no hook, with the context; too long, once more smaller.

        Args:
            request: as `litellm.completion` takes it.
        """
        shown = _body(request)

        def send(body: Body) -> Any:
            answer = litellm.completion(**_with(request, body))
            return with_bill(self.port, shown, answer, "completion_stream")

        return self.port.send(shown, send)

    async def acompletion(self, **request: Any) -> Any:
        """`litellm.acompletion` with the context; too long, once more smaller.

        Args:
            request: as `litellm.acompletion` takes it.
        """
        shown = _body(request)

        async def send(body: Body) -> Any:
            answer = await litellm.acompletion(**_with(request, body))
            return with_bill(self.port, shown, answer, "completion_stream")

        return await self.port.asend(shown, send)

    async def async_pre_call_deployment_hook(
        self, kwargs: dict[str, Any], call_type: Any
    ) -> dict[str, Any] | None:
        """The request with its messages as the context has them."""
        name = getattr(call_type, "value", call_type)
        metadata = kwargs.get("metadata") or {}
        if name not in _CALLS or not _messages(kwargs) or metadata.get(_DONE):
            return None
        body = _body(kwargs)
        compiled = await self._port_of(kwargs).compiled(body, str(kwargs.get("litellm_call_id")))
        return {**kwargs, **compiled}

    async def async_post_call_success_deployment_hook(
        self, request_data: dict[str, Any], response: Any, call_type: Any
    ) -> Any:
        """The answer, as it came; its bill goes to the context."""
        port = self._port_of(request_data)
        body = port.body_of(str(request_data.get("litellm_call_id")))
        if body is not None:
            await port.abilled(body, response)

    async def async_post_call_failure_deployment_hook(
        self, request_data: Mapping[str, object], exception: Exception, *rest: Any, **more: Any
    ) -> None:
        """What the provider called too long makes the conversation's next request smaller: a retry
        of the router's, or the next call."""
        port = self._port_of(request_data)
        body = port.body_of(str(request_data.get("litellm_call_id")))
        if body is not None and overflow_of(exception) is not None:
            await port.asmaller(body, exception)

    def _port_of(self, request: Mapping[str, Any]) -> ContextPort:
        """The port of whoever asks: of the proxy's key, or the one of the SDK."""
        metadata: Any = request.get("litellm_metadata") or request.get("metadata") or {}
        key = str(metadata.get("user_api_key_hash") or metadata.get("user_api_key") or "")
        return self.port.of_tenant(key)


def _messages(request: Mapping[str, Any]) -> bool:
    """Whether a request has a list of messages; a text alone has nothing to shorten."""
    return any(isinstance(request.get(name), list) for name in _LISTS)


def _body(request: Mapping[str, Any]) -> Body:
    return {name: request[name] for name in _SHOWN if request.get(name) is not None}


def _with(request: Mapping[str, Any], body: Body) -> dict[str, Any]:
    metadata = {**(request.get("metadata") or {}), _DONE: True}
    return {**request, **body, "metadata": metadata}
