"""Every command of every page is typed: played on files of this project, its printed lines compared;
or listed here with the reason why it can not be."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from tests.docs.shell_blocks import (
    ROOT,
    inline_commands,
    other_blocks_with_commands,
    shell_blocks,
)
from tests.traces.agent_calls import SYSTEM, agent_calls, genai_attributes, otlp, otlp_span, written

from contextwright import SQLiteSessions, read_session
from contextwright.cli.main import ctx
from contextwright.stores.files import FileArtifacts
from contextwright.stores.memory_store import SQLiteMemory

NOT_PLAYED = {
    r"pip install ": "fetches packages; its extras are compared with the project's",
    r"duckdb ": "another program",
    r"CONTEXTWRIGHT_DATA=folder python -m benchmarks": "hours, on data that are no part of this",
    r"python -m benchmarks\.worth": "needs the figures of the two above; it writes the page",
    r"ctx serve .*postgresql://": "PostgreSQL and Redis; tests/serve plays it where they are",
    r"ctx inspect http://": "a proxy with an agent's calls; tests/inspect/test_live_sources.py",
    r"ctx sweep s3://": "a cluster and an object store; tests/sweep plays both small",
    r"ctx tune ": "a search of minutes; tests/tune plays a small one",
    r"ctx check --against": "what a search of minutes found; tests/tune plays a small one",
    r"ctx doctor$": "an agent of every framework; tests/cli/test_doctor.py",
}
PLACEHOLDERS = {
    "SESSION": "support.jsonl",
    "SESSION...": "support.jsonl",
    "SESSIONS": "traffic",
    "SPEC": "C.window(n=4) | C.compact()",
    "SPEC_OR_PIPELINE": "C.window(n=4) | C.compact()",
    "A": "C.default()",
    "B": "C.window(n=4)",
    "M": "gpt-5",
    "PACK": "pack.json",
    "STORE": "sessions.db",
    "STORE...": "sessions.db",
    "FOLDER": "copies",
    "/mnt/backup": "backup",
    "/mnt/backup/sessions.db": "backup/sessions.db",
    "REF": "event://e2",
    "FORMAT": "anthropic",
    "TRACES": "export.json",
    "URL": "https://api.openai.com",
    "~/.contextwright": "data",
}
FINDINGS = re.compile(r"ctx check pipeline\.json")
"""A command that ends with 3: it has something to say of what it read."""
AGENTS = ("claude", "codex", "my-agent")
"""Programs that `ctx wrap` runs: here each says how it was called."""
SERVERS = re.compile(r"ctx serve |.* --serve$")
SLOW = re.compile(r"ctx (inspect|mcp|serve|sweep|try|wrap) ")
"""A second and more: processes, or every call of a session."""
BLOCKS = [
    pytest.param(
        block,
        id=block.place,
        marks=[pytest.mark.slow] * any(SLOW.match(one.text) for one in block.commands),
    )
    for block in shell_blocks()
]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What the pages' commands are given."""
    folder = tmp_path_factory.mktemp("files")
    CliRunner().invoke(ctx, ["demo", "--save", str(folder / "support.jsonl")])
    support = folder / "support.jsonl"
    for name in ("run.json", "session.jsonl", "other.jsonl", "yesterday.json"):
        shutil.copy(support, folder / name)
    (folder / "traffic").mkdir()
    small = "\n".join(support.read_text().splitlines()[:30])
    (folder / "traffic" / "one.jsonl").write_text(small + "\n")
    compiled = ["compile", str(support), "--budget", "8k", "--out", str(folder / "pack.json")]
    assert not CliRunner().invoke(ctx, compiled).exit_code
    for place in (folder, folder / "backup"):
        place.mkdir(exist_ok=True)
        store = SQLiteSessions(place / "sessions.db")
        session = read_session(folder / "traffic" / "one.jsonl")
        store.append("chat", list(session.log)[:20], expected=0)
        store.close()
    SQLiteMemory(folder / "memory.db").close()
    FileArtifacts(folder / "artifacts").put(b"{}")
    (folder / "bin").mkdir()
    for name in AGENTS:
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\necho "{name} got $*"\n')
        program.chmod(0o755)
    _write_export(folder)
    _write_pipeline(folder)
    return folder


def _write_export(folder):
    """An agent that sends its newest messages from the third call on, asked about A-17 at first."""
    spans = []
    for number, (messages, answer) in enumerate(agent_calls(10, 40)):
        messages = [one for one in messages if one["role"] != "system"]
        messages[0] = {"role": "user", "content": "Where is order A-17?"}
        sent = messages if number < 2 else messages[-4:]
        spans.append(otlp_span(number, genai_attributes([SYSTEM, *sent], answer)))
    written(folder, otlp(spans))


