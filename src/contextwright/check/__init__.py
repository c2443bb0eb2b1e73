"""The contract checker: what a pipeline of specs promises, before it runs."""

from typing import TYPE_CHECKING

from contextwright.lazy_names import lazy_names

if TYPE_CHECKING:
    from contextwright.check.contract import check
    from contextwright.check.pipeline import AgentStep, Branch, Pipeline
    from contextwright.check.read import read_pipeline
    from contextwright.check.report import AgentReport, Finding, Report

_HOMES = {
    "AgentReport": "report",
    "AgentStep": "pipeline",
    "Branch": "pipeline",
    "Finding": "report",
    "Pipeline": "pipeline",
    "Report": "report",
    "check": "contract",
    "read_pipeline": "read",
}
"""Imported when they are first named."""

__all__ = [
    "AgentReport",
    "AgentStep",
    "Branch",
    "Finding",
    "Pipeline",
    "Report",
    "check",
    "read_pipeline",
]

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
