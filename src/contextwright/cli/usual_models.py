"""The models of a command line where nobody names one."""

from contextwright.errors import ModelError
from contextwright.tokens.models import model_info

MODEL = "gpt-5"
"""The model where neither the command nor the session names one."""
USUAL_MODELS = {
    "openai-chat": MODEL,
    "openai-responses": MODEL,
    "anthropic": "claude-sonnet-4-5",
    "gemini": "gemini-2.5-pro",
}
"""The model for a format whose session names none; its maker's models take such requests."""


def maker_of(model: str) -> str:
    """Who makes a model; empty for an unknown one."""
    try:
        return model_info(model).provider
    except ModelError:
        return ""