def _write_pipeline(folder):
    page = (ROOT / "docs/reference/checker.md").read_text()
    (folder / "pipeline.json").write_text(page.split("```json\n")[1].split("```")[0])


@pytest.fixture
def here(files, tmp_path, monkeypatch):
    """A folder with those files, to work in."""
    folder = tmp_path / "work"
    shutil.copytree(files, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "80")
    return folder


@pytest.mark.parametrize("block", BLOCKS)
def test_a_page_s_commands_do_what_it_says(block, here, monkeypatch):
    for command in block.commands:
        if any(re.match(one, command.text) for one in NOT_PLAYED):
            continue
        _assert_printed(command, _played(command.text, monkeypatch))


def test_every_reason_not_to_play_a_command_still_holds():
    commands = [command.text for block in shell_blocks() for command in block.commands]
    for one in NOT_PLAYED:
        assert any(re.match(one, text) for text in commands), f"no page has {one}"
    played = [text for text in commands if not any(re.match(one, text) for one in NOT_PLAYED)]
    assert len(played) > len(commands) - len(played)


def test_blocks_with_commands_say_that_they_are_a_shell_s():
    assert not other_blocks_with_commands()


def test_a_command_within_a_sentence_has_the_options_that_it_names():
    for page, text in inline_commands():
        words = shlex.split(text)[1:]
        command = ctx if words[0].startswith("-") else ctx.get_command(click.Context(ctx), words[0])
        assert command is not None, f"{page}: {text}"
        options = [one for one in command.params if isinstance(one, click.Option)]
        known = {name for one in options for name in one.opts} | {"--help"}
        named = {word.partition("=")[0] for word in words if re.match("--?[a-z]", word)}
        assert named <= known, f"{page}: {text}"


def test_the_extras_that_pages_install_are_there():
    extras = re.findall(r"(?m)^([a-z-]+) = \[", (ROOT / "pyproject.toml").read_text())
    for path in (ROOT / "docs").rglob("*.md"):
        for names in re.findall(r"contextwright\[([a-z,-]+)\]", path.read_text()):
            assert set(names.split(",")) <= set(extras), path


def _words(text):
    """A command's words: placeholders filled, and what is in brackets written out."""
    text = re.sub(r"\[(-[^\]]+)\]", r"\1", text).partition(" | codex")[0]
    return [PLACEHOLDERS.get(word, word) for word in shlex.split(text, comments=True)]


def _played(text, monkeypatch):
    """What a command prints."""
    program, *arguments = _words(text)
    if program == "make":
        done = subprocess.run(["make", "-n", *arguments], cwd=ROOT, capture_output=True, text=True)
        assert not done.returncode, done.stderr
        return done.stdout
    if program == "export":
        monkeypatch.setenv(*arguments[0].split("=", 1))
        return ""
    assert program == "ctx", f"nobody knows how to play {text}: add it, or say why not"
    if SERVERS.match(text):
        return _served(arguments)
    if arguments[0] in {"mcp", "wrap"}:
        return _run(arguments)
    result = CliRunner().invoke(ctx, arguments)
    wanted = 3 if FINDINGS.match(text) else 0
    assert result.exit_code == wanted, f"{text}\n{result.output}\n{result.exception!r}"
    return result.stdout


def _run(arguments):
    command = [sys.executable, "-m", "contextwright.cli", *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout


def _served(arguments):
    """What a server prints until it is ended from the keyboard."""
    if "--port" not in arguments:
        arguments = [*arguments, "--port", "0"]
    command = [sys.executable, "-m", "contextwright.cli", *arguments]
    options = {"stdout": subprocess.PIPE, "text": True, "preexec_fn": _take_interrupts}
    with subprocess.Popen(command, **options) as server:
        lines = [server.stdout.readline()]
        assert "http://127.0.0.1:" in lines[0], lines
        server.send_signal(signal.SIGINT)
        lines += server.stdout.readlines()
    assert server.returncode == 130
    return "".join(lines)


def _take_interrupts():
    """As a shell's job in front has them: one in the background ignores them, and so would the
    server that a test there starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _assert_printed(command, shown):
    """The lines of a page stand in what is printed, in their order; sizes and ports are not held
    to a byte."""
    printed = iter([_plain(line) for line in shown.splitlines()])
    for line in command.printed:
        wanted = _plain(line)
        if wanted and wanted != "...":
            assert any(wanted == one for one in printed), f"{command.text}: {line!r}\n{shown}"


def _plain(line):
    line = re.sub(r"[\d,]+ bytes", "N bytes", line)
    return " ".join(re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", line).split())
