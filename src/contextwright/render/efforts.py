"""How much a model is to think, in each provider's words: a level, or a budget of tokens.

Levels are budgets as Google's pages equate them for its own models:
https://ai.google.dev/gemini-api/docs/openai#thinking
"""

import re

from contextwright.formats.fields import Json
from contextwright.tokens.models import reasoning_profile

LEVELS = ("minimal", "low", "medium", "high", "xhigh")
_BUDGETS = {"minimal": 1_024, "low": 1_024, "medium": 8_192, "high": 24_576, "xhigh": 24_576}
_LEAST = 1_024
"""Tokens of a budget that Claude takes at least."""
_TAKES_NONE = re.compile(r"gpt-5\.\d")
_HAS_LEVELS = re.compile(r"gemini-(?!1|2)")
_HAS_BUDGETS = re.compile(r"gemini-2\.5")


def effort_of(budget: int) -> str:
    """The level of a budget: the least that has as many tokens; empty for the model's own."""
    if budget < 0:
        return ""
    if budget == 0:
        return "none"
    return next((level for level in LEVELS[1:] if budget <= _BUDGETS[level]), "high")


def effort_of_claude(thinking: Json) -> str:
    """The level that a `thinking` of Claude's asks for; empty where that is the model's own."""
    if thinking.get("type") == "disabled":
        return "none"
    budget = thinking.get("budget_tokens")
    return effort_of(budget) if isinstance(budget, int) else ""


def effort_for_openai(effort: str, model: str) -> str:
    """The level that a model of OpenAI's that reasons takes; empty for none."""
    if effort != "none":
        return effort if effort in LEVELS else ""
    return "none" if _TAKES_NONE.match(_name(model)) else "minimal"


def effort_for_claude(effort: str, model: str, room: int, *, forced: bool) -> Json:
    """The fields that ask a Claude for this effort; empty where it can not be asked.

    Args:
        room: tokens of the answer, which a budget is a part of.
        forced: whether a tool must be called: then it takes no budget.
    """
    profile = reasoning_profile(model)
    if effort == "none":
        return {"thinking": {"type": "disabled"}} if profile in ("strip-old", "keep") else {}
    if profile in ("keep", "bound") and effort in LEVELS[1:]:
        return {"output_config": {"effort": effort}}
    budget = min(_BUDGETS.get(effort, 0), room // 2)
    if profile != "strip-old" or budget < _LEAST or forced:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def effort_for_gemini(effort: str, model: str) -> Json:
    """The thinking config that asks a Gemini for this effort; empty where it can not be asked."""
    name = _name(model)
    if _HAS_LEVELS.match(name):
        if effort == "none":
            return {"thinking_level": "MINIMAL"}
        return {"thinking_level": effort.upper()} if effort in LEVELS[:4] else {}
    if not _HAS_BUDGETS.match(name):
        return {}
    if effort == "none":
        return {"thinking_budget": 128 if "pro" in name else 0}  # Pro always thinks
    return {"thinking_budget": _BUDGETS[effort]} if effort in _BUDGETS else {}


def effort_of_gemini(thinking: Json) -> str:
    """The level that a thinking config asks for; empty where that is the model's own."""
    level, budget = thinking.get("thinking_level"), thinking.get("thinking_budget")
    if isinstance(level, str):
        return level.lower()
    return effort_of(budget) if isinstance(budget, int) else ""


def _name(model: str) -> str:
    return model.rpartition("/")[2]
