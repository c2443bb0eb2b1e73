"""Which calls are of one kind: a success of one makes good that another of them failed."""

import re
from typing import Any

from contextwright.memo.ownership import cached_text
from contextwright.session.event import ToolCall
from contextwright.session.json_text import json_value

_COMMAND_KEYS = ("command", "cmd", "script", "shell_command", "commandLine", "bash")
_PATH_KEYS = ("path", "file_path", "filename", "file", "filepath", "target_file", "notebook_path")
_WRITES = re.compile(r"write|save|create|edit|patch|replace|insert|update|append", re.IGNORECASE)
_PARTS = re.compile(r"&&|\|\||;|\n")
_ASSIGNMENT = re.compile(r"\A[A-Za-z_]\w*=\S*\Z")
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?.*?^\s*\1\s*$", re.DOTALL | re.MULTILINE)
_BEFORE = frozenset({"sudo", "env", "time", "timeout", "nohup", "nice", "exec", "command", "xargs"})
"""Words in front of the program that is run."""
_RUNNERS = frozenset({"uv", "poetry", "pipenv", "npx", "pdm", "hatch", "bundle", "rye"})
_SETTINGS = frozenset(
    {
        "cd",
        "export",
        "set",
        "source",
        ".",
        "echo",
        "true",
        "sleep",
        "pushd",
        "popd",
        "unset",
        "printf",
    }
)
"""Programs that only prepare another, or say something."""
_SUBCOMMANDS = frozenset(
    {"git", "npm", "yarn", "pnpm", "cargo", "go", "make", "docker", "kubectl", "pip", "apt",
     "apt-get", "brew", "terraform", "dotnet", "mvn", "gradle", "bun", "gh", "just"}
)  # fmt: skip
"""Programs that do other things under one name: what comes behind it tells which."""
READERS = frozenset(
    {"cat", "head", "tail", "less", "more", "grep", "rg", "ag", "sed", "awk", "ls", "find", "tree",
     "wc", "bat", "nl", "diff", "jq", "git log", "git show", "git diff", "sort", "uniq", "cut"}
)  # fmt: skip
"""Programs that show what others wrote."""


def call_kinds(call: ToolCall) -> tuple[str, ...]:
    """What a success of this call makes good, the kind that it is of last.

    A command is of the kind of its programs, the last of which it is about; a call that writes to
    a file is of the tool and the file; any other of its tool.
    """
    return _kinds(call.name, call.arguments)[0]


def call_kind(call: ToolCall) -> str:
    """The kind that a call is of."""
    return call_kinds(call)[-1]


def programs_of(call: ToolCall) -> tuple[str, ...]:
    """The programs that a call of a shell runs, in order; empty where it is no shell's."""
    return _kinds(call.name, call.arguments)[1]


@cached_text
def _kinds(name: str, arguments: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kinds of a call, and the programs that it runs."""
    values = _arguments(arguments)
    if programs := _programs(_command(values)):
        return tuple(f"{name} {program}" for program in programs), programs
    path = next((values[k] for k in _PATH_KEYS if isinstance(values.get(k), str)), "")
    verb = values.get("command", "")
    verb = verb if isinstance(verb, str) and " " not in verb else ""
    kind = f"{name} {verb}".strip()
    return (f"{kind} {path}" if path and _WRITES.search(verb or name) else kind,), ()


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json_value(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _command(values: dict[str, Any]) -> str:
    if any(isinstance(values.get(key), str) for key in _PATH_KEYS):
        return ""  # an editor's verb, such as `view`
    for key in _COMMAND_KEYS:
        command = values.get(key)
        if isinstance(command, list):
            words = [str(word) for word in command]
            return (
                words[2] if words[1:2] in (["-c"], ["-lc"]) and len(words) > 2 else " ".join(words)
            )
        if isinstance(command, str) and command.strip():
            return command
    return ""


def _programs(command: str) -> tuple[str, ...]:
    programs: list[str] = []
    for part in _PARTS.split(_HEREDOC.sub("", command)):
        program = _program(part.split("|")[0].split())
        if program and program not in _SETTINGS:
            programs.append(program)
    return tuple(programs)


def _program(words: list[str]) -> str:
    """The program that a simple command runs, with its subcommand where that tells it."""
    while words and (_ASSIGNMENT.match(words[0]) or words[0].lstrip("(") in _BEFORE):
        assigned, words = words[0], words[1:]
        while assigned in _BEFORE and words and (words[0][:1] == "-" or words[0][:1].isdigit()):
            words = words[1:]
    if not words:
        return ""
    name, rest = words[0].strip("()\"'").rsplit("/", 1)[-1], words[1:]
    if name in _RUNNERS:
        return _program(rest[1:] if rest[:1] in (["run"], ["exec"]) else rest)
    plain = [word for word in rest if word[:1] != "-"]
    if name.startswith("python") or name in {"node", "bash", "sh", "ruby", "perl"}:
        if "-m" in rest[:-1]:
            return rest[rest.index("-m") + 1]
        return plain[0] if plain and "-c" not in rest else name
    if name in _SUBCOMMANDS and plain:
        verb = plain[1] if plain[0] == "run" and len(plain) > 1 else plain[0]
        return f"{name} {verb}"
    return name
