"""Tokens around the content: what a provider adds to every request, message and call."""

import msgspec


class Overhead(msgspec.Struct, frozen=True):
    """Tokens that stand in no text of the request.

    Args:
        request: once a request.
        message: around a message: role and separators.
        call: around a tool call, beside its name and arguments.
        result: around a tool result, beside its text.
        tools: once a request that has tools.
        tool: around a tool's schema, beside its canonical JSON.
        thinking: around a reasoning item.
    """

    request: int
    message: int
    call: int
    result: int
    tools: int
    tool: int
    thinking: int = 4


OVERHEADS = {
    # OpenAI's cookbook, "How to count tokens with tiktoken": 3 a message, 3 to prime the
    # answer; 7 + 12 for functions. Calls are not documented: 8 is above what was seen.
    "openai-chat": Overhead(request=3, message=4, call=8, result=4, tools=12, tool=8),
    "openai-responses": Overhead(request=3, message=4, call=8, result=4, tools=12, tool=8),
    # Anthropic adds some 350 tokens of a system prompt of its own once tools are there. They
    # are billed, not sent: calibration learns them, a budget does not count them.
    "anthropic": Overhead(request=3, message=4, call=12, result=12, tools=16, tool=8),
    "gemini": Overhead(request=3, message=4, call=8, result=8, tools=16, tool=8),
    "text": Overhead(request=0, message=0, call=0, result=0, tools=0, tool=0),
}
