"""Coding agents as they are installed, whole sessions of them through the proxy: the same as without
it while nothing is due, valid and within the budget after.

What is not installed is skipped, with how to get it. Names in CONTEXTWRIGHT_AGENTS (folders of `npm i` or of a Python environment, as PATH
has them) or on PATH are run, with a home of their own, a key that is none, and no other server in reach than this machine's.
"""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest
from tests.serve.agent_upstream import DONE, AgentUpstream, results_of

from contextwright import C
from contextwright.serve.client_identity import client_identity
from contextwright.serve.proxy_server import ProxyThread
from contextwright.serve.settings import ProxySettings
from contextwright.testing.strict_server.refusal import text_tokens

BUDGET = 40_000
PROMPT = "Run the commands you are told and say what the word was."
# without a substitution: gemini-cli runs none
COMMANDS = [f"seq -f 'part {n} line %g of a file' 1 420; echo heron" for n in range(14)]
NPM = "node_modules/.bin"
SHORT = ["seq 1 9; echo heron", "echo heron"]  # qwen-code may cut what is long and comes at once
CODEX = 'model_providers.own={{name="own", base_url="{url}/v1", env_key="OPENAI_API_KEY", wire_api="responses"}}'


class Agent(msgspec.Struct, frozen=True):
    """How an agent is started.

    Args:
        install: how to get it. arguments: of its command; `{url}` is the proxy's.
        environment: variables. files: below its home.
        daemon: the option of a process that it leaves behind.
        is_typed: whether commands are typed by its user, since its model has no tools.
        path: that its turns go to. known_by: what names its conversation; `messages` where nothing does.
    """

    install: str
    arguments: tuple
    environment: dict = {}
    files: dict = {}
    daemon: str = ""
    is_typed: bool = False
    path: str = "/v1/chat/completions"
    known_by: str = "messages"


OPENAI = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "{url}/v1", "OPENAI_MODEL": "gpt-5"}
COMPATIBLE = {
    "npm": "@ai-sdk/openai-compatible", "name": "own", "models": {"gpt-5": {"name": "gpt-5"}},
    "options": {"baseURL": "{url}/v1", "apiKey": "k"},
}  # fmt: skip
PI = {
    "baseUrl": "{url}/v1", "api": "openai-completions", "apiKey": "k",
    "models": [{
        "id": "gpt-5", "name": "gpt-5", "reasoning": False, "input": ["text"],
        "contextWindow": 400000, "maxTokens": 8000,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }],
}  # fmt: skip
CLINE = {"provider": "openai-compatible", "apiKey": "k", "model": "gpt-5", "baseUrl": "{url}/v1"}
AGENTS = {
    "pi": Agent(
        "npm i @mariozechner/pi-coding-agent",
        ("-p", "--provider", "own", "--model", "gpt-5", PROMPT),
        files={".pi/agent/models.json": {"providers": {"own": PI}}},
    ),
    "claude": Agent(
        "npm i @anthropic-ai/claude-code",
        ("-p", PROMPT, "--allowedTools", "Bash", "--model", "claude-sonnet-4-5"),
        {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "k", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
        path="/v1/messages", known_by="x-claude-code-session-id",
    ),
    "codex": Agent(
        "npm i @openai/codex",
        ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", "gpt-5",
         "-c", CODEX, "-c", 'model_provider="own"', PROMPT),
        {"OPENAI_API_KEY": "k"},
        path="/v1/responses", known_by="session-id",
    ),
    "opencode": Agent(
        "npm i opencode-ai",
        ("run", "-m", "own/gpt-5", PROMPT),
        files={".config/opencode/opencode.json": {"provider": {"own": COMPATIBLE}, "permission": {"bash": "allow"}}},
        known_by="x-session-id",
    ),
    "gemini": Agent(
        "npm i @google/gemini-cli",
        ("--yolo", "--skip-trust", "-m", "gemini-2.5-pro", "-p", PROMPT),
        {"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": "{url}"},
        {".gemini/settings.json": {"security": {"auth": {"selectedType": "gemini-api-key"}}}},
        path="/v1beta/models/gemini-2.5-pro:streamGenerateContent",
    ),
    "cline": Agent(
        "npm i cline node@22",  # it asks for Node 22
        ("-P", "openai-compatible", "--json", PROMPT),
        files={".cline/data/settings/providers.json": {"version": 1, "lastUsedProvider": "openai-compatible", "providers": {
            "openai-compatible": {"settings": CLINE, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}}}},
        daemon="--cline-hub-daemon",
    ),
    "aider": Agent(
        "python3.12 -m venv FOLDER; FOLDER/bin/pip install aider-chat",
        ("--model", "openai/gpt-5", "--yes-always", "--no-git", "--map-tokens", "0", "--no-check-update", "--no-show-model-warnings",
         "--no-analytics", "--no-pretty", "--no-fancy-input", "--no-suggest-shell-commands", "--max-chat-history-tokens", "1000000"),
        {"OPENAI_API_KEY": "k", "OPENAI_API_BASE": "{url}/v1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"},
        is_typed=True,
    ),
    "qwen": Agent("npm i @qwen-code/qwen-code", ("--yolo", "--auth-type", "openai", "-p", PROMPT), {**OPENAI, "HTTPS_PROXY": "", "HTTP_PROXY": ""}),
}  # fmt: skip


