"""Specs searched for over recorded sessions: the best of a space, measured on sessions that the
search never saw."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.tune.regression import floor_checks
    from contextwright.tune.run_tuning import tune
    from contextwright.tune.search_space import Dimension, dimensions, varied
    from contextwright.tune.tune_job import TuneJob
    from contextwright.tune.tuned import Tuned, read_tuned

_HOMES = {
    "Dimension": "search_space",
    "TuneJob": "tune_job",
    "Tuned": "tuned",
    "dimensions": "search_space",
    "floor_checks": "regression",
    "read_tuned": "tuned",
    "tune": "run_tuning",
    "varied": "search_space",
}

__all__ = [
    "Dimension",
    "TuneJob",
    "Tuned",
    "dimensions",
    "floor_checks",
    "read_tuned",
    "tune",
    "varied",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
