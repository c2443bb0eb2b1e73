"""The embedded models: rules and word statistics, no network, no key, the same every time.

They are weaker than a language model and do not hide it: an answer names who made it
(`extractive`, `lexical`, `near`, `rules`).
"""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.models.embedded.embedded_answers import answer, packing_scores, relevance

_HOMES = {
    "answer": "embedded_answers",
    "packing_scores": "embedded_answers",
    "relevance": "embedded_answers",
}
"""Imported when they are first named."""

__all__ = ["answer", "packing_scores", "relevance"]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
