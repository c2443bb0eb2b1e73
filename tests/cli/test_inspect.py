"""`ctx inspect` writes a page, and says what is wrong with what it was given."""

import json

import pytest
from click.testing import CliRunner
from tests.inspect.builders import SPECS, support_session

from contextwright.cli.main import ctx, main
from contextwright.formats import write_session


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "orders.jsonl"
    write_session(support_session(5), "contextwright", path)
    return path


def data_in(html):
    start = html.index('id="data">') + len('id="data">')
    return json.loads(html[start : html.index("</script>", start)])


def test_a_page_of_two_specs_with_points(path, tmp_path):
    out = tmp_path / "report.html"
    options = [x for spec in SPECS for x in ("--spec", spec)] + ["--point", "2k", "--point", "4k"]
    answer = CliRunner().invoke(ctx, ["inspect", str(path), *options, "-o", str(out)])
    assert answer.exit_code == 0, answer.output
    assert f"{out}: 11 calls, 2 specs, {out.stat().st_size:,} bytes" in answer.output
    data = data_in(out.read_text())
    assert [one["spec"] for one in data["series"]] == list(SPECS)
    assert [point["budget"] for point in data["points"]] == [2000, 4000]
    assert data["title"] == "orders.jsonl" and data["live"] is False


def test_without_a_spec_it_is_the_usual_compaction_for_the_sessions_model(path, tmp_path):
    out = tmp_path / "report.html"
    answer = CliRunner().invoke(ctx, ["inspect", str(path), "-o", str(out), "--model", "gpt-5"])
    assert answer.exit_code == 0, answer.output
    (series,) = data_in(out.read_text())["series"]
    assert series["spec"] == "C.default() | C.compaction(32000)"


def test_a_budget_without_a_spec_is_the_limit_of_the_usual_one(path, tmp_path):
    out = tmp_path / "report.html"
    answer = CliRunner().invoke(ctx, ["inspect", str(path), "--budget", "8k", "-o", str(out)])
    assert answer.exit_code == 0, answer.exception
    (series,) = data_in(out.read_text())["series"]
    assert series["spec"] == "C.default() | C.compaction(8000)"


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["--spec", "C.widnow(n=3)"], 3, "window"),
        (["--spec", "C.default() | C.budget(900)", "--budget", "4k"], 3, "two limits"),
        (["-o", "/no/such/folder/x.html"], 4, "can not be written"),
        (["--model", "no-such-model"], 5, "no-such-model"),
        (["--serve", "-o", "x.html"], 2, "--out"),
        (["--port", "8080"], 2, "add --serve"),
        (["--session", "case-7"], 2, "--session is of a proxy"),
        (["--key", "k"], 2, "--key is of a proxy"),
        (["--credential", "HOME"], 2, "--credential is of a proxy"),
        (["--serve", "--point", "4k"], 2, "--point"),
    ],
)
def test_what_is_wrong_is_named(path, capsys, arguments, code, word):
    with pytest.raises(SystemExit) as ended:
        main(["inspect", str(path), *arguments])
    assert ended.value.code == code and word in capsys.readouterr().err


def test_a_proxys_conversation_is_a_page_as_well(tmp_path, monkeypatch):
    from tests.serve.raw_upstream import RawAnswer, post, proxied, tool_loop

    from contextwright import C

    with proxied(lambda seen: RawAnswer(body=b"{}"), spec=C.compaction(4000)) as (_, proxy):
        post(proxy.url, tool_loop(12), {"x-api-key": "agent-1"})
        out = tmp_path / "report.html"
        command = ["inspect", proxy.url, "--model", "gpt-5", "-o", str(out)]
        none = CliRunner().invoke(ctx, command)
        assert none.exit_code and "no call of this credential" in str(none.exception)
        monkeypatch.setenv("AGENT_KEY", "agent-1")
        answer = CliRunner().invoke(ctx, [*command, "--credential", "AGENT_KEY"])
        assert answer.exit_code == 0, answer.output
        data = data_in(out.read_text())
        assert len(data["calls"]["position"]) == 13 and data["series"][0]["tokens"][-1] > 0
        unset = CliRunner().invoke(ctx, [*command, "--credential", "NO_SUCH_VARIABLE"])
        assert unset.exit_code == 2 and "NO_SUCH_VARIABLE" in unset.output


def test_calls_without_a_request_are_said(path, tmp_path, capsys):
    out = tmp_path / "report.html"
    answer = CliRunner().invoke(ctx, ["inspect", str(path), "--budget", "9", "-o", str(out)])
    assert answer.exit_code == 0, answer.exception
    assert "C.compaction(9): 11 without a request, the first at call 1: " in answer.stderr
    assert "fix: allow" in answer.stderr


def test_a_key_of_the_environment_is_no_option_that_was_typed(path, tmp_path, monkeypatch):
    monkeypatch.setenv("CONTEXTWRIGHT_KEY", "k")
    answer = CliRunner().invoke(ctx, ["inspect", str(path), "-o", str(tmp_path / "r.html")])
    assert answer.exit_code == 0, answer.output


def test_one_call_is_counted_in_the_singular(tmp_path):
    path, out = tmp_path / "one.json", tmp_path / "report.html"
    path.write_text('[{"role": "user", "content": "hi"}]')
    answer = CliRunner().invoke(ctx, ["inspect", str(path), "-o", str(out)])
    assert f"{out}: 1 call, 1 spec, " in answer.output
