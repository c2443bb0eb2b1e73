"""The shell blocks of the README and the docs: the commands in them, and what stands there as
printed."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
LANGUAGES = {"bash", "console", "sh", "shell"}
_BLOCK = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
_INLINE = re.compile(r"(?<!`)`(ctx [^`\n]+)`(?!`)")
_GAP = re.compile(r"\s{3,}")


@dataclass(frozen=True)
class ShellCommand:
    """A command, and the lines that a page shows below it."""

    text: str
    printed: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShellBlock:
    page: str
    line: int
    commands: tuple[ShellCommand, ...]

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def shell_blocks():
    """Every shell block, in the order of the pages."""
    blocks = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        for found in _BLOCK.finditer(text):
            if found[1] in LANGUAGES:
                line = text.count("\n", 0, found.start()) + 1
                page = path.relative_to(ROOT).as_posix()
                blocks.append(ShellBlock(page, line, _commands(found[2])))
    return blocks


def other_blocks_with_commands():
    """Blocks that hold a command of ours and do not say that they are a shell's."""
    return [
        f"{path.relative_to(ROOT)}: {line}"
        for path in PAGES
        for found in _BLOCK.finditer(path.read_text(encoding="utf-8"))
        if found[1] not in LANGUAGES
        for line in found[2].splitlines()
        if re.match(r"\s*(\$ )?ctx ", line)
    ]


def inline_commands():
    """Every `ctx ...` within a sentence, with its page."""
    return [
        (path.relative_to(ROOT).as_posix(), found[1])
        for path in PAGES
        for found in _INLINE.finditer(_BLOCK.sub("", path.read_text(encoding="utf-8")))
    ]


def _commands(body):
    lines = re.sub(r"\\\n\s*", " ", body).splitlines()
    if not any(line.startswith("$ ") for line in lines):
        return tuple(ShellCommand(one) for line in lines for one in _typed(line))
    commands = []
    for line in lines:
        if line.startswith("$ "):
            commands.append(ShellCommand(line.removeprefix("$ ")))
        else:
            last = commands.pop()
            commands.append(ShellCommand(last.text, (*last.printed, line)))
    return tuple(commands)


def _typed(line):
    """The commands of a line: what stands behind a wide gap is another one, or says what it does."""
    program = line.split(" ")[0]
    return [one for one in _GAP.split(line.strip()) if one.split(" ")[0] == program and one]