def command_of(name):
    """Where an agent is; skips where it is not."""
    folders = os.environ.get("CONTEXTWRIGHT_AGENTS", "").split(os.pathsep)
    paths = [str(Path(folder, place)) for folder in folders if folder for place in (NPM, "bin")]
    found = shutil.which(name, path=os.pathsep.join([*paths, os.environ.get("PATH", "")]))
    if found is None:
        pytest.skip(f"{AGENTS[name].install}; CONTEXTWRIGHT_AGENTS=its folder")
    return found


def end_daemon(option, home):
    """End the process that an agent of this home left behind."""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = process.read_bytes()
        except OSError:
            continue
        if option.encode() in line and str(home).encode() in line:
            os.kill(int(process.parent.name), signal.SIGTERM)


def said_by(name, url, home, commands):
    """What an agent prints of a session at a base URL."""
    agent, command = AGENTS[name], command_of(name)
    shutil.rmtree(home, ignore_errors=True)
    for path, content in agent.files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(json.dumps(content).replace("{url}", url))
    work = home / "work"
    work.mkdir(parents=True)
    nowhere = dict.fromkeys(("HTTPS_PROXY", "HTTP_PROXY"), "http://127.0.0.1:9")
    environment = {
        "PATH": os.pathsep.join([str(Path(command).parent), os.environ["PATH"]]),
        "HOME": str(home),
        **nowhere,
        "NO_PROXY": "127.0.0.1",
    }
    environment |= {key: value.replace("{url}", url) for key, value in agent.environment.items()}
    arguments = [
        part.replace("{{", "{").replace("}}", "}").replace("{url}", url) for part in agent.arguments
    ]
    typed = [line for each in commands for line in (f"/run {each}", "Go on.")]
    try:
        done = subprocess.run(
            [command, *arguments], cwd=work, env=environment, capture_output=True, text=True, timeout=240,
            input="\n".join([PROMPT, *typed, "/exit", ""]) if agent.is_typed else "",
        )  # fmt: skip
    finally:
        if agent.daemon:
            end_daemon(agent.daemon, home)
    assert done.returncode == 0 and DONE in done.stdout, (done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout


VOLATILE = re.compile(
    r"Chunk ID: \w+|[0-9a-f]{8}-[0-9a-f-]{27}|ses_\w+|\d{4,}|\d+\.\d+|[0-9a-f]{16,}"
)


def conversation(body):
    """What a request says, without ids, times and clocks of this run."""
    keys = ("messages", "input", "contents")
    return VOLATILE.sub("", json.dumps([body.get(key) for key in keys]))


@pytest.mark.parametrize("name", AGENTS)
def test_a_session_is_the_same_while_nothing_is_due(name, tmp_path):
    command_of(name)
    is_typed = AGENTS[name].is_typed
    with AgentUpstream(SHORT, is_typed=is_typed) as direct:
        said_by(name, direct.url, tmp_path / "home", SHORT)
    with AgentUpstream(SHORT, is_typed=is_typed) as upstream:
        settings = ProxySettings(upstream=upstream.url, port=0, drain_s=1, window=400_000)
        with ProxyThread(settings) as proxy:
            said_by(name, proxy.url, tmp_path / "home", SHORT)
            sums = proxy.app.ledger.sums()
    assert len(upstream.turns) == len(direct.turns) == 3 and not upstream.broken
    assert list(map(conversation, upstream.turns)) == list(map(conversation, direct.turns))
    assert sums.rewritten == sums.faults == 0
    agent = AGENTS[name]
    said = list(map(conversation, upstream.turns))
    turns = [seen for seen in upstream.seen if conversation(json_of(seen.body)) in said]
    assert {seen.path.partition("?")[0] for seen in turns} == {agent.path}
    assert {known_by(seen) for seen in turns} == {agent.known_by}


def json_of(body):
    return json.loads(body) if body.startswith(b"{") else {}


def known_by(seen):
    """What names the conversation that a request is of."""
    headers = [(key.lower().encode(), value.encode()) for key, value in seen.headers]
    return client_identity(headers, json.loads(seen.body), "").source


@pytest.mark.parametrize("name", AGENTS)
def test_a_long_session_stays_within_its_budget(name, tmp_path):
    command_of(name)
    with AgentUpstream(COMMANDS, is_typed=AGENTS[name].is_typed) as upstream:
        settings = ProxySettings(
            upstream=upstream.url, port=0, drain_s=1, window=400_000, spec=C.compaction(BUDGET)
        )
        with ProxyThread(settings) as proxy:
            said_by(name, proxy.url, tmp_path / "home", COMMANDS)
            sums = proxy.app.ledger.sums()
    assert len(upstream.turns) == len(COMMANDS) + 1 and not upstream.broken
    assert sums.rewritten > 0 and sums.faults == 0 and sums.saved_tokens > 0
    assert (
        max(map(text_tokens, upstream.turns)) < BUDGET * 1.3
    )  # the server counts four letters a token
    assert results_of(upstream.turns[-1]) or AGENTS[name].is_typed
