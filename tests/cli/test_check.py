"""`ctx check`."""

import json

import pytest
from click.testing import CliRunner

from contextwright import write_session
from contextwright.cli.main import ctx
from contextwright.errors import SpecError
from contextwright.testing import session_of


def run(*arguments):
    return CliRunner().invoke(ctx, ["check", *arguments])


def test_a_spec_is_checked():
    done = run("C.window(5) | C.budget(max_tokens=500)")
    assert done.exit_code == 0
    assert "✓ agent: context within 500 tokens" in done.output


def test_an_error_ends_with_code_3_and_strict_takes_warnings_too():
    assert run("C.template('{name}')").exit_code == 3
    assert run("C.template('{name}')", "--known", "name").exit_code == 0
    assert run("C.default()").exit_code == 0
    assert run("C.default()", "--strict").exit_code == 3


def test_json_is_for_machines(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('[{"agent": "a", "spec": "C.default()"}]')
    done = run(str(path), "--json")
    assert json.loads(done.output)["findings"][0]["code"] == "unbounded"


def test_a_session_measures(tmp_path):
    path = tmp_path / "s.json"
    write_session(session_of("u: hello | a: hi | u: again"), "contextwright", path)
    done = run("C.window(2) | C.budget(max_tokens=500)", "--session", str(path))
    assert "headroom" in done.output


def test_a_session_without_a_user_is_measured_at_its_end(tmp_path):
    path = tmp_path / "s.json"
    path.write_text('[{"role": "system", "content": "Be brief."}]')
    done = run("C.window(n=1)", "--session", str(path))
    assert done.exit_code == 3 and "the session has no message yet" in done.output


def test_a_manifest_shows_who_answered(tmp_path):
    path = tmp_path / "s.json"
    write_session(
        session_of("u: hi | a: " + "hello Ann " * 90 + " | u: again"), "contextwright", path
    )
    spec = "C.summarize(max_tokens=30) + C.window(1)"
    done = CliRunner().invoke(ctx, ["compile", str(path), "--spec", spec])
    assert "summary by extractive" in done.output
    wrong = CliRunner().invoke(ctx, ["explain", str(path), "--spec", spec, "--llm", "nobody:x"])
    assert wrong.exception is not None


def test_a_file_that_is_missing_is_named(tmp_path):
    done = run(str(tmp_path / "gone.json"))
    assert done.exit_code != 0
    assert "can not be read" in str(done.exception)


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("[]", "no agent to check"),
        ('[{"agent": "a", "spec": "C.none()", "cases": {"x": []}}]', "an agent has no cases"),
        ('[{"on": "intent", "agent": "a", "default": []}]', "a branch has nothing else"),
    ],
)
def test_what_would_not_be_checked_is_refused(written, says, tmp_path):
    path = tmp_path / "p.json"
    path.write_text(written)
    done = run(str(path))
    assert isinstance(done.exception, SpecError) and says in done.exception.what


def test_an_option_of_a_spec_is_none_of_a_file_of_agents(tmp_path):
    path = tmp_path / "p.json"
    path.write_text('[{"agent": "a", "spec": "C.default()"}]')
    for option in (["--read-back"], ["--reader", "look"]):
        done = run(str(path), *option)
        assert done.exit_code == 2 and option[0] in done.output
