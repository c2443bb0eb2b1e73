"""Where a command writes is looked at before its work: nothing is computed that can not be kept."""

import os
from pathlib import Path

import pytest
from tests.cli.commands import ended

from contextwright import write_session
from contextwright.cli.main import ctx
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
