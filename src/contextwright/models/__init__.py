"""Models behind two small ports, and embedded ones that need no network."""

from contextwright.models.answer_cache import AnswerCache, RecentAnswers
from contextwright.models.answering import Limits, Models
from contextwright.models.llm import LLM, Completion, Embedder, ModelFault, Prompt
from contextwright.models.scripted import ScriptedLLM

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
