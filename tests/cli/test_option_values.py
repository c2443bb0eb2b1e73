"""Options that are given are taken or refused, never passed over."""

import json

import pytest
from click.testing import CliRunner

from contextwright import read_session, write_session
from contextwright.cli.main import ctx
from contextwright.errors import ContextwrightError
from contextwright.testing import session_of

SESSION = "u: hi | c: search(bikes) | r: found a bike in Kiel | a: here | u: and now?"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "s.jsonl"
    write_session(session_of(SESSION), "contextwright", path)
    return path


def run(*arguments):
    return CliRunner().invoke(ctx, [str(one) for one in arguments])


def test_no_tokens_and_an_empty_text_are_refused_by_try(path):
    for arguments, word in (
        (("--budget", "0"), "positive"),
        (("--budget", "8k", "--find", ""), "--find is empty"),
    ):
        done = run("try", path, *arguments)
        assert done.exit_code == 2 and word in done.output


def test_two_packs_take_no_option_that_would_compile(path, tmp_path):
    pack = tmp_path / "pack.json"
    run("compile", path, "--out", pack)
    assert run("diff", pack, pack).exit_code == 0
    for option in (
        ("--spec", "C.default()"),
        ("--budget", "4k"),
        ("--model", "gpt-5"),
        ("--row", "0"),
    ):
        done = run("diff", pack, pack, *option)
        assert done.exit_code == 2 and option[0] in done.output


def test_diff_chooses_a_row_and_a_format(tmp_path):
    path = tmp_path / "two.jsonl"
    row = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
    path.write_text(f"{row}\n{row}\n")
    specs = ("--spec", "C.default()", "--spec", "C.window(n=1)")
    assert run("diff", path, *specs, "--row", "1").exit_code == 0
    assert run("diff", path, *specs, "--row", "1", "--from", "openai-chat").exit_code == 0
    assert isinstance(run("diff", path, *specs).exception, ContextwrightError)


def test_a_session_too_short_for_a_pack_is_named_by_its_own_id(path, tmp_path):
    pack, short = tmp_path / "pack.json", tmp_path / "short.json"
    run("compile", path, "--out", pack)
    short.write_text('[{"role": "user", "content": "hi"}]')
    error = run("replay", pack, short).exception
    assert isinstance(error, ContextwrightError)
    assert "short" in str(error) and read_session(path).id not in str(error)


def test_a_text_is_expanded_byte_for_byte(path):
    session = read_session(path)
    result = next(event for event in session.log if event.role == "tool")
    call = session.log[session.log.index(result) - 1]
    done = run("expand", f"event://{call.id}#0", path)
    assert done.stdout_bytes == b"found a bike in Kiel"
    assert run("expand", f"event://{call.id}", path, "--json").stdout_bytes.endswith(b"\n")


def test_a_file_that_was_cut_off_is_told_by_every_command(path, tmp_path):
    cut = tmp_path / "cut.jsonl"
    cut.write_bytes(path.read_bytes().rstrip()[:-5])
    for arguments in (
        ("compile", cut),
        ("show", cut),
        ("convert", cut),
        ("convert", cut, "--out", tmp_path / "o"),
    ):
        assert "repaired: cut.jsonl line" in run(*arguments).output, arguments
    data = run("convert", cut).stdout
    assert "repaired" not in data.splitlines()[0] and json.loads(data.splitlines()[0])
    assert "not read: cut.jsonl line" in run("try", cut, "--budget", "8k").output


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("serve", "--upstream", "https://x.example", "--drain"),
        ("serve", "--upstream", "https://x.example", "--stall"),
        ("serve", "--upstream", "https://x.example", "--deadline"),
        ("tune", "sessions", "--minutes"),
    ],
)
def test_what_can_not_be_waited_for_is_refused(arguments, number):
    done = run(*arguments, number)
    assert done.exit_code == 2 and "Invalid value" in done.output
