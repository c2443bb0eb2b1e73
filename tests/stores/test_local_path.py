"""The address of a server is no path: no folder of its name is made, and its password is not shown."""

from pathlib import Path

import pytest
from tests.cli.test_cli import run

from contextwright import FileArtifacts, SQLiteMemory, SQLiteSessions
from contextwright.errors import ContextwrightError
from contextwright.retention import Lethe
from contextwright.stores.backup import backup
from contextwright.stores.local_path import local_path
from contextwright.stores.verify import verify

URLS = (
    "postgresql://me:hunter2@localhost/app",
    "redis://:hunter2@cache:6379/0",
    "s3://bucket/agents",
)


@pytest.mark.parametrize("url", URLS)
def test_no_store_of_this_machine_takes_an_address(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("store.db").touch()
    for use in (
        SQLiteSessions,
        SQLiteMemory,
        FileArtifacts,
        Lethe,
        verify,
        lambda url: verify("store.db", copy=url),
        lambda url: backup([url], "to"),
        lambda url: backup(["store.db"], url),
        lambda url: backup([Path(url)], Path("to")),
    ):
        with pytest.raises(ContextwrightError, match="address of a server") as refused:
            use(url)
        assert "hunter2" not in f"{refused.value} {refused.value.as_dict()}"
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        (10, ("verify", "URL")),
        (10, ("backup", "store.db", "URL")),
        (10, ("mcp", "--data", "URL")),
        (15, ("serve", "--upstream", "https://x.example", "--port", "0", "--data", "URL")),
        (4, ("try", "store.db", "--budget", "8k", "-o", "URL")),
    ],
)
def test_no_command_makes_a_folder_of_an_address(code, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("store.db").touch()
    shown = run(*(URLS[1] if word == "URL" else word for word in arguments), code=code)
    assert "address of a server" in shown and "hunter2" not in shown
    assert [path.name for path in tmp_path.iterdir()] == ["store.db"]


@pytest.mark.parametrize("path", ["a/b.db", ":memory:", "C:/agents/a.db", "at 10:30/a.db", "x:y"])
def test_other_paths_are_paths(path):
    assert local_path(path) == Path(path)
