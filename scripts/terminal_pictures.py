"""The docs' pictures of the terminal: commands as they are run, their output as SVG.

python scripts/terminal_pictures.py
"""

import os
import re
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from click.testing import CliRunner
from rich.console import Console
from rich.text import Text

from contextwright.cli.main import ctx

HOME = Path(__file__).parents[1] / "docs" / "how-to" / "pictures"
COLUMNS = 80
PICTURES = {
    "ctx-try.svg": ("ctx", "try", "support.jsonl", "--budget", "8k", "--find", "KB-1222"),
    "ctx-explain.svg": (
        *("ctx", "explain", "support.jsonl", "--model", "claude-sonnet-4-5"),
        *("--spec", "C.default() | C.compaction(8000)", "--top", "5"),
    ),
}
SESSION = ("demo", "--save", "support.jsonl")
"""Writes the session that the pictures are of."""
TERMINAL = {"COLUMNS": str(COLUMNS), "FORCE_COLOR": "1", "TERM": "xterm-256color", "NO_COLOR": ""}
_FETCHED = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
_NOTE = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_FONTS = re.compile(r"font-family: Fira Code, monospace")


def terminal_pictures(folder: Path) -> list[Path]:
    """Run the commands, and write a picture of each."""
    here = Path.cwd()
    with TemporaryDirectory() as work, patch.dict(os.environ, TERMINAL):
        os.environ.pop("NO_COLOR")
        os.chdir(work)
        try:
            _output(SESSION)
            texts = {name: _output(command[1:]) for name, command in PICTURES.items()}
        finally:
            os.chdir(here)
    paths: list[Path] = []
    for name, text in texts.items():
        path = folder / name
        path.write_text(_svg(name, PICTURES[name], text), encoding="utf-8", newline="\n")
        paths.append(path)
    return paths


def words_of(path: Path) -> list[str]:
    """What a picture says, without the lines of its tables, which another rich draws otherwise."""
    svg = path.read_text(encoding="utf-8")
    text = re.sub(r"<style>.*?</style>|<[^>]*>", " ", svg, flags=re.DOTALL)
    return re.sub(r"[\u2500-\u257f]|&#160;", " ", text).split()


def _output(arguments: tuple[str, ...]) -> str:
    result = CliRunner().invoke(ctx, list(arguments), catch_exceptions=False)
    if result.exit_code:
        raise SystemExit(result.output)
    return result.stdout


def _svg(name: str, command: tuple[str, ...], text: str) -> str:
    """The command behind a prompt and what it printed. Nothing is fetched to show it."""
    console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True)
    shown = " ".join(f"'{one}'" if " " in one else one for one in command)
    console.print(Text(f"$ {shown}", style="bold"), soft_wrap=False)
    console.print(Text.from_ansi(text.rstrip("\n")), soft_wrap=False)
    svg = console.export_svg(title="", unique_id=name.partition(".")[0])
    return _FONTS.sub("font-family: ui-monospace, monospace", _NOTE.sub("", _FETCHED.sub("", svg)))


def main() -> None:
    """Write them."""
    for path in terminal_pictures(HOME):
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
