"""Models behind two small ports, and embedded ones that need no network."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.models.answer_cache import AnswerCache, RecentAnswers
    from contextwright.models.answering import Limits, Models
    from contextwright.models.llm import LLM, Completion, Embedder, ModelFault, Prompt
    from contextwright.models.scripted import ScriptedLLM

_HOMES = {
    "AnswerCache": "answer_cache",
    "Completion": "llm",
    "Embedder": "llm",
    "LLM": "llm",
    "Limits": "answering",
    "ModelFault": "llm",
    "Models": "answering",
    "Prompt": "llm",
    "RecentAnswers": "answer_cache",
    "ScriptedLLM": "scripted",
}
"""Imported when they are first named."""

__all__ = [
    "LLM",
    "AnswerCache",
    "Completion",
    "Embedder",
    "Limits",
    "ModelFault",
    "Models",
    "Prompt",
    "RecentAnswers",
    "ScriptedLLM",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
