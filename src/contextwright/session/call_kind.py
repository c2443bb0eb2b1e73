"""Which calls are of one kind: a success of one makes good that another of them failed."""

import re
from typing import Any, NamedTuple

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
_READS = re.compile(
    r"(?:^|_)(?:read|view|open|get|fetch|search|grep|find|list|ls|cat|visit|browse|load|show)"
    r"(?:_|$)",
    re.IGNORECASE,
)
"""Tools whose result is what others wrote: it may be about failures."""
_STATES = re.compile(
    r"(?:^|_)(?:status|state|check|poll|snapshot|screenshot|describe|inspect|query|lookup|balance)"
    r"(?:_|$)",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"(?:set|update|change|create|add|delete|remove|post|send|put|submit|cancel|reset|write|save"
    r"|check_(?:in|out))(?:_|$)",
    re.IGNORECASE,
)
"""Names of tools that give what is, beside those that read what others wrote; and how those begin
that do something: `update_status`."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class CallKind(NamedTuple):
    """What a call is, told from its tool and its arguments.

    Args:
        made_good: the kinds that its success makes good, the one that it is of last.
        reads: whether it reads what others wrote, which may be about failures.
    """

    made_good: tuple[str, ...]
    reads: bool = False


def call_kinds(call: ToolCall) -> tuple[str, ...]:
    """What a success of this call makes good, the kind that it is of last.

    A command is of the kind of its programs, the last of which it is about; a call that writes to
    a file is of the tool and the file; any other of its tool.
    """
    return kind_of(call.name, call.arguments).made_good


def call_kind(call: ToolCall) -> str:
    """The kind that a call is of."""
    return call_kinds(call)[-1]


def tells_states(tool: str, verb: str = "") -> bool:
    """Whether a tool gives what is, by its name or the verb of its command: its newest answer is
    what there is to say."""
    names = [_CAMEL.sub("_", word) for word in (tool, verb)]
    return any(
        _READS.search(name) or (_STATES.search(name) and not _ACTS.match(name)) for name in names
    )


@cached_text
def kind_of(name: str, arguments: str) -> CallKind:
    """What a call of a tool with these arguments is."""
    values = _arguments(arguments)
    path = _path(values)
    # with a path it is an editor's verb, such as `view`
    programs = _programs(_command(values)) if path is None else ()
    if programs:
        kinds = tuple([f"{name} {program}" for program in programs])
        return CallKind(kinds, READERS.issuperset(programs))
    verb = values.get("command", "")
    verb = verb if isinstance(verb, str) and " " not in verb else ""
    kind = f"{name} {verb}".strip()
    if path and _WRITES.search(verb or name):
        kind = f"{kind} {path}"
    return CallKind((kind,), _READS.search(_CAMEL.sub("_", name)) is not None)


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json_value(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _path(values: dict[str, Any]) -> str | None:
    for key in _PATH_KEYS:
        if key in values and isinstance(values[key], str):
            return values[key]
    return None


def _command(values: dict[str, Any]) -> str:
    for key in _COMMAND_KEYS:
        if key not in values:
            continue
        command = values[key]
        if isinstance(command, list):
            words = [str(word) for word in command]
            return (
                words[2] if words[1:2] in (["-c"], ["-lc"]) and len(words) > 2 else " ".join(words)
            )
        if isinstance(command, str) and command.strip():
            return command
    return ""


def _programs(command: str) -> tuple[str, ...]:
    """The programs that a command of a shell runs, in order."""
    if not command:
        return ()
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
