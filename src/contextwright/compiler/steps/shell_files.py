"""What commands of a shell do to files: print one, write one, move it, delete it, or change it in a
way that is not told."""

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

_PATH = r"([^\s<>|;&()'\"]+)"
_MARK = r"<<\s*['\"]?(?P<mark>\w+)['\"]?"
_HEREDOCS = (
    re.compile(rf"cat\s*>\s*(?P<path>{_PATH})\s*{_MARK}\s*"),
    re.compile(rf"cat\s*{_MARK}\s*>\s*(?P<path>{_PATH})\s*"),
)
_QUOTED = re.compile(r"<<\s*['\"]")
_SPECIAL_SIGNS = frozenset("$`\\")
"""Signs that a shell reads in what stands behind a mark that is not quoted."""
_FOLDER = re.compile(r"\Acd\s+[^\s;&|]+\s*(?:&&|;|\n)\s*")
_SPECIAL = frozenset("|;&<>`$*?(){}\n")
_OUTPUT = re.compile(rf"(?<![\d&<>=-])>{{1,2}}\s*{_PATH}|\btee\s+(?:-a\s+)?{_PATH}")
_CHANGES = re.compile(
    r"(?:\A|[;&|\n]\s*)"
    r"(?:sed\s+(?:-\w*i|--in-place)|perl\s+-\w*i|git\s+(?:checkout|restore|rm|mv)|rm|mv)\b[^;&|\n]*"
)
_PROGRAMS = ("cat ", "head ", "tail ", "sed -n ", "mv ", "rm ", "git mv ", "git rm ")
_LINES = re.compile(r"(\d+)(?:,(\d+|\$))?p")
TEXTS = 32
"""Files that one command writes, at most."""
COMMANDS = ("command", "cmd", "script", "shell_command", "commandLine", "bash")


class ShellChange(NamedTuple):
    """What a command did to a file: `partial` where a read is of a part; `new` is what it wrote, or
    its new name; `lost` where what it holds now is not told."""

    path: str
    kind: Literal["read", "write", "move", "remove", "lost"]
    new: str = ""
    partial: bool = False


def command_of(value: object) -> str:
    """The command that an argument holds: text, or a list of words, as `["bash", "-lc", TEXT]`."""
    if isinstance(value, str):
        return value
    words = [one for one in value if isinstance(one, str)] if isinstance(value, list) else []
    is_shell = len(words) == 3 and words[1].startswith("-") and words[0].endswith("sh")
    return words[2] if is_shell else shlex.join(words)


def shell_changes(command: str) -> Iterator[ShellChange]:
    """What a command does to files, as far as it is known."""
    head, _, below = _FOLDER.sub("", command.strip()).partition("\n")
    for _ in range(TEXTS):
        written = next((match for one in _HEREDOCS if (match := one.fullmatch(head))), None)
        if written is None:
            break
        text, mark, others = f"\n{below}\n".partition(f"\n{written['mark']}\n")
        if not mark:
            break
        is_plain = _QUOTED.search(head) or _SPECIAL_SIGNS.isdisjoint(text)
        path = written["path"]
        yield ShellChange(path, "write", text[1:]) if is_plain else ShellChange(path, "lost")
        head, _, below = _FOLDER.sub("", others.strip()).partition("\n")
    command = f"{head}\n{below}".strip()
    if not command.startswith(_PROGRAMS) or not _SPECIAL.isdisjoint(command):
        yield from _lost(command)  # to split a command takes a while
        return
    try:
        words = shlex.split(command)
    except ValueError:
        return
    yield from _of_words(words) if words else ()


def _of_words(words: Sequence[str]) -> Iterator[ShellChange]:
    program, *rest = words
    if program == "git" and rest[:1] in (["rm"], ["mv"]):
        program, *rest = rest
    paths = [word for word in rest if not word.startswith("-")]
    if program == "cat" and len(paths) == 1:
        yield ShellChange(paths[0], "read", partial=paths != rest)
    elif program in {"head", "tail"} and paths:
        yield ShellChange(paths[-1], "read", partial=True)
    elif program == "sed" and rest[:1] == ["-n"] and len(rest) == 3 and _LINES.fullmatch(rest[1]):
        yield ShellChange(rest[2], "read", partial=True)
    elif program == "mv" and len(paths) == 2:
        yield ShellChange(paths[0], "move", paths[1])
    elif program == "rm":
        yield from (ShellChange(path, "remove") for path in paths)


def _lost(command: str) -> Iterator[ShellChange]:
    """Files that a command writes to without telling what."""
    named = [one or other for one, other in _OUTPUT.findall(command)]
    for changed in _CHANGES.finditer(command):
        named += [word.strip("'\"") for word in changed[0].split()[1:]]
    yield from (ShellChange(path, "lost") for path in dict.fromkeys(named) if "." in path)
