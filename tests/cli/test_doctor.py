"""`ctx doctor`: what is installed, and whether its adapter holds."""

import json
import logging
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from contextwright.adapters.catalogue import AdapterEntry, adapters
from contextwright.cli import doctor_command, self_tests
from contextwright.cli.main import ctx
from contextwright.cli.self_tests import CALLS, SelfTest

pytest.importorskip("openai")


@pytest.fixture
def few(monkeypatch):
    """Two frameworks: one that is installed, and one that is not."""
    entries = [each for each in adapters() if each.package in ("openai", "deepagents")]
    monkeypatch.setattr(doctor_command, "adapters", lambda: entries)


def run(*arguments):
    return CliRunner().invoke(ctx, ["doctor", *arguments], env={"COLUMNS": "80"})


def test_an_agent_is_played_without_the_adapter_and_with_it(few):
    done = run("--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)[0]
    assert found["package"] == "openai" and found["adapter"] == "wrap(client, spec)"
    assert found["without"]["passed"] < CALLS and found["without"]["error"]
    assert found["with_adapter"]["passed"] == CALLS and not found["with_adapter"]["error"]


def test_the_table_fits_80_columns_and_names_what_is_not_installed():
    done = run("--fast")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert all(len(line.rstrip()) <= 80 for line in lines)
    assert any(line.split()[:1] == ["openai"] for line in lines)
    assert "versi…" not in done.output and "test…" not in done.output


def test_an_adapter_that_does_not_hold_ends_with_8(few, monkeypatch):
    refused = SelfTest(13, 9000, "RuleViolation: no")
    monkeypatch.setattr(doctor_command, "self_test", lambda package, acts=True: refused)
    done = run()
    assert done.exit_code == 8 and "fails at 14" in done.output and "RuleViolation" in done.output


def test_what_a_framework_prints_is_no_part_of_the_output(few, monkeypatch):
    def loud(package, acts=True):
        print("ERROR a log line of a framework")
        return SelfTest(CALLS, 9000, "")

    monkeypatch.setattr(doctor_command, "self_test", loud)
    done = run("--json")
    assert json.loads(done.stdout) and "a log line" in done.stderr


def test_a_version_that_was_not_tested_is_named(few, monkeypatch):
    """Also where the adapter holds with it."""
    monkeypatch.setattr(AdapterEntry, "installed", property(lambda self: "0.0.5"))
    done = run("--fast")
    text = " ".join(done.output.split())
    assert "openai 0.0.5: the adapter was tested with 2.54, 3.54" in text
    assert not json.loads(run("--fast", "--json").output)[0]["is_tested"]


@pytest.mark.parametrize(
    ("installed", "tested", "is_tested"),
    [("2.54.1", "2.54, 3.54", True), ("2.5.4", "2.54", False), ("0.3.285", "0.3.285", True)],
)
def test_versions_are_compared_number_by_number(monkeypatch, installed, tested, is_tested):
    monkeypatch.setattr(AdapterEntry, "installed", property(lambda self: installed))
    assert AdapterEntry("p", "n", tested, "m", "e", "h").is_tested == is_tested


def test_why_no_agent_was_played_is_said(few, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    done = run()
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "openai: its agent can not be played: import of openai halted" in text


def test_a_framework_that_can_not_be_imported_is_named_and_ends_with_8(monkeypatch):
    pytest.importorskip("agno")
    entries = [each for each in adapters() if each.package == "agno"]
    monkeypatch.setattr(doctor_command, "adapters", lambda: entries)
    for name in [each for each in sys.modules if each.startswith("contextwright.adapters.agno")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "agno.models.message", None)
    done = run("--fast")
    assert done.exit_code == 8
    assert "agno: the adapter can not be imported: " in " ".join(done.output.split())
    assert json.loads(run("--json").output)[0]["is_broken"]


def test_without_any_framework_there_is_no_table(monkeypatch):
    monkeypatch.setattr(AdapterEntry, "installed", "")
    done = run()
    assert done.exit_code == 0 and "no framework is installed" in done.output
    assert "version" not in done.output and "pip install" in done.output
    assert all(len(line.rstrip()) <= 80 for line in done.output.splitlines())


def test_every_adapter_of_the_catalogue_names_an_extra_of_ours():
    path = Path(__file__).parents[2] / "pyproject.toml"
    project = tomllib.loads(path.read_text())["project"]
    assert {each.extra for each in adapters()} <= set(project["optional-dependencies"])


def test_every_command_is_there_where_pytest_is_not():
    """Who installs the package has none of what its tests need."""
    code = """
import sys
sys.modules.update(dict.fromkeys(("pytest", "hypothesis", "_pytest")))
from click.testing import CliRunner
from contextwright.cli.main import ctx
for name in ctx.list_commands(None):
    done = CliRunner().invoke(ctx, [name, "--help"])
    assert done.exit_code == 0, (name, done.exception)
done = CliRunner().invoke(ctx, ["doctor", "--fast"])
assert "contextwright" in done.output, done.exception
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_a_framework_logs_of_a_refusal_frightens_nobody(monkeypatch, capsys):
    logger = logging.getLogger("of a framework")
    handler = logging.StreamHandler(sys.stderr)  # as one that was made before
    monkeypatch.setattr(logger, "handlers", [handler])

    def refused(url, context):
        logger.error("maximum context length")
        raise ValueError("maximum context length")

    monkeypatch.setattr(self_tests, "_PLAYS", {"openai": refused})
    assert self_tests.self_test("openai").error == "ValueError: maximum context length"
    assert capsys.readouterr().err == ""
    logger.error("a later one")
    assert "a later one" in capsys.readouterr().err
