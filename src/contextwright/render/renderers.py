"""The renderer of every format."""

from functools import cache

from contextwright.render.renderer import Renderer


@cache
def renderer_for(format: str) -> Renderer:
    """The renderer of a provider format, imported when it is first needed."""
    if format == "openai-chat":
        from contextwright.render.openai_chat import OpenAIChatRenderer

        return OpenAIChatRenderer()
    if format == "openai-responses":
        from contextwright.render.openai_responses import OpenAIResponsesRenderer

        return OpenAIResponsesRenderer()
    if format == "anthropic":
        from contextwright.render.anthropic import AnthropicRenderer

        return AnthropicRenderer()
    if format == "gemini":
        from contextwright.render.gemini import GeminiRenderer

        return GeminiRenderer()
    from contextwright.render.text import TextRenderer

    return TextRenderer()
