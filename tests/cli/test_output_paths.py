"""Where a command writes is looked at before its work: nothing is computed that can not be kept."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.commands import ended

from contextwright import write_session
from contextwright.cli.main import ctx
from contextwright.cli.output_file import OutputFile, WritingCommand
from contextwright.testing import session_of

COMMANDS = {
    "compile": ("compile", "gone.json", "--out"),
    "convert": ("convert", "gone.json", "--to", "anthropic", "--out"),
    "demo": ("demo", "--save"),
    "inspect": ("inspect", "gone.json", "-o"),
    "sweep": ("sweep", "gone.json", "-o", "r.parquet", "--plot"),
    "try": ("try", "gone.json", "--budget", "8k", "-o"),
    "tune": ("tune", "gone.json", "--budget", "8k", "-o"),
    "tune's picture": ("tune", "gone.json", "--budget", "8k", "-o", "t.json", "--plot"),
}


@pytest.mark.parametrize("place", ["no/such/x.svg", "folder.svg", "file.txt/x.svg"])
@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_refused_before_anything_is_read(command, place, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("folder.svg").mkdir()
    Path("file.txt").touch()
    if (command, place) == ("try", "folder.svg"):
        place = "file.txt/pages"  # a folder takes a page on each session
    code, _, error = ended(capsys, *COMMANDS[command], place)
    assert code == 4 and "can not be" in error and place in error and "gone.json" not in error
    assert sorted(os.listdir()) == ["file.txt", "folder.svg"]


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "sweep"])
def test_the_standard_output_is_no_file_of_that_name(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    code, _, error = ended(capsys, *COMMANDS[command], "-")
    assert code == 4 and "standard output" in error and os.listdir() == []


def test_what_try_writes_is_there_though_nobody_reads_what_it_prints(tmp_path):
    """`ctx try ... -o page.html | head -1`: it printed first, and ended without the page."""
    session, page = tmp_path / "s.json", tmp_path / "page.html"
    write_session(session_of("u: hi | a: hello | u: more? | a: no"), path=session)
    command = [
        sys.executable,
        "-m",
        "contextwright.cli",
        "try",
        session,
        "--budget",
        "8k",
        "-o",
        page,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.wait(timeout=60) == 0
    assert page.stat().st_size > 10_000


def test_every_option_that_names_an_output_is_among_them():
    context = ctx.make_context("ctx", ["--help"], resilient_parsing=True)
    named = {
        name
        for name in ctx.list_commands(context)
        for option in ctx.get_command(context, name).params
        if {"--out", "--save", "--plot"} & set(option.opts)
    }
    assert named == {command[0] for command in COMMANDS.values()}


def test_what_is_there_stays_until_it_is_written_anew(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("p.json").write_text("before")
    Path("link.json").symlink_to("gone/nowhere.json")
    for place, code in (("p.json", 4), ("link.json", 4)):
        assert ended(capsys, "compile", "gone.json", "--out", place)[0] == code
    assert Path("p.json").read_text() == "before" and Path("link.json").is_symlink()


def test_a_pipe_takes_what_is_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_session(session_of("u: hi"), path="s.json")
    reader, writer = os.pipe()
    code, _, error = ended(capsys, "convert", "s.json", "--to", "anthropic", "--out",
                           f"/dev/fd/{writer}")  # fmt: skip
    os.close(writer)
    assert code == 0, error
    with open(reader, "rb") as pipe:
        assert b"hi" in pipe.read()


WRITING = {
    "compile": ("compile", "s.json", "--out", "s.json"),
    "convert": ("convert", "s.json", "--to", "anthropic", "--out", "./s.json"),
    "inspect": ("inspect", "s.json", "-o", "s.json"),
    "the usual name": ("inspect", "inspect.html"),
    "a link": ("compile", "s.json", "--out", "link.json"),
    "the spec": ("compile", "s.json", "--spec", "spec.json", "--out", "spec.json"),
    "try": ("try", "s.json", "--budget", "8k", "-o", "s.json"),
    "sweep": ("sweep", "s.json", "-o", "s.json"),
    "tune": ("tune", "s.json", "--budget", "8k", "-o", "s.json"),
    "before its file": ("compile", "--out", "s.json", "s.json"),
}


@pytest.mark.parametrize("typed", WRITING.values(), ids=WRITING)
def test_nothing_is_written_over_what_is_read(typed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("s.json", "inspect.html"):
        write_session(session_of("u: hi | a: hello | u: and now?"), path=name)
    Path("spec.json").write_text('{"atom": "window", "n": 1}')
    Path("link.json").symlink_to("s.json")
    before = {one.name: one.read_bytes() for one in Path().iterdir()}
    code, _, error = ended(capsys, *typed)
    assert code == 4 and "it is read, and would be written over" in error, error
    assert {one.name: one.read_bytes() for one in Path().iterdir()} == before


def test_a_command_that_names_an_output_never_writes_over_what_it_reads():
    context = ctx.make_context("ctx", ["--help"], resilient_parsing=True)
    commands = [ctx.get_command(context, name) for name in ctx.list_commands(context)]
    for command in commands:
        if any(isinstance(option.type, OutputFile) for option in command.params):
            assert isinstance(command, WritingCommand), command.name


@pytest.mark.parametrize("typed", [
    ("compile", "s.json", "--out", "out"), ("convert", "s.json", "--out", "out"),
    ("inspect", "s.json", "-o", "out"), ("demo", "--save", "out"),
])  # fmt: skip
def test_a_file_stays_as_it_was_where_a_disk_is_full(typed, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_session(session_of("u: hi | a: hello | u: and now?"), path="s.json")
    Path("out").write_text("what it was")
    whole = Path.write_bytes

    def half(path, data):
        whole(path, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    code, _, error = ended(capsys, *typed)
    assert code == 4 and "No space left" in error and "a disk with room" in error
    assert Path("out").read_text() == "what it was"
    assert sorted(os.listdir()) == ["out", "s.json"]


def test_a_file_that_is_written_anew_keeps_its_rights_and_links(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_session(session_of("u: hi"), path="s.json")
    Path("out").write_text("before")
    Path("out").chmod(0o600)
    Path("link").symlink_to("out")
    assert ended(capsys, "convert", "s.json", "--out", "link")[0] == 0
    assert Path("link").is_symlink() and Path("out").stat().st_mode & 0o777 == 0o600
    assert "hi" in Path("out").read_text()
