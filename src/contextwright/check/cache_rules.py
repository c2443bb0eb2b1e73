"""Prompt caches: a clock in front of what a provider could hold makes it useless, and so does a
window that begins elsewhere at every call."""

from typing import Any

from contextwright.atoms.compress.clock_last import clocks_in
from contextwright.check.report import Finding
from contextwright.compiler.pack import Pack
from contextwright.compiler.plan import Plan
from contextwright.spec.word_roles import ConversationWindow

_LASTING = ("system", "instructions")
"""Where requests hold their instruction, in the formats that name it."""


def findings(agent: str, plan: Plan | None, packs: list[Pack]) -> list[Finding]:
    """A warning for every window that moves at every call, and for every line with a time of day in
    the cached part of a measured request."""
    windows = plan.windows if plan is not None else ()
    moving = [_moving(agent, window) for window in windows if not window.strides]
    return [*filter(None, moving), *_clocks(agent, packs)]


def _moving(agent: str, window: ConversationWindow) -> Finding | None:
    """A window of turns moves when the user says something; one of steps in an agent's loop."""
    steps = getattr(window, "steps", None) or 0
    if steps < 2 or getattr(window, "n", None) is not None:
        return None
    return Finding(
        "warning",
        "moving-prefix",
        agent,
        repr(window),
        "it begins one step later at every call, so that no prompt cache holds: an agent's loop "
        "may cost more than if everything was sent",
        f"C.window(steps={steps}, stride={steps}) moves once in {steps} calls",
    )


def _clocks(agent: str, packs: list[Pack]) -> list[Finding]:
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
