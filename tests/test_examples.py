"""Every example runs, and does what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_the_agent_loop_looks_up_what_was_compacted():
    command = [sys.executable, str(EXAMPLES / "agent_loop.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "agent: Order NW-33 was 53 EUR." in done.stdout
    assert done.stdout.count("tokens sent") == 4


def test_the_customer_support_pipeline_answers():
    pytest.importorskip("google.adk")
    command = [sys.executable, "-W", "ignore", str(EXAMPLES / "customer_support.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith(
        "We have refunded the second charge of $49. Sorry for the trouble!"
    )
    assert 'source="notes:customer_history" priority="3"' in done.stdout


def test_the_long_lived_agent_keeps_forgets_and_refuses():
    command = [sys.executable, str(EXAMPLES / "long_lived_agent.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "premise: invalid (order 48213 did ship; event://e1)" in done.stdout
    assert "sessions: 1 removed" in done.stdout and "memory: 1 removed" in done.stdout


@pytest.mark.slow
def test_the_evaluation_says_what_a_request_shows_and_its_page_shows_it():
    pytest.importorskip("inspect_ai")
    command = [sys.executable, "-W", "ignore", str(EXAMPLES / "inspect_ai_eval.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    accuracy = {line[:20].strip(): float(line[20:30]) for line in done.stdout.splitlines()[1:]}
    assert accuracy["full history"] == accuracy["ContextCompaction"] == 1
    assert accuracy["CompactionTrim"] < 1
    page = EXAMPLES.parent / "docs/how-to/frameworks/inspect-ai.md"
    assert done.stdout in page.read_text()


def test_every_example_has_a_test():
    tested = Path(__file__).read_text()
    for path in EXAMPLES.glob("*.py"):
        assert path.name in tested
