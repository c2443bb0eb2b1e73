"""Any provider's model through pydantic-ai (extra `llm`)."""

import re
from asyncio import AbstractEventLoop, get_running_loop
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import msgspec

from contextwright.errors import MissingExtra, ModelError
from contextwright.models.llm import Completion, Fault, ModelFault, Prompt, fault_of_status
from contextwright.tokens.models import model_info

_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN)\b")
_NAMED_SO = "name it as provider:model, such as openai:gpt-5-mini or anthropic:claude-haiku-4-5"
_MAKERS = frozenset({"openai", "anthropic", "google"})
"""Providers that offer their own models only; others may offer anybody's."""


class ProviderLLM:
    """A model of a provider, by its name in pydantic-ai: `openai:gpt-5-mini`.

    The key is read from the environment as the provider's own SDK does it.

    Args:
        model: `provider:name`, or a pydantic-ai `Model`, whose connections are of the one event
            loop that it is used in; `Engine.compile` uses one of its own, so give the name where
            there are several. What a spec names is asked instead; a name without a provider is one
            of the maker's, where that is known, or else one of this model's provider.
        base_url: of a server that speaks OpenAI's chat completions; `model` is then its name
            for the model.
        settings: pydantic-ai's model settings, such as `temperature`.

    Raises:
        MissingExtra: pydantic-ai is not installed.
        ModelError: pydantic-ai knows no such model, or its provider lacks a key.
    """

    def __init__(
        self,
        model: Any,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        **settings: Any,
    ) -> None:
        if find_spec("pydantic_ai") is None:
            raise MissingExtra("pydantic-ai-slim", "llm")
        # before what is in it: threads that first import another part each wait in a circle
        import_module("pydantic_ai")
        self._server = (base_url, api_key)
        named = self._full_name(model, "") if isinstance(model, str) else model
        self._given = self._named(named)
        self._is_named = isinstance(named, str)
        self.id = named if isinstance(named, str) else f"{self._given.system}:{named.model_name}"
        self._settings = settings
        self._by_loop: dict[AbstractEventLoop, dict[str, Any]] = {}
        self._unused = [self._given] if self._is_named else []

    async def complete(self, prompt: Prompt) -> Completion:
        """Answer, in the schema's shape by the provider's own means where there is one."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import AgentRunError
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        parts = [SystemPromptPart(content=prompt.system), UserPromptPart(content=prompt.text)]
        settings: Any = {"max_tokens": prompt.max_tokens, **self._settings}
        full_name = self._full_name(prompt.model, self.id) if prompt.model else self.id
        try:
            model = self._model(full_name)
        except ModelError as error:
            raise ModelFault("rejected", error.what) from error
        try:
            response = await model_request(
                model,
                [ModelRequest(parts=parts)],
                model_settings=settings,
                model_request_parameters=_parameters(prompt.schema),
            )
        except AgentRunError as error:
            raise _fault(error) from error
        text = response.text or ""
        details = response.provider_details or {}
        if details.get("refusal"):
            raise ModelFault("refused", text[:200] or "the provider refused to answer")
        return Completion(
            text=text,
            model=full_name,
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
            finish_reason=response.finish_reason or "",
        )

    def _model(self, full_name: str) -> Any:
        """A model by its name, one for each event loop: its connections are of the loop that opened
        them, and can not be used in another, nor when that was closed."""
        if full_name == self.id and not self._is_named:
            return self._given
        loop = get_running_loop()
        models = self._by_loop.get(loop)
        if models is None:
            for known in list(self._by_loop):
                if known.is_closed():
                    self._by_loop.pop(known, None)
            models = self._by_loop[loop] = {}
            with suppress(IndexError):
                models[self.id] = self._unused.pop()  # that loop's from now on
        if full_name not in models:
            models[full_name] = self._named(full_name)
        return models[full_name]

    def _full_name(self, name: str, own: str) -> str:
        return name if self._server[0] is not None else with_provider(name, own)

    def _named(self, model: Any) -> Any:
        base_url, api_key = self._server
        if base_url is None or (isinstance(model, str) and _has_provider(model)):
            return _inferred(model)
        return _served(str(model), base_url, api_key)


def with_provider(name: str, own: str) -> str:
    """A model's name with its provider: the one it has, that of `own` where that offers
    anybody's models, or the maker's where the name is known.

    Args:
        own: the full name of the model at hand; empty where there is none.
    """
    provider = own.partition(":")[0] if ":" in own else ""
    if ":" in name:
        return name
    if provider and provider.split("-")[0] not in _MAKERS:
        return f"{provider}:{name}"
    try:
        maker = model_info(name).provider
    except ModelError:
        maker = provider
    if not maker:
        return name
    return f"{provider if provider.split('-')[0] == maker else maker}:{name}"


def _has_provider(name: str) -> bool:
    from pydantic_ai.providers import infer_provider_class

    try:
        infer_provider_class(name.partition(":")[0])
    except (ValueError, ImportError):
        return False
    return ":" in name


def _parameters(schema: str) -> Any:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition

    if not schema:
        return ModelRequestParameters()
    shape = OutputObjectDefinition(json_schema=msgspec.json.decode(schema), name="answer")
    return ModelRequestParameters(output_mode="native", output_object=shape)


def _inferred(model: Any) -> Any:
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    try:
        return infer_model(model)
    except ImportError as error:  # the provider's SDK
        provider = str(model).partition(":")[0]
        raise ModelError(
            f"the SDK of {provider} is not installed: {_first_line(error)}",
            where=f"llm {model!r}",
            fix=f"pip install 'pydantic-ai-slim[{provider.partition('-')[0]}]'",
        ) from error
    except UserError as error:
        key = next(iter(_VARIABLE.findall(str(error))), "")
        raise ModelError(
            f"the key for {model!r} is missing" if key else f"no model {model!r}: {error}",
            where=f"llm {model!r}",
            fix=f"export {key}=..., or give a pydantic-ai Model that has it" if key else _NAMED_SO,
        ) from error
    except ValueError as error:
        raise ModelError(
            f"no provider has the model {model!r}: {_first_line(error)}",
            where=f"llm {model!r}",
            fix=_NAMED_SO,
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _served(name: str, base_url: str, api_key: str | None) -> Any:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


def _fault(error: Any) -> ModelFault:
    """What a failure of pydantic-ai is to us, by its status where it has one."""
    from pydantic_ai.exceptions import ContentFilterError, ModelTimeoutError

    kind: Fault = fault_of_status(getattr(error, "status_code", None))
    if isinstance(error, ContentFilterError):
        kind = "refused"
    elif isinstance(error, ModelTimeoutError):
        kind = "timeout"
    what = f"{type(error).__name__}: {error}"[:200]
    return ModelFault(kind, what, retry_after_s=getattr(error, "retry_after", None))
