"""Prompt caches: a clock in front of what a provider could hold makes it useless."""

from typing import Any

from contextwright.atoms.compress.clock_last import clocks_in
from contextwright.check.report import Finding
from contextwright.compiler.pack import Pack

_LASTING = ("system", "instructions")
"""Where requests hold their instruction, in the formats that name it."""


def findings(agent: str, packs: list[Pack]) -> list[Finding]:
    """A warning for every line with a time of day in the cached part of a measured request."""
    lines = {line: None for pack in packs for line in clocks_in(_cached(pack.request))}
    return [
        Finding(
            "warning",
            "clock-in-cache",
            agent,
            line[:120],
            "a time of day stands in front of what a prompt cache could hold: all behind it is "
            "paid in full at every turn",
            "say the time in the newest message, or end the term with C.clock_last()",
        )
        for line in lines
    ]


def _cached(request: dict[str, Any]) -> str:
    texts = [_text(request.get(name)) for name in _LASTING]
    config: Any = request.get("config") or {}
    texts.append(_text(config.get("system_instruction")))
    texts += [
        _text(message.get("content"))
        for message in request.get("messages", ())
        if message.get("role") == "system"
    ]
    return "\n".join(filter(None, texts))


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        pairs: dict[str, Any] = value
        return _text(pairs.get("parts") or pairs.get("text"))
    if isinstance(value, list):
        items: list[Any] = value
        return "\n".join(map(_text, items))
    return ""
