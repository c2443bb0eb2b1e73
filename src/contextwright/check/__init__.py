"""The contract checker: what a pipeline of specs promises, before it runs."""

from contextwright.check.contract import check
from contextwright.check.pipeline import AgentStep, Branch, Pipeline
from contextwright.check.read import read_pipeline
from contextwright.check.report import AgentReport, Finding, Report

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
