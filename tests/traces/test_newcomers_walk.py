"""A newcomer's walk: one command from an export, of whichever tool, to a table, to where an order
number was in sight, and to a page with every call in it."""

import json
import re

import pytest
from click.testing import CliRunner
from tests.traces.agent_calls import (
    SYSTEM,
    agent_calls,
    genai_attributes,
    openinference_attributes,
    otlp,
    otlp_span,
    written,
)
from tests.traces.test_export_variants import langfuse, langsmith

from contextwright import read_session, write_session
from contextwright.cli.main import ctx

STEPS, SIZE = 8, 60
NUMBER = "A-1"
"""Of the order that the user asks for; the agent's window loses it."""
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def windowed():
    """The calls of an agent that sends its newest four messages."""
    calls = []
    for messages, answer in agent_calls(STEPS, SIZE):
        said = [one for one in messages if one["role"] != "system"]
        calls.append(([SYSTEM, *(said if len(said) < 6 else said[-4:])], answer))
    return calls


def inspect_log():
    events = [
        {
            "event": "model",
            "timestamp": f"2026-10-01T10:00:{number:02}Z",
            "model": "openai/gpt-5",
            "input": messages,
            "output": {"choices": [{"message": answer}]},
        }
        for number, (messages, answer) in enumerate(windowed())
    ]
    return {"eval": {}, "samples": [{"id": "case-7", "epoch": 1, "target": "", "events": events}]}


EXPORTS = {
    "opentelemetry": lambda: otlp(
        [otlp_span(n, genai_attributes(*call)) for n, call in enumerate(windowed())]
    ),
    "openinference": lambda: otlp(
        [otlp_span(n, openinference_attributes(*call)) for n, call in enumerate(windowed())]
    ),
    "langfuse": lambda: {"data": [langfuse(n, call) for n, call in enumerate(windowed())]},
    "langsmith": lambda: [langsmith(n, call) for n, call in enumerate(windowed())],
    "inspect_ai": inspect_log,
}
RECORDS = ("atif", "openhands", "pi")
"""Files of sessions: what happened, not what was sent."""


def exported(name, folder):
    """The export of a tool, in a file of its own."""
    if name in EXPORTS:
        return written(folder, EXPORTS[name]())
    *_, (messages, answer) = agent_calls(STEPS, SIZE)
    session = read_session([*messages, answer])
    path = folder / ("record.jsonl" if name == "pi" else "record.json")
    write_session(session, name, path)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "opentelemetry",
        *(pytest.param(one, marks=pytest.mark.slow) for one in [*EXPORTS, *RECORDS][1:]),
    ],
)
def test_one_command_leads_from_an_export_to_the_answer_and_to_a_page(name, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    path, out = exported(name, tmp_path), tmp_path / "page.html"
    asked = ["try", path.name, "--budget", "2k", "--find", NUMBER, "-o", out.name]
    done = CliRunner().invoke(ctx, asked)
    assert not done.exit_code, f"{done.output}\n{done.exception!r}"
    assert not [line for line in done.output.splitlines() if len(line) > 80]
    assert f"{STEPS + 1} calls" in done.output and "input cost" in done.output
    lines = done.output.splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith(f"'{NUMBER}' in "))
    shown = lines[place + 1]
    if name in EXPORTS:  # the window let it go
        assert "your agent showed it at calls 1 to" in shown and f"to {STEPS + 1}" not in shown
    assert f"1 to {STEPS + 1}" in lines[place + 2], "the task stays"

    data = json.loads(DATA.search(out.read_text())[1])
    assert len(data["calls"]["position"]) == STEPS + 1
    for side in (data["series"][0], data["everything"]):
        assert len(side["tokens"]) == STEPS + 1


def test_a_budget_is_all_that_it_asks_for(tmp_path):
    done = CliRunner().invoke(ctx, ["try", str(exported("langfuse", tmp_path))])
    assert done.exit_code == 2 and "--budget N" in done.output
