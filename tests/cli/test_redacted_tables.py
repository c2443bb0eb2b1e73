"""What a spec redacts is in no table either: a terminal's output is kept by CI, and pasted."""

import json

import pytest
from click.testing import CliRunner

from contextwright import C, Session, compile
from contextwright.cli.main import ctx
from contextwright.formats import write_session
from contextwright.testing import target_for

MAIL, KEY = "kim.lee@corp.example", "ghp_" + "a1B2c3D4" * 4 + "e5F6"
SPEC = 'C.default() | C.redact(["pii", "secrets"])'


def session():
    session = Session("s")
    session.user(f"mail {MAIL}, please")
    session.call("run", json.dumps({"key": KEY}), id="a")
    session.result("a", f"done for {MAIL}")
    session.call("send", json.dumps({"to": MAIL, "key": KEY}), id="b")
    session.result("b", "sent")
    session.user("and now?")
    return session


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(write_session(session()))
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("compile", "--spec", SPEC),
        ("compile", "--spec", SPEC, "--json"),
        ("explain", "--spec", SPEC),
        ("explain", "--spec", SPEC, "--json"),
        ("show", "--spec", SPEC),
        ("diff", "--spec", SPEC, "--spec", f"{SPEC} | C.budget(500)"),
        ("try", "--spec", SPEC),
        ("try", "--spec", SPEC, "--json"),
    ],
    ids=lambda command: " ".join((command[0], *command[3:])),
)
def test_a_command_prints_nothing_that_its_spec_redacts(command, path):
    name, *options = command
    result = CliRunner().invoke(ctx, [name, str(path), *options, "--model", "gpt-5"])
    assert result.exit_code == 0, result.output
    assert "kim.lee" not in result.output and "ghp_" not in result.output


@pytest.mark.parametrize(
    "spec", [C.default(), C.window(n=1) + C.default(), C.window(steps=2)], ids=repr
)
def test_one_block_that_a_step_changed_once_is_listed_once(spec):
    spec = spec | C.redact(["pii", "secrets"])
    manifest = compile(session(), spec, target=target_for("anthropic")).manifest
    changes = [(change.id, change.step, change.action) for change in manifest.changes]
    assert changes and len(changes) == len(set(changes))
