"""`ctx wrap` and `ctx serve` as they are run."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from tests.serve.raw_upstream import RawAnswer, RawUpstream, tool_loop

from contextwright.cli.main import ctx, main
from contextwright.errors import ProxyError
from contextwright.serve.agent_commands import agent_command
from contextwright.serve.call_ledger import CallLedger

BODY = tool_loop(20)
AGENT = f"""
import json, os, sys, urllib.request
base = os.environ["OPENAI_BASE_URL"]
request = urllib.request.Request(base + "/chat/completions", {json.dumps(BODY)!r}.encode())
print(urllib.request.urlopen(request).read().decode(), sys.argv[1:])
sys.exit(3)
"""


def ctx_process(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "contextwright.cli", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_a_command_runs_behind_a_proxy_of_its_own():
    usage = b'{"usage": {"prompt_tokens": 3000, "completion_tokens": 1}}'
    with RawUpstream(lambda seen: RawAnswer(body=usage)) as upstream:
        options = ["--spec", "C.compaction(4000)", "--upstream", upstream.url]
        process = ctx_process("wrap", *options, "--", sys.executable, "-c", AGENT, "--spec", "own")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 3, err
        assert "prompt_tokens" in out and "['--spec', 'own']" in out
        assert "1 call, 1 rewritten" in err and "saved" in err
        assert len(upstream.seen[0].body) < len(json.dumps(BODY)) / 2


def test_a_command_is_found_by_its_name_as_a_shell_finds_it(monkeypatch, tmp_path, capfd):
    """On Windows `claude` is `claude.cmd`, which a process is not made of by the name alone."""
    shim = tmp_path / "agent.cmd"
    shim.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'import sys; sys.exit(3)'\n")
    shim.chmod(0o700)
    monkeypatch.setattr(shutil, "which", {"agent": str(shim)}.get)
    for command, code in (("agent", 3), (str(shim), 3), ("gone", 15)):
        with pytest.raises(SystemExit) as ended:
            main(["wrap", "--upstream", "http://127.0.0.1:9", "--", command])
        assert ended.value.code == code, command
    assert "gone can not be run" in capfd.readouterr().err


def test_the_last_call_is_in_the_sums_however_slowly_it_is_counted(monkeypatch, capfd):
    def slow(self, *added):
        time.sleep(0.3)
        add(self, *added)

    add = CallLedger.add
    monkeypatch.setattr(CallLedger, "add", slow)
    short = AGENT.replace(json.dumps(BODY), json.dumps(tool_loop(1, lines=1)))
    with RawUpstream() as upstream, pytest.raises(SystemExit) as ended:
        main(["wrap", "--upstream", upstream.url, "--", sys.executable, "-c", short])
    assert ended.value.code == 3 and "1 call, 0 rewritten" in capfd.readouterr().err


ENVIRONMENTS = [
    (["claude", "-p", "x"], {}, "https://api.anthropic.com", "ANTHROPIC_BASE_URL", "http://p"),
    (["aider"], {"OPENAI_API_BASE": "http://own/v1"}, "http://own/v1", "OPENAI_API_BASE", "http://p/v1"),
    (["/usr/bin/codex", "exec"], {}, "https://api.openai.com", "OPENAI_BASE_URL", "http://p/v1"),
    (["gemini"], {}, "https://generativelanguage.googleapis.com", "GOOGLE_GEMINI_BASE_URL", "http://p"),
    (["gemini"], {"GOOGLE_GENAI_USE_GCA": "true"}, "https://cloudcode-pa.googleapis.com", "CODE_ASSIST_ENDPOINT", "http://p"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "given", "upstream", "name", "value"), ENVIRONMENTS)
def test_an_agent_is_pointed_at_the_proxy(arguments, given, upstream, name, value):
    agent = agent_command(arguments, None, given)
    environment = agent.environment("http://p")
    assert agent.upstream == upstream and environment[name] == value
    other = "OPENAI_BASE_URL" if "ANTHROPIC" in name else "ANTHROPIC_BASE_URL"
    assert other not in environment


def test_codex_and_opencode_have_settings_of_their_own():
    codex = agent_command(["codex", "exec"], None, {}).command("http://p")
    assert codex[0] == "codex" and codex[-1] == "exec" and 'base_url = "http://p/v1"' in codex[2]
    opencode = agent_command(["opencode"], "https://api.anthropic.com", {})
    config = json.loads(opencode.environment("http://p")["OPENCODE_CONFIG_CONTENT"])
    assert config["provider"]["anthropic"]["options"]["baseURL"] == "http://p/v1"


def test_a_command_that_nobody_knows_needs_its_upstream():
    with pytest.raises(ProxyError, match="nobody knows"):
        agent_command(["mine"], None, {})
    agent = agent_command(["mine"], "http://own:1", {})
    assert {"OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"} <= agent.environment("http://p").keys()


def test_an_option_that_is_none_is_not_taken_for_the_command(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["wrap", "--modle", "gpt-5", "claude", "-p", "x"])
    assert ended.value.code == 2 and "--model" in capsys.readouterr().err


def test_a_command_that_is_not_there_is_named():
    with pytest.raises(ProxyError) as error:
        main_of("wrap", "--upstream", "http://127.0.0.1:9", "--", "no-such-agent")
    assert "no-such-agent" in str(error.value)


def main_of(*arguments):
    done = CliRunner().invoke(ctx, arguments)
    if done.exception:
        raise done.exception
    return done


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_sigterm_finishes_what_is_open_and_ends_well():
    import http.client

    def slow(seen):
        time.sleep(0.6)
        return RawAnswer(body=b'{"late": 1}')

    with RawUpstream(slow) as upstream:
        process = ctx_process("serve", "--upstream", upstream.url, "--port", "0")
        url = process.stdout.readline().split()[0]
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=10)
        connection.request("POST", "/v1/embeddings", b"{}")
        while not upstream.seen:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert connection.getresponse().read() == b'{"late": 1}'
        assert process.wait(timeout=10) == 0


def test_an_address_that_is_taken_is_named(capsys):
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with pytest.raises(SystemExit) as ended:
            main(["serve", "--upstream", "http://127.0.0.1:9", "--port", port])
    assert ended.value.code == 15 and f"127.0.0.1:{port}" in capsys.readouterr().err
