"""Any provider's model through pydantic-ai (extra `llm`)."""

from importlib.util import find_spec
from typing import Any

import msgspec

from contextwright.errors import MissingExtra, ModelError
from contextwright.models.llm import Completion, Fault, ModelFault, Prompt


class ProviderLLM:
    """A model of a provider, by its name in pydantic-ai: `openai:gpt-5-mini`.

    The key is read from the environment as the provider's own SDK does it.

    Args:
        model: `provider:name`, or a pydantic-ai `Model`. What a spec names is asked instead
            where it names a provider too.
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
        self._model: Any = (
            _served(str(model), base_url, api_key) if base_url is not None else _inferred(model)
        )
        self.id = model if isinstance(model, str) else f"{self._model.system}:{model.model_name}"
        self._settings = settings

    async def complete(self, prompt: Prompt) -> Completion:
        """Answer, in the schema's shape by the provider's own means where there is one."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import AgentRunError
        from pydantic_ai.messages import ModelRequest, SystemPromptPart, UserPromptPart

        parts = [SystemPromptPart(content=prompt.system), UserPromptPart(content=prompt.text)]
        settings: Any = {"max_tokens": prompt.max_tokens, **self._settings}
        other = prompt.model if ":" in prompt.model else ""
        try:
            response = await model_request(
                _inferred(other) if other else self._model,
                [ModelRequest(parts=parts)],
                model_settings=settings,
                model_request_parameters=_parameters(prompt.schema),
            )
        except AgentRunError as error:
            raise _fault(error) from error
        text = response.text or ""
        details = response.provider_details or {}
        if response.finish_reason == "content_filter" or details.get("refusal"):
            raise ModelFault("refused", text[:200] or "the provider refused to answer")
        return Completion(
            text=text,
            model=other or self.id,
            input_tokens=response.usage.input_tokens,
            output_tokens=response.usage.output_tokens,
        )


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
    except (UserError, ValueError, ImportError) as error:
        raise ModelError(
            f"no model {model!r}: {error}",
            where="llm",
            fix="name one as provider:model, install its SDK and set its key",
        ) from error


def _served(name: str, base_url: str, api_key: str | None) -> Any:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0)
    return OpenAIChatModel(name, provider=OpenAIProvider(openai_client=client))


def _fault(error: Any) -> ModelFault:
    """What a failure of pydantic-ai is to us, by its status where it has one."""
    from pydantic_ai.exceptions import ContentFilterError, ModelTimeoutError

    status = getattr(error, "status_code", None)
    kind: Fault = "unavailable"
    if isinstance(error, ContentFilterError):
        kind = "refused"
    elif status == 429:
        kind = "rate_limited"
    elif status == 408 or isinstance(error, ModelTimeoutError):
        kind = "timeout"
    elif status is not None and status < 500:
        kind = "rejected"
    what = f"{type(error).__name__}: {error}"[:200]
    return ModelFault(kind, what, retry_after_s=getattr(error, "retry_after", None))
