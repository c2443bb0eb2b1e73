"""How agents are pointed at a proxy: by their environment, or by an option of their own."""

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

import msgspec

from contextwright.errors import ProxyError

_OPENAI, _ANTHROPIC = "https://api.openai.com", "https://api.anthropic.com"
_GEMINI = "https://generativelanguage.googleapis.com"
_GEMINI_LOGIN = "https://cloudcode-pa.googleapis.com"
_VARIABLES = {
    _ANTHROPIC: ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"),
    _OPENAI: ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
    _GEMINI: ("GOOGLE_GEMINI_BASE_URL",),
    _GEMINI_LOGIN: ("CODE_ASSIST_ENDPOINT",),
}
"""Variables by which clients of a provider find it."""
_OWN = "contextwright"
"""What the provider that is put into Codex' settings is called."""
_PROVIDERS = {"claude": _ANTHROPIC, "codex": _OPENAI, "aider": _OPENAI, "gemini": _GEMINI}


class AgentCommand(msgspec.Struct, frozen=True):
    """A command that is to send its requests through a proxy.

    Args:
        arguments: the command, and what it is called with.
        upstream: where its requests go to without a proxy.
        provider: whose variables are set; empty where nobody knows.
    """

    arguments: tuple[str, ...]
    upstream: str
    provider: str = ""

    def environment(self, url: str) -> dict[str, str]:
        """Variables that are set for it.

        Args:
            url: of the proxy.
        """
        made: dict[str, str] = {}
        for provider, names in _VARIABLES.items():
            if self.provider in ("", provider):
                made |= dict.fromkeys(names, f"{url}/v1" if provider == _OPENAI else url)
        if self.name == "opencode":
            options = {"options": {"baseURL": f"{url}/v1"}}
            providers = ("anthropic", "openai") if not self.provider else (_name(self.provider),)
            config = {"provider": dict.fromkeys(providers, options)}
            made["OPENCODE_CONFIG_CONTENT"] = json.dumps(config)
        return made

    def command(self, url: str) -> list[str]:
        """The command with the options that it needs beside its environment."""
        first, *rest = self.arguments
        if self.name == "codex":
            # the built-in provider would try websockets first, for some ten seconds
            fields = {"name": _OWN, "base_url": f"{url}/v1", "env_key": "OPENAI_API_KEY"}
            table = ", ".join(f"{k} = {json.dumps(v)}" for k, v in fields.items())
            provider = f'model_providers.{_OWN}={{{table}, wire_api = "responses"}}'
            return [first, "-c", provider, "-c", f'model_provider="{_OWN}"', *rest]
        return [first, *rest]

    @property
    def name(self) -> str:
        """The agent that it is."""
        return PurePath(self.arguments[0]).stem


def agent_command(
    arguments: Sequence[str], upstream: str | None, environment: Mapping[str, str]
) -> AgentCommand:
    """The command of an agent, and where its requests go.

    Args:
        upstream: as the user says; by default where the environment says, or the provider that
            the agent is known for.
        environment: of this process.

    Raises:
        ProxyError: nobody knows where its requests go.
    """
    name = PurePath(arguments[0]).stem
    provider = _provider_of(upstream) if upstream else _PROVIDERS.get(name, "")
    if provider == _GEMINI and not upstream and _is_logged_in(environment):
        provider = _GEMINI_LOGIN
    known = next((environment[v] for v in _VARIABLES.get(provider, ()) if environment.get(v)), "")
    url = upstream or known or provider
    if not url:
        raise ProxyError(
            f"nobody knows where {name} sends its requests",
            where="ctx wrap",
            fix=f"say so: ctx wrap --upstream https://api.openai.com -- {name} ...",
        )
    return AgentCommand(tuple(arguments), url.rstrip("/"), provider)


def _provider_of(upstream: str) -> str:
    """The provider of a host; empty where it is none of those known."""
    host = urlsplit(upstream).hostname or ""
    return next((url for url in _VARIABLES if urlsplit(url).hostname == host), "")


def _is_logged_in(environment: Mapping[str, str]) -> bool:
    """Whether Gemini's command line is told to use its user's login."""
    return environment.get("GOOGLE_GENAI_USE_GCA") == "true"


def _name(provider: str) -> str:
    return {_ANTHROPIC: "anthropic", _OPENAI: "openai"}.get(provider, "google")
