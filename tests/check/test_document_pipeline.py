"""context-algebra.md#worked-example's pipeline under the checker, from its fluent form."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("google.adk")
ROOT = Path(__file__).parents[2]


def report(**options):
    spec = importlib.util.spec_from_file_location(
        "customer_support", ROOT / "examples/customer_support.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.support().check(known=["_notes_customer_history"], **options)


def test_the_documents_pipeline_has_no_error_and_its_report_the_documents_form():
    found = report()
    assert found.errors == ()
    assert [agent.agent for agent in found.agents] == [
        "classifier",
        "billing_handler",
        "tech_support",
        "escalation_prep",
        "responder",
    ]
    text = found.text()
    assert "✓ billing_handler: 3-tier context within 8,000 tokens" in text
    assert "  Writes: resolution, actions_taken, customer_history (notes)" in text
    assert "  Guards: C.redact(patterns=['email', 'phone', 'ssn'])" in text
    for rule in ("All template variables resolved", "No circular note dependencies"):
        assert f"✓ {rule}" in text
    assert "✓ Priority tiers consistent (tier 1 always < budget)" in text


def test_what_the_document_overlooked_is_a_warning():
    warned = {(one.agent, one.code) for one in report().warnings}
    assert warned == {
        ("classifier", "unbounded"),
        ("tech_support", "no-effect"),
        ("responder", "unwritten-key"),
    }


def test_the_report_in_the_docs_is_the_checkers():
    page = (ROOT / "docs/reference/checker.md").read_text()
    assert report().text() in page
