"""`ctx tune` on what it is given: what could not be kept is refused before a search, and a search
that never began leaves nothing in the way of the next one."""

import pytest
from tests.cli.commands import ended
from tests.sweep.test_run_sweep import conversation

from contextwright.formats import write_session


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sessions").mkdir()
    for number in range(2):
        write_session(conversation(number, turns=2), path=tmp_path / f"sessions/{number}.json")
    return tmp_path


def tuned(capsys, *arguments):
    options = ("--budget", "1500", "--trials", "1", "--workers", "1")
    return ended(capsys, "tune", *arguments, *options)


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (("-o", "sessions"), 4, "Is a directory"),
        (("-o", "no/such/t.json"), 4, "folder that exists"),
        (("-o", "t.json", "--plot", "x.foo"), 10, "svg"),
        (("-o", "t.json", "--plot", "no/such/x.svg"), 4, "folder that exists"),
        (("-o", "t.json", "--study", "sessions/0.json/study"), 10, "can not be made"),
    ],
)
def test_what_could_not_be_kept_is_refused_before_a_search(folder, capsys, options, code, says):
    ended_with, _, error = tuned(capsys, "sessions", *options)
    assert ended_with == code and says in error
    assert not (folder / "t.json").exists() and not list(folder.rglob("trials.journal"))


def test_a_search_that_never_began_is_not_in_the_way_of_the_next_one(folder, capsys):
    for sessions, says in (("gone", "no such file"), ("sessions/0.json", "two different")):
        code, _, error = tuned(capsys, sessions, "-o", "t.json")
        assert code in (3, 4) and says in error
    code, _, error = tuned(capsys, "sessions", "-o", "t.json")
    assert code == 0, error
    assert (folder / "t.json").exists()
