"""Where the package may find itself: in a zip, without asserts and docstrings, on a Python that lacks
modules or has those of no Unix, on a machine that is set up otherwise."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

SOURCES = Path(__file__).parents[1] / "src"
CODE = r"""
import sys
for name in {missing}:
    sys.modules[name] = None
from contextwright import compile, parse
calls = [{{"id": "c1", "type": "function", "function": {{"name": "read", "arguments": '{{"path": "\\u00e4.py"}}'}}}}]
said = [
    {{"role": "user", "content": "h\u00e9 \u2192 \u65e5 \U0001f642, on 2026-03-29 at 2:30"}},
    {{"role": "assistant", "content": None, "tool_calls": calls}},
    {{"role": "tool", "tool_call_id": "c1", "content": "\n".join(f"{{n}} \u00e4 \u2192 value" for n in range(900))}},
    {{"role": "assistant", "content": "Done."}},
] * 4 + [{{"role": "user", "content": "next"}}]
for index, one in enumerate(said):
    one = said[index] = {{**one}}
    if "tool_calls" in one:
        one["tool_calls"] = [{{**calls[0], "id": f"c{{index}}"}}]
    if "tool_call_id" in one:
        one["tool_call_id"] = f"c{{index - 1}}"
spec = parse("C.default() | C.compact() | C.summarize(max_tokens=200) | C.budget(3000)")
pack = compile(said, spec, model="gpt-5")
from contextwright.inspect.page import page
page({{}})
sys.stdout.write(pack.manifest.checksum)
"""
UNIX = ("fcntl", "grp", "pwd", "resource", "syslog", "termios")
BUILT_ASIDE = ("_bz2", "_ctypes", "_lzma", "_sqlite3", "ctypes", "curses", "readline", "sqlite3")


def checksum(*options, path=SOURCES, missing=(), **variables):
    environment = {
        **os.environ,
        "PYTHONPATH": str(path),
        "PYTHONDONTWRITEBYTECODE": "1",
        **variables,
    }
    command = [sys.executable, *options, "-c", CODE.format(missing=missing)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done.stdout.decode()


@pytest.fixture(scope="module")
def usual():
    return checksum()


def test_the_package_runs_from_a_zip_in_a_folder_of_any_name(usual, tmp_path):
    packed = tmp_path / "ä b 日.zip"
    with ZipFile(packed, "w") as archive:
        for path in SOURCES.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(SOURCES))
    assert checksum(path=packed) == usual


def test_nothing_stands_on_asserts_or_docstrings(usual):
    assert checksum("-OO") == usual


def test_a_compile_needs_no_module_that_others_lack(usual):
    assert checksum(missing=(*UNIX, *BUILT_ASIDE)) == usual


@pytest.mark.parametrize(("seed", "zone"), [("1", "Pacific/Chatham"), ("2", "America/St_Johns")])
def test_hashes_zones_and_locales_are_in_no_request(seed, zone, usual):
    odd = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TMPDIR": "/nowhere"}
    assert checksum(PYTHONHASHSEED=seed, TZ=zone, HOME="/nowhere", **odd) == usual
