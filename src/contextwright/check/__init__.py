"""The contract checker: what a pipeline of specs promises, before it runs."""

from contextwright.check.contract import check
from contextwright.check.pipeline import Branch, Pipeline, Step
from contextwright.check.read import read_pipeline
from contextwright.check.report import AgentReport, Finding, Report

__all__ = [
    "AgentReport",
    "Branch",
    "Finding",
    "Pipeline",
    "Report",
    "Step",
    "check",
    "read_pipeline",
]
