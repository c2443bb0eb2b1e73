"""Which requests are calls of a model, by their path."""

import re
from urllib.parse import unquote

import msgspec

_GEMINI = re.compile(r"/models/([^/:]+):(generateContent|streamGenerateContent|countTokens)$")
_LOGGED_IN = re.compile(r"/v1internal:(generateContent|streamGenerateContent|countTokens)$")
"""As Gemini's command line calls it where its user logged in."""
_AZURE = re.compile(r"/deployments/([^/]+)/(?:chat/completions|responses)$")
_SLASHES = re.compile("/{2,}")
_SUFFIXES = (
    ("/chat/completions", "openai-chat", False),
    ("/v1/responses", "openai-responses", False),
    ("/v1/messages/count_tokens", "anthropic", True),
    ("/v1/messages", "anthropic", False),
    ("/responses", "openai-responses", False),
)


class ModelCall(msgspec.Struct, frozen=True):
    """A call of a model.

    Args:
        format: of its body.
        model: that the path names, or the deployment of it; the body's where it is empty.
        only_counts: whether it only asks how many tokens its body has.
        is_enveloped: whether its body is the `request` of another object.
    """

    format: str
    model: str = ""
    only_counts: bool = False
    is_enveloped: bool = False

    @property
    def answers(self) -> str:
        """What its answers look like: those of its format, or in an envelope."""
        return f"{self.format}, enveloped" if self.is_enveloped else self.format


def model_call(method: str, path: str) -> ModelCall | None:
    """The call that a request is; None for everything else."""
    if method != "POST":
        return None
    # as a server may read it that decodes what is coded and takes slashes together
    plain = _SLASHES.sub("/", unquote(path.partition("?")[0])).rstrip("/")
    if match := _GEMINI.search(plain):
        return ModelCall("gemini", match[1], match[2] == "countTokens")
    if match := _LOGGED_IN.search(plain):
        return ModelCall("gemini", "", match[1] == "countTokens", is_enveloped=True)
    deployed = match[1] if (match := _AZURE.search(plain)) else ""  # it may be called otherwise
    for suffix, format, only_counts in _SUFFIXES:
        if plain.endswith(suffix):
            return ModelCall(format, deployed, only_counts)
    return None
